// SPDX-License-Identifier: MIT OR Apache-2.0
//! How one quantity differs between two sets of runs, and whether the difference counts.
//!
//! Three questions, asked one after the other, as Firecracker's tools/ab_test.py does: can chance explain it
//! (significance)? Is it large enough to care about (effect)? Is it more than the same system varies from day to day on
//! this machine (noise), which the runs themselves cannot show?

use super::quantity::{Quantity, Unit};
use super::run_set::{RunSet, SHORT};
use bootline_capture::units::Dur;
use bootline_stats::{Estimate, Groups, Samples, difference, groups, median, p_value};

/// What a difference must exceed to count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Largest p value that counts as significant.
    pub significance: f64,
    /// Smaller differences of times are ignored.
    pub effect: Dur,
    /// Differences of times below this share of the earlier median count as noise of the machine. How much a kernel
    /// prints does not vary from day to day.
    pub noise: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds { significance: 0.05, effect: Dur::from_millis(1), noise: 0.01 }
    }
}

/// Whether a difference counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// More: slower, for a time.
    More,
    /// Less: faster, for a time.
    Less,
    /// Chance may explain it.
    NotSignificant,
    /// Not chance, but too small to care about.
    TooSmall,
    /// Not chance, but within the machine's own noise.
    Noise,
    /// Too few runs for any verdict.
    TooFew,
    /// Only the later set has it.
    New,
    /// Only the earlier set has it.
    Gone,
}

/// The values of a quantity in one set, summarised.
#[derive(Clone, Debug, PartialEq)]
pub struct SetSummary {
    /// Number of runs that have it.
    pub runs: usize,
    /// Their median.
    pub median: Estimate,
    /// Two groups, if the runs fall into two (for times, a millisecond or more apart): the median represents neither.
    pub groups: Option<Groups>,
    /// The value of each run, in the order of the runs; empty if runs are not identified.
    pub values: Vec<Option<i64>>,
}

impl SetSummary {
    /// Of at least one number.
    pub fn of(samples: &Samples, runs: usize, unit: Unit) -> SetSummary {
        // Durations of a few microseconds are quantised by the clock.
        let counts = |g: &Groups| unit != Unit::Ns || g.above - g.below >= SHORT.as_nanos() as f64;
        SetSummary { runs, median: median(samples, 0), groups: groups(samples).filter(counts), values: Vec::new() }
    }
}

impl SetSummary {
    /// With what each run has; zero where none has it.
    fn of_set(samples: &Samples, quantity: &Quantity, set: &RunSet) -> SetSummary {
        let runs = set.present(quantity);
        let values = if runs > 0 { set.numbers(quantity) } else { vec![Some(0); set.n()] };
        SetSummary { values, ..SetSummary::of(samples, runs, quantity.unit()) }
    }
}

/// How a quantity differs.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantityChange {
    /// Which.
    pub quantity: Quantity,
    /// Nanoseconds or bytes.
    pub unit: Unit,
    /// Of the earlier set.
    pub from: Option<SetSummary>,
    /// Of the later one.
    pub to: Option<SetSummary>,
    /// Later minus earlier; none if one set does not have it.
    pub difference: Option<Estimate>,
    /// How often chance alone makes a difference this large. For one of hundreds (initcalls, probes) it is adjusted for all of
    /// them together (Benjamini and Hochberg 1995).
    pub p_value: Option<f64>,
    /// Whether the difference counts.
    pub verdict: ChangeVerdict,
}

impl QuantityChange {
    /// Compares a quantity; none where neither set has it.
    pub(super) fn of(quantity: &Quantity, from: &RunSet, to: &RunSet) -> Option<QuantityChange> {
        let (mut before, mut after) = (from.values(quantity), to.values(quantity));
        // What only some runs of a set have may be there by chance; in the others it took no time.
        let comes_and_goes = |set: &RunSet| set.present(quantity) < set.n();
        if before.is_none() && comes_and_goes(to) {
            before = from.none_of(quantity);
        } else if after.is_none() && comes_and_goes(from) {
            after = to.none_of(quantity);
        }
        let verdict = match (&before, &after) {
            (None, None) => return None,
            (None, Some(_)) => ChangeVerdict::New,
            (Some(_), None) => ChangeVerdict::Gone,
            // Set once all p values are known.
            (Some(_), Some(_)) => ChangeVerdict::TooFew,
        };
        let both = before.as_ref().zip(after.as_ref());
        Some(QuantityChange {
            quantity: quantity.clone(),
            unit: quantity.unit(),
            from: before.as_ref().map(|s| SetSummary::of_set(s, quantity, from)),
            to: after.as_ref().map(|s| SetSummary::of_set(s, quantity, to)),
            difference: both.map(|(before, after)| difference(after, before)),
            p_value: both.map(|(before, after)| p_value(after, before)),
            verdict,
        })
    }

    /// Whether the difference counts: more, less, new or gone.
    pub fn differs(&self) -> bool {
        use ChangeVerdict::{Gone, Less, More, New};
        matches!(self.verdict, More | Less | New | Gone)
    }

    /// Whether it differs, or there are too few runs to rule that out.
    pub fn may_differ(&self, thresholds: &Thresholds) -> bool {
        let least = if self.unit == Unit::Ns { thresholds.effect.as_nanos() as f64 } else { 1.0 };
        self.differs() || self.verdict == ChangeVerdict::TooFew && self.adds().abs() >= least
    }

    /// By how much it differs; its whole value if one set does not have it.
    pub fn adds(&self) -> f64 {
        let median = |s: &Option<SetSummary>| s.as_ref().map_or(0.0, |s| s.median.best);
        self.difference.map_or_else(|| median(&self.to) - median(&self.from), |d| d.best)
    }

    /// Whether the runs of a set fall into two groups.
    pub fn has_groups(&self) -> bool {
        [&self.from, &self.to].into_iter().flatten().any(|s| s.groups.is_some())
    }

    pub(super) fn judge(&mut self, thresholds: &Thresholds) {
        let (Some(difference), Some(from), Some(p)) = (self.difference, &self.from, self.p_value) else { return };
        let size = difference.best.abs();
        // Ranks can separate sets whose medians are practically equal or differ in the other direction; those get no
        // verdict.
        let holds_zero = difference.low <= 0.0 && difference.high >= 0.0;
        let time = self.unit == Unit::Ns;
        self.verdict = if difference.confidence < 0.95 {
            ChangeVerdict::TooFew
        } else if p > thresholds.significance || holds_zero {
            ChangeVerdict::NotSignificant
        } else if time && size < thresholds.effect.as_nanos() as f64 {
            ChangeVerdict::TooSmall
        } else if time && size < thresholds.noise * from.median.best.abs() {
            ChangeVerdict::Noise
        } else if difference.best > 0.0 {
            ChangeVerdict::More
        } else {
            ChangeVerdict::Less
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_clock_are_no_groups() {
        let check = |values: [f64; 4], unit, expected: bool| {
            let summary = SetSummary::of(&Samples::new(values).unwrap(), 4, unit);
            assert_eq!(summary.groups.is_some(), expected, "{values:?} {unit:?}");
        };
        check([4e3, 4e3, 5e3, 5e3], Unit::Ns, false);
        check([4e3, 4e3, 5e3, 5e3], Unit::Bytes, true);
        check([100e6, 100e6, 300e6, 300e6], Unit::Ns, true);
    }
}
