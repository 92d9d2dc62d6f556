// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a series changes its level: after which build a boot has become slower.
//!
//! Candidates are found by energy statistics (E-divisive; Matteson and James 2014), as in Hunter and its successor Otava: the series is cut
//! where both sides differ most, and each side again. Candidates are generous. Then the least one is removed, again and again, until
//! the rank-sum test calls each of the rest a change of the segments that it divides (Fleming, Kolaczkowski and others 2023 do so
//! with Student's test, which outliers deceive).
use super::bootstrap::Estimate;
use super::rank_sum::{difference, p_value};
use super::samples::Samples;

/// The longest series, in values: the memory it takes grows with its square.
pub const MOST_VALUES: usize = 1000;
/// A side of a cut has at least so many values: one alone has no spread.
const SHORTEST: usize = 2;
/// A cut is a candidate up to this p value, uncorrected.
const CANDIDATE: f64 = 0.05;
/// Any value might have been the first of a new level, and the segments that are compared were chosen, too: with this factor at most one
/// of 100 series without a change gives one (claims.rs; 0.2 to 0.6 of 100, of 3000 series each of six shapes).
const LOOKS: f64 = 2.0;

/// What is called a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeLimits {
    /// How often a series without a change may give one: 0.01.
    pub p: f64,
    /// The least change of the median, as a share of the one before: 0.01.
    pub share: f64,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first value of the new level.
    pub index: usize,
    /// How likely a series without a change has one like this anywhere.
    pub p: f64,
    /// The median up to the change before.
    pub before: f64,
    /// The new median, up to the next change.
    pub after: f64,
    /// By how much the values have grown.
    pub difference: Estimate,
}

/// The changes in a series, in order. Of a series longer than [`MOST_VALUES`] only the last ones count; of one that has something else than
/// finite values, none.
pub fn change_points(series: &[f64], limits: ChangeLimits) -> Vec<ChangePoint> {
    let skipped = series.len().saturating_sub(MOST_VALUES);
    let series = &series[skipped..];
    if series.len() < 2 * SHORTEST || series.iter().any(|v| !v.is_finite()) {
        return Vec::new();
    }
    let energy = Energy::new(series);
    let mut cuts = Vec::new();
    candidates(series, &energy, (0, series.len()), &mut cuts);
    cuts.sort_unstable();
    cuts.dedup();
    let cuts = placed(&energy, kept(series, &energy, cuts, limits), series.len());
    let found = cuts.iter().enumerate().filter_map(|(i, &cut)| judged(series, around(&cuts, i, series.len()), cut));
    found
        .map(|mut point| {
            point.index += skipped;
            point
        })
        .collect()
}

/// Cuts a range where it differs most, and both sides again.
fn candidates(series: &[f64], energy: &Energy, (start, end): (usize, usize), cuts: &mut Vec<usize>) {
    let Some((cut, until)) = energy.best_cut(start, end) else { return };
    let (Some(a), Some(b)) = (samples(&series[start..cut]), samples(&series[cut..until])) else { return };
    if p_value(&a, &b) > CANDIDATE {
        return;
    }
    cuts.push(cut);
    if until < end {
        cuts.push(until);
    }
    candidates(series, energy, (start, cut), cuts);
    candidates(series, energy, (cut, end), cuts);
}

/// Removes cuts, one by one, until each of the rest is within the limits: the one across which values differ least. Its p value would not do:
/// a true change next to a wrong one is left with few values, too.
fn kept(series: &[f64], energy: &Energy, mut cuts: Vec<usize>, limits: ChangeLimits) -> Vec<usize> {
    // How much the values differ across a cut that has to go.
    let judge = |cuts: &[usize], i: usize| -> Option<f64> {
        let (from, to) = around(cuts, i, series.len());
        let fails = judged(series, (from, to), cuts[i]).is_none_or(|point| {
            point.p > limits.p || (point.after - point.before).abs() < limits.share * point.before.abs()
        });
        fails.then(|| energy.divergence(from, cuts[i], to))
    };
    let mut judgements: Vec<Option<f64>> = (0..cuts.len()).map(|i| judge(&cuts, i)).collect();
    loop {
        let failing = judgements.iter().enumerate().filter_map(|(i, divergence)| Some((i, (*divergence)?)));
        let Some((worst, _)) = failing.min_by(|a, b| a.1.total_cmp(&b.1)) else { return cuts };
        cuts.remove(worst);
        judgements.remove(worst);
        for i in [worst.checked_sub(1), Some(worst)].into_iter().flatten().filter(|i| *i < cuts.len()) {
            judgements[i] = judge(&cuts, i);
        }
    }
}

/// Moves each cut to where the segments around it differ most, now that those are known.
fn placed(energy: &Energy, mut cuts: Vec<usize>, end: usize) -> Vec<usize> {
    for i in 0..cuts.len() {
        let (from, to) = around(&cuts, i, end);
        if let Some(cut) = energy.best_cut_of_all(from, to) {
            cuts[i] = cut;
        }
    }
    cuts
}

/// The cuts before and after one, or the ends of the series.
fn around(cuts: &[usize], i: usize, end: usize) -> (usize, usize) {
    let from = i.checked_sub(1).map_or(0, |before| cuts[before]);
    (from, cuts.get(i + 1).copied().unwrap_or(end))
}

fn judged(series: &[f64], (from, to): (usize, usize), cut: usize) -> Option<ChangePoint> {
    let (before, after) = (samples(&series[from..cut])?, samples(&series[cut..to])?);
    let p = (p_value(&before, &after) * LOOKS * (series.len() - 1) as f64).min(1.0);
    let difference = difference(&after, &before);
    Some(ChangePoint { index: cut, p, before: before.median(), after: after.median(), difference })
}

fn samples(values: &[f64]) -> Option<Samples> {
    Samples::new(values.iter().copied())
}

/// The distances within each range of a series.
struct Energy {
    n: usize,
    /// The sum of distances between the values from the row's on up to the column's, without it.
    within: Vec<f64>,
    /// 1/k, for each k up to the number of values: divisions would take most of the time.
    inverse: Vec<f64>,
}

impl Energy {
    fn new(series: &[f64]) -> Energy {
        let n = series.len();
        let row = n + 1;
        let mut within = vec![0.0; row * row];
        for end in 2..=n {
            let (last, mut to_last) = (series[end - 1], 0.0);
            for start in (0..end - 1).rev() {
                to_last += (series[start] - last).abs();
                within[start * row + end] = within[start * row + end - 1] + to_last;
            }
        }
        Energy { n, within, inverse: (0..=n).map(|k| 1.0 / k as f64).collect() }
    }

    fn within(&self, start: usize, end: usize) -> f64 {
        self.within[start * (self.n + 1) + end]
    }

    /// How much what lies on both sides of a cut differs: twice the mean distance across it less those within, weighted by the sizes.
    fn divergence(&self, start: usize, cut: usize, end: usize) -> f64 {
        let (n, m) = ((cut - start) as f64, (end - cut) as f64);
        let (left, right) = (self.within(start, cut), self.within(cut, end));
        let across = self.within(start, end) - left - right;
        let mean = |sum: f64, n: f64| 2.0 * sum / (n * (n - 1.0));
        n * m / (n + m) * (2.0 * across / (n * m) - mean(left, n) - mean(right, m))
    }

    /// The cut of a range, and up to where the new level lasts: it may end within the range.
    fn best_cut(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let row = self.n + 1;
        let mut best = (f64::NEG_INFINITY, None);
        for cut in start + SHORTEST..(end + 1).saturating_sub(SHORTEST) {
            let (n, left) = (cut - start, self.within(start, cut));
            let (own, of_left) = (n as f64, left * self.inverse[n - 1]);
            // As `divergence`, for each end of the new level: its size m is what goes on.
            let all = &self.within[start * row + cut + SHORTEST..=start * row + end];
            let right = &self.within[cut * row + cut + SHORTEST..=cut * row + end];
            let (of_size, of_all) = (&self.inverse[SHORTEST - 1..], &self.inverse[n + SHORTEST..]);
            for (k, (((all, right), of_size), of_all)) in all.iter().zip(right).zip(of_size).zip(of_all).enumerate() {
                let m = (k + SHORTEST) as f64;
                let rated = 2.0 * of_all * (all - left - right - of_left * m - right * of_size * own);
                if rated >= best.0 {
                    best = (rated, Some((cut, cut + SHORTEST + k)));
                }
            }
        }
        best.1
    }

    /// The same, with all of the range.
    fn best_cut_of_all(&self, start: usize, end: usize) -> Option<usize> {
        let cuts = start + SHORTEST..=end.saturating_sub(SHORTEST);
        cuts.max_by(|a, b| self.divergence(start, *a, end).total_cmp(&self.divergence(start, *b, end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const LIMITS: ChangeLimits = ChangeLimits { p: 0.01, share: 0.01 };

    fn series(random: &mut Random, levels: &[(usize, f64)], noise: f64) -> Vec<f64> {
        levels
            .iter()
            .flat_map(|(n, level)| vec![*level; *n])
            .map(|level| level * (1.0 + noise * random.normal()))
            .collect()
    }

    fn places(series: &[f64]) -> Vec<usize> {
        change_points(series, LIMITS).iter().map(|c| c.index).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let mut random = Random::new(1);
        assert_eq!(places(&series(&mut random, &[(100, 10.0), (100, 11.0)], 0.01)), [100]);
        assert_eq!(places(&series(&mut random, &[(50, 10.0), (30, 11.0), (60, 9.0)], 0.01)), [50, 80]);
        // Back to where it was.
        assert_eq!(places(&series(&mut random, &[(100, 10.0), (10, 11.0), (100, 10.0)], 0.01)), [100, 110]);
        // Five builds after the step.
        assert_eq!(places(&series(&mut random, &[(60, 10.0), (5, 10.5)], 0.005)), [60]);
    }

    #[test]
    fn a_change_is_described() {
        let mut values = vec![10.0; 30];
        values.extend([12.0; 30]);
        let point = change_points(&values, LIMITS)[0];
        assert_eq!((point.index, point.before, point.after), (30, 10.0, 12.0));
        assert_eq!((point.difference.low, point.difference.best, point.difference.high), (2.0, 2.0, 2.0));
        assert!(point.p < 1e-6);
    }

    #[test]
    fn what_is_no_change() {
        assert!(places(&[]).is_empty());
        assert!(places(&[1.0]).is_empty());
        assert!(places(&[5.0; 50]).is_empty());
        assert!(places(&[0.0; 50]).is_empty());
        let outlier: Vec<f64> = (0..50).map(|i| if i == 25 { 1e9 } else { f64::from(i % 3) }).collect();
        assert!(places(&outlier).is_empty());
        // Too little to matter, however certain.
        let small: Vec<f64> = (0..200).map(|i| if i < 100 { 10.0 } else { 10.05 }).collect();
        assert!(places(&small).is_empty());
        // Too few to know.
        assert!(places(&[1.0, 1.0, 2.0, 2.0]).is_empty());
        assert!(places(&[1.0, f64::NAN, 2.0, f64::INFINITY, 1.0, 2.0]).is_empty());
    }

    #[test]
    fn the_best_cut_is_the_one_with_the_greatest_divergence() {
        let mut random = Random::new(3);
        let values = series(&mut random, &[(13, 10.0), (9, 11.0), (8, 10.5)], 0.02);
        let energy = Energy::new(&values);
        for (start, end) in [(0, 30), (5, 20), (3, 7), (10, 30)] {
            let (cut, until) = energy.best_cut(start, end).unwrap();
            let best = energy.divergence(start, cut, until);
            let all = (start + SHORTEST..end).flat_map(|cut| (cut + SHORTEST..=end).map(move |until| (cut, until)));
            let greatest = all.map(|(cut, until)| energy.divergence(start, cut, until)).fold(f64::MIN, f64::max);
            assert!((best - greatest).abs() <= 1e-9 * greatest.abs(), "{start}..{end}");
        }
        assert_eq!(energy.best_cut(4, 7), None);
    }

    #[test]
    fn of_a_long_series_the_end_counts() {
        let mut random = Random::new(2);
        let found = places(&series(&mut random, &[(100, 20.0), (900, 10.0), (300, 11.0)], 0.01));
        assert_eq!(found, [1000]);
    }
}
