// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold of every sketch: it merges in any order, and its quantiles are within 1 %.
use bootline_store::sketch::{Sketch, ZERO, bucket, estimate};
use proptest::prelude::*;

fn sketch(values: &[i64]) -> Sketch {
    let mut sketch = Sketch::default();
    values.iter().for_each(|value| sketch.add(*value));
    sketch
}

fn merged(a: &Sketch, b: &Sketch) -> Sketch {
    let mut sum = a.clone();
    sum.merge(b);
    sum
}

/// Microseconds from nothing to weeks, as likely small as large.
fn times() -> impl Strategy<Value = Vec<i64>> {
    let time = (0_u32..42, any::<i64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1));
    prop::collection::vec(time, 1..200)
}

proptest! {
    #[test]
    fn merging_is_commutative_and_associative(a in times(), b in times(), c in times()) {
        let (x, y, z) = (sketch(&a), sketch(&b), sketch(&c));
        prop_assert_eq!(merged(&x, &y), merged(&y, &x));
        prop_assert_eq!(merged(&merged(&x, &y), &z), merged(&x, &merged(&y, &z)));
        let all: Vec<i64> = a.into_iter().chain(b).chain(c).collect();
        prop_assert_eq!(merged(&merged(&x, &y), &z), sketch(&all));
    }

    #[test]
    fn quantiles_are_within_one_percent(mut values in times(), q in 0.0..=1.0) {
        let estimated = sketch(&values).quantile(q).unwrap();
        values.sort_unstable();
        let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
        let exact = values[rank - 1] as f64;
        prop_assert!((estimated - exact).abs() <= 0.01 * exact, "{} for {}", estimated, exact);
    }

    #[test]
    fn buckets_hold_what_they_say(value in 1_i64..1 << 50) {
        let b = bucket(value);
        let (low, high) = (1.02_f64.powi(b - 1), 1.02_f64.powi(b));
        prop_assert!(low * (1.0 - 1e-12) < value as f64 && value as f64 <= high * (1.0 + 1e-12));
    }
}

#[test]
fn nothing_and_one_have_buckets_of_their_own() {
    assert_eq!((bucket(-5), bucket(0), bucket(1), bucket(2)), (ZERO, ZERO, 0, 36));
    assert_eq!(estimate(ZERO), 0.0);
    assert_eq!(Sketch::default().quantile(0.5), None);
}
