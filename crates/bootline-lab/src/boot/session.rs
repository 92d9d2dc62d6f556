// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of a running boot: takes the input of both ports, and decides what to tell the guest. It starts and ends
//! nothing.
use bootline_capture::units::{Dur, HostTime};
use regex::bytes::Regex;

use super::BootPhase;
use super::guest_report::{Answer, GuestCommand, GuestReport, MarkReport, ModuleReport, PrintkLinesReport};
use super::run_event::TruthRead;
use super::system::{AWAITED, HANDOFF, PICTURE, Question, SOCKET, SystemBoot, Writes, starts_application_alone};
use crate::fidelity::belongs;
use crate::kmsg;
use crate::line::{LineRead, LineUsage};
use crate::received::{ReceivedLines, message};
use crate::truth_port::{Frame, FrameReader};
use bootline_images::systems::System;
use bootline_port::recorder::{Recorder, RecorderError};

/// Maximum pause of the line within what the kernel has stored, at any speed.
const QUIET: Dur = Dur::from_millis(300);
/// If the last record has not arrived by then, it will not.
const DRAIN_PATIENCE: Dur = Dur::from_secs(8);
/// Records that arrive while the lab waits are drained as well, but not forever.
const DRAIN_ROUNDS: u32 = 5;
/// Time after the marker of a user's own init, which may continue to print.
const AFTER_MARKER: Dur = Dur::from_secs(10);
const AFTER_MARKER_QUIET: Dur = Dur::from_secs(1);
const AFTER_PANIC_QUIET: Dur = Dur::from_secs(3);
/// Maximum number of modules that init may report.
const MAX_MODULES: usize = 1024;
/// Maximum size of the kernel's log in memory, in bytes.
const MAX_KMSG: usize = 64 << 20;
/// Maximum number of marks that a system may send.
const MAX_MARKS: usize = 1024;
/// Maximum size of an answer of a system, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// How long after the last mark the storage is left alone: the application draws its picture again for 4 s, and a guest that has
/// other work asks a slow storage too late to get its full rate.
const STORAGE_REST: Dur = Dur::from_secs(6);
/// How long the host may look for the application after the last mark.
const WITNESS_PATIENCE: Dur = Dur::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Booting,
    /// Init has sent its report; the line drains.
    Draining,
    /// Init was asked for new records.
    Asked,
    /// Nothing new arrived: the line has transmitted everything.
    Drained,
    /// Init prints lines, and sends no reports.
    Printing {
        since: HostTime,
        bytes: u64,
    },
    /// A system is asked for its own account of the boot.
    Asking,
    /// The user's own boot has reached its marker.
    Marked,
    PoweringOff,
}

pub(super) struct Session {
    pub recorder: Option<Recorder>,
    pub usage: LineUsage,
    pub received: ReceivedLines,
    pub report: GuestReport,
    pub first_byte: Option<HostTime>,
    pub last_byte: Option<HostTime>,
    /// The last byte before init was told to do anything that shows on the line.
    pub log_complete: Option<HostTime>,
    pub marker_at: Option<HostTime>,
    pub panic_line: Option<String>,
    pub last_line: String,
    pub bytes_before_init: u64,
    /// Bytes transmitted while init printed lines.
    pub line_bytes: u64,
    /// Number of lines that init is to print.
    lines: Option<u32>,
    /// Reads that may belong to the time before init, until init's start is known.
    undecided: Vec<(HostTime, u64)>,
    marker: Option<Regex>,
    ends_at_marker: bool,
    has_line: bool,
    frames: FrameReader,
    stage: Stage,
    /// When the stage began, or the guest last sent something.
    since: HostTime,
    rounds: u32,
    records_seen: usize,
    last_wanted: Option<Vec<u8>>,
    /// How long the line must be quiet before it counts as drained.
    quiet: Dur,
    system: Option<SystemSession>,
}

/// The part of a session that only whole systems have.
#[derive(Debug, Default)]
struct SystemSession {
    /// Questions not yet asked, the next one last.
    questions: Vec<Question>,
    /// The answer under way.
    answer: Option<Answer>,
    /// The system's own shutdown, if its power is not simply cut.
    shutdown: Option<&'static str>,
    /// When it has booted.
    booted: BootedWhen,
    /// When it had.
    marked_at: Option<HostTime>,
}

/// The moment at which a system has booted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BootedWhen {
    /// All its marks have come, and the host has seen its application or given up.
    #[default]
    Marked,
    /// It was handed over to, and has printed the line that is waited for: it marks nothing itself.
    Printed,
    /// It was handed over to.
    HandedOver,
    /// Its application, which is process 1 and sets up no network, is ready, and the host has seen its picture or given up.
    Pictured,
}

impl BootedWhen {
    fn of(boot: &SystemBoot, is_alone: bool) -> BootedWhen {
        match (boot.writes, boot.root.system()) {
            (Writes::Worked(work), _) if !work.starts_init => BootedWhen::HandedOver,
            (_, None) => BootedWhen::Printed,
            (_, Some(_)) if is_alone => BootedWhen::Pictured,
            (_, Some(_)) => BootedWhen::Marked,
        }
    }
}

impl Session {
    /// `character` is the transmit time of a byte; `ends_at_marker` is for a guest without the lab's init.
    pub fn new(recorder: Option<Recorder>, marker: Option<Regex>, ends_at_marker: bool, character: Dur) -> Session {
        Session {
            has_line: recorder.is_some(),
            recorder,
            usage: LineUsage::default(),
            received: ReceivedLines::default(),
            report: GuestReport::default(),
            first_byte: None,
            last_byte: None,
            log_complete: None,
            marker_at: None,
            panic_line: None,
            last_line: String::new(),
            bytes_before_init: 0,
            line_bytes: 0,
            lines: None,
            undecided: Vec::new(),
            marker,
            ends_at_marker,
            frames: FrameReader::default(),
            stage: Stage::Booting,
            since: HostTime::ORIGIN,
            rounds: 0,
            records_seen: 0,
            last_wanted: None,
            quiet: QUIET + character * 20,
            system: None,
        }
    }

    /// Boots a whole system, to whose kernel the user said `append`: awaits its marks, then asks for its own account.
    pub fn of_system(self, boot: Option<&SystemBoot>, append: &str) -> Session {
        let is_alone = starts_application_alone(append);
        let system = boot.map(|boot| SystemSession {
            // Without the system's init nobody has an account of the boot.
            questions: if is_alone { boot.hardware_questions() } else { boot.questions() }.into_iter().rev().collect(),
            shutdown: boot.root.system().filter(|_| boot.writes.shuts_down()).map(System::shutdown),
            booted: BootedWhen::of(boot, is_alone),
            ..SystemSession::default()
        });
        Session { system, ..self }
    }

    /// Has init print lines before the guest powers off.
    pub fn printing(self, lines: Option<u32>) -> Session {
        Session { lines: lines.filter(|n| *n > 0), ..self }
    }

    pub fn phase(&self) -> BootPhase {
        match self.stage {
            Stage::Booting if self.report.marks.is_empty() => BootPhase::Booting,
            Stage::Booting => BootPhase::UserSpace,
            Stage::Asking => BootPhase::Asking,
            Stage::Draining | Stage::Asked | Stage::Drained | Stage::Marked => BootPhase::Draining,
            Stage::Printing { .. } => BootPhase::Printing,
            Stage::PoweringOff => BootPhase::PoweringOff,
        }
    }

    /// Whether the boot itself is over: what follows is what the lab asks for.
    pub fn is_over(&self) -> bool {
        self.stage != Stage::Booting
    }

    /// Whether the boot has ended and only the guest's power-off is left.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::PoweringOff | Stage::Marked)
    }

    /// Since when the guest has been silent on both ports.
    pub fn silent_since(&self) -> HostTime {
        self.since.max(self.last_byte.unwrap_or(HostTime::ORIGIN))
    }

    /// Takes bytes from the line.
    pub fn line(&mut self, take: &LineRead) -> Result<(), RecorderError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.bytes(take.at, take.at - take.due, &take.bytes)?;
        }
        self.usage.add(take);
        self.first_byte.get_or_insert(take.at);
        self.last_byte = Some(take.at);
        self.undecided.push((take.at, take.bytes.len() as u64));
        // A root of one's own is awaited once it has been handed over to: what came before is the loader's and the kernel's.
        let awaited = self
            .system
            .as_ref()
            .is_none_or(|s| s.booted != BootedWhen::Printed || self.report.marks.iter().any(|m| m.name == HANDOFF));
        let Session { received, marker, marker_at, panic_line, last_line, .. } = self;
        let marker = marker.as_ref().filter(|_| awaited);
        received.push(take.at, &take.bytes, &mut |line| {
            if marker_at.is_none() && marker.is_some_and(|m| m.is_match(&line.text)) {
                *marker_at = Some(line.last);
            }
            let text = message(&line.text).text;
            if panic_line.is_none() && text.starts_with(b"Kernel panic - not syncing") {
                *panic_line = Some(printable(&line.text));
            }
            *last_line = printable(&line.text);
        });
        // A prompt has no line end.
        let current = self.received.current().filter(|_| self.marker_at.is_none());
        if let (Some(line), Some(marker)) = (current, marker) {
            if marker.is_match(&line.text) {
                self.marker_at = Some(take.at);
            }
        }
        Ok(())
    }

    /// Takes bytes from the truth port.
    pub fn truth(&mut self, read: &TruthRead) {
        self.since = self.since.max(read.at);
        let mut frames = Vec::new();
        self.frames.push(read.at, &read.bytes, &mut |frame| frames.push(frame));
        for frame in frames {
            self.frame(frame, read.processor);
        }
    }

    /// `processor`: the processor time that QEMU had used when the frame was complete.
    fn frame(&mut self, frame: Frame, processor: Option<Dur>) {
        let text = || String::from_utf8_lossy(&frame.content).trim_end().to_owned();
        match frame.name.as_str() {
            "init" if self.report.init_at.is_none() => {
                self.report.init_at = Some(frame.at);
                let text = text();
                let time = |name| field(&text, name).map(Dur::from_nanos);
                self.report.init_guest = time("monotonic_ns");
                let took = self.report.init_guest.zip(time("entered_ns")).map(|(sent, entered)| sent - entered);
                self.report.port_opening = took.filter(|took| *took >= Dur::ZERO);
            }
            "loaded" if self.report.loaded_at.is_none() => self.report.loaded_at = Some(frame.at),
            "module" => {
                let text = text();
                let time = |name| Dur::from_nanos(field(&text, name).unwrap_or_default());
                let errno = field(&text, "errno").and_then(|n| n.try_into().ok()).unwrap_or(libc::EINVAL);
                // As many as fit init's list; a guest that reports more does not run the lab's init.
                if self.report.modules.len() < MAX_MODULES {
                    let report = ModuleReport { at: frame.at, errno, start: time("start_ns"), end: time("end_ns") };
                    self.report.modules.push(report);
                }
            }
            "root.failed" | "handoff.failed" => {
                self.report.no_system = field(&text(), "errno").and_then(|n| n.try_into().ok()).or(Some(libc::EINVAL));
            }
            "output" => self.output(&frame.content),
            "done" => self.answered(frame.at),
            "lines" => {
                let text = text();
                let time = |name| Dur::from_nanos(field(&text, name).unwrap_or_default());
                let count = field(&text, "count").and_then(|n| n.try_into().ok()).unwrap_or_default();
                self.report.lines = Some(PrintkLinesReport { count, start: time("start_ns"), end: time("end_ns") });
            }
            "version" => self.report.version = Some(text()),
            "cmdline" => self.report.cmdline = Some(text()),
            "consoles" => self.report.consoles = Some(text()),
            "uptime" => self.report.uptime = Some(text()),
            "sys/kernel/printk" => {
                self.report.console_loglevel = text().split_ascii_whitespace().next().and_then(|n| n.parse().ok());
            }
            "kmsg" if self.report.kmsg.len() + frame.content.len() <= MAX_KMSG => {
                self.report.kmsg.extend_from_slice(&frame.content);
            }
            "kmsg" | "kmsg.lost" => self.report.kmsg_overrun = true,
            "ready" => {
                self.report.ready_at.get_or_insert(frame.at);
                self.ready();
            }
            _ if self.system.is_some() && self.report.marks.len() < MAX_MARKS => {
                if let Some(guest) = field(&text(), "monotonic_ns") {
                    let guest = Dur::from_nanos(guest);
                    self.report.marks.push(MarkReport { name: frame.name, at: frame.at, guest, processor });
                }
            }
            _ => (),
        }
    }

    fn output(&mut self, content: &[u8]) {
        if let Some(answer) = self.system.as_mut().and_then(|s| s.answer.as_mut()) {
            let room = MAX_ANSWER.saturating_sub(answer.text.len());
            answer.text.extend_from_slice(&content[..content.len().min(room)]);
        }
    }

    fn answered(&mut self, at: HostTime) {
        if let Some(answer) = self.system.as_mut().and_then(|s| s.answer.take()) {
            self.report.answers.push(Answer { took: at - answer.asked, ..answer });
        }
    }

    /// The next question to a system that has answered the last one, or the end of the boot.
    fn ask(&mut self, now: HostTime) -> Option<GuestCommand> {
        let Some(system) = &mut self.system else {
            self.stage = Stage::PoweringOff;
            return Some(GuestCommand::PowerOff);
        };
        self.stage = Stage::Asking;
        if system.answer.is_some() {
            return None;
        }
        let is_storage = system.questions.last().is_some_and(|(file, _)| SystemBoot::is_of_storage(file));
        if is_storage && system.marked_at.is_some_and(|at| now - at < STORAGE_REST) {
            return None;
        }
        if let Some((file, command)) = system.questions.pop() {
            system.answer = Some(Answer { file, asked: now, took: Dur::ZERO, text: Vec::new() });
            return Some(GuestCommand::Run(command));
        }
        self.stage = Stage::PoweringOff;
        Some(system.shutdown.map_or(GuestCommand::PowerOff, |command| GuestCommand::Run(command.to_owned())))
    }

    /// Whether a system has booted.
    fn has_booted(&mut self, now: HostTime) -> bool {
        let report = &self.report;
        let Some(system) = &mut self.system else { return false };
        let has = |name: &str| report.marks.iter().any(|m| m.name == name);
        let marked = match system.booted {
            BootedWhen::Marked => AWAITED.iter().all(|name| has(name)),
            BootedWhen::Pictured => has(PICTURE) && has(SOCKET),
            BootedWhen::Printed => self.marker_at.is_some() && has(HANDOFF),
            BootedWhen::HandedOver => has(HANDOFF),
        };
        if !marked {
            return false;
        }
        let marked_at = *system.marked_at.get_or_insert(now);
        let (picture, socket) = (report.picture_seen_at.is_some(), report.socket_answered_at.is_some());
        let seen = match system.booted {
            BootedWhen::Marked => picture && socket,
            BootedWhen::Pictured => picture,
            BootedWhen::Printed | BootedWhen::HandedOver => true,
        };
        seen || now - marked_at > WITNESS_PATIENCE
    }

    /// Init has sent everything.
    fn ready(&mut self) {
        let (records, _) = kmsg::parse(&self.report.kmsg);
        let cmdline = self.report.cmdline.as_deref().unwrap_or_default();
        let loglevel = self.report.console_loglevel;
        let new = &records[self.records_seen.min(records.len())..];
        let wanted = new.iter().rev().find(|r| belongs(r, loglevel, cmdline));
        let nothing_new = wanted.is_none();
        if let Some(record) = wanted {
            let last = record.text.split(|b| *b == b'\n').next_back().unwrap_or_default();
            self.last_wanted = Some(last.to_vec());
        }
        self.records_seen = records.len();
        let drained = self.stage == Stage::Asked && (nothing_new || self.rounds >= DRAIN_ROUNDS);
        if drained {
            self.log_complete = self.log_complete.or(self.last_byte);
        }
        self.stage = match self.stage {
            Stage::Asked if drained => Stage::Drained,
            Stage::Drained | Stage::Printing { .. } | Stage::Asking | Stage::PoweringOff => self.stage,
            _ => Stage::Draining,
        };
    }

    /// Returns what to tell the guest at `now`; each command once.
    pub fn tick(&mut self, now: HostTime) -> Result<Option<GuestCommand>, RecorderError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.idle(now)?;
        }
        self.count_before_init();
        let idle = now - self.last_byte.unwrap_or(HostTime::ORIGIN);
        if self.panic_line.is_some() && idle > AFTER_PANIC_QUIET {
            return Ok(Some(GuestCommand::Kill));
        }
        if self.report.no_system.is_some() {
            return Ok(Some(GuestCommand::Kill));
        }
        let booted = self.stage == Stage::Booting && self.has_booted(now);
        let ask = match self.stage {
            Stage::Booting if booted => {
                self.stage = Stage::Draining;
                Some(GuestCommand::Dump)
            }
            Stage::Asking => self.ask(now),
            Stage::Booting if self.ends_at_marker && self.marker_at.is_some() => {
                self.stage = Stage::Marked;
                None
            }
            Stage::Marked => {
                let marked = self.marker_at.map_or(Dur::ZERO, |at| now - at);
                (idle > AFTER_MARKER_QUIET || marked > AFTER_MARKER).then(|| {
                    self.stage = Stage::PoweringOff;
                    GuestCommand::Kill
                })
            }
            Stage::Draining if self.is_drained(idle) => {
                self.stage = Stage::Asked;
                self.rounds += 1;
                Some(GuestCommand::Dump)
            }
            Stage::Drained => Some(match self.lines.take() {
                Some(count) => {
                    self.stage = Stage::Printing { since: now, bytes: self.usage.bytes() };
                    GuestCommand::Lines(count)
                }
                None => return Ok(self.ask(now)),
            }),
            Stage::Printing { since, bytes } if self.has_printed(since, now) => {
                self.line_bytes = self.usage.bytes() - bytes;
                self.stage = Stage::Asked;
                self.rounds = 1;
                Some(GuestCommand::Dump)
            }
            _ => None,
        };
        Ok(ask)
    }

    fn is_drained(&self, idle: Dur) -> bool {
        !self.has_line || (idle > self.quiet && (self.last_is_through() || idle > DRAIN_PATIENCE))
    }

    /// Whether the line has been silent since init was told to print and has printed, or never printed.
    fn has_printed(&self, since: HostTime, now: HostTime) -> bool {
        let last = self.last_byte.filter(|at| *at > since);
        last.map_or(now - since > DRAIN_PATIENCE, |at| now - at > self.quiet)
    }

    /// Whether the last record that the console should print has been received.
    fn last_is_through(&self) -> bool {
        let Some(wanted) = &self.last_wanted else { return true };
        self.received.lines().iter().rev().take(200).any(|line| message(&line.text).text == wanted)
    }

    /// Moves reads that are decided from `undecided` into the count. Reads arrive in groups, some late.
    pub fn count_before_init(&mut self) {
        let Some(init) = self.report.init_at else { return };
        if !self.undecided.is_empty() {
            self.bytes_before_init += self.undecided.iter().filter(|(at, _)| *at <= init).map(|(_, n)| n).sum::<u64>();
            self.undecided.clear();
        }
    }
}

fn field(text: &str, name: &str) -> Option<i64> {
    text.split_ascii_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// For display: no control characters, not too long.
fn printable(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]);
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests;
