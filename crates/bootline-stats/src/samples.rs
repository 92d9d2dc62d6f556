// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values of some runs.

/// Values in ascending order; at least one, all finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Samples from values in any order. None if there are none, or if one is not a number.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Option<Samples> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        (!values.is_empty() && values.iter().all(|v| v.is_finite())).then_some(Samples(values))
    }

    /// In ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.0
    }

    /// How many.
    pub fn n(&self) -> usize {
        self.0.len()
    }

    /// The middle one, or the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        middle(&self.0)
    }

    /// The least.
    pub fn least(&self) -> f64 {
        self.0[0]
    }

    /// The greatest.
    pub fn greatest(&self) -> f64 {
        self.0[self.0.len() - 1]
    }
}

pub(super) fn middle(sorted: &[f64]) -> f64 {
    let (a, b) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    // Halved first, so that great values don't overflow.
    if a == b { a } else { a / 2.0 + b / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let check = |values: &[f64], expected| {
            assert_eq!(Samples::new(values.iter().copied()).map(|s| s.median()), expected, "{values:?}");
        };
        check(&[], None);
        check(&[3.0], Some(3.0));
        check(&[9.0, 1.0], Some(5.0));
        check(&[9.0, 1.0, 2.0], Some(2.0));
        check(&[4.0, 1.0, 3.0, 2.0], Some(2.5));
        check(&[f64::MAX, f64::MAX], Some(f64::MAX));
        check(&[1.0, f64::NAN], None);
        check(&[1.0, f64::INFINITY], None);
    }
}
