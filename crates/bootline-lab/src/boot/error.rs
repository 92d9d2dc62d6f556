// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a boot could not be carried out. A guest that panics or hangs is not among them: that is a result.
use std::io;
use std::path::PathBuf;

use bootline_capture::units::Baud;

use crate::line::{MAX_BAUD, MIN_BAUD};
use crate::machine::Arch;
use crate::module::ModuleError;
use crate::qemu::QemuError;
use bootline_port::recorder::RecorderError;

/// Why a boot could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// The kernel can't be read.
    #[error("can't read kernel `{}`: {source}", path.display())]
    Kernel {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no kernel that the lab boots.
    #[error("`{}` is neither an x86 bzImage nor an arm64 Image", path.display())]
    UnknownImage {
        /// The file.
        path: PathBuf,
    },
    /// The initramfs can't be read.
    #[error("can't read initramfs `{}`: {source}", path.display())]
    Initrd {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A paced line and a counted clock were asked for at once: guest time would mean nothing on the line.
    #[error("a paced line and -icount can't be had in one boot: the guest's time would not be the line's")]
    PacedAndIcount,
    /// A guest whose time is counted boots the lab's own init only: nothing else tells how long it took.
    #[error("-icount needs the lab's own init: without a console nothing else tells the time")]
    IcountWithInitrd,
    /// Something that only the lab's init does, with an initramfs of the user's own.
    #[error("{what} needs the lab's own init")]
    NeedsLabInit {
        /// What was asked for.
        what: &'static str,
    },
    /// Something about the line, in a boot without one.
    #[error("{what} needs a serial line, which -icount has not")]
    NeedsLine {
        /// What was asked for.
        what: &'static str,
    },
    /// A module can't be given to the guest.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// QEMU was to trace register accesses, and told of none.
    #[error("`{program}` traced no register access: it was built to trace elsewhere than to its messages")]
    Untraced {
        /// The program.
        program: &'static str,
    },
    /// The lab plays no such line.
    #[error("{baud} baud is out of the lab's reach ({MIN_BAUD} to {MAX_BAUD})")]
    BaudOutOfRange {
        /// The speed asked for.
        baud: Baud,
    },
    /// This program was built without an init for the architecture.
    #[error("no init for {arch} guests: this bootline was built without a compiler for them")]
    NoInit {
        /// The guest's architecture.
        arch: Arch,
    },
    /// The directory holds a run already, which is never overwritten.
    #[error("`{}` holds a run already", path.display())]
    DirInUse {
        /// The file that tells.
        path: PathBuf,
    },
    /// A file of the run can't be written.
    #[error("can't write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The line between QEMU and the lab can't be made or read.
    #[error("the paced line failed: {source}")]
    Line {
        /// What the system said.
        source: io::Error,
    },
    /// The capture can't be written.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    /// QEMU can't be run.
    #[error(transparent)]
    Qemu(#[from] QemuError),
}

impl BootError {
    /// What the user can do about it: one command or option, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            BootError::Qemu(QemuError::Missing { package, .. }) => Some(format!("apt install {package}")),
            BootError::NoInit { arch } => {
                Some(format!("apt install {}, then build again; or give an `--initrd`", arch.compiler_package()))
            }
            BootError::UnknownImage { .. } => Some("say which with `--arch x86_64` or `--arch aarch64`".to_owned()),
            BootError::PacedAndIcount => Some("leave out `--baud` or `--icount`".to_owned()),
            BootError::IcountWithInitrd => Some("leave out `--initrd` or `--icount`".to_owned()),
            BootError::NeedsLabInit { .. } => Some("leave out `--initrd`".to_owned()),
            BootError::NeedsLine { .. } => Some("leave out `--icount`".to_owned()),
            BootError::Untraced { program } | BootError::Qemu(QemuError::NoTrace { program, .. }) => {
                Some(format!("see `{program} -trace help`; the back end `log` is needed"))
            }
            BootError::DirInUse { .. } => Some("name another directory with `-o`".to_owned()),
            _ => None,
        }
    }
}
