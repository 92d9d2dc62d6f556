// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock by which processes that share a cache change it one after another.
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

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
