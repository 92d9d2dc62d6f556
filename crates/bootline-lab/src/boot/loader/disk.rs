// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk that a boot loader reads, and how QEMU is told of disks.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bootline_images::loaders::{BootMenu, DiskStart, boot_disk};

use super::job::LoaderJob;
use crate::boot::BootError;
use crate::storage::{StoragePreset, throttle};

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

/// QEMU's options of a drive, with its file.
pub(super) fn drive(options: &str, file: &Path) -> OsString {
    // QEMU reads a comma in a name as two.
    OsString::from(format!("{options},file={}", file.to_string_lossy().replace(',', ",,")))
}

/// QEMU's options of the drive that a loader reads, which shares the storage of the system.
pub(super) fn disk_drive(disk: &Path, storage: Option<StoragePreset>) -> OsString {
    let mut options = drive("format=raw,if=none,id=boot,snapshot=on", disk);
    options.push(throttle(storage));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_shares_the_storage_of_the_system() {
        let disk = Path::new("/a,b");
        assert_eq!(disk_drive(disk, None), "format=raw,if=none,id=boot,snapshot=on,file=/a,,b");
        let slow = disk_drive(disk, Some(StoragePreset::Sd)).into_string().unwrap();
        assert!(slow.ends_with(",throttling.bps-total=20000000,throttling.iops-total=700,throttling.group=storage"));
    }
}
