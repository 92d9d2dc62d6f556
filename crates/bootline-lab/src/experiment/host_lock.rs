// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock by which experiments that share a host boot one after another; at the same time they would measure each
//! other.
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// Waits for the lock on the file at `path`, which is created if missing, as by flock(1). Dropping the result releases
/// it. None if `cancel` came first.
///
/// # Errors
/// The file can't be locked.
pub fn lock_host(path: &Path, cancel: &AtomicBool) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    let (sender, receiver) = channel();
    // Waiting in flock() is fair; polling with a non-blocking lock is not.
    thread::spawn(move || {
        let locked = loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Err(rustix::io::Errno::INTR) => {}
                locked => break locked,
            }
        };
        // If the receiver is gone, waiting was cancelled; the lock is released with the file.
        let _ = sender.send(locked.map(|()| file));
    });
    loop {
        match receiver.recv_timeout(Duration::from_millis(100)) {
            Ok(locked) => return locked.map(Some).map_err(io::Error::from),
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::SeqCst) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::Other.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("turn");
        let never = AtomicBool::new(false);
        let first = lock_host(&path, &never).unwrap();
        assert!(first.is_some());
        assert!(lock_host(&path, &AtomicBool::new(true)).unwrap().is_none());
        let waiting = thread::spawn({
            let path = path.clone();
            move || lock_host(&path, &AtomicBool::new(false)).unwrap().is_some()
        });
        drop(first);
        assert!(waiting.join().unwrap());
    }
}
