// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work that a task has left, at a speed that changes only now and then.
use bootline_capture::units::Dur;

/// Less is nothing: it comes from rounding, in nanoseconds.
const NOTHING: f64 = 0.5;

/// Computes; what is left is known for the instant at which the speed changed last, so that events in between don't round it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WorkLeft {
    /// Nanoseconds of CPU time.
    left: f64,
    since: Dur,
    speed: f64,
}

impl WorkLeft {
    /// Of this much work nothing is done yet.
    pub fn all_of(work: Dur) -> WorkLeft {
        WorkLeft { left: work.max_zero().as_nanos() as f64, since: Dur::ZERO, speed: 0.0 }
    }

    /// The same, from now on at this speed.
    #[inline]
    pub fn at_speed(self, now: Dur, speed: f64) -> WorkLeft {
        if speed == self.speed {
            return self;
        }
        // Nearly all work has not begun.
        let done = if self.speed == 0.0 { 0.0 } else { (now - self.since).as_nanos() as f64 * self.speed };
        let left = self.left - done;
        WorkLeft { left: if left < NOTHING { 0.0 } else { left }, since: now, speed }
    }

    /// When it is done at its speed; none if it stands still.
    #[inline]
    pub fn end(&self) -> Option<Dur> {
        (self.speed > 0.0).then(|| self.since + Dur::from_nanos(nanos_for(self.left, self.speed)))
    }
}

/// Nanoseconds, rounded up, in which a task at this speed does what is left.
#[inline]
pub(super) fn nanos_for(left: f64, speed: f64) -> i64 {
    // A division takes as long as all else in the engine's inner loop.
    whole_nanos(if speed == 1.0 { left } else { left / speed })
}

/// Nanoseconds, rounded up, of a time that is not negative.
#[inline]
fn whole_nanos(time: f64) -> i64 {
    let time = time.min(i64::MAX as f64 / 4.0);
    // f64::ceil is a call on processors as old as those that this is compiled for.
    let whole = time as i64;
    whole + i64::from((whole as f64) < time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_change_of_speed_rounds() {
        let ns = Dur::from_nanos;
        let work = WorkLeft::all_of(ns(10)).at_speed(ns(100), 0.3);
        assert_eq!(work.end(), Some(ns(134)));
        assert_eq!(work.at_speed(ns(120), 0.3), work);
        assert_eq!(work.at_speed(ns(120), 1.0).end(), Some(ns(124)));
        assert_eq!(work.at_speed(ns(120), 0.0).end(), None);
        // What is left at the end is rounding's.
        assert_eq!(work.at_speed(ns(133), 0.01).end(), Some(ns(133)));
        assert_eq!(WorkLeft::all_of(ns(-5)).at_speed(ns(7), 1.0).end(), Some(ns(7)));
    }
}
