// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk that a boot loader reads, and how QEMU is told of disks.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bootline_images::loaders::{BootMenu, DiskStart, boot_disk};

use super::job::LoaderJob;
use crate::boot::BootError;
use crate::boot::devices::drive;

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

/// QEMU's options of the drive that a loader reads, with the limits of the system's storage, which it shares.
pub(super) fn disk_drive(disk: &Path, limits: &str) -> OsString {
    let mut options = drive("format=raw,if=none,id=boot,snapshot=on", disk);
    options.push(limits);
    options
}

#[cfg(test)]
mod tests {
    use bootline_images::hardware::Bus;

    use super::*;
    use crate::storage::{StoragePreset, throttle};

    #[test]
    fn the_disk_shares_the_storage_of_the_system() {
        let disk = Path::new("/a,b");
        let of = |storage| disk_drive(disk, &throttle(storage, Bus::Virtio));
        assert_eq!(of(None), "format=raw,if=none,id=boot,snapshot=on,file=/a,,b");
        let slow = of(Some(StoragePreset::Sd)).into_string().unwrap();
        assert!(slow.ends_with(",throttling.bps-total=20000000,throttling.iops-total=700,throttling.group=storage"));
    }
}
