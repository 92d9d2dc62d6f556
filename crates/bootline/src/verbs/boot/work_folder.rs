// SPDX-License-Identifier: MIT OR Apache-2.0
//! A folder for what only one boot or experiment needs.
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bootline_input::{Exit, Failure};
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::verbs::systems;

/// What the names of such folders in the cache begin with.
const NAMED: &str = "boot-";

/// A folder that is removed once this is dropped, or else by the next process that makes one: it is locked as long as it is used.
#[derive(Debug)]
pub struct WorkFolder {
    // Removed before it is unlocked.
    dir: TempDir,
    _lock: Option<File>,
}

impl WorkFolder {
    /// A folder with room for images, in the cache if there is one: /tmp is in memory on many hosts.
    pub fn new() -> Result<WorkFolder, Failure> {
        let (parent, made) = match systems::folder() {
            Ok(cache) => {
                let made = WorkFolder::in_cache(&cache);
                (cache, made)
            }
            Err(_) => {
                let made = tempfile::Builder::new().prefix("bootline-boot-").tempdir();
                (std::env::temp_dir(), made.map(|dir| WorkFolder { dir, _lock: None }))
            }
        };
        made.map_err(|e| Failure::new(Exit::LAB, format!("can't write to `{}`: {e}", parent.display())))
    }

    fn in_cache(cache: &Path) -> io::Result<WorkFolder> {
        fs::create_dir_all(cache)?;
        // Between making a folder and locking it nobody may take it for one that was left.
        let making = File::create(cache.join("boot.lock"))?;
        flock(&making, FlockOperation::LockExclusive)?;
        remove_left(cache);
        let dir = tempfile::Builder::new().prefix(NAMED).tempdir_in(cache)?;
        let lock = File::open(dir.path())?;
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(WorkFolder { dir, _lock: Some(lock) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the folders of processes that were killed. What can't be removed, such as another user's, stays.
fn remove_left(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let is_work = entry.file_name().to_string_lossy().starts_with(NAMED) && entry.path().is_dir();
        let unused =
            || flock(File::open(entry.path())?, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from);
        if is_work && unused().is_ok() {
            _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Such a folder with an initramfs, and the initramfs.
pub fn with_initramfs(archive: &[u8]) -> Result<(PathBuf, WorkFolder), Failure> {
    let folder = WorkFolder::new()?;
    Ok((written(archive, &folder)?, folder))
}

/// The initramfs, written into the folder.
pub fn written(archive: &[u8], folder: &WorkFolder) -> Result<PathBuf, Failure> {
    let path = folder.path().join("root.cpio");
    fs::write(&path, archive).map_err(|e| Failure::new(Exit::LAB, format!("can't write `{}`: {e}", path.display())))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_processes_that_were_killed_are_removed_and_no_others() {
        let cache = tempfile::tempdir().unwrap();
        for name in ["boot-left", "amd64"] {
            fs::create_dir(cache.path().join(name)).unwrap();
        }
        fs::write(cache.path().join("boot-left/root.img"), "image").unwrap();
        let first = WorkFolder::in_cache(cache.path()).unwrap();
        let second = WorkFolder::in_cache(cache.path()).unwrap();
        assert!(first.path().is_dir() && second.path().is_dir());
        assert!(!cache.path().join("boot-left").exists() && cache.path().join("amd64").is_dir());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
