// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture from start to end: the reader's events go to the file and to the observer.
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use bootline_capture::units::{Baud, Dur, HostTime, LineRate};
use bootline_capture::{ChunkTime, Header, MarkNote, NoteKind};
use regex::bytes::Regex;

use super::clock::HostClock;
use super::connection::Connection;
use super::gpio_chip::HostChips;
use super::gpio_lines::{WatchedLine, take_lines};
use super::power_command::{PowerCommand, PowerOutcome};
use super::priority;
use super::reader::{self, PortReader, ReaderRemains};
use super::reader_event::{ReadEnd, ReaderEvent};
use super::summary::{CaptureCounts, CaptureEnd, CaptureSummary, MarkRoom};
use super::until::Until;
use super::{CaptureSource, GpioLine, Holder, LineSettings, MarkRequest, PortError, StopRequest, tty_ioctl};
use crate::recorder::Recorder;

/// After an unterminated line has matched (`login: `), this much silence shows that it is complete.
const PROMPT_SILENCE: Dur = Dur::from_millis(200);

/// How often the recorder and the time limits are checked while nothing arrives.
const TICK: Duration = Duration::from_millis(50);

/// How long a capture's end usually waits for the power command ([`CapturePlan::power_wait`]): as long as for a captured command.
pub const POWER_WAIT: Dur = Dur::from_secs(2);

/// What to capture, and when to end.
#[derive(Clone, Debug)]
pub struct CapturePlan {
    /// Where the bytes come from.
    pub source: CaptureSource,
    /// How a serial device is set up; other sources ignore it.
    pub line: LineSettings,
    /// Speed of the serial line, if the user states it: a pseudo-terminal or a socket has none of its own.
    pub bridged_baud: Option<Baud>,
    /// Wait for the source if it does not exist at the start.
    pub wait: bool,
    /// Wait for the port to come back after it went away.
    pub reconnect: bool,
    /// A command (for `sh -c`) that switches the board on.
    pub power: Option<String>,
    /// How long the end of the capture waits for the power command: it may fail after the last byte. One that runs longer is left alone.
    pub power_wait: Dur,
    /// Edges to mark: of the serial device's modem control inputs, which other sources lack, and of GPIO lines of the host.
    pub marks: Vec<MarkRequest>,
    /// End after a line that matches.
    pub until: Option<Regex>,
    /// End after this time.
    pub timeout: Option<Dur>,
    /// End when nothing has arrived for this time.
    pub idle: Option<Dur>,
}

/// Something that the user should know while a capture runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureNotice {
    /// The source does not exist yet, and why.
    Waiting(String),
    /// Other programs have the device open and take bytes away.
    OtherHolders(Vec<Holder>),
    /// The power command was started.
    PowerOn(String),
    /// The power command still runs at the end of the capture, and nobody waits for it any more.
    PowerRuns(String),
    /// The port went away.
    Lost {
        /// How it went away.
        why: String,
        /// Whether the capture waits for it.
        waiting: bool,
    },
    /// It came back after this time.
    Back(Dur),
    /// The board showed a mark, at the notice's time or so much earlier.
    Mark(MarkRequest, Dur),
    /// A mark comes too often; not all of its edges are recorded.
    MarkTooOften(MarkRequest),
    /// The input of a mark has its level already.
    MarkHeld(MarkRequest),
    /// The modem control inputs can't be watched any more, and why.
    MarksLost(String),
    /// A GPIO line can't be watched any more, and why.
    LineLost(GpioLine, String),
}

impl fmt::Display for CaptureNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureNotice::Waiting(why) => write!(f, "waiting for the source: {why}"),
            CaptureNotice::OtherHolders(holders) => {
                let names: Vec<String> = holders.iter().map(Holder::to_string).collect();
                write!(f, "also open in {}: bytes that it reads are missing here", names.join(", "))
            }
            CaptureNotice::PowerOn(command) => write!(f, "power command `{command}` started"),
            CaptureNotice::PowerRuns(command) => {
                write!(f, "power command `{command}` still runs: whether it fails is not known")
            }
            CaptureNotice::Lost { why, waiting } => {
                write!(f, "the port went away ({why})")?;
                if *waiting { f.write_str("; waiting for it, what is sent meanwhile is lost") } else { Ok(()) }
            }
            CaptureNotice::Back(after) => write!(f, "the port came back after {after} s"),
            CaptureNotice::Mark(mark, uncertainty) => write!(f, "mark {mark}, or up to {uncertainty} s earlier"),
            CaptureNotice::MarkTooOften(mark) => {
                write!(f, "mark {mark} comes too often: from here on one edge a second is recorded")
            }
            CaptureNotice::MarkHeld(mark) => {
                let state = if mark.asserted { "asserted" } else { "released" };
                write!(f, "{} is {state} already: mark `{}` is the next time that it is", mark.input, mark.name)
            }
            CaptureNotice::MarksLost(why) => write!(f, "the modem control inputs can't be watched any more: {why}"),
            CaptureNotice::LineLost(line, why) => write!(f, "`{line}` can't be watched any more: {why}"),
        }
    }
}

/// Observer of a capture; called from the recording's thread, so it must return quickly.
pub trait CaptureObserver {
    /// Bytes have arrived.
    fn bytes(&mut self, time: ChunkTime, bytes: &[u8]);
    /// Something happened.
    fn notice(&mut self, at: HostTime, notice: &CaptureNotice);
}

/// An opened source, ready to be recorded; its clock is running.
#[derive(Debug)]
pub struct Recording {
    plan: CapturePlan,
    connection: Connection,
    /// The GPIO lines to watch.
    lines: Vec<WatchedLine>,
    clock: HostClock,
}

impl Recording {
    /// Opens the source; `None` if a stop was requested while waiting for it.
    pub fn open(
        plan: CapturePlan,
        stop: &StopRequest,
        watch: &mut impl CaptureObserver,
    ) -> Result<Option<Recording>, PortError> {
        let clock = HostClock::start();
        let mut told = false;
        let mut lines = None;
        loop {
            let error = match open(&plan, &mut lines) {
                Ok((connection, lines)) => {
                    refuse_without_inputs(&plan, &connection)?;
                    let other_holders = connection.other_holders();
                    if !other_holders.is_empty() {
                        watch.notice(clock.now(), &CaptureNotice::OtherHolders(other_holders.to_vec()));
                    }
                    // The origin is the moment of opening, however long that took.
                    return Ok(Some(Recording { plan, connection, lines, clock: HostClock::start() }));
                }
                Err(error) => error,
            };
            if !plan.wait || !plan.source.comes_back() && !is_of_gpio(&error) || !may_pass(&error) {
                return Err(error);
            }
            if !std::mem::replace(&mut told, true) {
                watch.notice(clock.now(), &CaptureNotice::Waiting(error.to_string()));
            }
            if reader::pause_unless_stopped(stop, TICK).map_err(|e| read_error(&plan.source, e))? {
                return Ok(None);
            }
        }
    }

    /// The capture's header; `tool` is the program and its version.
    pub fn header(&self, tool: &str) -> Header {
        let has_line = self.connection.rate().is_some();
        Header {
            started_unix_ns: self.clock.started_unix_ns(),
            declared_baud: if has_line { Some(self.plan.line.baud) } else { self.plan.bridged_baud },
            frame: self.plan.line.frame,
            ..Header::new(tool, &self.plan.source.to_string())
        }
    }

    /// The clock of its stamps.
    #[cfg(test)]
    pub(super) fn clock(&self) -> HostClock {
        self.clock
    }

    /// The name for other programs to write to, if the source is our pseudo-terminal.
    pub fn terminal_name(&self) -> Option<String> {
        if let Connection::Pty(terminal) = &self.connection {
            Some(terminal.path().display().to_string())
        } else {
            None
        }
    }

    /// Records until the plan is fulfilled, the source ends or a stop is requested. The file is finished properly even
    /// on an error, except one of the recorder.
    pub fn record(
        self,
        recorder: Recorder,
        stop: &StopRequest,
        watch: &mut impl CaptureObserver,
    ) -> Result<CaptureSummary, PortError> {
        let Recording { plan, connection, lines, clock } = self;
        let again = if plan.reconnect { connection.endpoint(&plan.source) } else { None };
        let bridged = plan.bridged_baud.map(|baud| LineRate::of(baud, plan.line.frame));
        let rate = connection.rate().or(bridged);
        let reading = PortReader { rate, line: plan.line, again, clock, stop, marks: &plan.marks, lines: &lines };
        let reconnects = reading.again.is_some();
        let (news, inbox) = sync_channel(reader::QUEUE);
        thread::scope(|scope| {
            let reader = scope.spawn(move || {
                priority::run_first();
                // A loop that has failed takes no more events; its stop follows.
                reading.run(connection, &|sight| drop(news.send(sight)))
            });
            let mut desk = RecordingLoop::new(&plan, clock, recorder, stop, watch, reconnects);
            let ended = desk.work(inbox);
            stop.request();
            let remains = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            desk.finish(ended?, remains.map_err(|e| read_error(&plan.source, e))?)
        })
    }
}

/// The loop that processes all events.
struct RecordingLoop<'a, W> {
    plan: &'a CapturePlan,
    clock: HostClock,
    recorder: Recorder,
    stop: &'a StopRequest,
    watch: &'a mut W,
    reconnects: bool,
    tally: CaptureCounts,
    until: Option<Until>,
    /// When the last byte arrived; the origin before the first.
    last_arrival: HostTime,
    lost_at: HostTime,
    ended: Option<CaptureEnd>,
    power: PowerCommand,
}

impl<'a, W: CaptureObserver> RecordingLoop<'a, W> {
    fn new(
        plan: &'a CapturePlan,
        clock: HostClock,
        recorder: Recorder,
        stop: &'a StopRequest,
        watch: &'a mut W,
        reconnects: bool,
    ) -> RecordingLoop<'a, W> {
        let until = plan.until.clone().map(Until::new);
        let tally = CaptureCounts::new(&plan.marks);
        let (last_arrival, lost_at) = (HostTime::ORIGIN, HostTime::ORIGIN);
        RecordingLoop {
            plan,
            clock,
            recorder,
            stop,
            watch,
            reconnects,
            tally,
            until,
            last_arrival,
            lost_at,
            ended: None,
            power: PowerCommand::default(),
        }
    }

    /// Processes events until the reader ends; returns why it did.
    fn work(&mut self, inbox: Receiver<ReaderEvent>) -> Result<CaptureEnd, PortError> {
        if let Some(command) = &self.plan.power {
            let at = self.clock.now();
            self.recorder.note(at, NoteKind::PowerOn, &format!("power command `{command}`"))?;
            self.watch.notice(at, &CaptureNotice::PowerOn(command.clone()));
            self.power = PowerCommand::start(command.clone());
        }
        loop {
            match inbox.recv_timeout(TICK) {
                Ok(ReaderEvent::End(end)) => return Ok(self.reason(end)),
                Ok(sight) => self.take(sight)?,
                Err(RecvTimeoutError::Timeout) => self.recorder.idle(self.clock.now())?,
                // The reader failed; its result says how.
                Err(RecvTimeoutError::Disconnected) => return Ok(self.reason(ReadEnd::Source)),
            }
            if self.power.has_failed() {
                self.stop.request();
            }
            self.look_at_limits();
        }
    }

    fn take(&mut self, sight: ReaderEvent) -> Result<(), PortError> {
        match sight {
            ReaderEvent::Bytes(time, bytes) => {
                self.tally.chunk(time, &bytes);
                self.recorder.spread(time, &bytes)?;
                self.watch.bytes(time, &bytes);
                self.last_arrival = time.first + time.span;
                if self.until.as_mut().is_some_and(|until| until.push(&bytes).is_break()) {
                    self.end_by_match();
                }
            }
            ReaderEvent::Lost(at, why) => {
                self.tally.losses += 1;
                self.lost_at = at;
                self.recorder.note(at, NoteKind::PortLost, &why)?;
                self.watch.notice(at, &CaptureNotice::Lost { why, waiting: self.reconnects });
            }
            ReaderEvent::Back(at) => {
                self.tally.holes += u32::from(self.tally.bytes > 0);
                self.tally.marks_lost = None;
                let after = at - self.lost_at;
                self.recorder.note(at, NoteKind::PortBack, &format!("after {after} s"))?;
                self.watch.notice(at, &CaptureNotice::Back(after));
            }
            ReaderEvent::Mark(at, uncertainty, mark) => match self.tally.mark(&mark, at, uncertainty) {
                MarkRoom::Recorded => {
                    self.recorder.mark(at, note_of(&mark, uncertainty), &mark.what())?;
                    self.watch.notice(at, &CaptureNotice::Mark(mark, uncertainty));
                }
                MarkRoom::FirstTooMany => self.watch.notice(at, &CaptureNotice::MarkTooOften(mark)),
                MarkRoom::TooMany => {}
            },
            ReaderEvent::MarkHeld(at, mark) => self.watch.notice(at, &CaptureNotice::MarkHeld(mark)),
            ReaderEvent::MarksLost(at, why) => {
                self.tally.marks_lost = Some(why.clone());
                self.watch.notice(at, &CaptureNotice::MarksLost(why));
            }
            ReaderEvent::LineLost(at, line, why) => {
                self.tally.line_lost.get_or_insert_with(|| (line.clone(), why.clone()));
                self.watch.notice(at, &CaptureNotice::LineLost(line, why));
            }
            ReaderEvent::End(..) => {}
        }
        Ok(())
    }

    fn look_at_limits(&mut self) {
        let now = self.clock.now();
        let reached = |limit: Option<Dur>, since: HostTime| limit.filter(|&limit| now - since >= limit);
        if self.until.as_ref().is_some_and(|u| u.matched().is_some()) && now - self.last_arrival >= PROMPT_SILENCE {
            self.end_by_match();
        } else if let Some(limit) = reached(self.plan.timeout, HostTime::ORIGIN) {
            self.end(CaptureEnd::Timeout(limit));
        } else if let Some(limit) = reached(self.plan.idle, self.last_arrival) {
            self.end(CaptureEnd::Idle(limit));
        }
    }

    fn end_by_match(&mut self) {
        let line = self.until.as_ref().and_then(|u| u.matched()).unwrap_or_default().to_vec();
        self.end(CaptureEnd::Until(line));
    }

    /// The first reason counts; events continue until the reader has stopped.
    fn end(&mut self, why: CaptureEnd) {
        if self.ended.is_none() {
            self.ended = Some(why);
            self.stop.request();
        }
    }

    fn reason(&mut self, end: ReadEnd) -> CaptureEnd {
        let matched = self.until.as_ref().and_then(|u| u.matched()).map(<[u8]>::to_vec);
        // A prompt that matched just before something else ended the capture still counts as matched.
        matched.map(CaptureEnd::Until).or(self.ended.take()).unwrap_or_else(|| match end {
            ReadEnd::Stopped => CaptureEnd::Stopped(self.stop.signal()),
            ReadEnd::Source => CaptureEnd::Source(None),
        })
    }

    /// Ends the file.
    fn finish(self, ended: CaptureEnd, remains: ReaderRemains) -> Result<CaptureSummary, PortError> {
        let at = self.clock.now();
        let ended = match (ended, remains.connection) {
            (CaptureEnd::Source(_), Some(Connection::Command(mut command))) => {
                let status = command.end().map_err(|e| read_error(&self.plan.source, e))?;
                CaptureEnd::Source(Some(status))
            }
            (ended, _) => ended,
        };
        let summary = self.tally.summary(remains.line_errors, ended);
        let mut detail = summary.ended.to_string();
        if let Some(errors) = summary.line_errors.filter(|e| !e.is_clean()) {
            detail.push_str(&format!("; the receiver counted {errors}"));
        }
        self.recorder.finish(at, &detail)?;
        let power = match self.power.outcome(self.plan.power_wait) {
            // Ctrl-C reaches both, because they are one job of the terminal.
            Err(PortError::Power { status, .. }) if self.stop.signal().and(status.signal()).is_some() => {
                PowerOutcome::Fine
            }
            outcome => outcome?,
        };
        if let (PowerOutcome::Runs, Some(command)) = (power, &self.plan.power) {
            self.watch.notice(self.clock.now(), &CaptureNotice::PowerRuns(command.clone()));
        }
        Ok(summary)
    }
}

fn note_of(mark: &MarkRequest, uncertainty: Dur) -> MarkNote {
    MarkNote {
        name: mark.name.clone(),
        input: mark.input.word(),
        edge: mark.edge(),
        uncertainty_ns: uncertainty.as_nanos(),
    }
}

/// Takes the GPIO lines, unless an earlier try has taken them, then opens the source. In this order, because opening a serial device may
/// reset the board: it runs only if all its marks can be seen, and from its first one on.
fn open(plan: &CapturePlan, lines: &mut Option<Vec<WatchedLine>>) -> Result<(Connection, Vec<WatchedLine>), PortError> {
    if lines.is_none() {
        *lines = Some(take_lines(&plan.marks, &HostChips)?);
    }
    let connection = Connection::open(&plan.source, plan.line)?;
    Ok((connection, lines.take().unwrap_or_default()))
}

/// Marks need inputs: refused before anything is recorded.
fn refuse_without_inputs(plan: &CapturePlan, connection: &Connection) -> Result<(), PortError> {
    match (connection, &plan.source) {
        (Connection::Serial(port), CaptureSource::Device(device))
            if plan.marks.iter().any(|mark| mark.input.modem().is_some()) =>
        {
            let refused = |error| PortError::NoModemInputs { device: device.clone(), error };
            tty_ioctl::input_levels(port).map(drop).map_err(refused)
        }
        _ => Ok(()),
    }
}

/// Whether the source may still appear after this error.
fn may_pass(error: &PortError) -> bool {
    match error {
        PortError::NoSuchDevice { .. }
        | PortError::NoSocket { .. }
        | PortError::Connect { .. }
        | PortError::UnknownHost { .. } => true,
        PortError::Gpio(error) => error.may_pass(),
        // udev creates a device's file before it sets the group; but then it is not the first error.
        _ => false,
    }
}

fn is_of_gpio(error: &PortError) -> bool {
    matches!(error, PortError::Gpio(_))
}

fn read_error(source: &CaptureSource, error: io::Error) -> PortError {
    PortError::Read { source_name: source.to_string(), error }
}

#[cfg(test)]
mod tests {
    use bootline_capture::{Event, MarkEdge, Note, Reader};

    use super::*;
    use crate::MarkSummary;
    use crate::summary::MOST_MARKS;

    /// Counts what it is told of.
    #[derive(Default)]
    struct Counting {
        marks: u32,
        words: Vec<String>,
    }

    impl CaptureObserver for Counting {
        fn bytes(&mut self, _: ChunkTime, _: &[u8]) {}
        fn notice(&mut self, _: HostTime, notice: &CaptureNotice) {
            self.marks += u32::from(matches!(notice, CaptureNotice::Mark(..)));
            self.words.push(notice.to_string());
        }
    }

    /// Marks stand in the file with the time and the bounds that the watch found, after the bytes received before them, and no
    /// more often than fits.
    #[test]
    fn marks_stand_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cap");
        let marks: Vec<MarkRequest> = ["dsr=app-ready", "!cts=never"].map(|m| m.parse().unwrap()).to_vec();
        let line = LineSettings {
            baud: Baud::new(9600).unwrap(),
            frame: bootline_capture::units::Frame::default(),
            dtr: None,
            rts: None,
        };
        let plan = CapturePlan {
            source: CaptureSource::Stdin,
            line,
            bridged_baud: None,
            wait: false,
            reconnect: false,
            power: None,
            power_wait: POWER_WAIT,
            marks: marks.clone(),
            until: None,
            timeout: None,
            idle: None,
        };
        let recorder = Recorder::create(&path, &Header::new("test", "-")).unwrap();
        let (stop, mut watch) = (StopRequest::new().unwrap(), Counting::default());
        let mut desk = RecordingLoop::new(&plan, HostClock::start(), recorder, &stop, &mut watch, false);
        let at = |ms: i64| HostTime::from_nanos(ms * 1_000_000);
        desk.take(ReaderEvent::MarkHeld(at(0), marks[1].clone())).unwrap();
        desk.take(ReaderEvent::Bytes(ChunkTime::instant(at(5), Dur::ZERO), b"login: ".to_vec())).unwrap();
        for n in 0..i64::from(MOST_MARKS) + 5 {
            desk.take(ReaderEvent::Mark(at(7 + n), Dur::from_micros(900), marks[0].clone())).unwrap();
        }
        // The board was switched off and on: the next boot has its mark, too.
        desk.take(ReaderEvent::Mark(at(60_000), Dur::from_micros(900), marks[0].clone())).unwrap();
        desk.take(ReaderEvent::MarksLost(at(60_900), "unplugged".into())).unwrap();
        let remains = ReaderRemains { connection: None, line_errors: None };
        let summary = desk.finish(CaptureEnd::Stopped(None), remains).unwrap();
        let summed: Vec<_> = summary.marks.iter().map(|MarkSummary { first, count, .. }| (*first, *count)).collect();
        assert_eq!(summed, [(Some((at(7), Dur::from_micros(900))), MOST_MARKS + 6), (None, 0)]);
        assert_eq!(summary.marks_lost.as_deref(), Some("unplugged"));
        assert_eq!(watch.marks, MOST_MARKS + 1);
        let too_often = watch.words.iter().filter(|w| w.contains("comes too often")).count();
        assert_eq!(too_often, 1);
        assert_eq!(watch.words[0], "CTS is released already: mark `never` is the next time that it is");
        assert_eq!(watch.words[1], "mark `app-ready` (DSR asserted), or up to 0.000900 s earlier");

        let (mut notes, mut bytes_before) = (Vec::<Note>::new(), 0);
        let mut sink = |event: Event<'_>| match event {
            Event::Note(note) => notes.push(note),
            Event::Chunk(_, bytes) if notes.is_empty() => bytes_before += bytes.len(),
            Event::Chunk(..) | Event::Header(_) => {}
            Event::Damage(damage) => panic!("{damage:?}"),
        };
        let mut reader = Reader::new();
        reader.push(&std::fs::read(&path).unwrap(), &mut sink);
        reader.finish(&mut sink);
        assert_eq!((bytes_before, notes.len()), (7, MOST_MARKS as usize + 2));
        let (first, mark) = (&notes[0], notes[0].mark.as_ref().unwrap());
        assert_eq!((first.at_ns, first.kind, first.detail.as_str()), (7_000_000, NoteKind::Mark, "DSR asserted"));
        assert_eq!((mark.name.as_str(), mark.input.as_str(), mark.edge), ("app-ready", "dsr", MarkEdge::Asserted));
        assert_eq!(mark.uncertainty_ns, 900_000);
    }
}
