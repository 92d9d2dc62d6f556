// SPDX-License-Identifier: MIT OR Apache-2.0
//! A folder for what only one boot or experiment needs.
use std::fs;
use std::path::PathBuf;

use bootline_input::{Exit, Failure};
use tempfile::TempDir;

use crate::verbs::systems;

/// A folder with room for images, in the cache if there is one: /tmp is in memory on many hosts.
pub fn folder() -> Result<TempDir, Failure> {
    let (parent, named) = match systems::folder() {
        Ok(cache) => (cache, "boot-"),
        Err(_) => (std::env::temp_dir(), "bootline-boot-"),
    };
    let made = fs::create_dir_all(&parent).and_then(|()| tempfile::Builder::new().prefix(named).tempdir_in(&parent));
    made.map_err(|e| Failure::new(Exit::LAB, format!("can't write to `{}`: {e}", parent.display())))
}

/// Such a folder with an initramfs, and the initramfs.
pub fn with_initramfs(archive: &[u8]) -> Result<(PathBuf, TempDir), Failure> {
    let folder = folder()?;
    Ok((written(archive, &folder)?, folder))
}

/// The initramfs, written into the folder.
pub fn written(archive: &[u8], folder: &TempDir) -> Result<PathBuf, Failure> {
    let path = folder.path().join("root.cpio");
    fs::write(&path, archive).map_err(|e| Failure::new(Exit::LAB, format!("can't write `{}`: {e}", path.display())))?;
    Ok(path)
}
