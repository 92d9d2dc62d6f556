// SPDX-License-Identifier: MIT OR Apache-2.0
//! From readings of modem control inputs to their edges, with the bounds of each edge's time.
//!
//! A driver offers two readings: the levels of now (TIOCMGET), and, if it supports TIOCGICOUNT, how many edges it has counted.
//! The counters also show pulses between two readings, but may lag behind the levels: a USB adapter returns its levels at once and
//! reports edges only with its next packet. The tracker therefore notes each edge that the levels showed first, and does not report
//! it again when the counter catches up.
use bootline_capture::units::{Dur, HostTime};

use super::ModemInput;

/// Levels of the inputs: whether each is active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputLevels(pub [bool; 4]);

/// Edges that the driver has counted since it was loaded, both kinds of each input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputCounts(pub [u32; 4]);

/// A reading of the inputs.
#[derive(Clone, Copy, Debug)]
pub struct InputReading {
    /// When the reading began: edges after this may be missing in it.
    pub from: HostTime,
    /// When it ended: no edge in it came later.
    pub to: HostTime,
    /// The counters, if they were read.
    pub counts: Option<InputCounts>,
    /// The levels, if they were read.
    pub levels: Option<InputLevels>,
}

/// An edge of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputEdge {
    /// The input.
    pub input: ModemInput,
    /// Whether it became active.
    pub asserted: bool,
    /// When the edge was seen: it came no later.
    pub at: HostTime,
    /// How much earlier it may have come.
    pub uncertainty: Dur,
}

/// What is known of the inputs.
#[derive(Debug)]
pub struct EdgeTracker {
    inputs: [InputState; 4],
}

#[derive(Clone, Copy, Debug)]
struct InputState {
    asserted: bool,
    count: u32,
    /// Edges that levels have shown and the counter has not counted yet.
    owed: u32,
    /// When the counter was last read.
    counted_at: HostTime,
    /// When the level was last read.
    level_at: HostTime,
}

impl EdgeTracker {
    /// Begins with the levels of now.
    pub fn new(reading: &InputReading) -> EdgeTracker {
        let state = |input: ModemInput| InputState {
            asserted: reading.levels.is_some_and(|l| l.0[input as usize]),
            count: reading.counts.map_or(0, |c| c.0[input as usize]),
            owed: 0,
            counted_at: reading.from,
            level_at: reading.from,
        };
        EdgeTracker { inputs: ModemInput::ALL.map(state) }
    }

    /// Whether an input is active.
    pub fn is_asserted(&self, input: ModemInput) -> bool {
        self.inputs[input as usize].asserted
    }

    /// The edges since the reading before. Of three and more within one reading, the first two are given.
    pub fn read(&mut self, reading: &InputReading) -> Vec<InputEdge> {
        let mut edges = Vec::new();
        for input in ModemInput::ALL {
            self.inputs[input as usize].read(input, reading, &mut edges);
        }
        edges
    }
}

impl InputState {
    fn read(&mut self, input: ModemInput, reading: &InputReading, edges: &mut Vec<InputEdge>) {
        // The 8250 and others count the trailing edges of RI only: its counter is of no use.
        let counts = reading.counts.filter(|_| input != ModemInput::Ri).map(|c| c.0[input as usize]);
        let mut counted = 0;
        let mut since = self.level_at;
        if let Some(count) = counts {
            let more = count.wrapping_sub(self.count);
            if more > u32::MAX / 2 {
                // Taken before the reading that was processed last, by the other thread.
                return;
            }
            counted = more.saturating_sub(self.owed);
            self.owed = self.owed.saturating_sub(more);
            if counted > 0 {
                since = self.counted_at;
            }
            (self.count, self.counted_at) = (count, reading.from);
        }
        let mut seen = counted;
        if let Some(levels) = reading.levels {
            let has_changed = levels.0[input as usize] != self.asserted;
            if has_changed != (counted % 2 == 1) {
                self.owed = self.owed.saturating_add(1);
                seen += 1;
            }
            self.level_at = reading.from;
        }
        let uncertainty = (reading.to - since).max_zero();
        for n in 0..seen.min(2) {
            let asserted = self.asserted == (n == 1);
            edges.push(InputEdge { input, asserted, at: reading.to, uncertainty });
        }
        self.asserted ^= seen % 2 == 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DSR: usize = ModemInput::Dsr as usize;
    const RI: usize = ModemInput::Ri as usize;

    fn at(us: i64) -> HostTime {
        HostTime::from_nanos(us * 1_000)
    }

    /// A reading that takes 10 us.
    fn reading(us: i64, counts: Option<u32>, level: Option<bool>) -> InputReading {
        let counts = counts.map(|n| InputCounts([0, n, 0, 0]));
        let levels = level.map(|on| InputLevels([false, on, false, false]));
        InputReading { from: at(us - 10), to: at(us), counts, levels }
    }

    /// Whether each edge asserts the input, its time and its uncertainty in us.
    fn edges(tracker: &mut EdgeTracker, reading: InputReading) -> Vec<(bool, i64, i64)> {
        let found = tracker.read(&reading);
        found.iter().map(|e| (e.asserted, e.at.as_nanos() / 1_000, e.uncertainty.as_nanos() / 1_000)).collect()
    }

    #[test]
    fn levels_alone_show_edges_between_two_readings() {
        let mut tracker = EdgeTracker::new(&reading(100, None, Some(false)));
        assert_eq!(edges(&mut tracker, reading(1_100, None, Some(false))), []);
        // It came after the reading before had begun, at 1090.
        assert_eq!(edges(&mut tracker, reading(2_100, None, Some(true))), [(true, 2_100, 1_010)]);
        assert!(tracker.is_asserted(ModemInput::Dsr));
        assert_eq!(edges(&mut tracker, reading(3_100, None, Some(true))), []);
        assert_eq!(edges(&mut tracker, reading(9_100, None, Some(false))), [(false, 9_100, 6_010)]);
    }

    #[test]
    fn counters_show_pulses_between_two_readings() {
        let mut tracker = EdgeTracker::new(&reading(100, Some(40), Some(false)));
        assert_eq!(edges(&mut tracker, reading(1_100, Some(42), None)), [(true, 1_100, 1_010), (false, 1_100, 1_010)]);
        assert_eq!(edges(&mut tracker, reading(2_100, Some(43), None)), [(true, 2_100, 1_010)]);
        // Five more: the first two stand for them; the level is what is left.
        assert_eq!(edges(&mut tracker, reading(3_100, Some(48), None)).len(), 2);
        assert!(!tracker.is_asserted(ModemInput::Dsr));
        assert_eq!(edges(&mut tracker, reading(4_100, Some(48), Some(false))), []);
    }

    /// A USB adapter: the level is asked for, the count comes with the next packet.
    #[test]
    fn a_counter_that_lags_reports_nothing_twice() {
        let mut tracker = EdgeTracker::new(&reading(100, Some(0), Some(false)));
        assert_eq!(edges(&mut tracker, reading(1_100, Some(0), Some(true))), [(true, 1_100, 1_010)]);
        assert_eq!(edges(&mut tracker, reading(2_100, Some(1), None)), []);
        assert_eq!(edges(&mut tracker, reading(3_100, Some(1), Some(true))), []);
        assert_eq!(edges(&mut tracker, reading(4_100, Some(2), Some(false))), [(false, 4_100, 1_010)]);
        // The level is ahead of the counter again: a pulse, whose second edge is counted later.
        assert_eq!(edges(&mut tracker, reading(5_100, Some(3), Some(false))).len(), 2);
        assert_eq!(edges(&mut tracker, reading(6_100, Some(4), Some(false))), []);
    }

    /// Drivers that offer counters and never count.
    #[test]
    fn a_counter_that_stands_still_bounds_nothing() {
        let mut tracker = EdgeTracker::new(&reading(100, Some(0), Some(false)));
        for us in (1_100..9_000).step_by(1_000) {
            assert_eq!(edges(&mut tracker, reading(us, Some(0), None)), []);
        }
        assert_eq!(edges(&mut tracker, reading(10_100, Some(0), Some(true))), [(true, 10_100, 10_010)]);
    }

    #[test]
    fn readings_of_two_threads_come_in_any_order_and_counters_wrap() {
        let mut tracker = EdgeTracker::new(&reading(100, Some(u32::MAX), Some(false)));
        assert_eq!(edges(&mut tracker, reading(1_100, Some(0), None)), [(true, 1_100, 1_010)]);
        assert_eq!(edges(&mut tracker, reading(1_090, Some(u32::MAX), None)), []);
        assert_eq!(edges(&mut tracker, reading(2_100, Some(1), None)), [(false, 2_100, 1_010)]);
    }

    /// The 8250 counts only how often the ring indicator was released.
    #[test]
    fn the_ring_indicator_is_known_by_its_level() {
        let ring = |us: i64, count, on| InputReading {
            counts: Some(InputCounts([0, 0, 0, count])),
            levels: Some(InputLevels([false, false, false, on])),
            ..reading(us, None, None)
        };
        let mut tracker = EdgeTracker::new(&ring(100, 7, false));
        let found = tracker.read(&ring(1_100, 7, true));
        assert_eq!((found.len(), found[0].input, found[0].asserted), (1, ModemInput::Ri, true));
        assert!(!tracker.read(&ring(2_100, 8, false))[0].asserted);
        assert_eq!((tracker.read(&ring(3_100, 9, false)).len(), DSR, RI), (0, 1, 3));
    }
}
