// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's clock, counted from a capture's origin.
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bootline_capture::units::HostTime;

/// CLOCK_MONOTONIC since the origin; the wall clock is read once, so that a step of it (NTP) moves no arrival.
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    origin: Instant,
    started_unix_ns: Option<i64>,
}

impl HostClock {
    /// Starts the clock: its origin is the time of this call.
    pub fn start() -> HostClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        HostClock { origin: Instant::now(), started_unix_ns: wall.and_then(|d| i64::try_from(d.as_nanos()).ok()) }
    }

    /// Nanoseconds since the origin.
    pub fn now(&self) -> HostTime {
        HostTime::from_nanos(nanos(self.origin.elapsed()))
    }

    /// The wall clock at the origin.
    pub fn started_unix_ns(&self) -> Option<i64> {
        self.started_unix_ns
    }
}

fn nanos(d: Duration) -> i64 {
    i64::try_from(d.as_nanos()).unwrap_or(i64::MAX)
}
