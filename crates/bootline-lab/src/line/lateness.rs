// SPDX-License-Identifier: MIT OR Apache-2.0
//! How late a thread woke.
use bootline_capture::units::Dur;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Buckets per octave: percentiles are accurate to 12 %, in constant memory however long the run.
const PER_OCTAVE: u64 = 8;
const BUCKETS: usize = 64 * PER_OCTAVE as usize;

/// A histogram of how late a thread that keeps a schedule woke after each deadline.
#[derive(Clone, Debug)]
pub(crate) struct Lateness {
    buckets: Vec<u64>,
    count: u64,
    max: Dur,
}

/// The lateness of a thread that keeps a schedule (the line's reader, a disk's server) in numbers. A percentile is stated as its bucket's upper bound, at most 12.5 % too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatenessSummary {
    /// Number of deadlines.
    pub wakes: u64,
    /// Half of them were met at most this late.
    #[schemars(with = "i64")]
    pub p50_ns: Dur,
    /// 99 of 100 were met at most this late.
    #[schemars(with = "i64")]
    pub p99_ns: Dur,
    /// The latest.
    #[schemars(with = "i64")]
    pub max_ns: Dur,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { buckets: vec![0; BUCKETS], count: 0, max: Dur::ZERO }
    }
}

impl Lateness {
    pub fn add(&mut self, late: Dur) {
        let late = late.max_zero();
        self.buckets[bucket(late.as_nanos() as u64)] += 1;
        self.count += 1;
        self.max = self.max.max(late);
    }

    pub fn summary(&self) -> LatenessSummary {
        LatenessSummary {
            wakes: self.count,
            p50_ns: self.percentile(50),
            p99_ns: self.percentile(99),
            max_ns: self.max,
        }
    }

    fn percentile(&self, percent: u64) -> Dur {
        let wanted = (self.count * percent).div_ceil(100);
        let mut below = 0;
        for (i, n) in self.buckets.iter().enumerate() {
            below += n;
            if below >= wanted && *n > 0 {
                return Dur::from_nanos(upper(i) as i64).min(self.max);
            }
        }
        Dur::ZERO
    }
}

fn bucket(ns: u64) -> usize {
    let octave = u64::from(ns.max(PER_OCTAVE).ilog2());
    let step = (ns.max(PER_OCTAVE) >> (octave - 3)) & (PER_OCTAVE - 1);
    (octave * PER_OCTAVE + step) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let (octave, step) = (bucket as u64 / PER_OCTAVE, bucket as u64 % PER_OCTAVE);
    ((PER_OCTAVE + step + 1) << (octave - 3)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_an_eighth() {
        let mut l = Lateness::default();
        for us in 1..=1000 {
            l.add(Dur::from_micros(us));
        }
        let s = l.summary();
        assert_eq!((s.wakes, s.max_ns), (1000, Dur::from_micros(1000)));
        for (got, exact) in [(s.p50_ns, 500_000.0), (s.p99_ns, 990_000.0)] {
            let ratio = got.as_nanos() as f64 / exact;
            assert!((1.0..1.125).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn extremes_have_buckets() {
        let mut l = Lateness::default();
        assert_eq!(l.summary(), LatenessSummary::default());
        l.add(Dur::from_nanos(-5));
        l.add(Dur::from_nanos(i64::MAX));
        assert_eq!(l.summary().max_ns, Dur::from_nanos(i64::MAX));
        assert_eq!(l.summary().p50_ns, Dur::from_nanos(8));
    }
}
