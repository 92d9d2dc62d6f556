// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a boot loader is to boot, and what it needs for that.
use std::ffi::OsString;
use std::path::PathBuf;

use bootline_capture::units::Baud;
use bootline_images::loaders::BootFiles;

/// What a loader is to boot, and on what machine.
#[derive(Clone, Copy, Debug)]
pub(in crate::boot) struct LoaderJob<'a> {
    pub files: BootFiles<'a>,
    pub command_line: &'a str,
    pub baud: Baud,
    pub memory_mib: u32,
    /// Whether the guest has a screen.
    pub screen: bool,
}

/// What a loader needs of QEMU.
pub(super) struct LoaderParts {
    /// Arguments, which name the drive `boot`.
    pub arguments: Vec<OsString>,
    /// The image of that drive.
    pub disk: PathBuf,
}
