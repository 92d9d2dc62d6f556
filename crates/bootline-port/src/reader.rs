// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that reads: it waits, reads as much as there is, stamps it, and hands it on. Nothing else happens here, so
//! that neither a slow disk nor a stopped terminal delays a stamp.
use std::io;
use std::time::Duration;

use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime, LineRate};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::clock::HostClock;
use super::connection::{Connection, Endpoint};
use super::serial::LineSettings;
use super::stamp::Stamper;
use super::stop::StopRequest;
use super::tty_ioctl::LineErrors;

/// As much as a tty or a socket gives in one read.
const READ_SIZE: usize = 16 * 1024;

/// Chunks that may wait for the recorder; beyond, the reader waits, and the uncertainty of its stamps says so.
pub const QUEUE: usize = 4096;

/// How often an idle port is looked at: after a silence, this bounds how late a stamp can be.
const LOOK_EVERY: Dur = Dur::from_millis(1);

/// Between two tries to open a device or a socket again. A device is tried often, since what the board says first is
/// lost; a socket at growing distances, to spare its host.
const DEVICE_RETRY: Duration = Duration::from_millis(10);
const SOCKET_RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Bytes still read after a stop: above what the buffers of ttys and sockets hold.
const MOST_AFTER_STOP: usize = 1 << 20;

/// Bytes of unknown age: the most that the capture format can say.
pub const UNKNOWN_AGE: Dur = Dur::from_nanos(u32::MAX as i64);

/// What the reader saw.
#[derive(Debug)]
pub enum ReaderEvent {
    /// Bytes, and when they arrived.
    Bytes(ChunkTime, Vec<u8>),
    /// The port went away.
    Lost(HostTime, String),
    /// It came back.
    Back(HostTime),
    /// It ended, for good or because a stop was requested.
    End(ReadEnd),
}

/// Why the reader ended.
#[derive(Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// It was asked to.
    Stopped,
    /// Nothing more will come: the end of the input, a command that ended, a port that went away.
    Source,
}

/// What is left when the reader has ended.
#[derive(Debug)]
pub struct ReaderRemains {
    /// The source, unless it had gone away.
    pub connection: Option<Connection>,
    /// Bytes damaged and lost on all connections together.
    pub line_errors: Option<LineErrors>,
}

/// What a look at the connection showed.
struct PollResult {
    /// It has bytes, or has ended.
    readable: bool,
    /// A stop was requested.
    stopped: bool,
    /// Nothing at all for the whole time of the look.
    silent: bool,
}

/// What the reader needs to know.
pub struct PortReader<'a> {
    /// Where a port that went away is looked for again; `None`: then it ends.
    pub again: Option<Endpoint>,
    /// How a device is set up again.
    pub line: LineSettings,
    /// Bytes a second, where they are known.
    pub rate: Option<LineRate>,
    /// The capture's clock.
    pub clock: HostClock,
    /// Ends the reading.
    pub stop: &'a StopRequest,
}

impl PortReader<'_> {
    /// Reads until the source ends or a stop is requested. The last sight is `End`.
    pub fn run(&self, connection: Connection, tell: &impl Fn(ReaderEvent)) -> io::Result<ReaderRemains> {
        let mut connection = connection;
        let mut line_errors = None;
        loop {
            let end = self.read(&connection, tell)?;
            line_errors = sum(line_errors, errors_of(&connection));
            let at = self.clock.now();
            let Err(why) = end else {
                tell(ReaderEvent::End(ReadEnd::Stopped));
                return Ok(ReaderRemains { connection: Some(connection), line_errors });
            };
            let Some(endpoint) = &self.again else {
                if let Connection::Serial(_) = connection {
                    tell(ReaderEvent::Lost(at, why));
                }
                tell(ReaderEvent::End(ReadEnd::Source));
                return Ok(ReaderRemains { connection: Some(connection), line_errors });
            };
            tell(ReaderEvent::Lost(at, why));
            // Closed first: the driver gives the old number free only then.
            drop(connection);
            match self.wait_for(endpoint)? {
                Some(back) => connection = back,
                None => {
                    tell(ReaderEvent::End(ReadEnd::Stopped));
                    return Ok(ReaderRemains { connection: None, line_errors });
                }
            }
            tell(ReaderEvent::Back(self.clock.now()));
        }
    }

    /// Reads one connection to its end (`Err`, with the reason in words) or until a stop (`Ok`).
    fn read(&self, connection: &Connection, tell: &impl Fn(ReaderEvent)) -> io::Result<Result<(), String>> {
        let mut stamper = Stamper::new(self.rate, connection.hold_time(), self.clock.now());
        let mut buffer = vec![0; READ_SIZE];
        if connection.may_hold_old_bytes() && self.look(connection, Dur::ZERO)?.readable {
            stamper.saw_empty_long_ago(UNKNOWN_AGE);
        }
        let mut after_stop = 0;
        loop {
            let before = self.clock.now();
            let mut look = self.look(connection, Dur::ZERO)?;
            if look.silent {
                stamper.saw_empty(before);
            }
            while !look.readable && !look.stopped {
                let before = self.clock.now();
                look = self.look(connection, LOOK_EVERY)?;
                if look.silent {
                    // The kernel looks once more when the time is over, so not before then.
                    stamper.saw_empty(before + LOOK_EVERY);
                }
            }
            // What had arrived when the stop came still belongs to the capture, but a line that never pauses must end.
            if !look.readable || after_stop > MOST_AFTER_STOP {
                return Ok(Ok(()));
            }
            match rustix::io::read(connection, &mut buffer[..]) {
                Ok(0) => return Ok(Err(end_of(connection).into())),
                Ok(n) => {
                    let time = stamper.saw_read(self.clock.now(), n);
                    tell(ReaderEvent::Bytes(time, buffer[..n].to_vec()));
                    after_stop += if look.stopped { n } else { 0 };
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(e) => return Ok(Err(io::Error::from(e).to_string())),
            }
        }
    }

    /// Looks at the connection and the stop, and waits for either.
    fn look(&self, connection: &Connection, within: Dur) -> io::Result<PollResult> {
        let stop = self.stop.as_fd();
        let mut fds = [PollFd::new(connection, PollFlags::IN), PollFd::new(&stop, PollFlags::IN)];
        let silent = wait(&mut fds, Duration::from_nanos(within.as_nanos() as u64))?;
        Ok(PollResult { readable: !fds[0].revents().is_empty(), stopped: !fds[1].revents().is_empty(), silent })
    }

    /// Tries to open the endpoint again until it works or a stop is requested.
    fn wait_for(&self, endpoint: &Endpoint) -> io::Result<Option<Connection>> {
        let (mut pause, longest) = match endpoint {
            Endpoint::Device(_) => (DEVICE_RETRY, DEVICE_RETRY),
            Endpoint::Tcp(_) | Endpoint::Unix(_) => SOCKET_RETRY,
        };
        loop {
            // Every error counts as not yet: udev makes a device's file before it gives it to its group.
            if let Ok(connection) = endpoint.reopen(self.line) {
                return Ok(Some(connection));
            }
            if pause_unless_stopped(self.stop, pause)? {
                return Ok(None);
            }
            pause = (pause * 2).min(longest);
        }
    }
}

/// Waits for so long; true as soon as a stop is requested.
pub fn pause_unless_stopped(stop: &StopRequest, pause: Duration) -> io::Result<bool> {
    let fd = stop.as_fd();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    wait(&mut fds, pause)?;
    Ok(!fds[0].revents().is_empty())
}

/// True when the whole time passed without an event; a signal may end it earlier.
fn wait(fds: &mut [PollFd<'_>], within: Duration) -> io::Result<bool> {
    let timeout = Timespec { tv_sec: within.as_secs() as i64, tv_nsec: i64::from(within.subsec_nanos()) };
    match poll(fds, Some(&timeout)) {
        Ok(events) => Ok(events == 0),
        Err(Errno::INTR) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

fn end_of(connection: &Connection) -> &'static str {
    match connection {
        Connection::Serial(_) => "hung up",
        Connection::Tcp(_) | Connection::Unix(_) => "closed by the other end",
        Connection::Pty(_) | Connection::Command(_) | Connection::Stdin(_) => "end of input",
    }
}

fn errors_of(connection: &Connection) -> Option<LineErrors> {
    if let Connection::Serial(port) = connection { port.line_errors() } else { None }
}

fn sum(a: Option<LineErrors>, b: Option<LineErrors>) -> Option<LineErrors> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

/// Lets this thread run before ordinary ones, where the system allows it: a stamp is as late as the thread is woken.
pub fn run_first() {
    // SAFETY: a plain system call on the calling thread with a struct of one int.
    unsafe {
        let priority = libc::sched_param { sched_priority: 1 };
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &priority);
    }
}
