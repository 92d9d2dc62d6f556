// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pseudo-terminals: one for another program to write to, one for a command to run on.
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::PortError;

/// A raw pseudo-terminal: what is written to the other end comes out of this one, byte by byte unchanged.
fn raw_pair() -> io::Result<(OwnedFd, OwnedFd, PathBuf)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let path = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let other = rustix::fs::open(&path, flags, rustix::fs::Mode::empty())?;
    let mut raw = tcgetattr(&other)?;
    raw.make_raw();
    tcsetattr(&other, OptionalActions::Now, &raw)?;
    rustix::io::ioctl_fionbio(&master, true)?;
    Ok((master, other, path))
}

/// A pseudo-terminal that another program (QEMU's `-serial PATH`) writes to.
#[derive(Debug)]
pub struct Terminal {
    master: OwnedFd,
    /// Held open, so that writers may come and go without the line hanging up.
    _other: OwnedFd,
    path: PathBuf,
    link: Option<PathBuf>,
}

impl Terminal {
    /// Makes one, and `link` as a symbolic link to it.
    pub fn open(link: Option<&Path>) -> Result<Terminal, PortError> {
        let (master, other, path) = raw_pair().map_err(PortError::Pty)?;
        if let Some(link) = link {
            // One that a killed capture left behind.
            if fs::read_link(link).is_ok_and(|to| to.starts_with("/dev/pts")) {
                let _ = fs::remove_file(link);
            }
            symlink(&path, link).map_err(|error| PortError::Link { link: link.to_owned(), error })?;
        }
        Ok(Terminal { master, _other: other, path, link: link.map(Path::to_owned) })
    }

    /// The name that others write to.
    pub fn path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.path)
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            let _ = fs::remove_file(link);
        }
    }
}

/// A command whose standard output is captured.
///
/// It runs on a terminal of its own: a program that writes into a pipe keeps its output back until some kilobytes have
/// gathered, and then no arrival time is right. Its standard error is ours.
#[derive(Debug)]
pub struct RunningCommand {
    master: Option<OwnedFd>,
    child: Child,
}

impl RunningCommand {
    /// Starts `argv`, which is not empty.
    pub fn start(argv: &[String]) -> Result<RunningCommand, PortError> {
        let (master, other, _) = raw_pair().map_err(PortError::Pty)?;
        let stdio = || other.try_clone().map(Stdio::from).map_err(PortError::Pty);
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).stdin(stdio()?).stdout(stdio()?);
        // Plain text: no pager, no colours.
        command.env("TERM", "dumb").env("PAGER", "cat").env("SYSTEMD_PAGER", "cat").env("GIT_PAGER", "cat");
        // SAFETY: between fork and exec only two system calls, no allocation and no lock.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            });
        }
        let child = command.spawn().map_err(|error| PortError::Start { command: argv[0].clone(), error })?;
        Ok(RunningCommand { master: Some(master), child })
    }

    /// Ends it, unless it has ended by itself: hangs up its terminal, and kills it if that doesn't help within two
    /// seconds.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        self.master = None;
        let pid = Pid::from_child(&self.child);
        let patience = Timespec { tv_sec: 2, tv_nsec: 0 };
        let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
        if poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&patience))? == 0 {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        self.child.wait()
    }
}

impl AsFd for RunningCommand {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_ref().expect("taken only by end(), which nobody reads after").as_fd()
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
