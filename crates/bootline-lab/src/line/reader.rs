// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that takes bytes from the line at the line's speed.
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use bootline_capture::units::{Dur, HostTime};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::clock::RunClock;
use super::lateness::Lateness;
use super::pace::Pacer;
use super::priority;
use super::transport::Transport;

/// Bytes taken at one wake-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineRead {
    /// When the line became busy, if it had been idle.
    pub busy_since: Option<HostTime>,
    /// When they were taken.
    pub at: HostTime,
    /// When the first of them was due: it arrived between then and `at`.
    pub due: HostTime,
    pub bytes: Vec<u8>,
}

/// The reader's result.
#[derive(Debug, Default)]
pub(crate) struct ReaderEnd {
    pub lateness: Lateness,
    pub error: Option<io::Error>,
}

/// Reads are handed over in groups, at most this often, to keep the reader's own work small.
const GATHER: Dur = Dur::from_millis(20);
const IDLE_POLL: Duration = Duration::from_millis(500);

/// Reads until the writers have gone. `deliver` gets the reads in order; it returns false to stop.
pub(crate) fn read_line(
    fd: &OwnedFd,
    transport: Transport,
    clock: RunClock,
    mut pacer: Pacer,
    deliver: &mut dyn FnMut(Vec<LineRead>) -> bool,
) -> ReaderEnd {
    priority::wake_sharply();
    let mut end = ReaderEnd::default();
    let mut gathered: Vec<LineRead> = Vec::new();
    let mut buf = vec![0; 4096];
    let batch = pacer.batch();
    loop {
        let pending_since = gathered.first().map(|t| t.at);
        let overdue = pending_since.is_some_and(|since| clock.now() - since >= GATHER);
        if overdue && !deliver(std::mem::take(&mut gathered)) {
            return end;
        }
        let patience = if gathered.is_empty() { IDLE_POLL } else { Duration::from_nanos(GATHER.as_nanos() as u64) };
        match wait_readable(fd, patience) {
            Ok(true) => (),
            Ok(false) => {
                if !gathered.is_empty() && !deliver(std::mem::take(&mut gathered)) {
                    return end;
                }
                continue;
            }
            Err(error) => {
                end.error = Some(error);
                break;
            }
        }
        let seen = clock.now();
        let mut busy_since = pacer.waiting(seen);
        let wake = pacer.due(batch);
        let mut now = seen;
        if now < wake {
            clock.sleep_until(wake);
            now = clock.now();
            end.lateness.add(now - wake);
        }
        let mut take = LineRead { busy_since: busy_since.take(), at: now, due: pacer.due(1), bytes: Vec::new() };
        let mut ended = false;
        while pacer.due(1) <= now {
            // A partial read of a packet would lose its rest; a stream must not be read ahead of the schedule.
            let most = match transport {
                Transport::Pipe => buf.len(),
                Transport::Socket => 1,
            };
            match rustix::io::read(fd, &mut buf[..most]) {
                Ok(0) => ended = true,
                Ok(n) => {
                    take.bytes.extend_from_slice(&buf[..n]);
                    pacer.take(now, n as u64);
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => (),
                Err(error) => {
                    end.error = Some(error.into());
                    ended = true;
                }
            }
            break;
        }
        if !take.bytes.is_empty() {
            gathered.push(take);
        }
        if ended {
            break;
        }
    }
    if !gathered.is_empty() {
        deliver(gathered);
    }
    end
}

/// Whether there is something to read (or the writers have gone) within `patience`.
pub(crate) fn wait_readable(fd: &impl AsFd, patience: Duration) -> io::Result<bool> {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    match poll(&mut fds, Some(&timeout)) {
        Ok(n) => Ok(n > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
