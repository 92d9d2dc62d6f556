// SPDX-License-Identifier: MIT OR Apache-2.0
//! Console output under the line stamps of a terminal program (see [`super::stamp`]).
//!
//! Arrival times count from the first stamp; a line without one keeps the last. The text after the stamp is decoded as
//! a console's. The stamps' own clock may not run evenly: grabserial restarts at its base pattern (then the times
//! go on from there), a time of day wraps at midnight, and a clock that was set back is named and held.
use super::console::ConsoleDecoder;
use super::log_line::LogLine;
use super::output::RecordEmitter;
use super::stamp::{self, LineStamp, StampClock};
use super::{Arrival, Format, ProblemKind, Sink};
use bootline_capture::units::HostTime;

const DAY_NS: i64 = 86_400_000_000_000;

/// Decodes stamped lines.
#[derive(Debug)]
pub(super) struct Stamped {
    /// Whose stamps they are; others belong to the text.
    format: Format,
    /// Stamps count from the line before (tio 24hour-delta).
    deltas: bool,
    console: ConsoleDecoder,
    /// The stamp at which the arrival times begin.
    origin: Option<i64>,
    /// Added to a stamp: for a new day, or a new start.
    offset: i64,
    /// The last stamp, with the offset.
    last: i64,
    arrival: Option<Arrival>,
}

impl Stamped {
    pub fn new(format: Format) -> Stamped {
        let deltas = format == Format::TioDelta;
        let format = if deltas { Format::Tio } else { format };
        Stamped { format, deltas, console: ConsoleDecoder::default(), origin: None, offset: 0, last: 0, arrival: None }
    }

    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let mut inner = *line;
        if let Some(found) = stamp::parse(line.body).filter(|s| s.format == self.format) {
            inner.decoration = found.len;
            let now = self.advance(found, line, out);
            self.arrival = Some(Arrival { first: now, last: now, uncertainty: found.resolution });
        }
        inner.stamped = self.arrival;
        self.console.line(&inner, out);
    }

    fn advance<S: Sink>(&mut self, found: LineStamp, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) -> HostTime {
        let Some(origin) = self.origin else {
            let start = if self.deltas { 0 } else { found.nanos };
            self.origin = Some(start);
            self.last = start;
            return HostTime::from_nanos(0);
        };
        let mut now =
            if self.deltas { self.last.saturating_add(found.nanos) } else { found.nanos.saturating_add(self.offset) };
        if now < self.last {
            match found.clock {
                StampClock::Elapsed => {
                    self.offset = self.last;
                    now = found.nanos.saturating_add(self.offset);
                }
                StampClock::Day if self.last - now > DAY_NS / 2 => {
                    self.offset = self.offset.saturating_add(DAY_NS);
                    now = now.saturating_add(DAY_NS);
                }
                StampClock::Day | StampClock::Calendar => {}
            }
        }
        if now < self.last {
            let range = line.range(0, line.body.len());
            out.problem(ProblemKind::ArrivalJumpedBack, range, "a line's stamp lies before that of the line before");
            now = self.last;
        }
        self.last = now;
        HostTime::from_nanos(now.saturating_sub(origin))
    }
}
