// SPDX-License-Identifier: MIT OR Apache-2.0
//! `journalctl -o export` and `-o verbose`: a field a line.
//!
//! ```text
//! __MONOTONIC_TIMESTAMP=1234567              Fri 2026-04-24 16:37:21.964123 CEST [s=6c1f;i=2;b=1f6f;m=12d687;t=61;x=1]
//! _TRANSPORT=kernel                              _TRANSPORT=kernel
//! _SOURCE_MONOTONIC_TIMESTAMP=1234567            _SOURCE_MONOTONIC_TIMESTAMP=1234567
//! PRIORITY=6                                     PRIORITY=6
//! MESSAGE=usb 1-1: new device                    MESSAGE=usb 1-1: new device
//! (an empty line)
//! ```
//! Source: "Journal Export Format" of systemd's JOURNAL_EXPORT_FORMATS. A field that is no text is exported as its name on a
//! line, its length in eight bytes (least significant first), its bytes and a line feed. `verbose` indents the further lines
//! of a field deeper than its first.
use super::journal_entry::{JournalEntry, ReceiptTimes, level, micros};
use super::log_line::MAX_LINE;
use super::output::RecordEmitter;
use super::{ByteRange, ProblemKind, Sink};

/// Decodes entries from the bytes of such a file.
#[derive(Debug)]
pub(super) struct JournalFields {
    layout: FieldLayout,
    /// Offset in the input.
    at: u64,
    lines: u64,
    /// The line or the binary value under way, at most [`MAX_LINE`] bytes of it.
    kept: Vec<u8>,
    state: FieldState,
    entry: JournalEntry,
    /// Where the entry under way begins.
    start: Option<u64>,
    /// `__MONOTONIC_TIMESTAMP`, for entries without the source's own.
    received: Option<Result<i64, ()>>,
    receipt: ReceiptTimes,
}

/// How entries are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldLayout {
    /// By empty lines.
    Export,
    /// By lines that are not indented.
    Verbose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldState {
    Line,
    /// The eight bytes of a length, after the field's name.
    Length(Vec<u8>),
    /// So many bytes of the value are missing.
    Value(Vec<u8>, u64),
}

impl JournalFields {
    pub fn new(layout: FieldLayout) -> JournalFields {
        JournalFields {
            layout,
            at: 0,
            lines: 0,
            kept: Vec::new(),
            state: FieldState::Line,
            entry: JournalEntry::default(),
            start: None,
            received: None,
            receipt: ReceiptTimes::default(),
        }
    }

    /// Lines met so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    pub fn push<S: Sink>(&mut self, bytes: &[u8], out: &mut RecordEmitter<'_, S>) {
        for b in bytes {
            self.byte(*b, out);
        }
    }

    /// The input has ended.
    pub fn finish<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        if self.state != FieldState::Line {
            out.begin_line();
            let bytes = ByteRange { start: self.start.unwrap_or(self.at), end: self.at };
            out.problem(ProblemKind::UnendedLine, bytes, "the input ends inside a field of the journal");
        } else if !self.kept.is_empty() {
            self.line(out);
        }
        self.end_entry(self.at, out);
    }

    fn byte<S: Sink>(&mut self, b: u8, out: &mut RecordEmitter<'_, S>) {
        self.at += 1;
        match &mut self.state {
            FieldState::Line if b == b'\n' => {
                self.lines += 1;
                self.line(out);
            }
            FieldState::Line => self.keep(b),
            FieldState::Length(name) => {
                self.kept.push(b);
                if let Ok(length) = <[u8; 8]>::try_from(self.kept.as_slice()) {
                    self.state = FieldState::Value(std::mem::take(name), u64::from_le_bytes(length));
                    self.kept.clear();
                }
            }
            FieldState::Value(_, missing) if *missing > 0 => {
                *missing -= 1;
                self.keep(b);
            }
            // The line feed after the value.
            FieldState::Value(name, _) => {
                let (name, value) = (std::mem::take(name), std::mem::take(&mut self.kept));
                self.field(&name, &value);
                self.state = FieldState::Line;
                self.lines += 1;
            }
        }
    }

    fn keep(&mut self, b: u8) {
        if self.kept.len() < MAX_LINE {
            self.kept.push(b);
        }
    }

    fn line<S: Sink>(&mut self, out: &mut RecordEmitter<'_, S>) {
        let line = std::mem::take(&mut self.kept);
        let begins = self.at.saturating_sub(line.len() as u64 + 1);
        let text = line.strip_suffix(b"\r").unwrap_or(&line);
        match self.layout {
            FieldLayout::Export if text.is_empty() => self.end_entry(begins, out),
            FieldLayout::Export => {
                self.start.get_or_insert(begins);
                match memchr::memchr(b'=', text) {
                    Some(equals) => self.field(&text[..equals], &text[equals + 1..]),
                    None if is_name(text) => self.state = FieldState::Length(text.to_vec()),
                    None => {
                        out.begin_line();
                        let range = ByteRange { start: begins, end: self.at };
                        out.problem(ProblemKind::BadLine, range, "a line that is no field of the journal");
                    }
                }
            }
            FieldLayout::Verbose => match text.strip_prefix(b"    ") {
                Some(field) if field.starts_with(b" ") => {
                    // A field's further line.
                    if !self.entry.message.is_empty() {
                        self.entry.message.push(b'\n');
                        self.entry.message.extend_from_slice(field.trim_ascii_start());
                    }
                }
                Some(field) => {
                    if let Some(equals) = memchr::memchr(b'=', field) {
                        self.field(&field[..equals], &field[equals + 1..]);
                    }
                }
                None => {
                    self.end_entry(begins, out);
                    self.start = Some(begins);
                }
            },
        }
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        let text = || String::from_utf8_lossy(value);
        self.entry.unit.take(name, value);
        match name {
            b"_TRANSPORT" => self.entry.is_kernel = value == b"kernel",
            b"_SOURCE_MONOTONIC_TIMESTAMP" => self.entry.micros = Some(micros(&text())),
            b"__MONOTONIC_TIMESTAMP" => self.received = Some(micros(&text())),
            b"PRIORITY" => self.entry.level = level(&text()),
            b"SYSLOG_IDENTIFIER" => self.entry.identifier = Some(value.to_vec()),
            b"MESSAGE" => self.entry.message = value.to_vec(),
            _ => {}
        }
    }

    fn end_entry<S: Sink>(&mut self, end: u64, out: &mut RecordEmitter<'_, S>) {
        let mut entry = std::mem::take(&mut self.entry);
        let received = self.received.take();
        let Some(start) = self.start.take().filter(|start| *start < end) else { return };
        if entry == JournalEntry::default() {
            return;
        }
        entry.micros = entry.micros.or(received);
        out.begin_line();
        entry.give(ByteRange { start, end }, None, &mut self.receipt, out);
    }
}

/// Names of fields are made of these characters.
fn is_name(text: &[u8]) -> bool {
    text.len() <= 64 && text.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether a line is one that every exported entry has.
pub(super) fn probe_export(line: &[u8]) -> bool {
    [b"__CURSOR=".as_slice(), b"__REALTIME_TIMESTAMP=", b"__MONOTONIC_TIMESTAMP=", b"_BOOT_ID=", b"_TRANSPORT="]
        .iter()
        .any(|name| line.starts_with(name))
}

/// The same of verbose output.
pub(super) fn probe_verbose(line: &[u8]) -> bool {
    let is_field = [b"    _TRANSPORT=".as_slice(), b"    _BOOT_ID=", b"    _MACHINE_ID="];
    is_field.iter().any(|name| line.starts_with(name))
        || line.ends_with(b"]") && memchr::memmem::find(line, b" [s=").is_some()
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ProblemKind, decode, tests};

    fn check(format: Format, input: &str, expected: &[&str], problems: &[ProblemKind]) {
        tests::check(format, input, expected, problems);
        assert_eq!(decode(input.as_bytes()).format, Some(format), "{input}");
    }

    #[test]
    fn export() {
        let log = "__CURSOR=s=1\n__MONOTONIC_TIMESTAMP=5000000\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP=1000000\n\
                   PRIORITY=4\nMESSAGE=a = b\n\n\
                   __CURSOR=s=2\n__MONOTONIC_TIMESTAMP=6000000\n_TRANSPORT=stdout\nSYSLOG_IDENTIFIER=app\n\
                   MESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n";
        check(Format::JournalExport, log, &["K 4 1.000000 - a = b", "O - 6.000000 - app: a\nb"], &[]);
    }

    #[test]
    fn a_length_that_is_a_lie_ends_with_the_input() {
        let log = "_TRANSPORT=kernel\n_BOOT_ID=1\nMESSAGE\n\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7fa\n\n";
        check(Format::JournalExport, log, &["K - - - "], &[ProblemKind::UnendedLine]);
    }

    #[test]
    fn verbose() {
        let log = "Sun 2026-03-01 10:00:00.500000 CET [s=1;i=2;b=3;m=4;t=5;x=6]\n    _TRANSPORT=kernel\n    PRIORITY=6\n    \
                   _SOURCE_MONOTONIC_TIMESTAMP=1000000\n    MESSAGE=a\n            b\n\
                   Sun 2026-03-01 10:00:00.600000 CET [s=1;i=3;b=3;m=4;t=5;x=6]\n    MESSAGE=c\n    SYSLOG_IDENTIFIER=d\n";
        check(Format::JournalVerbose, log, &["K 6 1.000000 - a\nb", "O - - - d: c"], &[]);
    }

    #[test]
    fn a_banner_that_the_journal_received_late() {
        let entry = |us: u32, text: &str| format!("_TRANSPORT=kernel\n__MONOTONIC_TIMESTAMP={us}\nMESSAGE={text}\n\n");
        let log = [entry(9_000_000, "Linux version 6.6.1"), entry(9_010_000, "Run /init"), entry(20_000_000, "late")]
            .concat();
        let expected = ["K - - - Linux version 6.6.1", "K - - - Run /init", "K - 20.000000 - late"];
        check(Format::JournalExport, &log, &expected, &[ProblemKind::ReceiptTimes]);
    }
}
