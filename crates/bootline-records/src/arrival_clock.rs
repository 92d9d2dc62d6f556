// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of line stamps: from what a stamp shows to the time since the first one.
//!
//! The stamps' own clock may not run evenly: grabserial restarts at its base pattern (then the times go on from there), a
//! time of day wraps at midnight, and a clock that was set back is held.
use super::Arrival;
use super::stamp::{DAY_NS, StampClock};
use bootline_capture::units::{Dur, HostTime};

/// How late a job's runner may stamp a line: it reads from a pipe, in turns with its other work.
pub const RUNNER_LATENESS: Dur = Dur::from_millis(10);

/// Turns stamps into arrival times.
#[derive(Debug, Default)]
pub(super) struct ArrivalClock {
    /// Stamps count from the line before (tio 24hour-delta, ts -i).
    deltas: bool,
    /// The stamp at which the arrival times begin.
    origin: Option<i64>,
    /// Added to a stamp: for a new day, or a new start.
    offset: i64,
    /// The last stamp, with the offset.
    last: i64,
}

/// A stamp on the arrival clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StampTime {
    pub at: HostTime,
    /// The stamp lies before the one of the line before; the time was held.
    pub went_back: bool,
}

impl StampTime {
    /// The arrival of a line with this stamp.
    pub fn arrival(self, uncertainty: Dur) -> Arrival {
        Arrival { first: self.at, last: self.at, uncertainty }
    }
}

impl ArrivalClock {
    /// Of stamps that count from the line before, if `deltas`.
    pub fn new(deltas: bool) -> ArrivalClock {
        ArrivalClock { deltas, ..ArrivalClock::default() }
    }

    /// The time of the next stamp.
    pub fn advance(&mut self, clock: StampClock, nanos: i64) -> StampTime {
        let Some(origin) = self.origin else {
            let start = if self.deltas { 0 } else { nanos };
            self.origin = Some(start);
            self.last = start;
            return StampTime { at: HostTime::from_nanos(0), went_back: false };
        };
        let mut now = if self.deltas { self.last.saturating_add(nanos) } else { nanos.saturating_add(self.offset) };
        if now < self.last {
            match clock {
                StampClock::Elapsed => {
                    self.offset = self.last;
                    now = nanos.saturating_add(self.offset);
                }
                StampClock::Day if self.last - now > DAY_NS / 2 => {
                    self.offset = self.offset.saturating_add(DAY_NS);
                    now = now.saturating_add(DAY_NS);
                }
                StampClock::Day | StampClock::Calendar => {}
            }
        }
        let went_back = now < self.last;
        self.last = now.max(self.last);
        StampTime { at: HostTime::from_nanos(self.last.saturating_sub(origin)), went_back }
    }
}
