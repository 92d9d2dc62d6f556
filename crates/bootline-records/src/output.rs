// SPDX-License-Identifier: MIT OR Apache-2.0
//! The path of a record from its decoder to the sink: its number, its text, and the line's problems reported once.
use super::control::{clean, is_plain};
use super::log_line::{LogLine, trim_crs};
use super::{Arrival, ByteRange, Caller, Level, ProblemKind, Record, RecordId, RecordOrigin, Sink};
use bootline_capture::units::KernelTime;

/// What a decoder knows of a record besides text and place.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordHead {
    pub source: RecordOrigin,
    pub level: Option<Level>,
    pub stamp: Option<KernelTime>,
    pub caller: Option<Caller>,
}

impl RecordHead {
    /// Of a line that is not the kernel's.
    pub const OTHER: RecordHead = RecordHead { source: RecordOrigin::Other, level: None, stamp: None, caller: None };
}

/// What outlives a call of `push`.
#[derive(Debug, Default)]
pub(super) struct EmitterState {
    records: u64,
    kernel_records: u64,
    /// Kinds already reported for this line, one bit each.
    reported: u64,
    text: String,
}

impl EmitterState {
    pub fn records(&self) -> u64 {
        self.records
    }
    pub fn kernel_records(&self) -> u64 {
        self.kernel_records
    }
}

/// A sink with the numbering of records and the memory of the line's problems.
pub(super) struct RecordEmitter<'o, S> {
    pub sink: &'o mut S,
    pub state: &'o mut EmitterState,
}

impl<S: Sink> RecordEmitter<'_, S> {
    /// Starts a new line: its problems may be reported again.
    pub fn begin_line(&mut self) {
        self.state.reported = 0;
    }

    /// Reports a problem, once a line.
    pub fn problem(&mut self, kind: ProblemKind, bytes: ByteRange, detail: &str) {
        let bit = 1 << (kind as u8);
        if self.state.reported & bit == 0 {
            self.state.reported |= bit;
            self.sink.problem(kind, bytes, detail);
        }
    }

    /// Gives a record whose text is that of `raw`.
    #[inline]
    pub fn record(
        &mut self,
        head: RecordHead,
        bytes: ByteRange,
        arrival: Option<Arrival>,
        line_bytes: u32,
        raw: &[u8],
    ) {
        let plain = if is_plain(raw) { std::str::from_utf8(raw).ok() } else { None };
        match plain {
            Some(text) => self.give(head, bytes, arrival, line_bytes, text),
            None => self.unclean_record(head, bytes, arrival, line_bytes, raw),
        }
    }

    /// Gives a record of a stretch of a line, its text beginning at `text_from`.
    #[inline]
    pub fn stretch(
        &mut self,
        head: RecordHead,
        line: &LogLine<'_>,
        from: usize,
        text_from: usize,
        to: usize,
        line_bytes: u32,
    ) {
        let raw = trim_crs(&line.body[text_from..to]);
        // Where a line feed comes before its carriage return (GRUB), that return came with the line before, however long ago.
        let returns = line.body[from..to].iter().take_while(|b| **b == b'\r').count();
        let visible = if from + returns < to { from + returns } else { from };
        let (range, arrival) = (line.range(from, to), line.arrival(visible, to));
        // Of a line that was looked over no part is looked over again.
        let ordinary = if line.is_ordinary { std::str::from_utf8(raw).ok() } else { None };
        match ordinary {
            Some(text) => self.give(head, range, arrival, line_bytes, text),
            None => self.record(head, range, arrival, line_bytes, raw),
        }
    }

    /// Gives a whole line that says nothing of itself.
    pub fn other_line(&mut self, line: &LogLine<'_>, line_bytes: u32) {
        self.stretch(RecordHead::OTHER, line, 0, line.decoration, line.body.len(), line_bytes);
    }

    fn unclean_record(
        &mut self,
        head: RecordHead,
        bytes: ByteRange,
        arrival: Option<Arrival>,
        line_bytes: u32,
        raw: &[u8],
    ) {
        let mut text = std::mem::take(&mut self.state.text);
        text.clear();
        for (kind, detail) in clean(raw, &mut text).problems(raw.len()) {
            self.problem(kind, bytes, detail);
        }
        self.give(head, bytes, arrival, line_bytes, &text);
        self.state.text = text;
    }

    #[inline]
    fn give(&mut self, head: RecordHead, bytes: ByteRange, arrival: Option<Arrival>, line_bytes: u32, text: &str) {
        // Ids have 32 bits: what lies beyond is counted, and named once a line.
        let Ok(id) = u32::try_from(self.state.records) else {
            self.state.records += 1;
            return self.problem(ProblemKind::TooManyRecords, bytes, "more records than can be numbered");
        };
        self.state.records += 1;
        self.state.kernel_records += u64::from(head.source == RecordOrigin::Kernel);
        let RecordHead { source, level, stamp, caller } = head;
        self.sink.record(Record { id: RecordId(id), bytes, source, level, stamp, caller, arrival, line_bytes, text });
    }
}
