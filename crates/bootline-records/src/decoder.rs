// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streaming decoder: bytes in, records out, in bounded memory.
use memchr::{memchr, memchr_iter};

use super::console::ConsoleDecoder;
use super::detect::{Detected, SAMPLE_BYTES, SAMPLE_LINES, detect_input, without_quotation};
use super::dmesg::Dmesg;
use super::dmesg_json::DmesgJson;
use super::journal_fields::{FieldLayout, JournalFields};
use super::journal_json::JournalJson;
use super::journal_short::JournalShort;
use super::kmsg::Kmsg;
use super::lava::{self, Lava};
use super::log_line::{LineEnding, LineSplitter, LogLine};
use super::logcat::Logcat;
use super::markup::without_markup;
use super::output::{EmitterState, RecordEmitter};
use super::stamped::Stamped;
use super::syslog::Syslog;
use super::{ByteRange, Format, ProblemKind, Problems, Record, RecordSet, Sink, UnitEvent};
use bootline_capture::{ChunkTime, Damage, DamageKind, Event, Header, MAGIC, Note, NoteKind, Reader, starts_capture};

/// Decodes an input from pieces of any size; what comes out doesn't depend on the pieces.
///
/// An input that begins as a capture is read as one: its bytes are a console's. Any other is text, whose format is detected
/// by the first 64 lines that show one; what comes before is held back until then, up to 256 KiB. Memory: those lines, and one
/// line of at most 64 KiB.
#[derive(Debug)]
pub struct Decoder {
    input: Input,
    text: Text,
}

/// What a decoder has seen when its input has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeSummary {
    /// The format; `None` when none was recognised: a text without times.
    pub format: Option<Format>,
    /// Bytes of the console's output (of a capture: its chunks; of a text: the file).
    pub bytes: u64,
    /// Lines in them.
    pub lines: u64,
    /// Records given.
    pub records: u64,
}

impl Decoder {
    /// At the start of an input; `format` is that of its text if it is known.
    pub fn new(format: Option<Format>) -> Decoder {
        Decoder { input: Input::Start(Vec::new()), text: Text::new(format) }
    }

    /// Takes the next bytes of the input.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        match &mut self.input {
            Input::Text => self.text.push(bytes, None, sink),
            Input::Capture(reader) => reader.push(bytes, &mut |event| self.text.event(event, sink)),
            Input::Start(held) if held.is_empty() && bytes.len() >= MAGIC.len() => self.start(bytes, sink),
            Input::Start(held) => {
                held.extend_from_slice(bytes);
                if held.len() >= MAGIC.len() {
                    let held = std::mem::take(held);
                    self.start(&held, sink);
                }
            }
        }
    }

    /// The input has ended: gives what was held back.
    pub fn finish(mut self, sink: &mut impl Sink) -> DecodeSummary {
        if let Input::Start(held) = &mut self.input {
            let held = std::mem::take(held);
            self.start(&held, sink);
        }
        let is_text = matches!(self.input, Input::Text);
        if let Input::Capture(reader) = self.input {
            reader.finish(&mut |event| self.text.event(event, sink));
        }
        self.text.finish(is_text, sink)
    }

    fn start(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        if starts_capture(bytes) {
            self.text.decide(self.text.forced.or(Some(Format::Console)));
            self.input = Input::Capture(Reader::new());
        } else {
            self.input = Input::Text;
        }
        if !bytes.is_empty() {
            self.push(bytes, sink);
        }
    }
}

/// Decodes a whole input into memory.
pub fn decode(bytes: &[u8]) -> Decoded {
    decode_as(bytes, None)
}

/// Decodes a whole input, its format known.
pub fn decode_as(bytes: &[u8], format: Option<Format>) -> Decoded {
    let mut decoded = Decoded::default();
    let mut decoder = Decoder::new(format);
    decoder.push(bytes, &mut decoded);
    decoded.format = decoder.finish(&mut decoded).format;
    decoded
}

/// All that a decoder gives, kept. Also a [`Sink`], for inputs that come in pieces.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// In input order.
    pub records: RecordSet,
    /// What was wrong with the input.
    pub problems: Problems,
    /// The capture's header.
    pub header: Option<Header>,
    /// The capture's notes.
    pub notes: Vec<Note>,
    /// What a journal's entries say of systemd's units.
    pub unit_events: Vec<UnitEvent>,
    /// The format; `None` when none was recognised.
    pub format: Option<Format>,
}

impl Sink for Decoded {
    fn record(&mut self, record: Record<'_>) {
        self.records.push(&record);
    }
    fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str) {
        self.problems.add(kind, bytes, || detail.to_owned());
    }
    fn header(&mut self, header: &Header) {
        self.header.get_or_insert_with(|| header.clone());
    }
    fn note(&mut self, note: &Note) {
        self.notes.push(note.clone());
    }
    fn unit_event(&mut self, event: UnitEvent) {
        self.unit_events.push(event);
    }
}

#[derive(Debug)]
enum Input {
    /// Too few bytes to detect the format.
    Start(Vec<u8>),
    Text,
    Capture(Reader),
}

/// The console's output: what is left of an input without the frames of a capture.
#[derive(Debug)]
struct Text {
    forced: Option<Format>,
    /// What was recognised.
    format: Option<Format>,
    bytes: u64,
    stage: Stage,
    /// What is taken off the lines that begin with it.
    quotation: Vec<u8>,
    out: EmitterState,
}

#[derive(Debug)]
enum Stage {
    /// The format isn't known yet.
    Undecided {
        held: Vec<u8>,
        lines: usize,
        /// Lines at which they are looked at next.
        wanted: usize,
    },
    Lines(LineSplitter, Box<LineDecoder>),
    Json(DmesgJson),
    Fields(Box<JournalFields>),
}

#[derive(Debug)]
enum LineDecoder {
    Console(ConsoleDecoder),
    Dmesg(Dmesg),
    Kmsg(Kmsg),
    JournalShort(JournalShort),
    JournalJson(JournalJson),
    Syslog(Syslog),
    Stamped(Stamped),
    Lava(Lava),
    Logcat(Logcat),
}

impl Text {
    fn new(forced: Option<Format>) -> Text {
        let stage = Stage::Undecided { held: Vec::new(), lines: 0, wanted: SAMPLE_LINES };
        let (quotation, out) = (Vec::new(), EmitterState::default());
        let mut text = Text { forced, format: None, bytes: 0, stage, quotation, out };
        if forced.is_some() {
            text.decide(forced);
        }
        text
    }

    fn start(&mut self, detected: Detected) {
        self.quotation = detected.quotation;
        self.decide(detected.format);
    }

    /// Ends the first stage; what it held back is the caller's to push.
    fn decide(&mut self, format: Option<Format>) {
        self.format = format;
        let decoder = match format.unwrap_or(Format::Console) {
            Format::DmesgJson => {
                self.stage = Stage::Json(DmesgJson::default());
                return;
            }
            Format::JournalExport => {
                self.stage = Stage::Fields(Box::new(JournalFields::new(FieldLayout::Export)));
                return;
            }
            Format::JournalVerbose => {
                self.stage = Stage::Fields(Box::new(JournalFields::new(FieldLayout::Verbose)));
                return;
            }
            Format::Console => LineDecoder::Console(ConsoleDecoder::default()),
            Format::Dmesg => LineDecoder::Dmesg(Dmesg::default()),
            Format::Kmsg => LineDecoder::Kmsg(Kmsg::default()),
            Format::JournalShort => LineDecoder::JournalShort(JournalShort::default()),
            Format::JournalJson => LineDecoder::JournalJson(JournalJson::default()),
            Format::Syslog => LineDecoder::Syslog(Syslog::default()),
            Format::Lava => LineDecoder::Lava(Lava::default()),
            Format::Logcat => LineDecoder::Logcat(Logcat::default()),
            stamps @ (Format::Grabserial
            | Format::Minicom
            | Format::Tio
            | Format::TioDelta
            | Format::Ts
            | Format::TsDelta
            | Format::TeraTerm
            | Format::CiLog) => LineDecoder::Stamped(Stamped::new(stamps)),
        };
        let splitter = match decoder {
            LineDecoder::Lava(_) => LineSplitter::of_entries(lava::ENTRY_START),
            _ => LineSplitter::default(),
        };
        self.stage = Stage::Lines(splitter, Box::new(decoder));
    }

    fn push(&mut self, bytes: &[u8], time: Option<ChunkTime>, sink: &mut impl Sink) {
        let Stage::Undecided { held, lines, wanted } = &mut self.stage else {
            return self.decode(bytes, time, sink);
        };
        let (now, later) = bytes.split_at(bytes.len().min(SAMPLE_BYTES - held.len()));
        held.extend_from_slice(now);
        *lines += memchr_iter(b'\n', now).count();
        if *lines < *wanted && held.len() < SAMPLE_BYTES {
            return;
        }
        let Some(detected) = detect_input(held, false) else {
            *wanted = 2 * *lines;
            return;
        };
        let held = std::mem::take(held);
        self.start(detected);
        self.decode(&held, None, sink);
        self.decode(later, time, sink);
    }

    #[inline]
    fn decode<S: Sink>(&mut self, bytes: &[u8], time: Option<ChunkTime>, sink: &mut S) {
        self.bytes += bytes.len() as u64;
        let mut out = RecordEmitter { sink, state: &mut self.out };
        match &mut self.stage {
            Stage::Undecided { .. } => unreachable!("decided before anything is decoded"),
            Stage::Lines(splitter, decoder) => {
                let quotation = &self.quotation;
                splitter.push(bytes, time, &mut |line| decoder.line(&unquoted(&line, quotation), &mut out));
            }
            Stage::Json(json) => json.push(bytes, &mut out),
            Stage::Fields(fields) => fields.push(bytes, &mut out),
        }
    }

    fn event(&mut self, event: Event<'_>, sink: &mut impl Sink) {
        match event {
            Event::Header(header) => sink.header(&header),
            Event::Chunk(time, bytes) => self.decode(bytes, Some(time), sink),
            Event::Note(note) => {
                if note.kind == NoteKind::PortLost {
                    let here = ByteRange { start: self.bytes, end: self.bytes };
                    sink.problem(ProblemKind::PortLost, here, "the port went away; what was sent then is lost");
                }
                sink.note(&note);
            }
            Event::Damage(Damage { kind, file_bytes }) => {
                let bytes = ByteRange { start: file_bytes.start, end: file_bytes.end };
                let (kind, detail) = match kind {
                    DamageKind::CutOff => (ProblemKind::CaptureCutOff, "the capture ends inside a frame"),
                    DamageKind::Corrupt => (ProblemKind::CaptureDamaged, "bytes that form no frame"),
                    DamageKind::UnknownVersion => (ProblemKind::CaptureDamaged, "a capture of an unknown version"),
                    DamageKind::UnknownFrame => (ProblemKind::CaptureDamaged, "a frame of a kind from a later version"),
                };
                sink.problem(kind, bytes, detail);
            }
        }
    }

    fn finish<S: Sink>(mut self, is_text: bool, sink: &mut S) -> DecodeSummary {
        if let Stage::Undecided { held, .. } = &mut self.stage {
            let held = std::mem::take(held);
            self.start(detect_input(&held, true).unwrap_or_default());
            self.decode(&held, None, sink);
        }
        let mut out = RecordEmitter { sink: &mut *sink, state: &mut self.out };
        let lines = match &mut self.stage {
            Stage::Undecided { .. } => 0,
            Stage::Lines(splitter, decoder) => {
                let quotation = &self.quotation;
                splitter.finish(&mut |line| decoder.line(&unquoted(&line, quotation), &mut out));
                decoder.finish(&mut out);
                splitter.lines()
            }
            Stage::Json(json) => {
                json.finish(&mut out);
                json.lines()
            }
            Stage::Fields(fields) => {
                fields.finish(&mut out);
                fields.lines()
            }
        };
        if self.format.is_none() && self.out.kernel_records() > 0 {
            // The kernel began after the lines that voted.
            self.format = Some(Format::Console);
        }
        if self.format.is_none() && is_text && self.bytes > 0 {
            let all = ByteRange { start: 0, end: self.bytes };
            sink.problem(ProblemKind::UnknownFormat, all, "no known log format; taken as lines without times");
        }
        DecodeSummary { format: self.format, bytes: self.bytes, lines, records: self.out.records() }
    }
}

/// A line without what a mail or a document puts before it.
#[inline]
fn unquoted<'a>(line: &LogLine<'a>, quotation: &[u8]) -> LogLine<'a> {
    if quotation.is_empty() {
        return *line;
    }
    match without_quotation(line.body, quotation) {
        Some(rest) => line.rewritten(rest, line.body.len() - rest.len(), true, line.stamped),
        None => *line,
    }
}

impl LineDecoder {
    #[inline]
    fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        out.begin_line();
        if line.too_long {
            let range = line.range(0, line.body.len());
            out.problem(ProblemKind::LineTooLong, range, "a line longer than 64 KiB; its tail is dropped");
        }
        if line.feed == LineEnding::Missing {
            out.problem(ProblemKind::UnendedLine, line.range(0, line.body.len()), "the last line has no end");
        }
        let is_console = matches!(self, LineDecoder::Console(_) | LineDecoder::Stamped(_) | LineDecoder::Lava(_));
        // In JSON it is a text's.
        if !matches!(self, LineDecoder::JournalJson(_)) && !line.is_captured() {
            if let Some(mut text) = without_markup(line.body, line.is_ordinary) {
                if !is_console && !line.is_ordinary && memchr(0x1b, &text).is_some() {
                    let range = line.range(0, line.body.len());
                    out.problem(ProblemKind::ControlSequences, range, "terminal control sequences, removed");
                    text = without_colours(&text);
                }
                return self.page_lines(line, &text, out);
            }
        }
        if !is_console && !line.is_ordinary && memchr(0x1b, line.body).is_some() {
            // `dmesg --color` and journalctl colour the parts that are to be told apart here.
            let range = line.range(0, line.body.len());
            out.problem(ProblemKind::ControlSequences, range, "terminal control sequences, removed");
            let plain = without_colours(line.body);
            if !plain.trim_ascii().is_empty() && !plain.starts_with(b" ") {
                return self.decode(&line.rewritten(&plain, 0, true, line.stamped), out);
            }
        }
        self.decode(line, out);
    }

    /// A line of a web page, which may hold several of a log.
    fn page_lines<S: Sink>(&mut self, line: &LogLine<'_>, text: &[u8], out: &mut RecordEmitter<'_, S>) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut at = 0;
        for piece in text.split(|b| *b == b'\n') {
            let is_last = at + piece.len() == text.len();
            self.decode(&line.rewritten(piece, at, is_last, line.stamped), out);
            at += piece.len() + 1;
        }
    }

    /// The input has ended: gives entries of several lines that are under way.
    fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        match self {
            LineDecoder::JournalJson(decoder) => decoder.finish(out),
            LineDecoder::Lava(decoder) => decoder.finish(out),
            LineDecoder::Syslog(decoder) => decoder.finish(out),
            _ => {}
        }
    }

    #[inline]
    fn decode<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        match self {
            LineDecoder::Console(decoder) => decoder.line(line, out),
            LineDecoder::Dmesg(decoder) => decoder.line(line, out),
            LineDecoder::Kmsg(decoder) => decoder.line(line, out),
            LineDecoder::JournalShort(decoder) => decoder.line(line, out),
            LineDecoder::JournalJson(decoder) => decoder.line(line, out),
            LineDecoder::Syslog(decoder) => decoder.line(line, out),
            LineDecoder::Stamped(decoder) => decoder.line(line, out),
            LineDecoder::Lava(decoder) => decoder.line(line, out),
            LineDecoder::Logcat(decoder) => decoder.line(line, out),
        }
    }
}

/// A line without the sequences that set colours: `ESC [ ... m`.
fn without_colours(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr(0x1b, rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(inside) = rest.strip_prefix(b"[") {
            let parameters = inside.iter().take(32).take_while(|b| b.is_ascii_digit() || **b == b';').count();
            if matches!(inside.get(parameters), Some(b'm' | b'K')) {
                rest = &inside[parameters + 1..];
            }
        }
    }
    plain.extend_from_slice(rest);
    plain
}
