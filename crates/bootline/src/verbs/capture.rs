// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline capture`
use std::fmt;
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use bootline_capture::units::{Baud, Dur, Frame, HostTime};
use bootline_capture::{ChunkTime, Header};
use bootline_input::{Exit, Failure};
use bootline_port::recorder::{Recorder, RecorderError};
use bootline_port::{
    BackgroundWriter, CaptureEnd, CaptureFault, CaptureNotice, CaptureObserver, CapturePlan, CaptureSource,
    CaptureSummary, LineSettings, LiveText, MarkRequest, MarkSummary, POWER_WAIT, PortError, Recording, StopRequest,
};
use bootline_report::{CaptureEndWord, CaptureGap, CaptureJson, CaptureMark, JsonLine, LineErrorCounts, counted};
use bootline_terminal::Terminal;
use clap::ValueEnum;
use regex::bytes::Regex;

use crate::output_file::print;
use crate::output_stream::write_failed;
use crate::quantity::{baud, duration};
use crate::shell_word::is_plain;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Sources:
  /dev/ttyUSB0     a serial device; preferably by a stable name, /dev/serial/by-id/...
  tcp:HOST:PORT    a raw TCP connection: ser2net, a terminal server, QEMU's -serial tcp:..,server
  unix:PATH        a Unix socket
  pty, pty:LINK    a new pseudo-terminal for another program to write to
  cmd:COMMAND      what a shell command prints; also: -- COMMAND ARGS
  -                standard input

Examples:
  bootline capture /dev/ttyUSB0 -b 115200 --until 'login: '
  bootline capture tcp:rack3:2003 --power 'pductl rack3 cycle 4' --until 'as init' --timeout 2m
  bootline capture -o board.cap -- ssh lab 'cat /dev/ttyUSB0'
  bootline capture /dev/ttyUSB0 --mark dsr=app-ready        explain boot.cap --app mark:app-ready
  bootline capture tcp:rack3:2003 --mark gpio:gpiochip0/17=app-ready

A capture ends with the first of --until, --timeout, --idle, the end of the source, and Ctrl-C.")]
pub struct Args {
    /// Where the bytes come from (see Sources)
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    source: Option<CaptureSource>,
    /// The capture file; `-` is standard output [default: boot.cap, or the first free of boot-2.cap, boot-3.cap ..]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Speed of the line; any number that the driver accepts [default for a serial device: 115200]
    #[arg(short, long, value_name = "BAUD", value_parser = baud)]
    baud: Option<Baud>,
    /// Data bits, parity, stop bits
    #[arg(long, value_name = "FRAME", default_value = "8n1")]
    frame: Frame,
    /// Set DTR after opening; left alone by default, because on many boards it is wired to reset
    #[arg(long, value_enum, value_name = "LEVEL")]
    dtr: Option<Level>,
    /// Set RTS after opening; left alone by default
    #[arg(long, value_enum, value_name = "LEVEL")]
    rts: Option<Level>,
    /// Record when the board asserts a modem control input of the serial device (cts, dsr, dcd, ri), or drives a GPIO line of this host
    /// high (gpio:CHIP/LINE, by the line's offset or name; gpio:NAME), as a mark with this name [default name: the input's];
    /// `!dsr=NAME` when it releases it, `!gpio:CHIP/LINE=NAME` when it drives it low; may be repeated
    #[arg(long = "mark", value_name = "INPUT[=NAME]")]
    marks: Vec<MarkRequest>,
    /// End after a line that matches this regular expression; a prompt without a newline matches too
    #[arg(long, value_name = "RE")]
    until: Option<Regex>,
    /// End after this time: 90, 90s, 1.5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Dur>,
    /// End when nothing has arrived for this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    idle: Option<Dur>,
    /// Switch the board on with this shell command, once the source is open
    #[arg(long, value_name = "COMMAND")]
    power: Option<String>,
    /// Wait for a device or a server that does not exist yet
    #[arg(long)]
    wait: bool,
    /// End when the port goes away, instead of waiting for its return
    #[arg(long)]
    no_reconnect: bool,
    /// Show the bytes as received, instead of lines with arrival times
    #[arg(long, conflicts_with = "quiet")]
    raw: bool,
    /// Do not show the bytes
    #[arg(short, long)]
    quiet: bool,
    /// Write a summary in JSON to standard output at the end, and do not show the bytes
    #[arg(long, conflicts_with = "raw")]
    json: bool,
    /// Capture what a command prints
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Level {
    On,
    Off,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    // Before the source is opened, because opening raises DTR, which may reset the board.
    let target = Target::of(&args)?;
    let (quiet, raw, as_json) = (args.quiet || target == Target::Stdout, args.raw, args.json);
    let plan = plan(args);
    let source = plan.source.clone();
    check_marks(&plan.marks, &source)?;
    if source == CaptureSource::Stdin && is_file() {
        terminal.say("standard input is a file: arrival times will show when it was read, not when it was sent");
        terminal.say("  hint: `bootline explain` reads logs as they are");
    }
    let (waits_for, reconnects) = (plan.until.clone(), plan.reconnect && source.comes_back());
    let stop = StopRequest::new().and_then(|stop| stop.on_signals().map(|()| stop)).map_err(|e| {
        Failure::new(Exit::LAB, format!("can't handle signals: {e}")) // out of descriptors or memory
    })?;
    let mut screen = Screen::new(terminal, quiet || as_json, raw);
    let line = plan.line;
    let Some(recording) = Recording::open(plan, &stop, &mut screen).map_err(port_failed)? else {
        return Err(Failure::new(Exit::INPUT, format!("stopped while waiting for `{source}`; no capture was made")));
    };
    let tool = concat!("bootline ", env!("CARGO_PKG_VERSION"));
    let recorder = target.recorder(&recording.header(tool))?;
    if let Some(name) = recording.terminal_name() {
        terminal.say(&format!("write to {name}"));
    }
    let set_up = if source.is_serial() { format!(" at {} {}", line.baud, line.frame) } else { String::new() };
    terminal.say(&format!("capturing {source}{set_up} into {target}; Ctrl-C ends it"));

    let recorded = recording.record(recorder, &stop, &mut screen);
    let not_shown = screen.finish();
    if not_shown > 0 {
        terminal
            .say(&format!("{not_shown} bytes were not shown, because stdout did not accept them; the file has them"));
    }
    let summary = recorded.map_err(port_failed)?;
    if as_json {
        print(&JsonLine(to_json(&summary, &source, &target)))?;
    }
    say_summary(&summary, &target, terminal);
    summary.fault(&source, waits_for.as_ref(), reconnects).map_or(Ok(Exit::FINE), |fault| Err(faulty(&fault)))
}

/// Refuses marks that no source but a serial device can show, and names that mean two things.
fn check_marks(marks: &[MarkRequest], source: &CaptureSource) -> Result<(), Failure> {
    let by_modem = marks.iter().find(|mark| mark.input.modem().is_some());
    if let Some(mark) = by_modem.filter(|_| !source.is_serial()) {
        let what = format!("mark `{}`: `{source}` has no modem control inputs", mark.name);
        return Err(Failure::new(Exit::USAGE, what)
            .hint("take a serial device, such as /dev/ttyUSB0, or a GPIO line: --mark gpio:CHIP/LINE=NAME"));
    }
    let twice = marks.iter().enumerate().find(|(n, mark)| marks[..*n].iter().any(|other| other.name == mark.name));
    match twice {
        Some((_, mark)) => Err(Failure::new(Exit::USAGE, format!("two marks are named `{}`", mark.name))
            .hint(format!("name one of them differently: --mark {}=NAME", mark.input.word()))),
        None => Ok(()),
    }
}

fn plan(args: Args) -> CapturePlan {
    let level = |l: Option<Level>| l.map(|l| matches!(l, Level::On));
    let source = args.source.unwrap_or(CaptureSource::Command(args.command));
    let default_baud = Baud::new(115_200).expect("above 0");
    CapturePlan {
        line: LineSettings {
            baud: args.baud.unwrap_or(default_baud),
            frame: args.frame,
            dtr: level(args.dtr),
            rts: level(args.rts),
        },
        bridged_baud: args.baud,
        source,
        wait: args.wait,
        reconnect: !args.no_reconnect,
        power: args.power,
        power_wait: POWER_WAIT,
        marks: args.marks,
        until: args.until,
        timeout: args.timeout,
        idle: args.idle,
    }
}

/// Where the capture is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    File(PathBuf),
    /// `-`
    Stdout,
}

impl Target {
    fn of(args: &Args) -> Result<Target, Failure> {
        let file = match &args.output {
            None => return Ok(Target::File(free_name())),
            Some(path) if path.as_os_str() != "-" => path,
            Some(_) if args.json => {
                return Err(Failure::new(Exit::USAGE, "standard output can't take both the capture and `--json`")
                    .hint("write the capture to a file: `-o boot.cap`"));
            }
            Some(_) if stdout().is_terminal() => {
                return Err(Failure::new(Exit::USAGE, "a capture can't be shown on a terminal")
                    .hint("write it to a file: `-o boot.cap`"));
            }
            Some(_) => return Ok(Target::Stdout),
        };
        if file.exists() { Err(exists(file)) } else { Ok(Target::File(file.clone())) }
    }

    fn recorder(&self, header: &Header) -> Result<Recorder, Failure> {
        match self {
            Target::File(file) => Recorder::create(file, header),
            Target::Stdout => Recorder::to_stdout(header),
        }
        .map_err(recorder_failed)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::File(file) => file.display().fmt(f),
            Target::Stdout => f.write_str("standard output"),
        }
    }
}

/// `boot.cap`, or the first of `boot-2.cap`, `boot-3.cap` .. that does not exist.
fn free_name() -> PathBuf {
    let names = std::iter::once("boot.cap".to_owned()).chain((2..).map(|n| format!("boot-{n}.cap")));
    names.map(PathBuf::from).find(|name| !name.exists()).expect("the numbers don't end")
}

fn is_file() -> bool {
    use rustix::fs::{FileType, fstat};
    !stdin().is_terminal() && fstat(stdin()).is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile)
}

fn exists(file: &Path) -> Failure {
    Failure::new(Exit::INPUT, format!("`{}` already exists; a capture is never overwritten", file.display()))
        .hint("give another name with `-o`, or move it away")
}

fn recorder_failed(error: RecorderError) -> Failure {
    match error {
        RecorderError::Exists { path } => exists(&path),
        RecorderError::Create { path, source } => write_failed(&path, &source),
        RecorderError::Write { .. } => Failure::new(Exit::LAB, error.to_string()),
    }
}

fn port_failed(error: PortError) -> Failure {
    let failure = Failure::new(Exit::LAB, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn say_summary(summary: &CaptureSummary, target: &Target, terminal: &Terminal) {
    let CaptureSummary { bytes, lines, span, .. } = summary;
    let (bytes, lines) = (counted(*bytes, "byte"), counted(*lines, "line"));
    terminal.say(&format!("captured {bytes}, {lines}, {span} s into {target}; {}", summary.ended));
    if let Some((at, gap)) = summary.largest_gap {
        terminal.say(&format!("  largest gap: {gap} s, from {at} s on"));
    }
    for mark in &summary.marks {
        terminal.say(&format!("  {}", mark_summary(mark)));
    }
    if summary.bytes > 0 {
        terminal.say(&format!("  arrival times are known to {} s or better", summary.worst_uncertainty));
        if let Target::File(file) = target {
            terminal.say(&format!("next: bootline explain {}{}", file.display(), app_argument(summary)));
        }
    }
}

/// ` --app mark:app-ready`, by the last mark that came; nothing if its name needs quoting.
fn app_argument(summary: &CaptureSummary) -> String {
    let last = summary
        .marks
        .iter()
        .filter(|m| is_plain(&m.request.name))
        .filter_map(|m| Some((m.first?.0, m)))
        .max_by_key(|(at, _)| *at);
    last.map_or_else(String::new, |(_, mark)| format!(" --app mark:{}", mark.request.name))
}

/// `mark `app-ready` (DSR asserted): at 12.345678 s, or up to 0.000900 s earlier`
fn mark_summary(mark: &MarkSummary) -> String {
    let Some((at, uncertainty)) = mark.first else { return format!("mark {}: not seen", mark.request) };
    let again = if mark.count > 1 { format!("; {} times in all", mark.count) } else { String::new() };
    format!("mark {}: at {at} s, or up to {uncertainty} s earlier{again}", mark.request)
}

/// A capture that is not what was asked for.
fn faulty(fault: &CaptureFault) -> Failure {
    let exit = if fault.is_of_the_source() { Exit::LAB } else { Exit::INPUT };
    let failure = Failure::new(exit, fault.to_string());
    match fault.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn to_json(summary: &CaptureSummary, source: &CaptureSource, target: &Target) -> CaptureJson {
    CaptureJson {
        schema: "bootline-capture/1",
        file: target.to_string(),
        source: source.to_string(),
        bytes: summary.bytes,
        lines: summary.lines,
        span_ns: summary.span.as_nanos(),
        largest_gap: summary.largest_gap.map(|(at, gap)| CaptureGap { at_ns: at.as_nanos(), ns: gap.as_nanos() }),
        worst_uncertainty_ns: summary.worst_uncertainty.as_nanos(),
        losses: summary.losses,
        holes: summary.holes,
        line_errors: summary.line_errors.map(|e| LineErrorCounts {
            frame: e.frame,
            parity: e.parity,
            overrun: e.overrun,
            buffer_overrun: e.buffer_overrun,
        }),
        marks: summary.marks.iter().map(to_json_mark).collect(),
        ended: match &summary.ended {
            CaptureEnd::Until(_) => CaptureEndWord::Until,
            CaptureEnd::Timeout(_) => CaptureEndWord::Timeout,
            CaptureEnd::Idle(_) => CaptureEndWord::Idle,
            CaptureEnd::Stopped(_) => CaptureEndWord::Stopped,
            CaptureEnd::Source(_) => CaptureEndWord::Source,
        },
        detail: summary.ended.to_string(),
    }
}

fn to_json_mark(mark: &MarkSummary) -> CaptureMark {
    CaptureMark {
        name: mark.request.name.clone(),
        input: mark.request.input.word(),
        asserted: mark.request.asserted,
        at_ns: mark.first.map(|(at, _)| at.as_nanos()),
        uncertainty_ns: mark.first.map(|(_, uncertainty)| uncertainty.as_nanos()),
        count: mark.count,
    }
}

/// Shows bytes on stdout and messages on stderr.
struct Screen<'a> {
    terminal: &'a Terminal,
    pump: Option<BackgroundWriter>,
    live: Option<LiveText>,
    text: String,
}

impl<'a> Screen<'a> {
    fn new(terminal: &'a Terminal, nothing: bool, raw: bool) -> Screen<'a> {
        let pump = (!nothing).then(|| BackgroundWriter::new(stdout()));
        Screen { terminal, pump, live: (!raw).then(LiveText::default), text: String::new() }
    }

    /// Returns the number of bytes that could not be shown.
    fn finish(mut self) -> u64 {
        self.break_line();
        self.pump.map_or(0, |pump| if pump.is_broken() { 0 } else { pump.finish() })
    }

    fn break_line(&mut self) {
        if let (Some(pump), Some(live)) = (&self.pump, &mut self.live) {
            self.text.clear();
            live.break_line(&mut self.text);
            pump.push(self.text.as_bytes());
        }
    }
}

impl CaptureObserver for Screen<'_> {
    fn bytes(&mut self, time: ChunkTime, bytes: &[u8]) {
        let Some(pump) = &self.pump else { return };
        let Some(live) = &mut self.live else { return pump.push(bytes) };
        self.text.clear();
        live.push(time, bytes, &mut self.text);
        pump.push(self.text.as_bytes());
    }

    fn notice(&mut self, at: HostTime, notice: &CaptureNotice) {
        self.break_line();
        self.terminal.say(&format!("[{:>12}] {notice}", at.to_string()));
    }
}
