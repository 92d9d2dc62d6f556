// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the cache gives to the build of a loader, and what it gets back.
use std::path::{Path, PathBuf};

use super::image::LoaderFirmware;

/// Where a loader is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildPlace<'a> {
    /// The cache's folder, with what builds share: archives, apt's state.
    pub root: &'a Path,
    /// An empty folder for this build.
    pub part: &'a Path,
    /// A mirror of the Debian archive, regardless of the host's apt configuration.
    pub mirror: Option<&'a str>,
}

/// A loader that was built.
#[derive(Clone, Debug)]
pub(super) struct Built {
    /// Version of Debian's package.
    pub version: String,
    /// The firmware that starts it.
    pub firmware: Option<LoaderFirmware>,
    /// Its files where they were built, with the names that they get.
    pub files: Vec<(PathBuf, &'static str)>,
}
