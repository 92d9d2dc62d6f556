// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who uses a serial device: the lock file that terminal programs create, and the processes that have it open.
//!
//! The convention is UUCP's: `LCK..NAME` in /var/lock holds the owner's process id as ten ASCII columns (minicom,
//! picocom, pppd, tio). A lock whose process has ended is stale and is replaced, as minicom does.
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where the lock files are. This crate's own tests create none in the host's folder: pseudo-terminal numbers are
/// reused, and the lock file of a killed test would block the next one.
pub const LOCK_DIR: &str = if cfg!(test) { "/nonexistent" } else { "/var/lock" };

/// A program that uses a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Process id of the holder.
    pub pid: u32,
    /// Name of the holder, if it can be read.
    pub name: Option<String>,
}

impl Holder {
    fn of(pid: u32) -> Holder {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|s| s.trim_end().to_owned());
        Holder { pid, name }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            // A process chooses its own name, so it is escaped for the terminal.
            Some(name) => write!(f, "`{}` (pid {})", name.escape_default(), self.pid),
            None => write!(f, "pid {}", self.pid),
        }
    }
}

/// The other processes that have the device open, as far as this user may inspect them.
pub fn holders(device: &Path) -> Vec<Holder> {
    let Ok(rdev) = fs::metadata(device).map(|m| m.rdev()) else { return Vec::new() };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let me = std::process::id();
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &u32| {
        let Ok(fds) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        // The link's text first: following every descriptor of every process may wake devices and slow file systems.
        fds.flatten().any(|fd| {
            fs::read_link(fd.path()).is_ok_and(|to| to.starts_with("/dev"))
                && fs::metadata(fd.path()).is_ok_and(|m| m.rdev() == rdev)
        })
    };
    pids.filter(|&pid| pid != me).filter(has_it).map(Holder::of).collect()
}

/// Our lock file; removed when dropped.
#[derive(Debug)]
pub struct LockFile(PathBuf);

/// Takes the lock file of `device` (resolved, no symbolic link) in `dir`.
///
/// `Ok(None)` if the folder is not writable: the lock is a convention; flock and TIOCEXCL still apply. `Err` names the
/// running process that owns the lock.
pub fn lock_file(dir: &Path, device: &Path) -> Result<Option<LockFile>, Holder> {
    let Some(name) = device.file_name() else { return Ok(None) };
    let mut file_name = std::ffi::OsString::from("LCK..");
    file_name.push(name);
    let path = dir.join(file_name);
    // Twice: a stale lock is removed, and then another process may be faster.
    for _ in 0..2 {
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(&path) {
            Ok(mut file) => {
                let lock = LockFile(path);
                return Ok(writeln!(file, "{:10}", std::process::id()).is_ok().then_some(lock));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match owner(&path) {
                Some(pid) if pid != std::process::id() && alive(pid) => return Err(Holder::of(pid)),
                Some(_) if fs::remove_file(&path).is_ok() => {}
                // Unreadable, or somebody else's stale lock in a sticky folder: no evidence of an owner.
                _ => return Ok(None),
            },
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// The process in a lock file: ten ASCII columns, or four bytes as old programs write it.
fn owner(path: &Path) -> Option<u32> {
    let bytes = fs::read(path).ok()?;
    let ascii = std::str::from_utf8(&bytes).ok().and_then(|s| s.split_whitespace().next()?.parse().ok());
    ascii.or_else(|| bytes.try_into().ok().map(u32::from_ne_bytes)).filter(|&pid| pid > 0)
}

fn alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Ignored if it is gone: the port is free either way.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_lock(content: &[u8]) -> (tempfile::TempDir, Result<Option<LockFile>, Holder>) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("LCK..ttyUSB0"), content).unwrap();
        let got = lock_file(dir.path(), Path::new("/dev/ttyUSB0"));
        (dir, got)
    }

    #[test]
    fn a_living_owner_is_named() {
        let (_dir, got) = try_lock(b"         1\n");
        assert_eq!(got.unwrap_err().pid, 1);
        let (_dir, got) = try_lock(&1u32.to_ne_bytes());
        assert_eq!(got.unwrap_err().pid, 1, "the old binary form");
    }

    #[test]
    fn a_stale_lock_is_replaced_and_ours_goes_away_with_us() {
        let (dir, got) = try_lock(b"4194999 minicom root\n"); // above PID_MAX_LIMIT
        let lock = got.unwrap().expect("taken over");
        let path = dir.path().join("LCK..ttyUSB0");
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{:10}\n", std::process::id()));
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn garbage_or_no_folder_locks_nobody_out() {
        assert!(try_lock(b"\xff\xffgarbage").1.unwrap().is_none());
        assert!(lock_file(Path::new("/nonexistent"), Path::new("/dev/ttyUSB0")).unwrap().is_none());
    }
}
