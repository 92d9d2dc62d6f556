// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a fetch, for display.
use std::fmt;
use std::path::PathBuf;

use super::series::Series;
use crate::arch::Arch;

/// A step of a refresh or a fetch. Its text is a line for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchProgress {
    /// Another process uses this cache; its lock is awaited.
    Waiting {
        /// The architecture whose part of the cache is locked.
        arch: Arch,
    },
    /// The lists of packages are being read from the mirror.
    Refreshing {
        /// For this architecture.
        arch: Arch,
        /// The mirror in use.
        mirror: String,
        /// 0 to 100.
        percent: f32,
    },
    /// A suite can't be fetched now; the others are used.
    SuiteMissing {
        /// Its name.
        suite: String,
        /// What apt says.
        reason: String,
    },
    /// A package is being downloaded.
    Downloading {
        /// Its name.
        package: String,
        /// Its version.
        version: String,
        /// The suite it comes from.
        suite: String,
        /// Its size in bytes.
        size: u64,
        /// 0 to 100.
        percent: f32,
    },
    /// The kernel is being taken out of the package.
    Unpacking {
        /// The package's name.
        package: String,
    },
    /// A file of the cache is damaged; it is deleted and fetched again.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The series is gone from the suites; another one replaces it.
    Substituted {
        /// For this architecture.
        arch: Arch,
        /// The requested series.
        wanted: Series,
        /// The substitute.
        taken: Series,
    },
}

impl fmt::Display for FetchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchProgress::Waiting { arch } => write!(f, "waiting for another fetch of {arch} kernels"),
            FetchProgress::Refreshing { arch, mirror, percent } => {
                write!(f, "reading the {arch} package lists from {mirror}: {percent:.0} %")
            }
            FetchProgress::SuiteMissing { suite, reason } => {
                write!(f, "suite {suite} can't be had, going on without it: {reason}")
            }
            FetchProgress::Downloading { package, version, suite, size, percent } => {
                let mb = *size as f64 / 1e6;
                write!(f, "fetching {package} {version} from {suite}: {percent:.0} % of {mb:.1} MB")
            }
            FetchProgress::Unpacking { package } => write!(f, "unpacking {package}"),
            FetchProgress::Damaged { path, reason } => {
                write!(f, "damaged in the cache: `{}`: {reason}; fetching it again", path.display())
            }
            FetchProgress::Substituted { arch, wanted, taken } => {
                write!(f, "{arch}:{wanted} has gone from the Debian suites; {taken} has the same console behaviour")
            }
        }
    }
}
