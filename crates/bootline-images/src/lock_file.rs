// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock by which processes that share a cache change it one after another.
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FlockOperation, flock};

/// A lock, until it is dropped.
pub(crate) struct FileLock {
    file: File,
    /// A program holds it, too.
    is_shared: AtomicBool,
}

impl FileLock {
    /// No program holds it any more, so that dropping it frees it.
    pub fn program_ended(&self) {
        self.is_shared.store(false, Ordering::Relaxed);
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that another thread is starting has it open until it is executed.
        if !self.is_shared.load(Ordering::Relaxed) {
            let _ = flock(&self.file, FlockOperation::Unlock);
        }
    }
}

/// Takes the lock on a file, which is created if missing. `waits` is called if another process holds it. An error comes with what
/// failed: `open` or `lock`.
pub(crate) fn lock_file(path: &Path, waits: impl FnOnce()) -> Result<FileLock, (&'static str, io::Error)> {
    let file =
        File::options().create(true).truncate(false).read(true).write(true).open(path).map_err(|e| ("open", e))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        waits();
        flock(&file, FlockOperation::LockExclusive).map_err(|e| ("lock", e.into()))?;
    }
    Ok(FileLock { file, is_shared: AtomicBool::new(false) })
}

/// The lock as the standard input of a program, which reads nothing from it: the lock lasts as long as that program does, also if this process
/// is killed. Call [`FileLock::program_ended`] once the program, with all that it started, has ended.
pub(crate) fn held_by_input(lock: &FileLock) -> io::Result<Stdio> {
    lock.is_shared.store(true, Ordering::Relaxed);
    Ok(lock.file.try_clone()?.into())
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::*;

    /// As a program has it that is being started in another thread.
    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = lock_file(&path, || {}).unwrap();
        let _copy = lock.file.try_clone().unwrap();
        drop(lock);
        lock_file(&path, || panic!("it is held")).unwrap();
    }

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
        // A child that another test has just forked holds a copy of the descriptor until it executes its program.
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_free() {
            assert!(Instant::now() < deadline, "it is still held");
            sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn after_the_end_of_its_program_a_copy_of_the_file_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = lock_file(&path, || {}).unwrap();
        assert!(Command::new("true").stdin(held_by_input(&lock).unwrap()).status().unwrap().success());
        let _copy = lock.file.try_clone().unwrap();
        lock.program_ended();
        drop(lock);
        lock_file(&path, || panic!("it is held")).unwrap();
    }
}
