// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mergeable quantile sketches: counts of values in buckets whose bounds grow by a constant ratio (DDSketch, Masson, Rim and
//! Lee, VLDB 2019). Two sketches merge by adding their counts, in SQL as well as here.
use std::collections::BTreeMap;

/// Ratio of a bucket's bounds: an estimate is wrong by at most (1.02 - 1) / (1.02 + 1), less than 1 %.
pub const RATIO: f64 = 1.02;
/// The bucket of zero, and of what is less.
pub const ZERO: i32 = -1;

/// The bucket of a value in microseconds: `b` holds 1.02^(b-1) < v <= 1.02^b.
pub fn bucket(us: i64) -> i32 {
    if us < 1 {
        return ZERO;
    }
    // No integer but 1 is a power of 1.02, so that no rounding can decide between two buckets.
    ((us as f64).ln() / RATIO.ln()).ceil() as i32
}

/// The estimate, in microseconds, for values in a bucket.
pub fn estimate(bucket: i32) -> f64 {
    if bucket <= ZERO { 0.0 } else { 2.0 * RATIO.powi(bucket) / (RATIO + 1.0) }
}

/// How often values fell into each bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Count and sum of the values, in microseconds, by bucket.
    pub buckets: BTreeMap<i32, (i64, i64)>,
}

impl Sketch {
    /// Adds a value.
    pub fn add(&mut self, us: i64) {
        let (count, sum) = self.buckets.entry(bucket(us)).or_default();
        *count += 1;
        *sum = sum.saturating_add(us);
    }

    /// Adds another sketch's values.
    pub fn merge(&mut self, other: &Sketch) {
        for (bucket, (more, values)) in &other.buckets {
            let (count, sum) = self.buckets.entry(*bucket).or_default();
            *count += more;
            *sum = sum.saturating_add(*values);
        }
    }

    /// Number of values.
    pub fn count(&self) -> i64 {
        self.buckets.values().map(|(count, _)| count).sum()
    }

    /// The estimate of a quantile between 0 and 1 (nearest rank), in microseconds; none without values.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = ((q * self.count() as f64).ceil() as i64).max(1);
        let mut seen = 0;
        self.buckets.iter().find_map(|(bucket, (count, _))| {
            seen += count;
            (seen >= rank).then(|| estimate(*bucket))
        })
    }
}
