// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers with bounds.
use schemars::JsonSchema;
use serde::Serialize;

/// A duration known between bounds, in nanoseconds: low <= best <= high.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Interval {
    /// Lower bound.
    low: i64,
    /// Best estimate.
    best: i64,
    /// Upper bound.
    high: i64,
}

impl From<bootline_capture::units::Interval> for Interval {
    fn from(i: bootline_capture::units::Interval) -> Interval {
        Interval { low: i.low().as_nanos(), best: i.best().as_nanos(), high: i.high().as_nanos() }
    }
}

/// A figure of several boots with its confidence interval, in the unit of its quantity.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Estimate {
    /// The lower bound.
    low: f64,
    /// The figure itself.
    best: f64,
    /// The upper bound.
    high: f64,
    /// How likely such an interval contains the truth: 0.95, or less if there are too few boots; 0 if there are no
    /// bounds.
    confidence: f64,
}

impl From<bootline_stats::Estimate> for Estimate {
    fn from(e: bootline_stats::Estimate) -> Estimate {
        Estimate { low: e.low, best: e.best, high: e.high, confidence: e.confidence }
    }
}
