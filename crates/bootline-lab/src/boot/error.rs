// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors that prevent a boot. A guest that panics or hangs is not an error but a result.
use std::io;
use std::path::PathBuf;

use bootline_capture::units::Baud;

use super::RunVerdict;
use crate::line::{MAX_BAUD, MIN_BAUD};
use crate::module::ModuleError;
use crate::qemu::QemuError;
use bootline_images::arch::Arch;
use bootline_images::loaders::{Loader, LoaderError};
use bootline_images::systems::{RootState, System, SystemError};
use bootline_port::recorder::RecorderError;

/// Why a boot could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// The kernel can't be read.
    #[error("can't read kernel `{}`: {source}", path.display())]
    Kernel {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a kernel image that the lab can boot.
    #[error("`{}` is neither an x86 bzImage, an arm64 Image nor an armhf zImage", path.display())]
    UnknownImage {
        /// The file.
        path: PathBuf,
    },
    /// The initramfs can't be read.
    #[error("can't read initramfs `{}`: {source}", path.display())]
    Initrd {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The device tree can't be read.
    #[error("can't read device tree `{}`: {source}", path.display())]
    DeviceTree {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The guest's machine is not described by a device tree.
    #[error("{} guests have no device tree", arch.qemu_name())]
    NoDeviceTree {
        /// The guest's architecture.
        arch: Arch,
    },
    /// KVM was asked for, which runs no such guests.
    #[error("KVM does not run {arch} guests: Linux has none on 32-bit ARM")]
    NoKvm {
        /// The guest's architecture.
        arch: Arch,
    },
    /// The boot loader is for another machine.
    #[error("{loader} boots {} guests only, and the kernel is for {arch}", loader.arch())]
    LoaderArch {
        /// The loader.
        loader: Loader,
        /// The guest's architecture.
        arch: Arch,
    },
    /// The boot loader would change the kernel's command line.
    #[error("{loader} would change `{found}` in the kernel's command line")]
    LoaderWords {
        /// The loader.
        loader: Loader,
        /// The first such character.
        found: char,
    },
    /// A compressed kernel is asked for, of another boot loader than U-Boot.
    #[error("the lab compresses kernels for u-boot only: those for PCs decompress themselves")]
    LoaderGzip,
    /// The guest's memory has no room for the loader and what it loads.
    #[error("{loader} needs {mib} MiB of memory for this kernel and initramfs")]
    LoaderMemory {
        /// The loader.
        loader: Loader,
        /// What is enough, in MiB.
        mib: u64,
    },
    /// A file of the boot loader can't be read.
    #[error("can't read the boot loader's `{}`: {source}", path.display())]
    LoaderFile {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The boot loader's disk or flash can't be made.
    #[error(transparent)]
    Loader(Box<LoaderError>),
    /// A paced line and a counted clock were requested together: the guest's time would not match the line's.
    #[error("a paced line can't be combined with -icount: the guest's time would not match the line's")]
    PacedAndIcount,
    /// A guest with counted time must run the lab's own init: nothing else reports how long it took.
    #[error("-icount needs the lab's own init: without a console nothing else reports the time")]
    IcountWithInitrd,
    /// The time of an instruction, in a boot that does not count them.
    #[error("only a boot with -icount can state the time of an instruction")]
    NotCounted,
    /// Memory can't be added to such a guest.
    #[error("can't add {mib} MiB of memory while the guest runs: {why}")]
    AddedMemory {
        /// What was asked for.
        mib: u32,
        /// Why not.
        why: String,
    },
    /// A request that only the lab's init can serve, together with the user's own initramfs.
    #[error("{what} needs the lab's own init")]
    NeedsLabInit {
        /// What was asked for.
        what: &'static str,
    },
    /// A request that only an initramfs can serve, in a boot without one.
    #[error("without an initramfs there can't be {what}: {why}")]
    NeedsInitramfs {
        /// What was asked for.
        what: &'static str,
        /// Why that does not go.
        why: &'static str,
    },
    /// A kernel that can't mount the root of a system by itself.
    #[error("kernel {kernel} can't boot without an initramfs: not built in: {}", lacking.join(", "))]
    NotBuiltIn {
        /// The kernel.
        kernel: String,
        /// Its architecture.
        arch: Arch,
        /// The options that would have to be `y`.
        lacking: Vec<&'static str>,
    },
    /// A request that needs a serial line, in a boot without one.
    #[error("{what} needs a serial line, which a boot with -icount does not have")]
    NeedsLine {
        /// What was asked for.
        what: &'static str,
    },
    /// A module can't be given to the guest.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// QEMU should have traced register accesses, and reported none.
    #[error("`{program}` traced no register access: it was built without the trace back end `log`")]
    Untraced {
        /// The program.
        program: &'static str,
    },
    /// The lab cannot pace a line of this speed.
    #[error("{baud} baud is outside the lab's range ({MIN_BAUD} to {MAX_BAUD})")]
    BaudOutOfRange {
        /// The speed asked for.
        baud: Baud,
    },
    /// This program was built without an init for the architecture.
    #[error("no init for {} guests: this bootline was built without a compiler for them", arch.qemu_name())]
    NoInit {
        /// The guest's architecture.
        arch: Arch,
    },
    /// The directory contains a run already; runs are never overwritten.
    #[error("`{}` already contains a run", path.display())]
    DirInUse {
        /// The file of that run.
        path: PathBuf,
    },
    /// A file of the run can't be written.
    #[error("can't write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The line between QEMU and the lab can't be created or read.
    #[error("the paced line failed: {source}")]
    Line {
        /// The system's error.
        source: io::Error,
    },
    /// The host can't read an image, or not keep what the guest wrote over it.
    #[error("can't serve `{}` as a disk: {source}", path.display())]
    Disk {
        /// The image.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The capture can't be written.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    /// A boot that prepares a system's image did not come to its end, so the image can't be measured.
    #[error("the boot that prepares the image of {system} failed: {verdict}")]
    Unprepared {
        /// The system.
        system: System,
        /// How it ended.
        verdict: Box<RunVerdict>,
    },
    /// A guest could not write to a system's image what its state demands.
    #[error("a guest could not write to the image of {system}; it said: {said}")]
    NotWritten {
        /// The system.
        system: System,
        /// The last line of what it said.
        said: String,
    },
    /// A boot of an image that was prepared does not find it in its state.
    #[error("the root of {system} is not in the state `{state}`: the kernel's log of a boot lacks `{wanted}`")]
    NotInState {
        /// The system.
        system: System,
        /// The state.
        state: RootState,
        /// What the log should contain.
        wanted: &'static str,
    },
    /// A kernel that can't bring a root into a state.
    #[error("kernel {kernel} can't bring a root into the state `{state}`: not built in: {}", lacking.join(", "))]
    NotForState {
        /// The kernel.
        kernel: String,
        /// Its architecture.
        arch: Arch,
        /// The state.
        state: RootState,
        /// The options that would have to be `y`.
        lacking: Vec<&'static str>,
    },
    /// A boot that prepares a system's image was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// A system's image can't be made or copied.
    #[error(transparent)]
    System(#[from] SystemError),
    /// QEMU can't be run.
    #[error(transparent)]
    Qemu(#[from] QemuError),
}

impl BootError {
    /// What the user can do about it: one command or option, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            BootError::Qemu(QemuError::Missing { package, .. }) => Some(format!("apt install {package}")),
            BootError::NoInit { arch } => {
                Some(format!("apt install {}, then build again; or give an `--initrd`", arch.compiler_package()))
            }
            BootError::UnknownImage { .. } => {
                Some("say which with `--arch x86_64`, `--arch aarch64` or `--arch arm`".to_owned())
            }
            BootError::PacedAndIcount => Some("leave out `--baud` or `--icount`".to_owned()),
            BootError::IcountWithInitrd => Some("leave out `--initrd` or `--icount`".to_owned()),
            BootError::NoKvm { .. } => Some("boot it in QEMU's translator, which is the default".to_owned()),
            BootError::NoDeviceTree { .. } => Some("leave out `--dtb`".to_owned()),
            BootError::LoaderArch { loader, .. } => {
                Some(format!("name a kernel for {0}: `--kernel {0}:6.12`; or leave out `--loader`", loader.arch()))
            }
            BootError::LoaderMemory { mib, .. } => Some(format!("`--memory {mib}`")),
            BootError::LoaderGzip => Some("leave out `--loader-gzip`".to_owned()),
            BootError::LoaderWords { .. } => Some("leave it out of `--append`, or leave out `--loader`".to_owned()),
            BootError::Loader(error) => error.hint(),
            BootError::System(error) => error.hint(),
            BootError::NeedsLabInit { .. } => Some("leave out `--initrd`".to_owned()),
            BootError::NeedsInitramfs { .. } => {
                Some("leave out `--no-initramfs` (in an experiment `initramfs = false`)".to_owned())
            }
            BootError::NotBuiltIn { arch, .. } if !arch.has_kernel_builds() => {
                Some("boot it with an initramfs, or a kernel of your own that has them".to_owned())
            }
            BootError::NotForState { arch, .. } if !arch.has_kernel_builds() => Some(
                "leave out `--root-state` (in an experiment `root_state`), or name a kernel of another architecture"
                    .to_owned(),
            ),
            BootError::NotForState { .. } => Some(
                "build one that has them: `bootline kernels build NAME --fragment ubi-fastmap`, then `--kernel NAME`"
                    .to_owned(),
            ),
            BootError::NotBuiltIn { .. } => {
                Some("build one that has them: `bootline kernels build tiny`; or boot it with an initramfs".to_owned())
            }
            BootError::NotCounted => Some("add `--icount`".to_owned()),
            BootError::AddedMemory { .. } => Some("`--added-memory 128`, or leave it out".to_owned()),
            BootError::NeedsLine { .. } => Some("leave out `--icount`".to_owned()),
            BootError::Untraced { program } | BootError::Qemu(QemuError::NoTrace { program, .. }) => {
                Some(format!("see `{program} -trace help`; the back end `log` is needed"))
            }
            BootError::DirInUse { .. } => Some("name another directory with `-o`".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hint_names_a_build_that_is_refused() {
        let hint = |arch| {
            let error = BootError::NotBuiltIn { kernel: format!("{arch}:6.12"), arch, lacking: vec!["EXT4_FS"] };
            error.hint().unwrap()
        };
        assert!(hint(Arch::Amd64).contains("`bootline kernels build tiny`"));
        assert_eq!(hint(Arch::Armhf), "boot it with an initramfs, or a kernel of your own that has them");
    }
}
