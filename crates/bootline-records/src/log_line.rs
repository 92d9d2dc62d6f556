// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes to lines, whatever the pieces in which they come.
//!
//! A line that lies inside one piece is borrowed from it; one that spans pieces is put together in a buffer of at most
//! [`MAX_LINE`] bytes. Of a longer line the tail is dropped, but if it holds a carriage return or a kernel prefix it is cut
//! there instead: progress bars and logs whose line feeds were lost may have no other line end.
use memchr::{memchr, memmem, memrchr, memrchr_iter};

use super::control::is_ordinary;
use super::{Arrival, ByteRange, prefix};
use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime};

/// The longest line that is kept whole. A printk record has at most 2 KiB; user space may write more.
pub(super) const MAX_LINE: usize = 64 * 1024;

/// One line of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogLine<'a> {
    /// Without its end: neither line feed nor the carriage returns before it.
    pub body: &'a [u8],
    /// Where its first byte stands in the input.
    pub start: u64,
    /// One past its last byte, the line end and a dropped tail included.
    pub end: u64,
    /// The line feed that ended it.
    pub feed: LineEnding,
    /// Its tail was dropped.
    pub too_long: bool,
    /// Bytes at its start that were not on the wire: a terminal program's stamp.
    pub decoration: usize,
    /// When it arrived, by a terminal program's stamp.
    pub stamped: Option<Arrival>,
    /// The body is not what stands in the input: quotes and escapes of a job log were taken off.
    is_rewritten: bool,
    /// True of nearly all lines: the body is printable ASCII and has no markup ([`is_ordinary`]). False where nobody looked, too.
    pub is_ordinary: bool,
    spans: &'a [Span],
    last: Option<(HostTime, Dur)>,
}

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnding {
    /// `\r\n`, or several carriage returns.
    CrLf,
    /// `\n` alone: what wrote the file removed the carriage return that a console sends.
    Lf,
    /// Cut because no line feed came.
    Cut,
    /// The input ended.
    Missing,
}

/// A stretch of a line that arrived with one chunk.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Its first byte, counted from the line's start.
    at: usize,
    /// That byte's place in the chunk.
    index: usize,
    chunk_len: usize,
    time: ChunkTime,
}

impl<'a> LogLine<'a> {
    /// What several lines of the input hold together, from `start` to `end`.
    pub fn of_several(start: u64, end: u64) -> LogLine<'static> {
        LogLine {
            body: &[],
            start,
            end,
            feed: LineEnding::Lf,
            too_long: false,
            decoration: 0,
            stamped: None,
            is_rewritten: true,
            is_ordinary: false,
            spans: &[],
            last: None,
        }
    }

    /// A console's line that this line quotes: `body` is what it said, from the `at`th byte of all that is quoted.
    pub fn rewritten<'b>(&self, body: &'b [u8], at: usize, is_last: bool, stamped: Option<Arrival>) -> LogLine<'b>
    where
        'a: 'b,
    {
        let start = (self.start + at as u64).min(self.end.saturating_sub(1));
        let end = if is_last { self.end } else { (start + body.len() as u64 + 1).min(self.end) };
        LogLine {
            body: trim_crs(body),
            start,
            end,
            feed: LineEnding::Lf,
            too_long: false,
            decoration: 0,
            stamped,
            is_rewritten: true,
            is_ordinary: false,
            spans: &[],
            last: None,
        }
    }

    /// Whether the input is nothing but the log: nobody stamped or quoted its lines.
    pub fn is_bare(&self) -> bool {
        self.spans.is_empty() && self.stamped.is_none() && self.decoration == 0 && !self.is_rewritten
    }

    /// The place in the input of a stretch of the body; the line's end belongs to a stretch that reaches it.
    pub fn range(&self, from: usize, to: usize) -> ByteRange {
        let end = if to >= self.body.len() { self.end } else { self.start + to as u64 };
        ByteRange { start: self.start + from as u64, end }
    }

    /// When a stretch of the body arrived.
    #[inline]
    pub fn arrival(&self, from: usize, to: usize) -> Option<Arrival> {
        if self.spans.is_empty() {
            return self.stamped;
        }
        let (first, early) = self.time_of(from)?;
        let (last, late) =
            if to >= self.body.len() { self.last? } else { self.time_of(to.saturating_sub(1).max(from))? };
        Some(Arrival { first, last, uncertainty: early.max(late) })
    }

    /// Characters on the wire of a stretch of the body.
    #[inline]
    pub fn line_bytes(&self, from: usize, to: usize) -> u32 {
        if self.is_rewritten {
            let ending = if to >= self.body.len() { "\r\n".len() } else { 0 };
            return u32::try_from(to - from + ending).unwrap_or(u32::MAX);
        }
        let range = self.range(from, to);
        // Without arrival times the input is a file; captures keep every byte.
        let lost_cr = to >= self.body.len() && self.feed == LineEnding::Lf && self.spans.is_empty();
        let decoration = self.decoration.saturating_sub(from) as u64;
        u32::try_from(range.len().saturating_sub(decoration) + u64::from(lost_cr)).unwrap_or(u32::MAX)
    }

    /// Whether it comes from a capture.
    pub fn is_captured(&self) -> bool {
        !self.spans.is_empty()
    }

    fn time_of(&self, offset: usize) -> Option<(HostTime, Dur)> {
        let n = self.spans.partition_point(|s| s.at <= offset);
        let span = self.spans.get(n.checked_sub(1)?)?;
        Some((span.time.at(span.index + (offset - span.at), span.chunk_len), span.time.uncertainty))
    }
}

/// Splits bytes into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The line under way, without what was dropped.
    kept: Vec<u8>,
    /// Where `kept` begins in the input.
    start: u64,
    /// Bytes of the line that were dropped.
    dropped: u64,
    spans: Vec<Span>,
    last: Option<(HostTime, Dur)>,
    lines: u64,
    /// How an entry begins where many may stand in one line; empty where lines hold one.
    entry_start: &'static [u8],
}

impl LineSplitter {
    /// Of a text that may hold many entries in one line: such a line is cut before an entry that begins so.
    pub fn of_entries(entry_start: &'static [u8]) -> LineSplitter {
        LineSplitter { entry_start, ..LineSplitter::default() }
    }

    /// Lines given so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Takes the next bytes; `time` is that of the chunk they are.
    pub fn push(&mut self, bytes: &[u8], time: Option<ChunkTime>, each: &mut impl FnMut(LogLine<'_>)) {
        let mut at = 0;
        while let Some(n) = memchr(b'\n', &bytes[at..]) {
            let end = at + n + 1;
            if self.kept.is_empty() && self.dropped == 0 && n <= MAX_LINE {
                self.give_borrowed(&bytes[at..end], at, bytes.len(), time, each);
            } else {
                self.append(&bytes[at..end - 1], at, bytes.len(), time, each);
                self.give_kept(time.map(|t| (t.at(end - 1, bytes.len()), t.uncertainty)), each);
            }
            at = end;
        }
        if at < bytes.len() {
            self.append(&bytes[at..], at, bytes.len(), time, each);
        }
    }

    /// The input has ended: gives the last line if it has no end.
    pub fn finish(&mut self, each: &mut impl FnMut(LogLine<'_>)) {
        if !self.kept.is_empty() || self.dropped > 0 {
            let line = LogLine {
                body: trim_crs(&self.kept),
                start: self.start,
                end: self.start + self.kept.len() as u64 + self.dropped,
                feed: LineEnding::Missing,
                too_long: self.dropped > 0,
                decoration: 0,
                stamped: None,
                is_rewritten: false,
                is_ordinary: false,
                spans: &self.spans,
                last: self.last,
            };
            self.lines += 1;
            each(line);
        }
    }

    /// A line, its line feed included, that lies inside one piece.
    #[inline]
    fn give_borrowed(
        &mut self,
        line: &[u8],
        index: usize,
        chunk_len: usize,
        time: Option<ChunkTime>,
        each: &mut impl FnMut(LogLine<'_>),
    ) {
        let body = trim_crs(&line[..line.len() - 1]);
        let spans;
        let (spans, last): (&[Span], _) = match time {
            None => (&[], None),
            Some(time) => {
                spans = [Span { at: 0, index, chunk_len, time }];
                (&spans, Some((time.at(index + line.len() - 1, chunk_len), time.uncertainty)))
            }
        };
        let end = self.start + line.len() as u64;
        let feed = if body.len() + 1 < line.len() { LineEnding::CrLf } else { LineEnding::Lf };
        each(LogLine {
            body,
            start: self.start,
            end,
            feed,
            too_long: false,
            decoration: 0,
            stamped: None,
            is_rewritten: false,
            is_ordinary: is_ordinary(body),
            spans,
            last,
        });
        self.start = end;
        self.lines += 1;
    }

    /// Ends the line under way with the line feed that arrived at `last`.
    fn give_kept(&mut self, last: Option<(HostTime, Dur)>, each: &mut impl FnMut(LogLine<'_>)) {
        let body = trim_crs(&self.kept);
        let end = self.start + self.kept.len() as u64 + self.dropped + 1;
        let feed = if body.len() < self.kept.len() { LineEnding::CrLf } else { LineEnding::Lf };
        let too_long = self.dropped > 0;
        each(LogLine {
            body,
            start: self.start,
            end,
            feed,
            too_long,
            decoration: 0,
            stamped: None,
            is_rewritten: false,
            is_ordinary: is_ordinary(body),
            spans: &self.spans,
            last,
        });
        self.lines += 1;
        self.start = end;
        self.kept.clear();
        self.dropped = 0;
        self.spans.clear();
        self.last = None;
    }

    /// Keeps bytes that hold no line feed.
    fn append(
        &mut self,
        mut bytes: &[u8],
        mut index: usize,
        chunk_len: usize,
        time: Option<ChunkTime>,
        each: &mut impl FnMut(LogLine<'_>),
    ) {
        while !bytes.is_empty() {
            let room = if self.dropped > 0 { 0 } else { MAX_LINE - self.kept.len() };
            if room == 0 && (self.dropped > 0 || !self.cut(each)) {
                self.dropped += bytes.len() as u64;
                self.last = time.map(|t| (t.at(index + bytes.len() - 1, chunk_len), t.uncertainty));
                return;
            }
            let (now, later) = bytes.split_at(bytes.len().min(MAX_LINE - self.kept.len()));
            if let Some(time) = time {
                if !now.is_empty() {
                    self.spans.push(Span { at: self.kept.len(), index, chunk_len, time });
                    self.last = Some((time.at(index + now.len() - 1, chunk_len), time.uncertainty));
                }
            }
            self.kept.extend_from_slice(now);
            index += now.len();
            bytes = later;
        }
    }

    /// Gives what ends with the last carriage return, or before the last kernel prefix or entry, as a line of its own; false
    /// if there is none.
    fn cut(&mut self, each: &mut impl FnMut(LogLine<'_>)) -> bool {
        let after_cr = || memrchr(b'\r', &self.kept).map(|cr| cr + 1);
        let before_prefix = || memrchr_iter(b'[', &self.kept).find_map(|at| prefix::glued_at(&self.kept, at));
        let place = if self.entry_start.is_empty() {
            after_cr().or_else(before_prefix)
        } else {
            memmem::rfind(&self.kept, self.entry_start)
        };
        let Some(len) = place.filter(|len| *len > 0) else { return false };
        let mut line = LogLine {
            body: trim_crs(&self.kept[..len]),
            start: self.start,
            end: self.start + len as u64,
            feed: LineEnding::Cut,
            too_long: false,
            decoration: 0,
            stamped: None,
            is_rewritten: false,
            is_ordinary: false,
            spans: &self.spans,
            last: None,
        };
        line.last = line.time_of(len - 1);
        self.lines += 1;
        each(line);
        self.start += len as u64;
        self.kept.drain(..len);
        let straddling = self.spans.partition_point(|s| s.at <= len).saturating_sub(1);
        self.spans.drain(..straddling);
        for span in &mut self.spans {
            let gone = len.saturating_sub(span.at);
            span.index += gone;
            span.at = (span.at + gone) - len;
        }
        true
    }
}

/// Without the carriage returns at its end.
#[inline]
pub(super) fn trim_crs(line: &[u8]) -> &[u8] {
    let mut len = line.len();
    while len > 0 && line[len - 1] == b'\r' {
        len -= 1;
    }
    &line[..len]
}
