// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock by which processes that share a cache change it one after another.
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{FlockOperation, flock};

/// Takes the lock on a file, which is created if missing; it is held until the result is dropped. `waits` is called if another
/// process holds it. An error comes with what failed: `open` or `lock`.
pub(crate) fn lock_file(path: &Path, waits: impl FnOnce()) -> Result<File, (&'static str, io::Error)> {
    let file =
        File::options().create(true).truncate(false).read(true).write(true).open(path).map_err(|e| ("open", e))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        waits();
        flock(&file, FlockOperation::LockExclusive).map_err(|e| ("lock", e.into()))?;
    }
    Ok(file)
}

/// The lock as the standard input of a program, which reads nothing from it: the lock lasts as long as that program does, also if this process
/// is killed.
pub(crate) fn held_by_input(lock: &File) -> io::Result<Stdio> {
    Ok(lock.try_clone()?.into())
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
        let mut child = Command::new("sleep").arg("600").stdin(held_by_input(&lock).unwrap()).spawn().unwrap();
        drop(lock);
        assert!(!is_free());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_free());
    }
}
