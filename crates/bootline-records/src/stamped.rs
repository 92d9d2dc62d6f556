// SPDX-License-Identifier: MIT OR Apache-2.0
//! Console output under the line stamps of a terminal program (see [`super::stamp`]).
//!
//! Arrival times count from the first stamp ([`super::arrival_clock`]); a line without one keeps the last. The text after
//! the stamp is decoded as a console's. A clock that was set back is named.
use super::arrival_clock::{ArrivalClock, RUNNER_LATENESS};
use super::console::ConsoleDecoder;
use super::log_line::LogLine;
use super::output::RecordEmitter;
use super::{Arrival, Format, ProblemKind, Sink, stamp};

/// Decodes stamped lines.
#[derive(Debug)]
pub(super) struct Stamped {
    /// Whose stamps they are; others belong to the text.
    format: Format,
    console: ConsoleDecoder,
    clock: ArrivalClock,
    arrival: Option<Arrival>,
}

impl Stamped {
    pub fn new(format: Format) -> Stamped {
        let (format, deltas) = match format {
            Format::TioDelta => (Format::Tio, true),
            Format::TsDelta => (Format::Ts, true),
            other => (other, false),
        };
        Stamped { format, console: ConsoleDecoder::default(), clock: ArrivalClock::new(deltas), arrival: None }
    }

    pub fn line<S: Sink>(&mut self, line: &LogLine<'_>, out: &mut RecordEmitter<'_, S>) {
        let mut inner = *line;
        if let Some(found) = stamp::parse(line.body).filter(|s| s.format == self.format) {
            inner.decoration = found.len;
            let now = self.clock.advance(found.clock, found.nanos);
            if now.went_back {
                let range = line.range(0, line.body.len());
                out.problem(
                    ProblemKind::ArrivalJumpedBack,
                    range,
                    "a line's stamp lies before that of the line before",
                );
            }
            let is_job = self.format == Format::CiLog;
            let uncertainty = if is_job { found.resolution.max(RUNNER_LATENESS) } else { found.resolution };
            self.arrival = Some(now.arrival(uncertainty));
        }
        inner.stamped = self.arrival;
        self.console.line(&inner, out);
    }
}
