// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of a run: one origin for the capture, the truth and the line's deadlines.
use std::time::{SystemTime, UNIX_EPOCH};

use bootline_capture::units::{Dur, HostTime};
use rustix::thread::{ClockId as SleepClock, clock_nanosleep_absolute};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// CLOCK_MONOTONIC, counted from when the run began. Unlike [`std::time::Instant`] it can be slept until.
#[derive(Clone, Copy, Debug)]
pub struct RunClock {
    origin: HostTime,
    started_unix_ns: Option<i64>,
}

impl RunClock {
    /// Starts the clock; the origin is now.
    pub fn start() -> RunClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        RunClock { origin: monotonic(), started_unix_ns: wall.and_then(|d| i64::try_from(d.as_nanos()).ok()) }
    }

    /// Time since the origin.
    pub fn now(&self) -> HostTime {
        HostTime::ORIGIN + (monotonic() - self.origin)
    }

    /// The wall clock at the origin, in nanoseconds since 1970.
    pub fn started_unix_ns(&self) -> Option<i64> {
        self.started_unix_ns
    }

    /// Returns at `deadline` or later.
    pub fn sleep_until(&self, deadline: HostTime) {
        let at = (self.origin + (deadline - HostTime::ORIGIN)).as_nanos();
        let until = Timespec { tv_sec: at.div_euclid(1_000_000_000), tv_nsec: at.rem_euclid(1_000_000_000) };
        while clock_nanosleep_absolute(SleepClock::Monotonic, &until).is_err() && self.now() < deadline {}
    }
}

fn monotonic() -> HostTime {
    let t = clock_gettime(ClockId::Monotonic);
    HostTime::ORIGIN + Dur::from_secs(t.tv_sec) + Dur::from_nanos(t.tv_nsec)
}
