// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exact distribution of the Mann-Whitney statistic without ties, of a small set and one of any size. The normal distribution is no
//! substitute there: of 5 against 195 it makes the rarest case 100 000 times as likely as it is.

/// The smaller set has at most so many values; of larger ones the normal distribution knows enough.
pub(super) const MOST: usize = 20;

/// How likely at most `u` of the pairs from `n` and `m` values of one distribution are in the rarer order; `n` at most [`MOST`].
/// The number of ways to have `k` such pairs is the coefficient of `q^k` in a Gaussian binomial (Mann and Whitney 1947).
pub(super) fn at_most(u: usize, n: usize, m: usize) -> f64 {
    let mut ways = vec![0.0; u + 1];
    ways[0] = 1.0;
    let mut all = 1.0;
    for i in 1..=n {
        for k in (m + i..=u).rev() {
            ways[k] -= ways[k - m - i];
        }
        for k in i..=u {
            ways[k] += ways[k - i];
        }
        all *= (m + i) as f64 / i as f64;
    }
    (ways.iter().sum::<f64>() / all).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        let check = |u, n, m, expected: f64| {
            let p = at_most(u, n, m);
            assert!((p - expected).abs() < 1e-12, "{u} of {n} and {m}: {p}");
        };
        check(0, 1, 1, 0.5);
        check(0, 4, 4, 1.0 / 70.0);
        // 0, 1, 2, 3 pairs: 1, 1, 2, 3 ways.
        check(3, 4, 4, 7.0 / 70.0);
        check(16, 4, 4, 1.0);
        check(0, 5, 195, 1.0 / 2_535_650_040.0);
    }

    /// From the tables: the greatest statistic with at most 2.5 % on one side.
    #[test]
    fn the_tables() {
        for (n, m, critical) in [(5, 8, 6), (10, 10, 23), (15, 15, 64), (20, 20, 127)] {
            assert!(at_most(critical, n, m) <= 0.025 && at_most(critical + 1, n, m) > 0.025, "{n} and {m}");
        }
    }
}
