// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the events of a GPIO line to marks, with the bounds of each mark's time.
//!
//! The kernel stamps an edge when it handles the interrupt, so the edge came no later than its stamp, and earlier by what the
//! interrupt needed: see [`gpio_delay_of`](super::inventory::gpio_delay_of). When we read the event does not matter. If nobody reads for long, the
//! kernel drops the oldest events; their numbers are then missing. The next one, the first of its kind as far as we know,
//! may stand for an edge among those, so its uncertainty reaches back to the last event before them.
use bootline_capture::units::{Dur, HostTime};

use super::MarkRequest;
use super::clock::HostClock;
use super::gpio_ioctl::LineEvent;

/// An edge that is to be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpioMark {
    /// When it was stamped: it came no later.
    pub at: HostTime,
    /// How much earlier it may have come.
    pub uncertainty: Dur,
    /// What it marks.
    pub request: MarkRequest,
}

/// Turns the events of one line into marks.
#[derive(Debug)]
pub struct LineMarks<'a> {
    requests: &'a [MarkRequest],
    delay: Dur,
    last_number: u32,
    last_at: HostTime,
}

impl<'a> LineMarks<'a> {
    /// For a line whose edges mark `requests`, and are stamped up to `delay` late.
    pub fn new(requests: &'a [MarkRequest], delay: Dur) -> LineMarks<'a> {
        LineMarks { requests, delay, last_number: 0, last_at: HostTime::ORIGIN }
    }

    /// Takes the next event. What came before the capture's origin marks nothing: it is no part of the capture.
    pub fn take(&mut self, event: LineEvent, clock: HostClock) -> impl Iterator<Item = GpioMark> + use<'a> {
        let at = clock.at_monotonic(event.monotonic_ns);
        let is_next = event.number == self.last_number.wrapping_add(1);
        let lost = if is_next { Dur::ZERO } else { (at - self.last_at).max_zero() };
        (self.last_number, self.last_at) = (event.number, at);
        let uncertainty = self.delay + lost;
        let is_meant = move |r: &&MarkRequest| at >= HostTime::ORIGIN && r.asserted == event.is_rising;
        self.requests.iter().filter(is_meant).map(move |r| GpioMark { at, uncertainty, request: r.clone() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DELAY: Dur = Dur::from_millis(1);

    fn requests() -> Vec<MarkRequest> {
        ["gpio:gpiochip0/1=up", "!gpio:gpiochip0/1=down"].map(|m| m.parse().unwrap()).to_vec()
    }

    /// An event this long after the origin.
    fn event(clock: HostClock, us: i64, is_rising: bool, number: u32) -> LineEvent {
        LineEvent { monotonic_ns: clock.to_monotonic(HostTime::from_nanos(us * 1_000)), is_rising, number }
    }

    #[test]
    fn a_mark_has_the_kernels_time() {
        let (requests, clock) = (requests(), HostClock::start());
        let mut marks = LineMarks::new(&requests, DELAY);
        let up: Vec<GpioMark> = marks.take(event(clock, 5_000, true, 1), clock).collect();
        let at = HostTime::from_nanos(5_000_000);
        assert_eq!(up, [GpioMark { at, uncertainty: DELAY, request: requests[0].clone() }]);
        let down: Vec<GpioMark> = marks.take(event(clock, 5_010, false, 2), clock).collect();
        assert_eq!((down.len(), down[0].request.name.as_str()), (1, "down"));
        let only_down = &requests[1..];
        assert_eq!(LineMarks::new(only_down, DELAY).take(event(clock, 1, true, 1), clock).count(), 0);
    }

    #[test]
    fn an_edge_before_the_capture_marks_nothing() {
        let (requests, clock) = (requests(), HostClock::start());
        let mut marks = LineMarks::new(&requests, DELAY);
        assert_eq!(marks.take(event(clock, -1, true, 1), clock).count(), 0);
        let next: Vec<GpioMark> = marks.take(event(clock, 400, true, 2), clock).collect();
        assert_eq!((next.len(), next[0].uncertainty), (1, DELAY), "its predecessor is known");
    }

    proptest! {
        /// Edges at random times, stamped late by up to the delay, some of their events dropped: what is marked lies within its
        /// bounds, and so does the first edge of the board, if its own event is missing.
        #[test]
        fn the_bounds_hold(edges in prop::collection::vec((1i64..5_000, 0i64..1_000, prop::bool::weighted(0.7)), 1..60)) {
            let (requests, clock) = (requests(), HostClock::start());
            let mut marks = LineMarks::new(&requests, DELAY);
            let (mut us, mut late_until) = (0, 0);
            let mut dropped: Vec<i64> = Vec::new();
            for (n, (gap, late, is_kept)) in edges.iter().enumerate() {
                us += gap;
                // The kernel handles the interrupts of a line in their order.
                late_until = (us + late).max(late_until).min(us + 1_000);
                if !is_kept {
                    dropped.push(us);
                    continue;
                }
                let event = event(clock, late_until, n % 2 == 0, u32::try_from(n).unwrap() + 1);
                let mark = marks.take(event, clock).next().unwrap();
                prop_assert_eq!(mark.request.asserted, n % 2 == 0);
                let (at, earliest) = (mark.at.as_nanos(), (mark.at - mark.uncertainty).as_nanos());
                for edge in dropped.drain(..).chain([us]) {
                    prop_assert!((earliest..=at).contains(&(edge * 1_000)), "{edge} us is not in {earliest}..={at} ns");
                }
            }
        }
    }
}
