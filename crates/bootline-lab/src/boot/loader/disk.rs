// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk that a boot loader reads.
use std::path::{Path, PathBuf};

use bootline_images::loaders::{BootMenu, DiskStart, boot_disk};

use super::job::LoaderJob;
use crate::boot::BootError;

/// Writes the disk that a loader reads into `folder`. Gives its path.
pub(super) fn write_disk(
    job: &LoaderJob<'_>,
    menu: &BootMenu,
    start: DiskStart<'_>,
    folder: &Path,
) -> Result<PathBuf, BootError> {
    let content = folder.join("files");
    std::fs::create_dir(&content).map_err(|source| BootError::Write { path: content.clone(), source })?;
    let disk = folder.join("disk");
    boot_disk(&job.files, menu, start, &content, &disk)?;
    // The disk has them now.
    std::fs::remove_dir_all(&content).map_err(|source| BootError::Write { path: content, source })?;
    Ok(disk)
}
