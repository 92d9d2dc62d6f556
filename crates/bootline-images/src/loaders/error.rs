// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong between the name of a boot loader and a machine that boots with it.
use std::io;
use std::path::{Path, PathBuf};

use super::loader::Loader;
use crate::kernels;

/// Why there is no boot loader, or nothing that it could boot.
#[derive(Debug, thiserror::Error)]
pub enum LoaderError {
    /// Programs or headers that the build needs are not installed.
    #[error("can't build {loader}: missing: {}", missing.join(", "))]
    NoTools {
        /// The loader.
        loader: Loader,
        /// What is missing: programs and headers.
        missing: Vec<&'static str>,
        /// The Debian packages that contain them.
        packages: Vec<&'static str>,
    },
    /// The source package can't be had.
    #[error(transparent)]
    Packages(#[from] kernels::Error),
    /// The source package lacks a part.
    #[error("can't build {loader}: its source package has no {part}")]
    NoSource {
        /// The loader.
        loader: Loader,
        /// `upstream source` or `changes by Debian`.
        part: &'static str,
    },
    /// The source's configuration does not know an option, or drops it for another one's sake.
    #[error("can't build {loader}: its configuration drops {}", options.join(", "))]
    Dropped {
        /// The loader.
        loader: Loader,
        /// The options.
        options: Vec<String>,
    },
    /// A step failed.
    #[error("can't build {what}: {step} failed{}", evidence.iter().map(|l| format!("\n  {l}")).collect::<String>())]
    Step {
        /// What was being built: a loader, a disk.
        what: String,
        /// The step.
        step: &'static str,
        /// The last lines of what it said.
        evidence: Vec<String>,
    },
    /// A file or folder can't be used.
    #[error("cannot {action} `{}`: {source}", path.display())]
    File {
        /// Such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The environment is larger than the flash's part for it.
    #[error("the loader's environment has {bytes} bytes, and there is room for {room}")]
    EnvironmentTooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The room for it, in bytes.
        room: usize,
    },
    /// No program that makes file systems.
    #[error("can't make the loader's disk: `mkfs.ext4` is not installed")]
    NoMkfs,
}

impl LoaderError {
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LoaderError {
        move |source| LoaderError::File { action, path: path.to_owned(), source }
    }

    /// What to do about it: one line, for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            LoaderError::NoTools { packages, .. } => Some(format!("apt-get install {}", packages.join(" "))),
            LoaderError::Packages(kernels::Error::Apt { .. }) => Some(
                "is the mirror reachable? a loader in the cache works without it: `bootline loaders list`".to_owned(),
            ),
            LoaderError::Packages(error) => error.hint(),
            LoaderError::File { .. } => Some("set another folder: BOOTLINE_CACHE=DIR".to_owned()),
            LoaderError::NoMkfs => Some("apt-get install e2fsprogs".to_owned()),
            LoaderError::NoSource { .. }
            | LoaderError::Dropped { .. }
            | LoaderError::Step { .. }
            | LoaderError::EnvironmentTooLarge { .. } => None,
        }
    }
}
