// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's clock, counted from a capture's origin.
use std::time::{SystemTime, UNIX_EPOCH};

use bootline_capture::units::HostTime;
use rustix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC since the origin; the wall clock is read once, so that a step of it (NTP) moves no arrival.
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    /// CLOCK_MONOTONIC then, by which the kernel stamps some events itself.
    origin: i64,
    started_unix_ns: Option<i64>,
}

impl HostClock {
    /// Starts the clock: its origin is the time of this call.
    pub fn start() -> HostClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        HostClock { origin: monotonic_ns(), started_unix_ns: wall.and_then(|d| i64::try_from(d.as_nanos()).ok()) }
    }

    /// Nanoseconds since the origin.
    pub fn now(&self) -> HostTime {
        HostTime::from_nanos(monotonic_ns() - self.origin)
    }

    /// A time that the kernel stamped by CLOCK_MONOTONIC; before the origin it is negative.
    pub(super) fn at_monotonic(&self, ns: u64) -> HostTime {
        HostTime::from_nanos(i64::try_from(ns).unwrap_or(i64::MAX) - self.origin)
    }

    /// CLOCK_MONOTONIC at this time.
    #[cfg(test)]
    pub(super) fn to_monotonic(self, at: HostTime) -> u64 {
        u64::try_from(self.origin + at.as_nanos()).unwrap()
    }

    /// The wall clock at the origin.
    pub fn started_unix_ns(&self) -> Option<i64> {
        self.started_unix_ns
    }
}

/// Since the host was booted, so that an i64 lasts for centuries.
fn monotonic_ns() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_the_kernel_are_on_the_same_clock() {
        let before = monotonic_ns();
        let clock = HostClock::start();
        let (stamp, now) = (monotonic_ns(), clock.now());
        let at = clock.at_monotonic(u64::try_from(stamp).unwrap());
        assert!(HostTime::ORIGIN <= at && at <= now, "{at} {now}");
        assert!(clock.at_monotonic(u64::try_from(before).unwrap()) <= HostTime::ORIGIN);
        assert_eq!(clock.at_monotonic(clock.to_monotonic(now)), now);
    }
}
