// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of building a boot loader, for display.
use std::fmt;

use super::loader::Loader;

/// A step of a build. Its text is a line for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum LoaderProgress {
    /// Another process builds a loader; its lock is awaited.
    Waiting,
    /// The list of packages is being read from the mirror.
    Refreshing {
        /// 0 to 100.
        percent: f32,
    },
    /// What is about to be downloaded.
    Fetching {
        /// The loader.
        loader: Loader,
        /// Size of its packages, in bytes.
        bytes: u64,
    },
    /// The packages are being downloaded.
    Downloading {
        /// 0 to 100.
        percent: f32,
    },
    /// Its packages are being unpacked.
    Unpacking {
        /// The loader.
        loader: Loader,
        /// Its version.
        version: String,
    },
    /// It is being compiled.
    Compiling {
        /// The loader.
        loader: Loader,
        /// Number of the compiler's processes.
        jobs: usize,
    },
    /// Its image is being linked from its parts.
    Linking {
        /// The loader.
        loader: Loader,
    },
}

impl LoaderProgress {
    /// Whether the next step of this kind replaces it on a terminal.
    pub fn counts(&self) -> bool {
        matches!(self, LoaderProgress::Refreshing { .. } | LoaderProgress::Downloading { .. })
    }
}

impl fmt::Display for LoaderProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoaderProgress::Waiting => f.write_str("waiting for another build of a boot loader"),
            LoaderProgress::Refreshing { percent } => {
                write!(f, "reading the package lists: {percent:.0} %")
            }
            LoaderProgress::Fetching { loader, bytes } => {
                write!(f, "{loader}: {:.0} MB to download", *bytes as f64 / 1e6)
            }
            LoaderProgress::Downloading { percent } => write!(f, "downloading: {percent:.0} %"),
            LoaderProgress::Unpacking { loader, version } => write!(f, "{loader}: unpacking {version}"),
            LoaderProgress::Compiling { loader, jobs } => {
                write!(f, "{loader}: compiling with {jobs} processes (some minutes)")
            }
            LoaderProgress::Linking { loader } => write!(f, "{loader}: linking its image"),
        }
    }
}
