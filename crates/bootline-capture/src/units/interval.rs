// SPDX-License-Identifier: MIT OR Apache-2.0
//! An estimate: never a lone number.
use std::ops::{Add, Neg};

use serde::{Deserialize, Serialize};

use super::Dur;

/// A duration known only between two bounds, with the likeliest value. `low <= best <= high` always holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// The least it can be.
    #[serde(rename = "low")]
    low: Dur,
    /// The likeliest.
    #[serde(rename = "best")]
    best: Dur,
    /// The most it can be.
    #[serde(rename = "high")]
    high: Dur,
}

impl Interval {
    /// Three durations in any order; they are sorted.
    pub fn new(a: Dur, b: Dur, c: Dur) -> Interval {
        let mut v = [a, b, c];
        v.sort();
        Interval { low: v[0], best: v[1], high: v[2] }
    }
    /// Known exactly.
    pub fn exact(d: Dur) -> Interval {
        Interval { low: d, best: d, high: d }
    }
    /// `best` with an error of `error` on either side, never below zero unless `best` is.
    pub fn around(best: Dur, error: Dur) -> Interval {
        let floor = best.min(Dur::ZERO);
        Interval { low: (best - error.abs()).max(floor), best, high: best + error.abs() }
    }
    /// The least it can be.
    pub fn low(self) -> Dur {
        self.low
    }
    /// The likeliest value.
    pub fn best(self) -> Dur {
        self.best
    }
    /// The most it can be.
    pub fn high(self) -> Dur {
        self.high
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { low: -self.high, best: -self.best, high: -self.low }
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, o: Interval) -> Interval {
        Interval { low: self.low + o.low, best: self.best + o.best, high: self.high + o.high }
    }
}
