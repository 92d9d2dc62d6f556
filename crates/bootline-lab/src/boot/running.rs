// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running boot: QEMU, the readers of both ports, and the commands to the guest.
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bootline_capture::units::{Dur, HostTime};

use super::disks::Disks;
use super::guest_report::GuestCommand;
use super::monitor::Monitor;
use super::request::PacedLine;
use super::run_event::{RunEvent, TruthRead};
use super::session::Session;
use super::system::{PICTURE, SOCKET};
use super::witness::{ask_socket, watch_screen};
use super::{BootError, BootProgress};
use crate::line::{Pacer, Priority, ReaderEnd, RealTime, RunClock, WAIT_LIBRARY, prefer, raise, read_line};
use crate::qemu::{ProcessorClock, Qemu};
use crate::registers::{CountWindow, Counter};

const TICK: Duration = Duration::from_millis(50);
/// Time for the guest's last messages and its power-off; then QEMU is killed.
const POWER_OFF_PATIENCE: Dur = Dur::from_secs(30);
/// What the channel still contains when QEMU has exited is read at the line's speed.
const TAIL_PATIENCE: Dur = Dur::from_secs(20);

pub(super) fn spawn_line_reader(
    fd: OwnedFd,
    line: PacedLine,
    clock: RunClock,
    real_time: bool,
    sender: Sender<RunEvent>,
) {
    thread::spawn(move || {
        if real_time && raise(0, Priority::Line) {
            let _ = sender.send(RunEvent::ReaderIsRealTime);
        }
        let pacer = Pacer::new(line.baud, line.frame);
        // If the receiver is gone, the boot was abandoned.
        let mut deliver = |takes| sender.send(RunEvent::Line(takes)).is_ok();
        let end = read_line(&fd, line.transport, clock, pacer, &mut deliver);
        let _ = sender.send(RunEvent::LineEnded(end));
    });
}

pub(super) fn spawn_truth_reader(
    mut port: UnixStream,
    clock: RunClock,
    processor: Option<ProcessorClock>,
    sender: Sender<RunEvent>,
) {
    thread::spawn(move || {
        // The stamp of init's first message is taken here.
        raise(0, Priority::Line);
        let mut buf = vec![0; 64 << 10];
        while let Ok(n @ 1..) = port.read(&mut buf) {
            let at = clock.now();
            let processor = processor.and_then(ProcessorClock::now);
            if sender.send(RunEvent::Truth(TruthRead { at, processor, bytes: buf[..n].to_vec() })).is_err() {
                return;
            }
        }
        let _ = sender.send(RunEvent::TruthEnded);
    });
}

/// How QEMU came to its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum QemuEnd {
    ByItself(ExitStatus),
    /// The boot was over, but the guest took too long to power off, or could not.
    Killed,
    TimedOut {
        silent: Dur,
    },
    Interrupted,
}

impl QemuEnd {
    pub fn text(self) -> &'static str {
        match self {
            QemuEnd::ByItself(_) => "QEMU ended",
            QemuEnd::Killed => "the boot was over",
            QemuEnd::TimedOut { .. } => "the time limit passed",
            QemuEnd::Interrupted => "interrupted",
        }
    }
}

/// A running boot.
pub(super) struct RunningBoot<'a> {
    pub clock: RunClock,
    pub started: HostTime,
    pub timeout: Dur,
    pub session: Session,
    pub qemu: Qemu,
    pub truth: UnixStream,
    pub events: Receiver<RunEvent>,
    /// Readers that have not ended.
    pub readers: u32,
    pub real_time: &'a mut RealTime,
    /// Whether the guest's CPUs get a better nice value.
    pub prefer: bool,
    /// How long QEMU's threads have been starved: the latest value, and the value when init first reported.
    pub starved: Dur,
    pub starved_at_init: Option<Dur>,
    /// Whether a CPU that waits for the line holds up no other, as far as was seen; none if QEMU was not asked for it.
    pub waits_alone: Option<bool>,
    pub line_end: ReaderEnd,
    pub disks: Disks,
    /// Counts register accesses, if they are traced.
    pub counter: Option<Arc<Mutex<Counter>>>,
    /// Who looks for the application of a system.
    pub witnesses: Option<Witnesses>,
}

/// What the host looks at once the application's marks have come.
pub(super) struct Witnesses {
    /// QEMU's monitor, until the screen is watched.
    pub monitor: Option<Monitor>,
    /// Where the screen is stored.
    pub screen: PathBuf,
    /// The host's port for the application's, until it is asked.
    pub port: Option<u16>,
    pub sender: Sender<RunEvent>,
}

impl RunningBoot<'_> {
    pub fn watch_over(
        &mut self,
        cancel: &AtomicBool,
        watch: &mut dyn FnMut(&BootProgress<'_>),
    ) -> Result<QemuEnd, BootError> {
        let mut told = HostTime::ORIGIN;
        let mut off_since = None;
        loop {
            self.take_events(TICK)?;
            self.tend();
            let now = self.clock.now();
            if cancel.load(Ordering::SeqCst) {
                self.qemu.kill();
                return Ok(QemuEnd::Interrupted);
            }
            if let Some(status) = self.qemu.ended()? {
                return Ok(QemuEnd::ByItself(status));
            }
            if now - self.started > self.timeout {
                self.qemu.kill();
                return Ok(QemuEnd::TimedOut { silent: now - self.session.silent_since() });
            }
            self.start_witnesses();
            let command = self.session.tick(now)?;
            if self.session.is_over() {
                self.disks.booted();
            }
            match command {
                // A guest that does not respond runs into the time limits.
                Some(GuestCommand::Dump) => {
                    self.count_in(CountWindow::After);
                    drop(self.truth.write_all(b"d"));
                }
                Some(GuestCommand::Lines(count)) => {
                    self.count_in(CountWindow::Lines);
                    drop(self.truth.write_all(format!("l{count}\n").as_bytes()));
                }
                Some(GuestCommand::Run(command)) => drop(self.truth.write_all(format!("x{command}\n").as_bytes())),
                Some(GuestCommand::PowerOff) => drop(self.truth.write_all(b"p")),
                Some(GuestCommand::Kill) => {
                    self.qemu.kill();
                    return Ok(QemuEnd::Killed);
                }
                None => (),
            }
            if self.session.is_done() {
                let since = *off_since.get_or_insert(now);
                if now.max(self.session.silent_since()) - since.max(self.session.silent_since()) > POWER_OFF_PATIENCE {
                    self.qemu.kill();
                    return Ok(QemuEnd::Killed);
                }
            }
            if now - told >= Dur::from_millis(100) {
                told = now;
                watch(&BootProgress {
                    elapsed: now - self.started,
                    phase: self.session.phase(),
                    bytes: self.session.usage.bytes(),
                    last_line: &self.session.last_line,
                });
            }
        }
    }

    /// Nothing is looked at before the guest says that there is something to see: looking costs the host time.
    fn start_witnesses(&mut self) {
        let Some(witnesses) = &mut self.witnesses else { return };
        let marked = |name| self.session.report.marks.iter().any(|m| m.name == name);
        if let Some(monitor) = witnesses.monitor.take_if(|_| marked(PICTURE)) {
            watch_screen(monitor, witnesses.screen.clone(), self.clock, witnesses.sender.clone());
        }
        if let Some(port) = witnesses.port.take_if(|_| marked(SOCKET)) {
            ask_socket(port, self.clock, witnesses.sender.clone());
        }
    }

    /// Sets priorities of QEMU's threads, which appear one by one while it starts.
    fn tend(&mut self) {
        if self.prefer && self.session.report.init_at.is_none() {
            let workers = self.qemu.workers();
            let preferred = workers.iter().filter(|tid| prefer(**tid)).count();
            self.real_time.guest_preferred |= preferred > 0;
            self.prefer = preferred == workers.len();
        }
        if let Some(seen @ false) = &mut self.waits_alone {
            *seen = self.qemu.has_loaded(WAIT_LIBRARY);
        }
        // The count of a thread is lost when it exits.
        self.starved = self.starved.max(self.qemu.starved());
        if self.session.report.init_at.is_some() && self.starved_at_init.is_none() {
            self.starved_at_init = Some(self.starved);
            self.count_in(CountWindow::After);
        }
    }

    fn count_in(&self, window: CountWindow) {
        if let Some(Ok(mut counter)) = self.counter.as_ref().map(|c| c.lock()) {
            counter.window = window;
        }
    }

    /// Waits for one event, then takes all that are there.
    fn take_events(&mut self, patience: Duration) -> Result<(), BootError> {
        let mut next = match self.events.recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(patience);
                None
            }
        };
        while let Some(event) = next {
            match event {
                RunEvent::Line(takes) => {
                    for take in &takes {
                        self.session.line(take)?;
                    }
                }
                RunEvent::ReaderIsRealTime => self.real_time.reader = true,
                RunEvent::LineEnded(end) => {
                    self.readers -= 1;
                    self.line_end = end;
                }
                RunEvent::Truth(read) => self.session.truth(&read),
                RunEvent::PictureSeen(at) => self.session.report.picture_seen_at = Some(at),
                RunEvent::SocketAnswered(at) => self.session.report.socket_answered_at = Some(at),
                RunEvent::TruthEnded => self.readers -= 1,
            }
            next = self.events.try_recv().ok();
        }
        Ok(())
    }

    /// After QEMU has exited: reads what is still in the channels.
    pub fn drain_readers(&mut self) -> Result<(), BootError> {
        let until = self.clock.now() + TAIL_PATIENCE;
        while self.readers > 0 && self.clock.now() < until {
            self.take_events(TICK)?;
        }
        Ok(())
    }
}
