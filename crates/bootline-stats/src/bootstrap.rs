// SPDX-License-Identifier: MIT OR Apache-2.0
//! Intervals by the percentile bootstrap: the samples are drawn again and again from themselves, and the middle 95 % of
//! what comes out is the interval (Efron and Tibshirani 1993, chapter 13).
//!
//! Few samples can't carry that claim. The median lies between the least and the greatest of n samples in 1 - 2^(1-n) of
//! all cases, and no resampling gets further out: 75 % with three, 87.5 % with four, 93.75 % with five. So an estimate
//! carries the confidence that its number of samples can give.
//!
//! A few more than that, and the median's resamples stick to single values: with seven the percentiles are the second and
//! the sixth, which hold the median in 87.5 % of cases. So the interval of a single median is never narrower than the pair of
//! samples that holds it in 95 % of cases whatever the distribution (the sign test's; Conover 1999, section 3.2).
use serde::Serialize;

use super::random::Random;
use super::samples::{Samples, middle};

/// How often is drawn. Enough for the bounds to stand still in their second figure.
const DRAWS: usize = 4000;
/// Nominal confidence.
const CONFIDENCE: f64 = 0.95;

/// A value with its interval. `low <= best <= high` always holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The lower bound.
    pub low: f64,
    /// The value itself.
    pub best: f64,
    /// The upper bound.
    pub high: f64,
    /// Share of cases in which such an interval contains the truth: 0.95, or less if there are too few samples.
    pub confidence: f64,
}

impl Estimate {
    /// The interval's width.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// The confidence of an interval from `n` samples: 0.95 from six on.
pub fn confidence(n: usize) -> f64 {
    CONFIDENCE.min(1.0 - 0.5_f64.powf(n.max(1) as f64 - 1.0))
}

/// The median.
pub fn median(samples: &Samples, seed: u64) -> Estimate {
    let drawn = bootstrap([samples], seed, |[m]| m);
    let (low, high) = sign_test_bounds(samples.sorted());
    Estimate { low: drawn.low.min(low), high: drawn.high.max(high), ..drawn }
}

/// The innermost pair of samples, as far from either end, that holds the median in 95 % of cases; of fewer than six the
/// outermost pair, which doesn't.
fn sign_test_bounds(sorted: &[f64]) -> (f64, f64) {
    let last = sorted.len() - 1;
    // How many samples lie below the median is as many heads in as many throws.
    let mut exactly = 0.5_f64.powf(sorted.len() as f64);
    let mut at_most = exactly;
    let mut k = 0;
    while k < last / 2 {
        exactly *= (last + 1 - k) as f64 / (k + 1) as f64;
        at_most += exactly;
        if 2.0 * at_most > 1.0 - CONFIDENCE {
            break;
        }
        k += 1;
    }
    (sorted[k], sorted[last - k])
}

/// The ratio of two medians, `a` to `of`. None if `of` contains a value that is not above 0.
pub fn ratio_of_medians(a: &Samples, of: &Samples, seed: u64) -> Option<Estimate> {
    (of.least() > 0.0).then(|| bootstrap([a, of], seed, |[a, of]| a / of))
}

/// The difference of two medians, `a` less `from`.
pub fn difference_of_medians(a: &Samples, from: &Samples, seed: u64) -> Estimate {
    bootstrap([a, from], seed, |[a, from]| a - from)
}

fn bootstrap<const N: usize>(of: [&Samples; N], seed: u64, statistic: impl Fn([f64; N]) -> f64) -> Estimate {
    let mut random = Random::new(seed);
    let best = statistic(of.map(Samples::median));
    let mut drawn = Vec::new();
    let mut values: Vec<f64> = (0..DRAWS)
        .map(|_| {
            statistic(of.map(|samples| {
                let from = samples.sorted();
                drawn.clear();
                drawn.extend((0..from.len()).map(|_| from[random.below(from.len())]));
                drawn.sort_by(f64::total_cmp);
                middle(&drawn)
            }))
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let beyond = ((1.0 - CONFIDENCE) / 2.0 * DRAWS as f64) as usize;
    let n = of.iter().map(|s| s.n()).min().unwrap_or(1);
    Estimate {
        low: values[beyond].min(best),
        best,
        high: values[DRAWS - 1 - beyond].max(best),
        confidence: confidence(n),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples(values: &[f64]) -> Samples {
        Samples::new(values.iter().copied()).unwrap()
    }

    #[test]
    fn few_samples_give_their_range_and_say_what_it_is_worth() {
        let check = |values: &[f64], expected: (f64, f64, f64, f64)| {
            let e = median(&samples(values), 1);
            assert_eq!((e.low, e.best, e.high, e.confidence), expected, "{values:?}");
        };
        check(&[7.0], (7.0, 7.0, 7.0, 0.0));
        check(&[1.0, 2.0, 4.0], (1.0, 2.0, 4.0, 0.75));
        check(&[1.0, 2.0, 4.0, 8.0, 16.0], (1.0, 4.0, 16.0, 0.9375));
        assert_eq!(confidence(6), 0.95);
    }

    #[test]
    fn which_samples_bound_the_median() {
        // From the tables of the sign test's intervals: the ranks from below, and from above.
        for (n, rank) in [(1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (20, 6), (30, 10)] {
            let sorted: Vec<f64> = (1..=n).map(f64::from).collect();
            let expected = (f64::from(rank), f64::from(n + 1 - rank));
            assert_eq!(sign_test_bounds(&sorted), expected, "of {n}");
        }
    }

    #[test]
    fn more_samples_narrow_the_interval() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..400).map(|_| 100.0 + random.normal()).collect();
        let (few, many) = (median(&samples(&values[..25]), 1), median(&samples(&values), 1));
        assert!(many.width() < few.width() / 2.0, "{few:?} {many:?}");
        // The median's standard error is 1.2533 / sqrt(n).
        assert!((0.15..0.40).contains(&many.width()), "{many:?}");
    }

    #[test]
    fn ratios_and_differences() {
        let (a, b) = (samples(&[20.0, 21.0, 22.0]), samples(&[10.0, 10.5, 11.0]));
        let ratio = ratio_of_medians(&a, &b, 1).unwrap();
        assert_eq!(ratio.best, 2.0);
        assert_eq!((ratio.low, ratio.high), (20.0 / 11.0, 2.2));
        assert_eq!(difference_of_medians(&a, &b, 1).best, 10.5);
        assert_eq!(ratio_of_medians(&a, &samples(&[0.0, 1.0]), 1), None);
    }

    /// Of many sets from one distribution the interval of nearly all, but not of all, holds the true median.
    #[track_caller]
    fn check_coverage(n: usize, at_least: usize, draw: impl Fn(&mut Random) -> f64, truth: f64) {
        let mut random = Random::new(42);
        let holds = (0..300)
            .filter(|seed| {
                let set = Samples::new((0..n).map(|_| draw(&mut random))).unwrap();
                let e = median(&set, *seed);
                e.low <= truth && truth <= e.high
            })
            .count();
        assert!((at_least..300).contains(&holds), "{holds} of 300 with n = {n}");
    }

    #[test]
    fn the_interval_covers_what_it_says() {
        check_coverage(5, 270, Random::normal, 0.0);
        // By the percentiles alone about 261 and 270.
        check_coverage(7, 279, Random::normal, 0.0);
        check_coverage(9, 279, Random::normal, 0.0);
        check_coverage(10, 273, Random::normal, 0.0);
        check_coverage(20, 276, Random::normal, 0.0);
        // Skewed as a busy host makes times; its median is ln 2.
        check_coverage(10, 273, |r| -(1.0 - r.unit()).ln(), std::f64::consts::LN_2);
        check_coverage(3, 210, Random::normal, 0.0);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median(values in prop::collection::vec(-1e9..1e9_f64, 1..30), seed: u64) {
            let set = samples(&values);
            let e = median(&set, seed);
            prop_assert!(e.low <= e.best && e.best <= e.high);
            prop_assert_eq!(e.best, set.median());
            prop_assert!(set.least() <= e.low && e.high <= set.greatest());
        }

        #[test]
        fn it_shifts_with_the_data(values in prop::collection::vec(0_i32..1000, 1..20), by in 0_i32..1000, seed: u64) {
            // Whole numbers, so that sums are exact; the order of the values must not matter either.
            let set = samples(&values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
            let shifted = samples(&values.iter().rev().map(|v| f64::from(*v + by)).collect::<Vec<_>>());
            let (e, s) = (median(&set, seed), median(&shifted, seed));
            let by = f64::from(by);
            prop_assert_eq!((e.low + by, e.best + by, e.high + by), (s.low, s.best, s.high));
        }

        #[test]
        fn a_ratio_to_itself_holds_one(values in prop::collection::vec(1e-3..1e9_f64, 1..20), seed: u64) {
            let set = samples(&values);
            let e = ratio_of_medians(&set, &set, seed).unwrap();
            prop_assert!(e.low <= 1.0 && 1.0 <= e.high && e.best == 1.0);
        }
    }
}
