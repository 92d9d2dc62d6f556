// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader thread: it waits, reads whatever is there, stamps it, and passes it on. It does nothing else, so that
//! neither a slow disk nor a stopped terminal delays a stamp.
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use bootline_capture::units::{Dur, LineRate};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::MarkRequest;
use super::clock::HostClock;
use super::connection::{Connection, Endpoint};
use super::gpio_lines::WatchedLine;
use super::gpio_watch;
use super::modem_watch::{self, MarkPlan, TtyInputs};
use super::reader_event::{ReadEnd, ReaderEvent};
use super::serial::LineSettings;
use super::stamp::Stamper;
use super::stop::StopRequest;
use super::tty_ioctl::LineErrors;

/// Size of a read: as much as a tty or a socket returns at once.
const READ_SIZE: usize = 16 * 1024;

/// Maximum number of chunks waiting for the recorder; beyond it the reader waits, which the uncertainty of its stamps
/// includes.
pub const QUEUE: usize = 4096;

/// How often an idle port is polled: after a silence, this bounds how late a stamp can be.
const LOOK_EVERY: Dur = Dur::from_millis(1);

/// Time between two tries to reopen a device or a socket. A device is tried often, because the board's first output is
/// lost otherwise; a socket at growing intervals, to spare its host.
const DEVICE_RETRY: Duration = Duration::from_millis(10);
const SOCKET_RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Maximum number of bytes still read after a stop: more than the buffers of ttys and sockets hold.
const MOST_AFTER_STOP: usize = 1 << 20;

/// Uncertainty of bytes of unknown age: the maximum of the capture format.
pub const UNKNOWN_AGE: Dur = Dur::from_nanos(u32::MAX as i64);

/// What the reader returns at its end.
#[derive(Debug)]
pub struct ReaderRemains {
    /// The source, unless it had gone away.
    pub connection: Option<Connection>,
    /// Total of damaged and lost bytes on all connections.
    pub line_errors: Option<LineErrors>,
}

/// Result of polling the connection.
struct PollResult {
    /// Whether it has bytes, or has ended.
    readable: bool,
    /// Whether a stop was requested.
    stopped: bool,
    /// Whether nothing happened during the whole poll.
    silent: bool,
}

/// Parameters of the reader.
pub struct PortReader<'a> {
    /// Where to look for a port that went away; `None` to end then.
    pub again: Option<Endpoint>,
    /// Settings for a reopened device.
    pub line: LineSettings,
    /// Edges to watch for.
    pub marks: &'a [MarkRequest],
    /// The GPIO lines that show some of them.
    pub lines: &'a [WatchedLine],
    /// Speed in bytes per second, if known.
    pub rate: Option<LineRate>,
    /// The capture's clock.
    pub clock: HostClock,
    /// Request to stop reading.
    pub stop: &'a StopRequest,
}

impl PortReader<'_> {
    /// Reads until the source ends or a stop is requested. The last event is `End`.
    pub fn run(&self, connection: Connection, tell: &(impl Fn(ReaderEvent) + Sync)) -> io::Result<ReaderRemains> {
        let watched = || self.read_connections(connection, tell);
        let (end, remains) = gpio_watch::watch_during(self.lines, self.clock, tell, watched)?;
        // After the last mark.
        tell(ReaderEvent::End(end));
        Ok(remains)
    }

    /// Reads one connection after the other until the source ends or a stop is requested.
    fn read_connections(
        &self,
        connection: Connection,
        tell: &(impl Fn(ReaderEvent) + Sync),
    ) -> io::Result<(ReadEnd, ReaderRemains)> {
        let mut connection = connection;
        let mut line_errors = None;
        loop {
            let end = match &connection {
                Connection::Serial(port) => {
                    let plan = MarkPlan { requests: self.marks, clock: self.clock, delay: port.edge_delay() };
                    let inputs = TtyInputs(port.as_fd());
                    modem_watch::watch_during(&inputs, &plan, tell, || self.read(&connection, tell))?
                }
                _ => self.read(&connection, tell)?,
            };
            line_errors = sum(line_errors, errors_of(&connection));
            let at = self.clock.now();
            let Err(why) = end else {
                return Ok((ReadEnd::Stopped, ReaderRemains { connection: Some(connection), line_errors }));
            };
            let Some(endpoint) = &self.again else {
                if let Connection::Serial(_) = connection {
                    tell(ReaderEvent::Lost(at, why));
                }
                return Ok((ReadEnd::Source, ReaderRemains { connection: Some(connection), line_errors }));
            };
            tell(ReaderEvent::Lost(at, why));
            // Closed first, because only then does the driver release the old number.
            drop(connection);
            match self.wait_for(endpoint)? {
                Some(back) => connection = back,
                None => return Ok((ReadEnd::Stopped, ReaderRemains { connection: None, line_errors })),
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
                    // The kernel polls once more at the end of the time, so the result is valid up to then.
                    stamper.saw_empty(before + LOOK_EVERY);
                }
            }
            // What had arrived before the stop still belongs to the capture, but a line that never pauses must end.
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

    /// Polls the connection and the stop request, and waits for either.
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
            // Every error means "not yet": udev creates a device's file before it sets the group.
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

/// Waits for this time; returns true as soon as a stop is requested.
pub fn pause_unless_stopped(stop: &StopRequest, pause: Duration) -> io::Result<bool> {
    let fd = stop.as_fd();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    wait(&mut fds, pause)?;
    Ok(!fds[0].revents().is_empty())
}

/// Returns true if the whole time passed without an event; a signal may end the wait earlier.
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
