// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the difference of two sets of runs comes from, part by part.
//!
//! Medians do not add up: the median of a sum is not the sum of the medians. So the difference of the means is
//! decomposed, which adds up to the nanosecond. The report states how far the difference of the medians is from it.
use std::collections::BTreeMap;

use super::false_discovery::{Candidate, adjusted_p_values, can_matter};
use super::part::{Part, PartKey};
use super::part_column::{PartColumn, columns};
use super::part_move::{PartMove, moves};
use super::run_set::{RunSet, SHORT};
use bootline_capture::units::Dur;
use bootline_records::RecordId;
use bootline_stats::{Samples, p_value};

/// The difference of the means of two sets, by part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decomposition {
    /// Mean of the earlier set. That of the later one is greater by `whole`.
    pub before: Dur,
    /// The whole difference: the sum of the contributions.
    pub whole: Dur,
    /// Every part of either set, those that changed most first.
    pub contributions: Vec<Contribution>,
}

/// How a part changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedChange {
    /// Only the later set has it.
    New,
    /// Only the earlier set has it.
    Gone,
    /// It takes longer.
    Slower,
    /// It takes less.
    Faster,
    /// It takes as long, to the nanosecond.
    Same,
}

/// What one part adds to the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The part.
    pub key: PartKey,
    /// How it changed.
    pub observed: ObservedChange,
    /// Where it moved to within the boot, if it did.
    pub moved: Option<PartMove>,
    /// Work that it adds to the difference.
    pub work: Dur,
    /// Waits for the console that it adds.
    pub console: Dur,
    /// Bytes for the console that it adds, on average.
    pub bytes: i64,
    /// How often chance alone causes a difference this large, adjusted for all parts of its kind; none if all runs of
    /// one set have the part and none of the other, which is not a matter of chance, or if a set has only one run.
    pub p_value: Option<f64>,
    /// Number of runs of the earlier and the later set that have it.
    pub runs: [usize; 2],
    /// The records of it in the later set's median run.
    pub records: Option<(RecordId, RecordId)>,
}

impl Contribution {
    /// Work and waits.
    pub fn total(&self) -> Dur {
        self.work + self.console
    }

    /// Whether chance is an unlikely explanation.
    pub fn is_clear(&self) -> bool {
        self.p_value.is_none_or(|p| p < 0.05) && self.observed != ObservedChange::Same
    }
}

/// Decomposes the difference of the means, `to` minus `from`. Empty if one of them has no runs.
pub fn decompose(from: &RunSet, to: &RunSet) -> Decomposition {
    if from.n() == 0 || to.n() == 0 {
        return Decomposition::default();
    }
    // What a stored baseline has only as a sum, and what is short in the other set as well, is summed there, too.
    let (from, to) = (&alike(from, to), &alike(to, from));
    let (before, after) = (columns(from), columns(to));
    let empty = PartColumn::default();
    let keys: Vec<&PartKey> = before.keys().chain(after.keys().filter(|k| !before.contains_key(*k))).copied().collect();
    let pairs: Vec<(&PartColumn<'_>, &PartColumn<'_>)> =
        keys.iter().map(|k| (before.get(k).unwrap_or(&empty), after.get(k).unwrap_or(&empty))).collect();
    let (n, m) = (from.n() as i128, to.n() as i128);
    let exact = |of: fn(&Part) -> i64| pairs.iter().map(move |(a, b)| b.sum(of) * n - a.sum(of) * m);
    let times: Vec<i128> = exact(|p| p.work.as_nanos()).chain(exact(|p| p.console.as_nanos())).collect();
    let (whole, shares) = apportion(&times, n * m);
    let bytes: Vec<i128> = exact(|p| i64::try_from(p.bytes).unwrap_or(i64::MAX)).collect();
    let (_, bytes) = apportion(&bytes, n * m);
    let p_values = p_values(&pairs, from.n(), to.n());
    let moved = moves(&before, &after);
    // If a damaged baseline names a part twice, the first counts.
    let of_median = to.median_run().into_iter().flat_map(|run| run.parts.iter().rev());
    let of_median: BTreeMap<&PartKey, Option<(RecordId, RecordId)>> = of_median.map(|p| (&p.key, p.records)).collect();
    let mut contributions: Vec<Contribution> = Vec::new();
    for (i, key) in keys.into_iter().enumerate() {
        let (work, console) = (Dur::from_nanos(shares[i]), Dur::from_nanos(shares[i + pairs.len()]));
        let observed = match (pairs[i].0.parts.is_empty(), pairs[i].1.parts.is_empty()) {
            // It was too short to be stored by itself in the baseline.
            (true, _) if from.short.contains(key) => ObservedChange::Slower,
            (true, _) => ObservedChange::New,
            (_, true) if to.short.contains(key) => ObservedChange::Faster,
            (_, true) => ObservedChange::Gone,
            _ if work + console > Dur::ZERO => ObservedChange::Slower,
            _ if work + console < Dur::ZERO => ObservedChange::Faster,
            _ => ObservedChange::Same,
        };
        contributions.push(Contribution {
            key: key.clone(),
            observed,
            moved: moved.get(key).copied(),
            work,
            console,
            bytes: bytes[i],
            p_value: p_values[i],
            runs: [pairs[i].0.parts.len(), pairs[i].1.parts.len()],
            records: of_median.get(key).copied().flatten(),
        });
    }
    contributions.sort_by_key(|c| std::cmp::Reverse(c.total().abs()));
    let before: i128 = pairs.iter().map(|(a, _)| a.sum(|p| p.time().as_nanos())).sum();
    let before = Dur::from_nanos(i64::try_from((before + n / 2).div_euclid(n)).unwrap_or(i64::MAX));
    Decomposition { before, whole: Dur::from_nanos(whole), contributions }
}

/// The set, with the spans that another set has only as a sum also summed here, if they are short here.
fn alike(set: &RunSet, other: &RunSet) -> RunSet {
    let mut set = set.clone();
    if !other.short.is_empty() {
        set.sum_up(&other.short.intersection(&set.short_spans()).cloned().collect());
    }
    set
}

/// Rounds `numerators / denominator` to integers that add up to their rounded sum: each is rounded down, and the
/// remainder goes to those that lost most.
fn apportion(numerators: &[i128], denominator: i128) -> (i64, Vec<i64>) {
    let sum: i128 = numerators.iter().sum();
    let whole = (sum + denominator / 2).div_euclid(denominator);
    let mut shares: Vec<i128> = numerators.iter().map(|v| v.div_euclid(denominator)).collect();
    let mut left = whole - shares.iter().sum::<i128>();
    let mut order: Vec<usize> = (0..numerators.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(numerators[*i].rem_euclid(denominator)));
    for i in order {
        if left == 0 {
            break;
        }
        shares[i] += left.signum();
        left -= left.signum();
    }
    let narrow = |v: i128| i64::try_from(v).unwrap_or(if v < 0 { i64::MIN } else { i64::MAX });
    (narrow(whole), shares.into_iter().map(narrow).collect())
}

/// The p value of each part.
fn p_values(pairs: &[(&PartColumn<'_>, &PartColumn<'_>)], n: usize, m: usize) -> Vec<Option<f64>> {
    let times = |column: &PartColumn<'_>, runs: usize| {
        // A run without the part spent no time in it.
        let missing = runs.saturating_sub(column.parts.len());
        let found = column.parts.iter().map(|p| p.time().as_nanos() as f64);
        Samples::new(found.chain(std::iter::repeat_n(0.0, missing)))
    };
    let tested: Vec<Option<Candidate>> = pairs
        .iter()
        .map(|(a, b)| {
            // In each run of one set and in none of the other: the log shows it, no test is needed.
            let certain = a.parts.is_empty() && b.parts.len() == m || b.parts.is_empty() && a.parts.len() == n;
            if certain || n < 2 || m < 2 {
                return None;
            }
            let (a, b) = (times(a, n)?, times(b, m)?);
            let can_matter = can_matter(&a, &b, SHORT.as_nanos() as f64);
            Some(Candidate { p: p_value(&b, &a), can_matter })
        })
        .collect();
    let is_tested: Vec<bool> = tested.iter().map(Option::is_some).collect();
    let found: Vec<Candidate> = tested.into_iter().flatten().collect();
    let mut adjusted = adjusted_p_values(&found).into_iter();
    is_tested.into_iter().map(|tested| if tested { adjusted.next() } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_add_up(values in prop::collection::vec(-1_000_000_i64..1_000_000, 1..60), by in 1_i64..50) {
            let numerators: Vec<i128> = values.iter().map(|v| i128::from(*v)).collect();
            let (whole, shares) = apportion(&numerators, i128::from(by));
            prop_assert_eq!(shares.iter().sum::<i64>(), whole);
            for (share, value) in shares.iter().zip(&values) {
                prop_assert!((*share as f64 - *value as f64 / by as f64).abs() < 2.0);
            }
        }
    }

    #[test]
    fn what_divides_evenly_is_exact() {
        assert_eq!(apportion(&[40, -20, 0], 20), (1, vec![2, -1, 0]));
        assert_eq!(apportion(&[], 3), (0, vec![]));
        assert_eq!(apportion(&[1, 1, 1], 3).0, 1);
    }
}
