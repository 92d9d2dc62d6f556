// SPDX-License-Identifier: MIT OR Apache-2.0
//! Of hundreds of initcalls and parts some differ by chance, so p values are adjusted for all of them together (Benjamini and
//! Hochberg 1995). That costs power: among 800 others a single one cannot be detected with 8 + 8 runs.
//!
//! Most initcalls take microseconds in every run of either set, and cannot differ by a relevant amount. They are
//! adjusted separately from those that can. Which of the two it is depends on the values of both sets
//! together, not on which set they are of, so it is independent of the test (Bourgon, Gentleman, Huber 2010), and
//! among the reported ones of either kind no more than one in twenty is expected to be chance.
use bootline_stats::{Samples, false_discovery};

/// A p value, and whether the values are far enough apart to matter.
pub(super) struct Candidate {
    pub p: f64,
    pub can_matter: bool,
}

/// Whether the values of both sets are far enough apart for their medians to differ by `counts`.
pub(super) fn can_matter(a: &Samples, b: &Samples, counts: f64) -> bool {
    a.greatest().max(b.greatest()) - a.least().min(b.least()) >= counts
}

/// The p values, each adjusted among its kind.
pub(super) fn adjusted_p_values(found: &[Candidate]) -> Vec<f64> {
    let of_kind = |kind: bool| {
        let p: Vec<f64> = found.iter().filter(|f| f.can_matter == kind).map(|f| f.p).collect();
        false_discovery(&p).into_iter()
    };
    let (mut matter, mut others) = (of_kind(true), of_kind(false));
    found.iter().map(|f| if f.can_matter { &mut matter } else { &mut others }.next().unwrap_or(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_matter_costs_no_sight() {
        let few = |p, can_matter| Candidate { p, can_matter };
        let mut found: Vec<Candidate> = (0..500).map(|n| few(f64::from(n) / 500.0, false)).collect();
        found.insert(250, few(0.01, true));
        found.push(few(0.5, true));
        let adjusted = adjusted_p_values(&found);
        assert_eq!((adjusted.len(), adjusted[250], adjusted[501]), (502, 0.02, 0.5));
        assert!(adjusted[1] > 0.4, "{}", adjusted[1]);
        let samples = |v: &[f64]| Samples::new(v.iter().copied()).unwrap();
        assert!(can_matter(&samples(&[1.0, 2.0]), &samples(&[9.0]), 8.0));
        assert!(!can_matter(&samples(&[1.0, 2.0]), &samples(&[9.0]), 8.5));
    }
}
