// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts on claims and predictions about runs: held, refuted or inconclusive, each with its reason.
use std::fmt;

use serde::{Serialize, Serializer};

use super::bootstrap::Estimate;

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// The runs agree with it.
    Held,
    /// They contradict it.
    Refuted,
    /// The runs support neither.
    Inconclusive,
}

/// What became of a statement, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The short of it.
    #[serde(rename = "verdict")]
    pub outcome: VerdictKind,
    /// Why.
    #[serde(serialize_with = "in_words")]
    pub reason: Reason,
}

/// Why.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The predicted and the measured interval have values in common.
    Overlap,
    /// They have none, but the best prediction is close to the median.
    Near {
        /// As a share of the median, with its sign.
        error: f64,
    },
    /// They have none.
    Apart {
        /// As a share of the median, with its sign.
        error: f64,
    },
    /// Too few valid runs.
    TooFew {
        /// There are so many.
        valid: usize,
        /// There should be so many.
        needed: usize,
    },
    /// The measured interval is too wide to support a verdict.
    TooWide {
        /// As a share of the median.
        width: f64,
    },
    /// The predicted interval is so wide that it would contain almost anything.
    TooVague {
        /// As a share of the median.
        width: f64,
    },
    /// All of the interval is within the claim's limits.
    Within,
    /// All of it is beyond one.
    Beyond {
        /// The limit.
        limit: f64,
    },
    /// A limit lies in it.
    SpansLimit {
        /// The limit.
        limit: f64,
    },
    /// What the statement is about was not measured.
    NotMeasured,
}

impl Verdict {
    /// Whether it is open only because runs are lacking.
    pub fn lacks_runs(&self) -> bool {
        self.outcome == VerdictKind::Inconclusive && matches!(self.reason, Reason::TooFew { .. } | Reason::NotMeasured)
    }

    /// Whether more runs may decide it. A prediction that is too vague stays so.
    pub fn may_be_decided(&self) -> bool {
        self.outcome == VerdictKind::Inconclusive && !matches!(self.reason, Reason::TooVague { .. })
    }
}

/// When a prediction may be judged, and how close is close enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Valid runs that it takes.
    pub runs: usize,
    /// The widest interval, measured or predicted, as a share of the median.
    pub width: f64,
    /// How far the best prediction may be from the median, as a share of it.
    pub error: f64,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { runs: 3, width: 0.5, error: 0.08 }
    }
}

/// Judges the prediction `low..best..high` by the median of `n` runs. A vague one can be refuted, but holds only if its
/// best estimate is close.
pub fn judge_prediction(
    (low, best, high): (f64, f64, f64),
    measured: Estimate,
    n: usize,
    tolerance: Tolerance,
) -> Verdict {
    let error = best / measured.best - 1.0;
    let share = |width: f64| width / measured.best.abs();
    let (width, vague) = (share(measured.width()), share(high - low));
    let inconclusive = |reason| Verdict { outcome: VerdictKind::Inconclusive, reason };
    let held = |reason| Verdict { outcome: VerdictKind::Held, reason };
    if n < tolerance.runs {
        inconclusive(Reason::TooFew { valid: n, needed: tolerance.runs })
    } else if width > tolerance.width {
        inconclusive(Reason::TooWide { width })
    } else if low <= measured.high && measured.low <= high {
        if vague > tolerance.width && error.abs() > tolerance.error {
            inconclusive(Reason::TooVague { width: vague })
        } else {
            held(Reason::Overlap)
        }
    } else if error.abs() <= tolerance.error {
        held(Reason::Near { error })
    } else {
        Verdict { outcome: VerdictKind::Refuted, reason: Reason::Apart { error } }
    }
}

/// The limits that a claim sets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClaimLimits {
    /// Lower limit.
    pub at_least: Option<f64>,
    /// Upper limit.
    pub at_most: Option<f64>,
}

/// Judges a claim by an estimate from at least `n` runs on each side: held if the whole interval is within the limits,
/// refuted if the whole interval is beyond one, else inconclusive.
pub fn judge_claim(limits: ClaimLimits, estimate: Estimate, n: usize, needed: usize) -> Verdict {
    if n < needed {
        return Verdict { outcome: VerdictKind::Inconclusive, reason: Reason::TooFew { valid: n, needed } };
    }
    let below = limits.at_least.filter(|l| estimate.low < *l).map(|l| (l, estimate.high < l));
    let above = limits.at_most.filter(|l| estimate.high > *l).map(|l| (l, estimate.low > l));
    let broken = [below, above];
    if let Some((limit, _)) = broken.iter().flatten().find(|(_, whole)| *whole) {
        return Verdict { outcome: VerdictKind::Refuted, reason: Reason::Beyond { limit: *limit } };
    }
    match broken.iter().flatten().next() {
        Some((limit, _)) => {
            Verdict { outcome: VerdictKind::Inconclusive, reason: Reason::SpansLimit { limit: *limit } }
        }
        None => Verdict { outcome: VerdictKind::Held, reason: Reason::Within },
    }
}

fn in_words<S: Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(reason)
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            VerdictKind::Held => "held",
            VerdictKind::Refuted => "refuted",
            VerdictKind::Inconclusive => "inconclusive",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Overlap => f.write_str("the predicted and the measured interval overlap"),
            Reason::Near { error } => {
                write!(f, "the intervals are apart, but the prediction is within {:+.1} % of the median", error * 100.0)
            }
            Reason::Apart { error } => {
                write!(f, "the intervals are apart, and the prediction is {:+.1} % off the median", error * 100.0)
            }
            Reason::TooFew { valid, needed } => write!(f, "{valid} valid runs of the {needed} that it takes"),
            Reason::TooWide { width } => {
                write!(f, "the measured interval is {:.0} % of the median wide", width * 100.0)
            }
            Reason::TooVague { width } => {
                write!(f, "the predicted interval is {:.0} % of the median wide", width * 100.0)
            }
            Reason::Within => f.write_str("the whole interval is within the claim"),
            Reason::Beyond { limit } => write!(f, "the whole interval is beyond {limit}"),
            Reason::SpansLimit { limit } => write!(f, "{limit} lies within the interval"),
            Reason::NotMeasured => f.write_str("not measured"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, best: f64, high: f64) -> Estimate {
        Estimate { low, best, high, confidence: 0.95 }
    }

    #[test]
    fn predictions() {
        let check = |predicted, measured: (f64, f64, f64), n, expected: (VerdictKind, &str)| {
            let measured = estimate(measured.0, measured.1, measured.2);
            let verdict = judge_prediction(predicted, measured, n, Tolerance::default());
            assert_eq!((verdict.outcome, verdict.reason.to_string().as_str()), expected, "{predicted:?}");
        };
        use VerdictKind::{Held, Inconclusive, Refuted};
        let overlap = "the predicted and the measured interval overlap";
        check((9.0, 10.0, 11.0), (10.5, 11.0, 12.0), 5, (Held, overlap));
        check((9.0, 10.0, 10.5), (10.5, 11.0, 12.0), 5, (Held, overlap));
        let near = "the intervals are apart, but the prediction is within -5.0 % of the median";
        check((9.4, 9.5, 9.6), (9.9, 10.0, 10.1), 5, (Held, near));
        let apart = "the intervals are apart, and the prediction is +20.0 % off the median";
        check((11.0, 12.0, 13.0), (9.9, 10.0, 10.1), 5, (Refuted, apart));
        check((1.0, 1.0, 1.0), (9.9, 10.0, 10.1), 2, (Inconclusive, "2 valid runs of the 3 that it takes"));
        let wide = "the measured interval is 60 % of the median wide";
        check((1.0, 1.0, 1.0), (8.0, 10.0, 14.0), 5, (Inconclusive, wide));
        // A claim that would hold for any measurement predicts nothing, unless its best estimate does.
        let vague = "the predicted interval is 990 % of the median wide";
        check((1.0, 50.0, 100.0), (9.9, 10.0, 10.1), 5, (Inconclusive, vague));
        check((1.0, 10.5, 100.0), (9.9, 10.0, 10.1), 5, (Held, overlap));
        let apart = "the intervals are apart, and the prediction is +400.0 % off the median";
        check((20.0, 50.0, 100.0), (9.9, 10.0, 10.1), 5, (Refuted, apart));
        let judge = |predicted, n| judge_prediction(predicted, estimate(9.9, 10.0, 10.1), n, Tolerance::default());
        assert!(judge((1.0, 1.0, 1.0), 2).may_be_decided());
        assert!(!judge((1.0, 50.0, 100.0), 5).may_be_decided(), "it stays vague");
        assert!(!judge((9.0, 10.0, 11.0), 5).may_be_decided(), "it is decided");
    }

    #[test]
    fn claims() {
        let check = |at_least, at_most, (low, high), expected: (VerdictKind, &str)| {
            let verdict = judge_claim(ClaimLimits { at_least, at_most }, estimate(low, low, high), 5, 3);
            assert_eq!((verdict.outcome, verdict.reason.to_string().as_str()), expected);
        };
        use VerdictKind::{Held, Inconclusive, Refuted};
        let within = (Held, "the whole interval is within the claim");
        check(Some(5.0), None, (5.1, 6.0), within);
        check(Some(5.0), None, (5.0, 6.0), within);
        check(None, Some(6.0), (5.0, 6.0), within);
        check(Some(5.0), Some(6.0), (5.0, 6.0), within);
        check(Some(5.0), None, (4.0, 4.9), (Refuted, "the whole interval is beyond 5"));
        check(None, Some(1.1), (1.2, 1.3), (Refuted, "the whole interval is beyond 1.1"));
        check(Some(5.0), None, (4.9, 5.1), (Inconclusive, "5 lies within the interval"));
        check(Some(5.0), Some(6.0), (4.0, 7.0), (Inconclusive, "5 lies within the interval"));
        let few = judge_claim(ClaimLimits::default(), estimate(1.0, 1.0, 1.0), 2, 3);
        assert!(few.lacks_runs() && few.may_be_decided());
    }

    #[test]
    fn a_verdict_in_json() {
        let verdict = Verdict { outcome: VerdictKind::Inconclusive, reason: Reason::TooFew { valid: 2, needed: 3 } };
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(json, r#"{"verdict":"inconclusive","reason":"2 valid runs of the 3 that it takes"}"#);
    }
}
