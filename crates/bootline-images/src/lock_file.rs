// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock by which processes that share a cache change it one after another.
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};

/// Takes the lock on a file, which is created if missing; it is held until the result is dropped. `waits` is called if another
/// process holds it. An error comes with what failed: `open` or `lock`.
pub(crate) fn lock_file(path: &Path, waits: impl FnOnce()) -> Result<File, (&'static str, io::Error)> {
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(|e| ("open", e))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        waits();
        flock(&file, FlockOperation::LockExclusive).map_err(|e| ("lock", e.into()))?;
    }
    Ok(file)
}

/// Lets the programs that are started from now on hold the lock as well: it lasts as long as the last of them, also if this process is
/// killed.
pub(crate) fn share_with_children(lock: &File) -> io::Result<()> {
    Ok(fcntl_setfd(lock, FdFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_program_that_outlives_its_parent_keeps_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let is_free = || {
            let file = File::open(&path).unwrap();
            flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        };
        let lock = lock_file(&path, || {}).unwrap();
        assert!(!is_free());
        share_with_children(&lock).unwrap();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        drop(lock);
        assert!(!is_free());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_free());
    }
}
