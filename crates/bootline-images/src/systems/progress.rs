// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of building a system, for display.
use std::fmt;

use super::system::System;
use crate::arch::Arch;
use crate::image_format::ImageFormat;
use crate::kernels::FetchProgress;

/// A step of a fetch or a build. Its text is a line for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildProgress {
    /// Another process uses this part of the cache; its lock is awaited.
    Waiting {
        /// The architecture.
        arch: Arch,
    },
    /// The lists of packages are being read from the mirror.
    Refreshing {
        /// 0 to 100.
        percent: f32,
    },
    /// What is about to be downloaded.
    Fetching {
        /// The system.
        system: System,
        /// Number of packages.
        packages: usize,
        /// Their size in bytes.
        bytes: u64,
    },
    /// The packages are being downloaded.
    Downloading {
        /// 0 to 100.
        percent: f32,
    },
    /// A kernel's modules are being fetched.
    Kernel(FetchProgress),
    /// The packages are being installed into a root file system.
    Installing {
        /// The system.
        system: System,
    },
    /// The packages are being configured in a guest, because their programs do not run on this host.
    Guest {
        /// The system.
        system: System,
        /// The guest's architecture.
        arch: Arch,
        /// Number of packages.
        packages: usize,
    },
    /// A guest has configured some of the packages.
    Configuring {
        /// Number of packages that are configured.
        done: u32,
        /// Number of all packages.
        all: u32,
    },
    /// The files of an image are written in another file system.
    Converting {
        /// The system.
        system: System,
        /// The form of the image.
        format: ImageFormat,
    },
    /// The root file system becomes an image.
    Writing {
        /// The system.
        system: System,
        /// The kernel's release.
        release: String,
        /// Size of the image, in MiB.
        mib: u32,
    },
}

impl BuildProgress {
    /// Whether the next step of this kind replaces it on a terminal.
    pub fn counts(&self) -> bool {
        match self {
            BuildProgress::Refreshing { .. }
            | BuildProgress::Downloading { .. }
            | BuildProgress::Configuring { .. } => true,
            BuildProgress::Kernel(p) => {
                matches!(p, FetchProgress::Refreshing { .. } | FetchProgress::Downloading { .. })
            }
            _ => false,
        }
    }
}

impl fmt::Display for BuildProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildProgress::Waiting { arch } => write!(f, "waiting for another build of {arch} systems"),
            BuildProgress::Refreshing { percent } => write!(f, "reading the package lists: {percent:.0} %"),
            BuildProgress::Fetching { system, packages, bytes } => {
                write!(f, "{system}: {packages} packages, {:.0} MB to download", *bytes as f64 / 1e6)
            }
            BuildProgress::Downloading { percent } => write!(f, "downloading packages: {percent:.0} %"),
            BuildProgress::Kernel(progress) => progress.fmt(f),
            BuildProgress::Installing { system } => write!(f, "{system}: installing its packages (a minute or two)"),
            BuildProgress::Guest { system, arch, packages } => write!(
                f,
                "{system}: this host can't run {arch} programs, so a guest in QEMU configures its {packages} packages: about {} minutes, \
                 once",
                guest_minutes(*packages)
            ),
            BuildProgress::Configuring { done, all } => {
                write!(f, "configuring packages in the guest: {done} of {all}")
            }
            BuildProgress::Converting { system, format } => write!(f, "{system}: writing its files as {format}"),
            BuildProgress::Writing { system, release, mib } => {
                write!(f, "{system}: writing an image of {mib} MiB for {release}")
            }
        }
    }
}

/// Two to three seconds a package in QEMU's translator, on a host of two processors.
fn guest_minutes(packages: usize) -> usize {
    (packages * 5 / 2).div_ceil(60)
}
