// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the runs of an arm fall into two groups. Then its median represents neither group.
//!
//! The sorted values are cut at each gap that leaves at least two values, and a fifth of them, on either side; what is looked
//! at is the gap over the range of the wider group. One group of few values has great gaps too, so the same is done with
//! normally distributed values of the same number: only a gap that less than one in a hundred of those has counts.
//! Fewer than four values cannot be separated into groups, and a gap below 2 % of the median is of no concern.
//! What this misses: groups that overlap, less than a fifth (outliers: a busy host makes some late in most sets of forty),
//! and more than two groups. What it sees in skewed values: `claims.rs`.

use super::random::Random;
use super::samples::Samples;

/// Sets of one group that the gap is compared with, and how many of them may have a greater one.
const SETS: usize = 2000;
const MAY_EXCEED: usize = SETS / 100;
/// As a share of the median.
const LEAST_GAP: f64 = 0.02;

/// Two groups of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    /// How many are in the lower one.
    pub lower: usize,
    /// How many are in the upper one.
    pub upper: usize,
    /// The greatest value of the lower one.
    pub below: f64,
    /// The least value of the upper one.
    pub above: f64,
}

/// The two groups that the samples fall into; none if they are one group, or too few to show two.
pub fn groups(samples: &Samples) -> Option<Groups> {
    let sorted = samples.sorted();
    let (at, clear) = clearest_cut(sorted)?;
    let found = Groups { lower: at, upper: sorted.len() - at, below: sorted[at - 1], above: sorted[at] };
    if found.above - found.below < LEAST_GAP * samples.median().abs() {
        return None;
    }
    let mut random = Random::new(sorted.len() as u64);
    let mut set = vec![0.0; sorted.len()];
    let mut exceed = 0;
    for _ in 0..SETS {
        set.fill_with(|| random.normal());
        set.sort_by(f64::total_cmp);
        exceed += usize::from(clearest_cut(&set).is_some_and(|(_, c)| c >= clear));
        if exceed >= MAY_EXCEED {
            return None;
        }
    }
    Some(found)
}

/// The cut with the largest gap relative to the wider of the two groups, and that ratio.
fn clearest_cut(sorted: &[f64]) -> Option<(usize, f64)> {
    let last = sorted.len().checked_sub(1)?;
    let clearness = |at: usize| {
        let gap = sorted[at] - sorted[at - 1];
        let range = (sorted[at - 1] - sorted[0]).max(sorted[last] - sorted[at]);
        // Two groups of equal values each are as clear as can be; all equal are none.
        if range > 0.0 { gap / range } else { gap * f64::MAX }
    };
    let least = (sorted.len() / 5).max(2);
    (least..=sorted.len().saturating_sub(least))
        .map(|at| (at, clearness(at)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, c)| *c > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f64], expected: Option<(usize, usize)>) {
        let found = groups(&Samples::new(values.iter().copied()).unwrap());
        assert_eq!(found.map(|g| (g.lower, g.upper)), expected, "{values:?}: {found:?}");
    }

    #[test]
    fn two_groups_are_told() {
        // A boot that goes one way or the other.
        check(&[19.9, 13.4, 20.1, 13.5, 20.0, 13.4], Some((3, 3)));
        check(&[1.0, 1.0, 2.0, 2.0], Some((2, 2)));
        check(&[10.0, 10.1, 10.2, 10.1, 30.0, 30.1, 30.2, 10.15], Some((5, 3)));
        let mut many: Vec<f64> = (0..36).map(|n| 10.0 + f64::from(n) / 100.0).collect();
        many.extend([30.0, 30.1, 30.2]);
        check(&many, None);
        many.extend([30.0, 30.1, 30.2, 30.1, 30.2, 30.3]);
        check(&many, Some((36, 9)));
    }

    #[test]
    fn one_group_is_none() {
        check(&[10.0, 10.0, 10.0, 10.0, 10.0], None);
        check(&[10.0, 10.1, 10.3, 10.6, 11.0], None);
        check(&[10.0, 10.1, 10.2, 10.3, 25.0], None);
        check(&[10.0, 10.0001, 10.1, 10.1001], None);
    }

    #[test]
    fn too_few_to_tell() {
        check(&[1.0], None);
        check(&[1.0, 9.0], None);
        check(&[1.0, 1.0, 9.0], None);
        check(&[1.0, 2.0, 9.0, 9.9], None);
    }

    #[test]
    fn chance_rarely_makes_two_groups_of_one() {
        let mut random = Random::new(99);
        for n in [4, 5, 8, 20] {
            let flagged = (0..400)
                .filter(|_| groups(&Samples::new((0..n).map(|_| 100.0 + 20.0 * random.normal())).unwrap()).is_some())
                .count();
            assert!(flagged <= 12, "{flagged} of 400 sets of {n}");
        }
    }
}
