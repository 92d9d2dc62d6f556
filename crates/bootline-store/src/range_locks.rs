// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks on single bytes of a file: one file holds as many locks as there are numbers, and the kernel releases those of a process
//! that dies (open file description locks, fcntl(2), Linux 3.15).
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// The locks of this process in a file. Those of one process do not exclude each other.
#[derive(Debug)]
pub(crate) struct RangeLocks(pub(crate) File);

impl RangeLocks {
    /// Takes a lock; false if another process holds it.
    pub(crate) fn try_lock(&self, number: u64) -> io::Result<bool> {
        taken(self.set(libc::F_OFD_SETLK, libc::F_WRLCK, offset(number), 1))
    }

    /// Takes this lock and all beyond; false if another process holds one.
    pub(crate) fn try_lock_from(&self, number: u64) -> io::Result<bool> {
        taken(self.set(libc::F_OFD_SETLK, libc::F_WRLCK, offset(number), TO_THE_END))
    }

    /// Releases this lock and all beyond.
    pub(crate) fn unlock_from(&self, number: u64) {
        _ = self.set(libc::F_OFD_SETLK, libc::F_UNLCK, offset(number), TO_THE_END);
    }

    /// Takes a lock, and waits as long as another process holds it.
    pub(crate) fn lock(&self, number: u64) -> io::Result<()> {
        loop {
            match self.set(libc::F_OFD_SETLKW, libc::F_WRLCK, offset(number), 1) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Releases a lock. It can't fail but for a lack of memory, and then the end of the process releases it.
    pub(crate) fn unlock(&self, number: u64) {
        _ = self.set(libc::F_OFD_SETLK, libc::F_UNLCK, offset(number), 1);
    }

    fn set(&self, command: libc::c_int, kind: libc::c_int, start: libc::off_t, length: libc::off_t) -> io::Result<()> {
        // SAFETY: `flock` is plain data, for which zeros are valid.
        let mut range: libc::flock = unsafe { std::mem::zeroed() };
        range.l_type = kind as libc::c_short;
        range.l_whence = libc::SEEK_SET as libc::c_short;
        range.l_start = start;
        range.l_len = length;
        // SAFETY: the descriptor is open as long as `self`, and `range` outlives the call.
        match unsafe { libc::fcntl(self.0.as_raw_fd(), command, &range) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

/// The length of a range without an end.
const TO_THE_END: libc::off_t = 0;

/// Whether a lock was taken.
fn taken(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(e) if matches!(e.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Offsets are positive, and 32 bits on some systems. Numbers that share one exclude each other without need, which only costs time.
fn offset(number: u64) -> libc::off_t {
    let bits = libc::off_t::BITS - 2;
    (number & ((1_u64 << bits) - 1)) as libc::off_t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_holder_is_excluded_until_the_file_is_closed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || RangeLocks(File::options().read(true).write(true).open(file.path()).unwrap());
        let (mine, other) = (open(), open());
        assert!(mine.try_lock(7).unwrap());
        assert!(!other.try_lock(7).unwrap());
        assert!(other.try_lock(8).unwrap());
        mine.unlock(7);
        assert!(other.try_lock(7).unwrap());
        drop(other);
        assert!(mine.try_lock(7).unwrap());
        assert!(mine.try_lock(u64::MAX).unwrap());
        // All of them.
        let other = open();
        assert!(!other.try_lock_from(8).unwrap());
        mine.unlock(u64::MAX);
        assert!(other.try_lock_from(8).unwrap());
        assert!(!mine.try_lock(8).unwrap() && !mine.try_lock(u64::MAX).unwrap());
        other.unlock_from(8);
        assert!(mine.try_lock(8).unwrap());
    }
}
