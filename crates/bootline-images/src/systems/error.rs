// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong between the name of a system and its image.
use std::io;
use std::path::{Path, PathBuf};

use super::module_error::{ModuleReadError, NoDriver};
use super::system::System;
use crate::arch::Arch;
use crate::hardware::WrongBus;
use crate::kernels;

/// Why there is no image of a system.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// A program that builds systems is not installed.
    #[error("can't build a system: `{program}` is not installed")]
    NoTool {
        /// The program.
        program: &'static str,
        /// The Debian package that contains it.
        package: &'static str,
    },
    /// The host forbids what an ordinary user needs to own files of several users.
    #[error("can't build a system: no user namespace with a range of user ids: {reason}")]
    NoNamespace {
        /// What `unshare` said.
        reason: String,
    },
    /// The system's programs can't run on this host while it is built.
    #[error(
        "can't build {system} for {arch} on this host without a guest: its packages are configured by running their programs"
    )]
    Foreign {
        /// The system.
        system: System,
        /// Its architecture.
        arch: Arch,
    },
    /// This program was built without the lab's programs for the architecture.
    #[error("no application for {} guests: this bootline was built without a compiler for them", arch.qemu_name())]
    NoPrograms {
        /// The architecture.
        arch: Arch,
    },
    /// The packages can't be had.
    #[error(transparent)]
    Packages(#[from] kernels::Error),
    /// A module of the kernel can't be read.
    #[error(transparent)]
    Module(#[from] ModuleReadError),
    /// The kernel has no driver for the hardware or the file system.
    #[error(transparent)]
    NoDriver(#[from] NoDriver),
    /// The file system can't be on the bus.
    #[error(transparent)]
    WrongBus(#[from] WrongBus),
    /// A step of the build failed.
    #[error("can't build {what}: {step} failed{}", evidence.iter().map(|l| format!("\n  {l}")).collect::<String>())]
    Step {
        /// What was to be built: a system, or an image.
        what: String,
        /// The step.
        step: &'static str,
        /// The last lines of what it said.
        evidence: Vec<String>,
    },
    /// A file of a system's root can't be changed.
    #[error("can't {action} `{path}` in the system's root: {why}")]
    Change {
        /// `change` or `remove`.
        action: &'static str,
        /// The path in the root.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// A file or folder of the cache can't be used.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Cache {
        /// Such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SystemError {
    pub(super) fn cache(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SystemError {
        move |source| SystemError::Cache { action, path: path.to_owned(), source }
    }

    /// What to do about it: one line, for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            SystemError::NoTool { package, .. } => Some(format!("apt-get install {package}")),
            SystemError::NoNamespace { .. } => Some(
                "apt-get install uidmap, and have a range of ids for this user in /etc/subuid and /etc/subgid; or run as root"
                    .to_owned(),
            ),
            SystemError::Foreign { .. } => Some("build it on a host of that architecture".to_owned()),
            SystemError::NoPrograms { arch } => Some(format!("apt-get install {}, then build again", arch.compiler_package())),
            SystemError::WrongBus(WrongBus::NoFlash { .. }) => Some("leave out `--bus`, or name `mtd`".to_owned()),
            SystemError::WrongBus(WrongBus::PartitionOfFlash) => Some("name another bus than `mtd`".to_owned()),
            SystemError::NoDriver(NoDriver { option: Some(option), .. }) => {
                Some(format!("leave out `{option}`, or boot another kernel"))
            }
            SystemError::NoDriver(_) => Some("boot another kernel, or a root with another file system".to_owned()),
            SystemError::Packages(error) => error.hint(),
            SystemError::Cache { .. } => Some("set another folder: BOOTLINE_CACHE=DIR".to_owned()),
            SystemError::Module(_) | SystemError::Step { .. } | SystemError::Change { .. } => None,
        }
    }
}
