// SPDX-License-Identifier: MIT OR Apache-2.0
//! By how much the values of one set are greater than those of another, with an interval that few values don't make too
//! narrow: the one that inverts the rank-sum test (Wilcoxon 1945; Hodges and Lehmann 1963; Conover 1999, section 5.4).
//!
//! It holds whatever the distribution, provided that the sets differ by a shift. Where they differ in shape as well it says
//! whether one tends to be greater. Its confidence can't be had from any number of values: 3 + 3 give at most 90 %, 4 + 4
//! are the fewest of equal sets for 95 %, and a single value needs 39 to be compared with.
use super::bootstrap::Estimate;
use super::mann_whitney;
use super::random::Random;
use super::samples::{Samples, middle};

const CONFIDENCE: f64 = 0.95;
/// Sets are counted out while it takes no more than so many additions: 15 + 15, and 1 + 60 or 2 + 40, of which the normal
/// distribution, as good for even sets beyond, knows little.
const COUNTED: usize = 220_000;
/// 97.5 % of a normal distribution lie below this many standard deviations.
const Z: f64 = 1.959_964;

/// The difference of two medians, `a` minus `from`, with the interval of the shift between the sets, widened to contain
/// it.
pub fn difference(a: &Samples, from: &Samples) -> Estimate {
    let best = a.median() - from.median();
    let mut pairs: Vec<f64> = Vec::new();
    pairwise(a.sorted(), from.sorted(), &mut pairs);
    let k = beyond(a.n(), from.n());
    let from_above = pairs.len() - 1 - k;
    let mut at = |k: usize| *pairs.select_nth_unstable_by(k, f64::total_cmp).1;
    Estimate {
        low: at(k).min(best),
        best,
        high: at(from_above).max(best),
        confidence: confidence_of_difference(a.n(), from.n()),
    }
}

/// Share of cases in which the interval from `n` and `m` values contains the truth: 0.95, or less if there are too few.
pub fn confidence_of_difference(n: usize, m: usize) -> f64 {
    CONFIDENCE.min(confidence_of_any(n, m))
}

/// The highest confidence that `n` and `m` values can give for any difference; 1 minus the smallest p value.
pub fn confidence_of_any(n: usize, m: usize) -> f64 {
    1.0 - 2.0 / ways(n.max(1), m.max(1))
}

/// Fewest values that, compared with `m` others, give a 95 % interval; `None` if no number does.
pub fn min_runs_against(m: usize) -> Option<usize> {
    (1..=40).find(|n| confidence_of_difference(*n, m) >= CONFIDENCE)
}

/// How likely sets that don't differ are to be as far apart as these, to either side.
pub fn p_value(a: &Samples, b: &Samples) -> f64 {
    // The subsets of the smaller one are fewer.
    let (a, b) = if a.n() <= b.n() { (a, b) } else { (b, a) };
    let (n, m) = (a.n(), b.n());
    let (ranks, ties) = double_ranks(a.sorted(), b.sorted());
    let (own, all): (usize, usize) = (ranks.iter().take(n).sum(), ranks.iter().sum());
    let mean = all as f64 * n as f64 / (n + m) as f64;
    let off = (own as f64 - mean).abs();
    // Ties make rare sums rarer than this.
    let few = (n <= mann_whitney::MOST).then(|| {
        let pairs = ((n * m) as f64 / 2.0 - off / 2.0 - 1e-9).max(0.0).ceil() as usize;
        2.0 * mann_whitney::at_most(pairs, n, m)
    });
    // Exact, and quicker than counting.
    if let (Some(p), true) = (few, ties == 0.0) {
        return p.min(1.0);
    }
    if is_counted(n, m) {
        let sums = subset_sums(&ranks, n);
        let far: f64 =
            sums.iter().enumerate().filter(|(s, _)| (*s as f64 - mean).abs() >= off - 1e-9).map(|(_, c)| c).sum();
        return (far / sums.iter().sum::<f64>()).min(1.0);
    }
    // Ranks are doubled, and so is what corrects for their steps.
    let (n, m) = (n as f64, m as f64);
    let of_ties = ties / ((n + m) * (n + m - 1.0));
    let deviation = 2.0 * (n * m / 12.0 * (n + m + 1.0 - of_ties)).sqrt();
    let p = if deviation <= 0.0 { 1.0 } else { 2.0 * tail((off - 1.0).max(0.0) / deviation) };
    p.min(few.unwrap_or(1.0)).min(1.0)
}

/// The smallest difference that sets like these would show in four of five cases: how far `a` must be shifted for the
/// interval to lie above zero. None if there are too few values for any.
pub fn minimum_detectable_effect(a: &Samples, from: &Samples, seed: u64) -> Option<f64> {
    const DRAWS: usize = 400;
    if confidence_of_difference(a.n(), from.n()) < CONFIDENCE {
        return None;
    }
    // Values lie closer to their own median than to that of the distribution that they came from.
    let all = (a.n() + from.n()) as f64;
    let wider = (all / (all - 2.0)).sqrt();
    let around = |s: &Samples| -> Vec<f64> { s.sorted().iter().map(|v| (v - s.median()) * wider).collect() };
    // What both vary by, so that a set of one value borrows from the other.
    let all: Vec<f64> = around(a).into_iter().chain(around(from)).collect();
    let mut random = Random::new(seed);
    let k = beyond(a.n(), from.n());
    let (mut one, mut other, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut needed: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let mut draw = |n: usize, into: &mut Vec<f64>| {
                into.clear();
                into.extend((0..n).map(|_| all[random.below(all.len())]));
            };
            draw(a.n(), &mut one);
            draw(from.n(), &mut other);
            pairwise(&one, &other, &mut pairs);
            let low = *pairs.select_nth_unstable_by(k, f64::total_cmp).1;
            one.sort_by(f64::total_cmp);
            other.sort_by(f64::total_cmp);
            -low.min(middle(&one) - middle(&other))
        })
        .collect();
    needed.sort_by(f64::total_cmp);
    Some(needed[DRAWS * 4 / 5].max(0.0))
}

/// p-values as they are when many were looked at: the share of false alarms among all that are as small or smaller
/// (Benjamini and Hochberg 1995).
pub fn false_discovery(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 1.0;
    for (n, &i) in order.iter().enumerate() {
        least = least.min(p[i] * p.len() as f64 / (p.len() - n) as f64);
        adjusted[i] = least;
    }
    adjusted
}

/// The differences of all pairs, in no order.
fn pairwise(a: &[f64], from: &[f64], pairs: &mut Vec<f64>) {
    pairs.clear();
    pairs.extend(a.iter().flat_map(|x| from.iter().map(move |y| x - y)));
}

/// Whether the sums of ranks of sets of these sizes are counted out.
fn is_counted(n: usize, m: usize) -> bool {
    let all = n + m;
    n.min(m).saturating_mul(all).saturating_mul(all * (all + 1) / 2) <= COUNTED
}

/// How many pairs from either end lie outside of the interval: as many as lie there in 2.5 % of cases at most.
fn beyond(n: usize, m: usize) -> usize {
    let half = (1.0 - CONFIDENCE) / 2.0;
    let (n, m) = (n.min(m), n.max(m));
    if !is_counted(n, m) {
        let (n, m) = (n as f64, m as f64);
        let rarely = n * m / 2.0 - Z * (n * m * (n + m + 1.0) / 12.0).sqrt();
        return (rarely - 1.0).max(0.0) as usize;
    }
    // Without ties the ranks are 1 to n + m; the least sum is that of the lowest n.
    let ranks: Vec<usize> = (1..=n + m).collect();
    let sums = subset_sums(&ranks, n);
    let all: f64 = sums.iter().sum();
    let mut at_most = 0.0;
    let rarely = sums.iter().skip(n * (n + 1) / 2).take_while(|count| {
        at_most += **count;
        at_most / all <= half
    });
    rarely.count().saturating_sub(1)
}

/// How many subsets of `n` have each sum.
fn subset_sums(ranks: &[usize], n: usize) -> Vec<f64> {
    let most: usize = ranks.iter().sum();
    let mut counts = vec![vec![0.0; most + 1]; n + 1];
    counts[0][0] = 1.0;
    for (seen, rank) in ranks.iter().enumerate() {
        for size in (1..=n.min(seen + 1)).rev() {
            let (smaller, this) = counts.split_at_mut(size);
            for sum in *rank..=most {
                this[0][sum] += smaller[size - 1][sum - rank];
            }
        }
    }
    counts.swap_remove(n)
}

/// How many sets of `n` there are of `n + m`.
fn ways(n: usize, m: usize) -> f64 {
    (1..=n.min(m)).fold(1.0, |product, i| product * (n + m + 1 - i) as f64 / i as f64)
}

/// Twice the rank of each value, those of `a` first, equal ones sharing theirs; and the sum over groups of equals of
/// their number cubed less itself.
fn double_ranks(a: &[f64], b: &[f64]) -> (Vec<usize>, f64) {
    let mut all: Vec<(f64, usize)> = a.iter().chain(b).copied().zip(0..).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut ranks = vec![0; all.len()];
    let (mut first, mut ties) = (0, 0.0);
    while first < all.len() {
        let same = all[first..].iter().take_while(|v| v.0 == all[first].0).count();
        for (_, i) in &all[first..first + same] {
            ranks[*i] = 2 * first + same + 1;
        }
        ties += (same * same * same - same) as f64;
        first += same;
    }
    (ranks, ties)
}

/// The share of a normal distribution beyond `z` standard deviations (Abramowitz and Stegun, 26.2.17; within 1e-7).
fn tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let poly =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    poly * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples(values: &[f64]) -> Samples {
        Samples::new(values.iter().copied()).unwrap()
    }

    #[test]
    fn which_pairs_bound_the_shift() {
        // From the tables of the Mann-Whitney statistic, 2.5 % on one side: the critical value is that position.
        for (n, m, critical) in [(4, 4, 0), (5, 5, 2), (6, 6, 5), (5, 8, 6), (10, 10, 23), (15, 15, 64)] {
            assert_eq!(beyond(n, m), critical, "{n} and {m}");
        }
        // The normal approximation, for sizes that are not enumerated: 127 for 20 and 20.
        assert!((125..=127).contains(&beyond(20, 20)), "{}", beyond(20, 20));
    }

    #[test]
    fn how_many_it_takes() {
        let check = |n, m, expected: f64| {
            assert!((confidence_of_difference(n, m) - expected).abs() < 1e-9, "{n} and {m}");
        };
        check(1, 1, 0.0);
        check(2, 2, 2.0 / 3.0);
        check(3, 3, 0.9);
        check(4, 4, 0.95);
        check(1, 38, 1.0 - 2.0 / 39.0);
        check(1, 39, 0.95);
        let fewest =
            [(1, Some(39)), (2, Some(8)), (3, Some(5)), (4, Some(4)), (5, Some(3)), (20, Some(2)), (40, Some(1))];
        for (m, n) in fewest {
            assert_eq!(min_runs_against(m), n, "against {m}");
        }
    }

    #[test]
    fn p_values() {
        let check = |a: &[f64], b: &[f64], expected: f64| {
            let p = p_value(&samples(a), &samples(b));
            assert!((p - expected).abs() < 1e-9, "{a:?} {b:?}: {p}");
        };
        check(&[1.0], &[2.0], 1.0);
        check(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], 2.0 / 70.0);
        check(&[1.0, 3.0, 5.0], &[2.0, 4.0, 6.0], 0.7);
        // Constant within each set, as counts of bytes are.
        check(&[7.0; 5], &[7.0; 5], 1.0);
        check(&[7.0; 5], &[9.0; 5], 2.0 / 252.0);
        // Counted out, by the Gaussian binomial and by the normal distribution it is nearly the same.
        let set = |n: usize, by: f64| samples(&(0..n).map(|i| i as f64 + by).collect::<Vec<_>>());
        let of = |n: usize| p_value(&set(n, 0.0), &set(n, n as f64 * 0.22));
        let (counted, exact, normal) = (of(15), of(16), of(21));
        assert!((counted - exact).abs() < 0.03 && (exact - normal).abs() < 0.1, "{counted} {exact} {normal}");
        check(&(0..200).map(f64::from).collect::<Vec<_>>(), &[-1.0, -2.0, -3.0], 2.0 / 1_373_701.0);
        // With ties it is at most that.
        let tied: Vec<f64> = (0..100).flat_map(|i| [f64::from(i); 2]).collect();
        check(&tied, &[-1.0, -2.0, -3.0], 2.0 / 1_373_701.0);
    }

    #[test]
    fn a_shift_of_many_small_p_values() {
        let adjusted = false_discovery(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.04 * 4.0 / 3.0, 0.04 * 4.0 / 3.0, 0.5];
        assert!(adjusted.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-9), "{adjusted:?}");
        assert!(false_discovery(&[]).is_empty());
    }

    /// Of two sets from one distribution, one shifted, the interval holds the shift nearly always, but not always.
    #[track_caller]
    fn check_coverage(n: usize, m: usize, (least, most): (usize, usize), draw: impl Fn(&mut Random) -> f64) {
        let mut random = Random::new(7);
        let holds = (0..400)
            .filter(|_| {
                let mut set = |n: usize, by: f64| Samples::new((0..n).map(|_| draw(&mut random) + by)).unwrap();
                let e = difference(&set(n, 3.0), &set(m, 0.0));
                e.low <= 3.0 && 3.0 <= e.high
            })
            .count();
        assert!((least..=most).contains(&holds), "{holds} of 400 with {n} and {m}");
    }

    #[test]
    fn the_interval_covers_what_it_says() {
        check_coverage(4, 4, (380, 399), Random::normal);
        check_coverage(5, 20, (372, 395), Random::normal);
        check_coverage(20, 20, (370, 393), Random::normal);
        // Skewed as a busy host makes times.
        check_coverage(10, 10, (372, 396), |r| -(1.0 - r.unit()).ln());
        check_coverage(3, 3, (345, 380), Random::normal);
    }

    #[test]
    fn what_sets_can_see_they_see_in_four_of_five_cases() {
        let mut random = Random::new(11);
        for n in [5, 12] {
            let mut set = |by: f64| Samples::new((0..n).map(|_| random.normal() + by)).unwrap();
            let (least, mut seen) = (minimum_detectable_effect(&set(0.0), &set(0.0), 1), Vec::new());
            for _ in 0..60 {
                let (a, b) = (set(0.0), set(0.0));
                let needed = minimum_detectable_effect(&a, &b, 1).unwrap();
                seen.push(difference(&set(needed), &set(0.0)).low > 0.0);
            }
            let rate = seen.iter().filter(|s| **s).count();
            assert!((36..58).contains(&rate), "{rate} of 60 with {n} and {n}, {least:?}");
        }
        assert_eq!(minimum_detectable_effect(&samples(&[1.0, 2.0, 3.0]), &samples(&[1.0, 2.0, 3.0]), 1), None);
    }

    proptest! {
        #[test]
        fn it_is_in_order_and_turns_its_sign(
            a in prop::collection::vec(-1e6..1e6_f64, 1..25),
            b in prop::collection::vec(-1e6..1e6_f64, 1..25),
        ) {
            let (a, b) = (samples(&a), samples(&b));
            let (there, back) = (difference(&a, &b), difference(&b, &a));
            prop_assert!(there.low <= there.best && there.best <= there.high);
            prop_assert_eq!((there.low, there.high), (-back.high, -back.low));
            prop_assert!((p_value(&a, &b) - p_value(&b, &a)).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&p_value(&a, &b)));
        }

        #[test]
        fn an_interval_off_zero_is_a_small_p(
            a in prop::collection::hash_set(0_u32..1_000_000, 2..14),
            b in prop::collection::hash_set(0_u32..1_000_000, 2..14),
        ) {
            prop_assume!(a.is_disjoint(&b));
            let set = |v: &std::collections::HashSet<u32>| Samples::new(v.iter().map(|x| f64::from(*x))).unwrap();
            let (a, b) = (set(&a), set(&b));
            let e = difference(&a, &b);
            if e.confidence >= CONFIDENCE && (e.low > 0.0 || e.high < 0.0) {
                prop_assert!(p_value(&a, &b) <= 1.0 - CONFIDENCE + 1e-9);
            }
        }
    }
}
