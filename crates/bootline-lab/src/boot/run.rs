// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out a boot: starts QEMU and the readers of both ports, and puts together what comes out.
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use bootline_core::capture::{Header, NoteKind};
use bootline_core::units::{Dur, HostTime, LineRate};
use regex::bytes::Regex;

use super::files::{RunFiles, set_aside, write};
use super::request::{LinePlan, Plan, plan};
use super::session::{Ask, Session};
use super::truth::{Guest, LineTruth, TRUTH_SCHEMA, Truth, Verdict};
use super::{BootError, BootRequest, Progress};
use crate::fidelity::{self, Decision, Evidence, Fidelity, Flaw};
use crate::host::Host;
use crate::initramfs::initramfs;
use crate::kmsg;
use crate::line::{Channel, Pacer, ReaderEnd, RealTime, RunClock, Take, prefer, raise, read_line};
use crate::machine::{Accel, Ports};
use crate::qemu::{self, Qemu};
use crate::recorder::Recorder;

const TOOL: &str = concat!("bootline ", env!("CARGO_PKG_VERSION"));
const TICK: Duration = Duration::from_millis(50);
/// The guest's last words and its power-off; then QEMU is ended.
const POWER_OFF_PATIENCE: Dur = Dur::from_secs(30);
/// What the channel still holds when QEMU has gone is read at the line's speed.
const TAIL_PATIENCE: Dur = Dur::from_secs(20);

/// What a boot left behind.
#[derive(Clone, Debug)]
pub struct BootOutcome {
    /// The run's directory.
    pub dir: PathBuf,
    /// The capture; `None` for a boot without a console.
    pub capture: Option<PathBuf>,
    /// `truth.json`, as a value.
    pub truth: Truth,
    /// Directories of earlier attempts that could not be believed.
    pub discarded: Vec<PathBuf>,
}

/// Boots once. `cancel` ends it early, within a tenth of a second; `watch` is called about ten times a second.
///
/// A guest that panics, hangs or stops is an outcome; an error is for the lab's own failures.
pub fn boot(
    request: &BootRequest,
    cancel: &AtomicBool,
    watch: &mut dyn FnMut(&Progress<'_>),
) -> Result<BootOutcome, BootError> {
    let host = Host::observe();
    let plan = plan(request, &host)?;
    // Before anything is written: QEMU would say it too, but as its own failure, and with a run begun.
    check_readable(&request.kernel).map_err(|source| BootError::Kernel { path: request.kernel.clone(), source })?;
    if let Some(path) = &request.initrd {
        check_readable(path).map_err(|source| BootError::Initrd { path: path.clone(), source })?;
    }
    let arch = plan.machine.arch;
    let qemu_version = qemu::version(arch.qemu(), arch.qemu_package())?;
    let files = RunFiles::prepare(&request.dir)?;
    let lab_initramfs = match &request.initrd {
        Some(_) => None,
        None => {
            let mut file = tempfile::NamedTempFile::new()
                .map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
            let content = initramfs(arch).ok_or(BootError::NoInit { arch })?;
            let written = file.write_all(&content);
            written.map_err(|source| BootError::Write { path: file.path().to_owned(), source })?;
            Some(file)
        }
    };
    let initrd = request.initrd.clone().or_else(|| lab_initramfs.as_ref().map(|f| f.path().to_owned()));
    let initrd = initrd.expect("one of the two is there");

    let clock = RunClock::start();
    let recorder = match &plan.line {
        Some(line) => Some(Recorder::create(&files.capture, &header(line, clock))?),
        None => None,
    };
    let own_init = request.initrd.is_some();
    let marker = request.marker.clone().or_else(|| own_init.then(kernels_end));
    let character = plan.line.map_or(Dur::ZERO, |l| LineRate::of(l.baud, l.frame).time_for(1).as_dur());
    let session = Session::new(recorder, marker, own_init, character);

    let wires = Wires::lay(plan.line.as_ref())?;
    let ports = Ports {
        console: if plan.line.is_some() { "stdio,id=console,signal=off" } else { "null,id=console" }.to_owned(),
        truth: format!("socket,id=truth,fd={}", std::os::fd::AsRawFd::as_raw_fd(&wires.guest_truth)),
    };
    let args = plan.machine.arguments(&ports, &request.kernel, &initrd, &plan.command_line);
    let (sender, events) = channel();
    let console = wires.guest_console.map_or_else(Stdio::null, Stdio::from);
    let started = clock.now();
    let qemu = Qemu::start(arch.qemu(), arch.qemu_package(), &args, console, &wires.guest_truth, &files.qemu_log)?;
    drop(wires.guest_truth);
    let mut real_time = RealTime { qemu: request.real_time && raise(qemu.pid()), ..RealTime::default() };
    let truth_in = wires.truth.try_clone().map_err(|source| BootError::Line { source })?;
    let mut readers = 1;
    spawn_truth_reader(truth_in, clock, sender.clone());
    if let (Some(line), Some(fd)) = (plan.line, wires.console) {
        readers += 1;
        spawn_line_reader(fd, line, clock, request.real_time, sender);
    }

    let mut live = Live {
        clock,
        started,
        timeout: Dur::from_nanos(i64::try_from(plan.timeout.as_nanos()).unwrap_or(i64::MAX)),
        session,
        qemu,
        truth: wires.truth,
        events,
        readers,
        real_time: &mut real_time,
        prefer: request.real_time,
        starved: Dur::ZERO,
        starved_at_init: None,
        line_end: ReaderEnd::default(),
    };
    if let Some(recorder) = &mut live.session.recorder {
        recorder.note(started, NoteKind::PowerOn, &request.kernel.display().to_string())?;
    }
    let end = live.watch_over(cancel, watch)?;
    live.drain_readers()?;
    if let Some(source) = live.line_end.error.take() {
        return Err(BootError::Line { source });
    }
    let Live { mut session, qemu, line_end, starved, starved_at_init, .. } = live;
    let starved = starved_at_init.unwrap_or(starved);
    session.count_before_init();
    if let Some(recorder) = session.recorder.take() {
        recorder.finish(clock.now(), end.words())?;
    }
    let parts = Parts { request, plan: &plan, host, qemu_version, started, real_time, starved, line_end };
    let truth = parts.truth(&session, &end, &qemu)?;
    drop(qemu);
    if !session.said.kmsg.is_empty() {
        write(&files.kmsg, &session.said.kmsg)?;
    }
    files.write_truth(&truth)?;
    let capture = plan.line.map(|_| files.capture);
    Ok(BootOutcome { dir: request.dir.clone(), capture, truth, discarded: Vec::new() })
}

/// Boots until a run can be believed, at most `attempts` times. A run that can't is moved to the next free `invalid-N`
/// in the directory, never counted; if the last one can't either, it stays, and its verdict says so.
///
/// Only flaws of the lab (a busy host) are worth another attempt: a panic, a hang or a user's own initramfs is not.
pub fn boot_valid(
    request: &BootRequest,
    attempts: u32,
    cancel: &AtomicBool,
    watch: &mut dyn FnMut(&Progress<'_>),
) -> Result<BootOutcome, BootError> {
    let mut discarded = Vec::new();
    for attempt in 1.. {
        let mut outcome = boot(request, cancel, watch)?;
        let flawed = outcome.truth.verdict == Verdict::Invalid;
        if flawed && outcome.truth.fidelity.decide(attempt, attempts) == Decision::Retry {
            discarded.push(set_aside(&request.dir, "invalid")?);
            continue;
        }
        outcome.discarded = discarded;
        return Ok(outcome);
    }
    unreachable!("the last attempt is never retried")
}

/// The kernel's own last line before user space.
fn kernels_end() -> Regex {
    Regex::new(r"Run \S+ as init process").expect("a constant that a test compiles")
}

fn check_readable(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.read(&mut [0]).map(|_| ())
}

fn header(line: &LinePlan, clock: RunClock) -> Header {
    Header {
        started_unix_ns: clock.started_unix_ns(),
        declared_baud: line.declared,
        line_bytes_per_s: Some(LineRate::of(line.baud, line.frame)),
        frame: line.frame,
        ..Header::new(TOOL, "qemu")
    }
}

/// Both ends of both ports.
struct Wires {
    console: Option<OwnedFd>,
    guest_console: Option<OwnedFd>,
    truth: UnixStream,
    guest_truth: OwnedFd,
}

impl Wires {
    fn lay(line: Option<&LinePlan>) -> Result<Wires, BootError> {
        let failed = |source| BootError::Line { source };
        let (truth, guest_truth) = UnixStream::pair().map_err(failed)?;
        let channel = line.map(|l| l.transport.open(Pacer::new(l.baud, l.frame).slots())).transpose();
        let (console, guest_console) = match channel.map_err(failed)? {
            Some(Channel { reader, writer }) => (Some(reader), Some(writer)),
            None => (None, None),
        };
        Ok(Wires { console, guest_console, truth, guest_truth: guest_truth.into() })
    }
}

enum Event {
    Line(Vec<Take>),
    ReaderIsRealTime,
    LineEnded(ReaderEnd),
    Truth(HostTime, Vec<u8>),
    TruthEnded,
}

fn spawn_line_reader(fd: OwnedFd, line: LinePlan, clock: RunClock, real_time: bool, sender: Sender<Event>) {
    thread::spawn(move || {
        if real_time && raise(0) {
            let _ = sender.send(Event::ReaderIsRealTime);
        }
        let pacer = Pacer::new(line.baud, line.frame);
        // A receiver that has gone has given up the boot.
        let mut deliver = |takes| sender.send(Event::Line(takes)).is_ok();
        let end = read_line(&fd, line.transport, clock, pacer, &mut deliver);
        let _ = sender.send(Event::LineEnded(end));
    });
}

fn spawn_truth_reader(mut port: UnixStream, clock: RunClock, sender: Sender<Event>) {
    thread::spawn(move || {
        // The stamp of init's first word is taken here.
        raise(0);
        let mut buf = vec![0; 64 << 10];
        while let Ok(n @ 1..) = port.read(&mut buf) {
            let at = clock.now();
            if sender.send(Event::Truth(at, buf[..n].to_vec())).is_err() {
                return;
            }
        }
        let _ = sender.send(Event::TruthEnded);
    });
}

/// How QEMU came to its end.
#[derive(Clone, Copy, Debug)]
enum End {
    ByItself(ExitStatus),
    /// The boot was over; the guest took too long to switch itself off, or nobody there could.
    Killed,
    TimedOut {
        silent: Dur,
    },
    Interrupted,
}

impl End {
    fn words(self) -> &'static str {
        match self {
            End::ByItself(_) => "QEMU ended",
            End::Killed => "the boot was over",
            End::TimedOut { .. } => "the time limit passed",
            End::Interrupted => "interrupted",
        }
    }
}

/// A boot that is going on.
struct Live<'a> {
    clock: RunClock,
    started: HostTime,
    timeout: Dur,
    session: Session,
    qemu: Qemu,
    truth: UnixStream,
    events: Receiver<Event>,
    /// Readers that have not ended.
    readers: u32,
    real_time: &'a mut RealTime,
    /// Whether the guest's processors are to be preferred.
    prefer: bool,
    /// The latest known of QEMU's starvation, and what it was when init spoke.
    starved: Dur,
    starved_at_init: Option<Dur>,
    line_end: ReaderEnd,
}

impl Live<'_> {
    fn watch_over(&mut self, cancel: &AtomicBool, watch: &mut dyn FnMut(&Progress<'_>)) -> Result<End, BootError> {
        let mut told = HostTime::ORIGIN;
        let mut off_since = None;
        loop {
            self.take_events(TICK)?;
            self.tend();
            let now = self.clock.now();
            if cancel.load(Ordering::SeqCst) {
                self.qemu.kill();
                return Ok(End::Interrupted);
            }
            if let Some(status) = self.qemu.ended()? {
                return Ok(End::ByItself(status));
            }
            if now - self.started > self.timeout {
                self.qemu.kill();
                return Ok(End::TimedOut { silent: now - self.session.silent_since() });
            }
            match self.session.tick(now)? {
                // A guest that no longer listens is dealt with by the time limits.
                Some(Ask::Dump) => drop(self.truth.write_all(b"d")),
                Some(Ask::PowerOff) => drop(self.truth.write_all(b"p")),
                Some(Ask::Kill) => {
                    self.qemu.kill();
                    return Ok(End::Killed);
                }
                None => (),
            }
            if self.session.is_done() {
                let since = *off_since.get_or_insert(now);
                if now.max(self.session.silent_since()) - since.max(self.session.silent_since()) > POWER_OFF_PATIENCE {
                    self.qemu.kill();
                    return Ok(End::Killed);
                }
            }
            if now - told >= Dur::from_millis(100) {
                told = now;
                watch(&Progress {
                    elapsed: now - self.started,
                    phase: self.session.phase(),
                    bytes: self.session.account.bytes(),
                    last_line: &self.session.last_line,
                });
            }
        }
    }

    /// Looks after QEMU's threads, which come one by one while it starts.
    fn tend(&mut self) {
        if self.prefer && self.session.said.init_at.is_none() {
            let workers = self.qemu.workers();
            let preferred = workers.iter().filter(|tid| prefer(**tid)).count();
            self.real_time.guest_preferred |= preferred > 0;
            self.prefer = preferred == workers.len();
        }
        // A thread that has ended takes its count with it.
        self.starved = self.starved.max(self.qemu.starved());
        if self.session.said.init_at.is_some() {
            self.starved_at_init.get_or_insert(self.starved);
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
                Event::Line(takes) => {
                    for take in &takes {
                        self.session.line(take)?;
                    }
                }
                Event::ReaderIsRealTime => self.real_time.reader = true,
                Event::LineEnded(end) => {
                    self.readers -= 1;
                    self.line_end = end;
                }
                Event::Truth(at, bytes) => self.session.truth(at, &bytes),
                Event::TruthEnded => self.readers -= 1,
            }
            next = self.events.try_recv().ok();
        }
        Ok(())
    }

    /// QEMU has ended: takes what is still under way.
    fn drain_readers(&mut self) -> Result<(), BootError> {
        let until = self.clock.now() + TAIL_PATIENCE;
        while self.readers > 0 && self.clock.now() < until {
            self.take_events(TICK)?;
        }
        Ok(())
    }
}

/// What the truth is put together from, apart from the session.
struct Parts<'a> {
    request: &'a BootRequest,
    plan: &'a Plan,
    host: Host,
    qemu_version: String,
    started: HostTime,
    real_time: RealTime,
    starved: Dur,
    line_end: ReaderEnd,
}

impl Parts<'_> {
    fn truth(self, session: &Session, end: &End, qemu: &Qemu) -> Result<Truth, BootError> {
        let said = &session.said;
        let (records, _) = kmsg::parse(&said.kmsg);
        let lateness = self.line_end.lateness.summary();
        let arch = self.plan.machine.arch;
        let fidelity = self.plan.line.map_or_else(Fidelity::default, |line| {
            fidelity::check(&Evidence {
                wire: &session.wire,
                log: &records,
                console_loglevel: said.console_loglevel,
                command_line: said.cmdline.as_deref().unwrap_or(&self.plan.command_line),
                console: arch.console(),
                rate: LineRate::of(line.baud, line.frame),
                translated: self.plan.machine.accel != Accel::Kvm,
                slots: Pacer::new(line.baud, line.frame).slots() as u64,
                lateness,
            })
        });
        let verdict = verdict(session, end, qemu, &fidelity)?;
        let init = said.init_at;
        let paced_init = init.filter(|_| self.plan.line.is_some());
        Ok(Truth {
            schema: TRUTH_SCHEMA.to_owned(),
            verdict,
            line: self.plan.line.map(|line| LineTruth {
                baud: line.baud,
                declared_baud: line.declared,
                frame: line.frame,
                line_bytes_per_s: LineRate::of(line.baud, line.frame),
                transport: line.transport,
                sched_fifo: self.real_time,
                account: session.account.summary(lateness),
            }),
            qemu_started_ns: self.started,
            first_byte_ns: session.first_byte,
            last_byte_ns: session.last_byte,
            init_ns: init,
            init_guest_ns: said.init_guest,
            marker_ns: session.marker_at,
            time_to_init_ns: init.zip(session.first_byte).map(|(init, first)| init - first).filter(|t| *t > Dur::ZERO),
            console_busy_before_init_ns: paced_init.map(|init| session.account.busy_until(init)),
            bytes_before_init: paced_init.map(|_| session.bytes_before_init),
            starved_before_init_ns: self.starved,
            bytes_total: session.account.bytes(),
            kmsg_records: (!said.kmsg.is_empty()).then_some(records.len() as u64),
            kmsg_overrun: said.kmsg_overrun,
            guest: Guest {
                arch,
                accel: self.plan.machine.accel,
                smp: self.plan.machine.smp,
                memory_mib: self.plan.machine.memory_mib,
                kernel: self.request.kernel.display().to_string(),
                command_line: self.plan.command_line.clone(),
                kernel_version: said.version.clone(),
                proc_cmdline: said.cmdline.clone(),
                consoles: said.consoles.clone(),
                uptime: said.uptime.clone(),
                console_loglevel: said.console_loglevel,
            },
            fidelity,
            host: self.host,
            qemu_version: self.qemu_version,
        })
    }
}

fn verdict(session: &Session, end: &End, qemu: &Qemu, fidelity: &Fidelity) -> Result<Verdict, BootError> {
    if let End::Interrupted = end {
        return Ok(Verdict::Interrupted);
    }
    if fidelity.flaws.contains(&Flaw::EmulatorBreakpoint) {
        return Ok(Verdict::Invalid);
    }
    if let Some(line) = &session.panic_line {
        return Ok(Verdict::Panicked { line: line.clone() });
    }
    Ok(match *end {
        End::ByItself(status) if !status.success() => return Err(qemu.died(status).into()),
        End::TimedOut { silent } => Verdict::TimedOut { silent_ns: silent },
        _ if !session.is_done() => Verdict::Stopped,
        _ if !fidelity.flaws.is_empty() => Verdict::Invalid,
        _ if session.said.init_at.is_none() => Verdict::Unchecked,
        _ => Verdict::Valid,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_end_is_its_last_line() {
        assert!(kernels_end().is_match(b"[    2.600000] Run /sbin/init as init process"));
        assert!(!kernels_end().is_match(b"[    2.600000]   with arguments:"));
    }
}
