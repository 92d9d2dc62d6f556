// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the line was busy, and how much it transmitted.
use bootline_capture::units::{Dur, HostTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lateness::LatenessSummary;
use super::reader::LineRead;

/// A time in which bytes followed one another without a pause of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BusyPeriod {
    start: HostTime,
    end: HostTime,
    bytes: u64,
}

/// Adds up the reads of a line. Memory grows by a few bytes for each pause of the sender.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineUsage {
    busy_periods: Vec<BusyPeriod>,
    bytes: u64,
}

/// Usage of the line in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineUsageSummary {
    /// Bytes transmitted.
    pub bytes: u64,
    /// Time for which the line was busy: from when it got a byte while idle to when it was empty again.
    #[schemars(with = "i64")]
    pub busy_ns: Dur,
    /// The rest of the time between the first and the last byte.
    #[schemars(with = "i64")]
    pub idle_ns: Dur,
    /// Bytes per second while the line was busy.
    pub busy_bytes_per_s: f64,
    /// How late the reader woke.
    pub lateness: LatenessSummary,
}

impl LineUsage {
    pub fn add(&mut self, take: &LineRead) {
        let bytes = take.bytes.len() as u64;
        self.bytes += bytes;
        match (take.busy_since, self.busy_periods.last_mut()) {
            (None, Some(last)) => {
                last.end = take.at;
                last.bytes += bytes;
            }
            (start, _) => {
                self.busy_periods.push(BusyPeriod { start: start.unwrap_or(take.due), end: take.at, bytes });
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When the line transmitted its first byte.
    pub fn first(&self) -> Option<HostTime> {
        self.busy_periods.first().map(|s| s.start)
    }

    /// When the line had transmitted its last byte.
    pub fn last(&self) -> Option<HostTime> {
        self.busy_periods.last().map(|s| s.end)
    }

    /// How long the line was busy until `until`.
    pub fn busy_until(&self, until: HostTime) -> Dur {
        self.busy_periods.iter().map(|s| (s.end.min(until) - s.start).max_zero()).sum()
    }

    pub fn summary(&self, lateness: LatenessSummary) -> LineUsageSummary {
        let (Some(first), Some(last)) = (self.first(), self.last()) else {
            return LineUsageSummary { lateness, ..LineUsageSummary::default() };
        };
        let busy_ns = self.busy_until(last);
        LineUsageSummary {
            bytes: self.bytes,
            busy_ns,
            idle_ns: last - first - busy_ns,
            busy_bytes_per_s: if busy_ns > Dur::ZERO { self.bytes as f64 / busy_ns.as_secs_f64() } else { 0.0 },
            lateness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(start: Option<i64>, at: i64, bytes: &[u8]) -> LineRead {
        let ms = |t| HostTime::from_nanos(t * 1_000_000);
        LineRead { busy_since: start.map(ms), at: ms(at), due: ms(at), bytes: bytes.to_vec() }
    }

    #[test]
    fn pauses_of_the_sender_are_idle() {
        let mut usage = LineUsage::default();
        for t in [take(Some(10), 11, b"a"), take(None, 12, b"b"), take(Some(30), 31, b"c"), take(None, 35, b"def")] {
            usage.add(&t);
        }
        let s = usage.summary(LatenessSummary::default());
        assert_eq!((s.bytes, s.busy_ns, s.idle_ns), (6, Dur::from_millis(7), Dur::from_millis(18)));
        assert!((s.busy_bytes_per_s - 6.0 / 0.007).abs() < 1e-6);
        assert_eq!(usage.busy_until(HostTime::from_nanos(32_000_000)), Dur::from_millis(4));
        assert_eq!(usage.busy_until(HostTime::ORIGIN), Dur::ZERO);
    }

    #[test]
    fn a_silent_line_did_nothing() {
        assert_eq!(LineUsage::default().summary(LatenessSummary::default()), LineUsageSummary::default());
    }
}
