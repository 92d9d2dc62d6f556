// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a capture came to.
use std::fmt;
use std::process::ExitStatus;

use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime};

use super::tty_ioctl::LineErrors;
use super::{GpioLine, MarkRequest};

/// Times that each mark is recorded at most, and once more for each second since the first: a board that toggles an input all the time
/// must not fill the file, and one that boots again and again shows it in each boot.
pub(super) const MOST_MARKS: u32 = 100;

/// Why a capture ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureEnd {
    /// A line matched what was waited for.
    Until(Vec<u8>),
    /// The time was over.
    Timeout(Dur),
    /// Nothing arrived for so long.
    Idle(Dur),
    /// A signal, or a request by the program.
    Stopped(Option<&'static str>),
    /// Nothing more comes: the end of the input, the port gone, the command ended (with its exit status).
    Source(Option<ExitStatus>),
}

impl fmt::Display for CaptureEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureEnd::Until(line) => write!(f, "a line matched: `{}`", line.escape_ascii()),
            CaptureEnd::Timeout(d) => write!(f, "the time limit of {} s was over", d.as_secs_f64()),
            CaptureEnd::Idle(d) => write!(f, "nothing arrived for {} s", d.as_secs_f64()),
            CaptureEnd::Stopped(Some(signal)) => write!(f, "stopped by {signal}"),
            CaptureEnd::Stopped(None) => f.write_str("stopped"),
            CaptureEnd::Source(None) => f.write_str("the source ended"),
            CaptureEnd::Source(Some(status)) => write!(f, "the command ended: {status}"),
        }
    }
}

/// What a capture came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSummary {
    /// Bytes recorded.
    pub bytes: u64,
    /// Newlines among them.
    pub lines: u64,
    /// From the first byte's arrival to the last's.
    pub span: Dur,
    /// The longest time without a byte, and when it began.
    pub largest_gap: Option<(HostTime, Dur)>,
    /// The largest uncertainty of an arrival, bytes of unknown age apart.
    pub worst_uncertainty: Dur,
    /// How often the port went away.
    pub losses: u32,
    /// How often it came back after bytes had been recorded: what was sent meanwhile is missing.
    pub holes: u32,
    /// Bytes that the receiver counted as damaged or lost; `None` where nobody counts.
    pub line_errors: Option<LineErrors>,
    /// The marks that were asked for, in that order.
    pub marks: Vec<MarkSummary>,
    /// Why the modem control inputs were not watched up to the end; none if they were.
    pub marks_lost: Option<String>,
    /// The first GPIO line that was not watched up to the end, and why.
    pub line_lost: Option<(GpioLine, String)>,
    /// Why it ended.
    pub ended: CaptureEnd,
}

/// What became of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkSummary {
    /// What was to be marked.
    pub request: MarkRequest,
    /// When the board showed it first, and how much earlier that may have been; none if it never did.
    pub first: Option<(HostTime, Dur)>,
    /// How often it did.
    pub count: u32,
}

/// Counts while the bytes come.
#[derive(Debug, Default)]
pub(super) struct CaptureCounts {
    pub bytes: u64,
    pub lines: u64,
    pub losses: u32,
    pub holes: u32,
    first: Option<HostTime>,
    last: HostTime,
    largest_gap: Option<(HostTime, Dur)>,
    worst_uncertainty: Dur,
    pub marks_lost: Option<String>,
    pub line_lost: Option<(GpioLine, String)>,
    marks: Vec<MarkSummary>,
    /// How many of each are in the file.
    recorded: Vec<u32>,
}

/// Whether a mark is written to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkRoom {
    /// It is.
    Recorded,
    /// It is the first one that comes too often.
    FirstTooMany,
    /// It comes too often, as others before.
    TooMany,
}

impl CaptureCounts {
    pub fn new(requests: &[MarkRequest]) -> CaptureCounts {
        let marks = requests.iter().map(|r| MarkSummary { request: r.clone(), first: None, count: 0 });
        CaptureCounts { recorded: vec![0; requests.len()], marks: marks.collect(), ..CaptureCounts::default() }
    }

    /// Counts a mark, and says whether there is room for it in the file.
    pub fn mark(&mut self, request: &MarkRequest, at: HostTime, uncertainty: Dur) -> MarkRoom {
        let Some(n) = self.marks.iter().position(|m| m.request == *request) else { return MarkRoom::TooMany };
        let (mark, recorded) = (&mut self.marks[n], &mut self.recorded[n]);
        let (first, _) = *mark.first.get_or_insert((at, uncertainty));
        mark.count = mark.count.saturating_add(1);
        let seconds = (at - first).max_zero().as_nanos() / 1_000_000_000;
        let was_full = mark.count - 1 > *recorded;
        if i64::from(*recorded) < i64::from(MOST_MARKS) + seconds {
            *recorded += 1;
            return MarkRoom::Recorded;
        }
        if was_full { MarkRoom::TooMany } else { MarkRoom::FirstTooMany }
    }

    pub fn chunk(&mut self, time: ChunkTime, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.lines += bytes.iter().filter(|&&b| b == b'\n').count() as u64;
        if time.uncertainty < super::reader::UNKNOWN_AGE {
            self.worst_uncertainty = self.worst_uncertainty.max(time.uncertainty);
        }
        if self.first.is_none() {
            self.first = Some(time.first);
        } else {
            let gap = time.first - self.last;
            if self.largest_gap.is_none_or(|(_, largest)| gap > largest) {
                self.largest_gap = Some((self.last, gap));
            }
        }
        self.last = time.first + time.span;
    }

    pub fn summary(&self, line_errors: Option<LineErrors>, ended: CaptureEnd) -> CaptureSummary {
        CaptureSummary {
            bytes: self.bytes,
            lines: self.lines,
            span: self.first.map_or(Dur::ZERO, |first| self.last - first),
            largest_gap: self.largest_gap,
            worst_uncertainty: self.worst_uncertainty,
            losses: self.losses,
            holes: self.holes,
            line_errors,
            marks: self.marks.clone(),
            marks_lost: self.marks_lost.clone(),
            line_lost: self.line_lost.clone(),
            ended,
        }
    }
}
