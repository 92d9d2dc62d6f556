// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out a boot: starts QEMU and the readers of both ports, and assembles the results.
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use bootline_capture::units::{Dur, LineRate};
use bootline_capture::{Header, NoteKind};
use regex::bytes::Regex;
use tempfile::NamedTempFile;

use super::devices::UNPLUGGED;
use super::disks::Disks;
use super::files::{RunFiles, set_aside, write};
use super::loader::LoaderJob;
use super::monitor::Monitor;
use super::request::{PacedLine, plan};
use super::running::{RunningBoot, Witnesses, spawn_line_reader, spawn_truth_reader};
use super::session::Session;
use super::truth::{RunVerdict, Truth};
use super::truth_parts::TruthParts;
use super::{BootError, BootProgress, BootRequest, Writes};
use crate::disk::StorageClock;
use crate::fidelity::RetryDecision;
use crate::host::Host;
use crate::initramfs::{first_modules, initramfs};
use crate::line::{Channel, Pacer, Priority, ReaderEnd, RealTime, RunClock, Transport, raise, wait_library};
use crate::machine::{Ports, direct_boot};
use crate::module;
use crate::qemu::{self, LogListener, Qemu, SpawnOptions};
use crate::registers::{self, Counter, RegisterAccesses};
use bootline_images::arch::Arch;
use bootline_images::loaders::BootFiles;
use bootline_port::recorder::Recorder;

const TOOL: &str = concat!("bootline ", env!("CARGO_PKG_VERSION"));

/// The result of a boot.
#[derive(Clone, Debug)]
pub struct BootOutcome {
    /// The run's directory.
    pub dir: PathBuf,
    /// The capture; `None` for a boot without a console.
    pub capture: Option<PathBuf>,
    /// The content of `truth.json`.
    pub truth: Truth,
    /// Directories of earlier, invalid attempts.
    pub discarded: Vec<PathBuf>,
}

/// Boots once. `cancel` ends it early, within a tenth of a second; `watch` is called about ten times a second.
///
/// A guest that panics, hangs or stops is an outcome; errors are the lab's own failures.
pub fn boot(
    request: &BootRequest,
    cancel: &AtomicBool,
    watch: &mut dyn FnMut(&BootProgress<'_>),
) -> Result<BootOutcome, BootError> {
    let mut host = Host::observe();
    let plan = plan(request, &host)?;
    // Checked before anything is written: QEMU would report it too, but as its own failure, after the run has begun.
    check_readable(&request.kernel).map_err(|source| BootError::Kernel { path: request.kernel.clone(), source })?;
    if let Some(path) = &request.initrd {
        check_readable(path).map_err(|source| BootError::Initrd { path: path.clone(), source })?;
    }
    if let Some(path) = &request.dtb {
        check_readable(path).map_err(|source| BootError::DeviceTree { path: path.clone(), source })?;
    }
    let arch = plan.machine.arch;
    if let Some(boot) = &request.system {
        for path in [&boot.image, &boot.initramfs] {
            check_readable(path).map_err(|source| BootError::Initrd { path: path.clone(), source })?;
        }
    }
    if let Some(loader) = &request.loader {
        for path in loader.files() {
            check_readable(&path).map_err(|source| BootError::LoaderFile { path, source })?;
        }
    }
    let modules = module::payload(&request.modules)?;
    let qemu_version = qemu::version(arch.qemu_program(), arch.qemu_package())?;
    let events = registers::events(arch);
    if request.trace_registers {
        qemu::check_trace(arch.qemu_program(), arch.qemu_package(), &events)?;
    }
    let files = RunFiles::prepare(&request.dir)?;
    let written = match (&request.initrd, &request.system) {
        _ if request.no_initramfs => None,
        (Some(_), _) => None,
        (None, Some(_)) if modules.files.is_empty() => None,
        (None, Some(boot)) => {
            let own = fs::read(&boot.initramfs);
            let own = own.map_err(|source| BootError::Initrd { path: boot.initramfs.clone(), source })?;
            Some(temporary(&[own, first_modules(&modules)].concat())?)
        }
        (None, None) => Some(temporary(&initramfs(arch, &modules).ok_or(BootError::NoInit { arch })?)?),
    };
    let given = request.initrd.as_ref().or(request.system.as_ref().map(|boot| &boot.initramfs));
    let initrd = written.as_ref().map(|file| file.path().to_owned()).or(given.cloned());
    let initrd = initrd.filter(|_| !request.no_initramfs);

    let media = match (&request.loader, &plan.line, &initrd) {
        (Some(loader), Some(line), Some(initrd)) => Some(loader.prepare(&LoaderJob {
            files: BootFiles { kernel: &request.kernel, initramfs: initrd },
            command_line: &plan.command_line,
            baud: line.baud,
            memory_mib: plan.machine.memory_mib,
            screen: request.system.is_some(),
        })?),
        _ => None,
    };
    let clock = RunClock::start();
    let mut disks = Disks::of(request.system.as_ref(), StorageClock { clock, real_time: request.real_time });
    let load_arguments = match &media {
        Some(media) => {
            let drive = disks.drive("boot", &media.disk, Writes::Discarded)?;
            [media.arguments.as_slice(), &["-drive".into(), drive]].concat()
        }
        None => direct_boot(&request.kernel, initrd.as_deref(), &plan.command_line),
    };
    let recorder = match &plan.line {
        Some(line) => Some(Recorder::create(&files.capture, &header(line, clock))?),
        None => None,
    };
    let own_init = request.initrd.is_some();
    let own_root = request.system.as_ref().is_some_and(|boot| boot.root.system().is_none());
    let default = || own_init.then(kernels_end).or_else(|| own_root.then(login_prompt));
    let marker = request.marker.clone().or_else(default);
    let character = plan.line.map_or(Dur::ZERO, |l| LineRate::of(l.baud, l.frame).time_for(1).as_dur());
    let session = Session::new(recorder, marker, own_init, character)
        .printing(request.lines)
        .of_system(request.system.as_ref(), &request.append);

    let channels = PortChannels::open_channels(plan.line.as_ref())?;
    let ports = Ports {
        console: if plan.line.is_some() { "stdio,id=console,signal=off" } else { "null,id=console" }.to_owned(),
        truth: format!("socket,id=truth,fd={}", std::os::fd::AsRawFd::as_raw_fd(&channels.guest_truth)),
    };
    let mut args = plan.machine.arguments(&ports);
    if let Some(dtb) = &request.dtb {
        args.extend(["-dtb".into(), dtb.into()]);
    }
    let monitor = request.system.as_ref().map(|_| UnixStream::pair()).transpose();
    let monitor = monitor.map_err(|source| BootError::Line { source })?;
    let (qmp, guest_qmp) = monitor.map_or((None, None), |(ours, qemus)| (Some(ours), Some(OwnedFd::from(qemus))));
    let mut port = None;
    if let (Some(boot), Some(qmp)) = (&request.system, &guest_qmp) {
        let free = free_port().map_err(|source| BootError::Line { source })?;
        let drive = disks.drive("root", &boot.image, boot.writes)?;
        args.extend(boot.arguments(drive, free, std::os::fd::AsRawFd::as_raw_fd(qmp)));
        port = Some(free);
    }
    // After the system's: its root stays the guest's first disk.
    args.extend(load_arguments);
    let counter = request.trace_registers.then(|| Arc::new(Mutex::new(Counter::default())));
    if request.trace_registers {
        args.extend(events.iter().flat_map(|event| ["-trace".into(), event.into()]));
    }
    let listener = counter.clone().map(listener);
    let (sender, events) = channel();
    let console = channels.guest_console.map_or_else(Stdio::null, Stdio::from);
    let started = clock.now();
    let log = &files.qemu_log;
    let inherited: Vec<&OwnedFd> =
        [&channels.guest_truth].into_iter().chain(&guest_qmp).chain(disks.connections()).collect();
    // It sleeps until the line takes a byte, which a socket does not say exactly.
    let exact = plan.line.is_some_and(|line| line.transport == Transport::Pipe);
    let wait_library = if exact && plan.machine.port_waits_alone() { wait_library() } else { None };
    let options = SpawnOptions {
        console,
        inherited: &inherited,
        preloaded: wait_library.as_ref(),
        no_huge_pages: request.no_huge_pages,
    };
    let mut qemu = Qemu::start(arch.qemu_program(), arch.qemu_package(), &args, options, log, listener)?;
    drop(inherited);
    let waits_alone = wait_library.as_ref().map(|_| false);
    drop((channels.guest_truth, guest_qmp, wait_library));
    disks.started();
    let no_huge_pages = request.no_huge_pages && qemu.lacks_huge_pages();
    let mut monitor = qmp.map(Monitor::new).transpose().map_err(|source| BootError::Line { source })?;
    if let (Some(boot), Some(monitor)) = (&request.system, &mut monitor) {
        if boot.is_paused() && !(monitor.unplug(UNPLUGGED) && monitor.resume()) {
            return Err(qemu.refused("take the link of its network controller down").into());
        }
    }
    let mut real_time =
        RealTime { qemu: request.real_time && raise(qemu.pid(), Priority::Line), ..RealTime::default() };
    let truth_in = channels.truth.try_clone().map_err(|source| BootError::Line { source })?;
    let mut readers = 1;
    spawn_truth_reader(truth_in, clock, qemu.processor_clock(), sender.clone());
    if let (Some(line), Some(fd)) = (plan.line, channels.console) {
        readers += 1;
        spawn_line_reader(fd, line, clock, request.real_time, sender.clone());
    }

    let mut live = RunningBoot {
        clock,
        started,
        timeout: Dur::from_nanos(i64::try_from(plan.timeout.as_nanos()).unwrap_or(i64::MAX)),
        session,
        qemu,
        truth: channels.truth,
        events,
        readers,
        real_time: &mut real_time,
        prefer: request.real_time,
        starved: Dur::ZERO,
        starved_at_init: None,
        waits_alone,
        counter: counter.clone(),
        line_end: ReaderEnd::default(),
        disks,
        witnesses: request.system.as_ref().map(|_| Witnesses { monitor, screen: files.screen.clone(), port, sender }),
    };
    if let Some(recorder) = &mut live.session.recorder {
        recorder.note(started, NoteKind::PowerOn, &request.kernel_name())?;
    }
    let end = live.watch_over(cancel, watch)?;
    live.drain_readers()?;
    if let Some(source) = live.line_end.error.take() {
        return Err(BootError::Line { source });
    }
    let RunningBoot { mut session, mut qemu, line_end, starved, starved_at_init, waits_alone, disks, .. } = live;
    let starved = starved_at_init.unwrap_or(starved);
    session.count_before_init();
    if let Some(recorder) = session.recorder.take() {
        recorder.finish(clock.now(), end.text())?;
    }
    qemu.settle();
    host.time_loop();
    let registers = counter.map(|counter| counted(&counter, &session, arch)).transpose()?;
    let parts = TruthParts {
        request,
        plan: &plan,
        host,
        qemu_version,
        started,
        real_time,
        no_huge_pages,
        waits_alone: waits_alone == Some(true),
        starved,
        line_end,
        registers,
        storage_use: disks.usage(),
    };
    let truth = parts.truth(&session, &end, &qemu)?;
    if truth.verdict != RunVerdict::Interrupted {
        disks.check()?;
    }
    drop(qemu);
    if !session.report.kmsg.is_empty() {
        write(&files.kmsg, &session.report.kmsg)?;
    }
    for answer in session.report.answers.iter().filter(|answer| !answer.text.is_empty()) {
        write(&request.dir.join(answer.file), &answer.text)?;
    }
    files.write_truth(&truth)?;
    let capture = plan.line.map(|_| files.capture);
    Ok(BootOutcome { dir: request.dir.clone(), capture, truth, discarded: Vec::new() })
}

/// Boots until a run is valid, at most `attempts` times. An invalid run is moved to the next free `invalid-N` in the
/// directory and never counted; if the last one is invalid too, it stays, and its verdict says so.
///
/// Only flaws of the lab (a busy host) are worth another attempt: a panic, a hang or a user's own initramfs is not.
pub fn boot_valid(
    request: &BootRequest,
    attempts: u32,
    cancel: &AtomicBool,
    watch: &mut dyn FnMut(&BootProgress<'_>),
) -> Result<BootOutcome, BootError> {
    let mut discarded = Vec::new();
    for attempt in 1.. {
        let mut outcome = boot(request, cancel, watch)?;
        let flawed = outcome.truth.verdict == RunVerdict::Invalid;
        if flawed && outcome.truth.fidelity.decide(attempt, attempts) == RetryDecision::Retry {
            discarded.push(set_aside(&request.dir, "invalid")?);
            continue;
        }
        outcome.discarded = discarded;
        return Ok(outcome);
    }
    unreachable!("the last attempt is never retried")
}

/// A port of the host that nobody uses.
fn free_port() -> io::Result<u16> {
    Ok(std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The kernel's last line before user space.
fn kernels_end() -> Regex {
    Regex::new(r"Run \S+ as init process").expect("a constant that a test compiles")
}

/// What getty prints once a system has booted, without a line end.
fn login_prompt() -> Regex {
    Regex::new(r"login: ?$").expect("a constant that a test compiles")
}

/// Removed once it is dropped.
fn temporary(content: &[u8]) -> Result<NamedTempFile, BootError> {
    let mut file = NamedTempFile::new().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
    let written = file.write_all(content);
    written.map_err(|source| BootError::Write { path: file.path().to_owned(), source })?;
    Ok(file)
}

fn check_readable(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.read(&mut [0]).map(|_| ())
}

/// Counts what QEMU traces; its other messages go to the log.
fn listener(counter: Arc<Mutex<Counter>>) -> LogListener {
    Box::new(move |line| counter.lock().is_ok_and(|mut counter| counter.line(line)))
}

fn counted(counter: &Mutex<Counter>, session: &Session, arch: Arch) -> Result<RegisterAccesses, BootError> {
    let counter = counter.lock().unwrap_or_else(PoisonError::into_inner);
    if counter.is_empty() && session.usage.bytes() > 0 {
        return Err(BootError::Untraced { program: arch.qemu_program() });
    }
    let lines = session.report.lines.map(|_| session.line_bytes);
    Ok(counter.summary(arch, session.bytes_before_init, lines))
}

fn header(line: &PacedLine, clock: RunClock) -> Header {
    Header {
        started_unix_ns: clock.started_unix_ns(),
        declared_baud: line.declared,
        line_bytes_per_s: Some(LineRate::of(line.baud, line.frame)),
        frame: line.frame,
        ..Header::new(TOOL, "qemu")
    }
}

/// Both ends of both ports.
struct PortChannels {
    console: Option<OwnedFd>,
    guest_console: Option<OwnedFd>,
    truth: UnixStream,
    guest_truth: OwnedFd,
}

impl PortChannels {
    fn open_channels(line: Option<&PacedLine>) -> Result<PortChannels, BootError> {
        let failed = |source| BootError::Line { source };
        let (truth, guest_truth) = UnixStream::pair().map_err(failed)?;
        let channel = line.map(|l| l.transport.open(Pacer::new(l.baud, l.frame).slots())).transpose();
        let (console, guest_console) = match channel.map_err(failed)? {
            Some(Channel { reader, writer }) => (Some(reader), Some(writer)),
            None => (None, None),
        };
        Ok(PortChannels { console, guest_console, truth, guest_truth: guest_truth.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_end_is_its_last_line() {
        assert!(kernels_end().is_match(b"[    2.600000] Run /sbin/init as init process"));
        assert!(!kernels_end().is_match(b"[    2.600000]   with arguments:"));
        assert!(login_prompt().is_match(b"board login: "));
        assert!(!login_prompt().is_match(b"systemd-logind: new session"));
    }
}
