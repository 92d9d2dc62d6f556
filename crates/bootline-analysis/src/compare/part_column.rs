// SPDX-License-Identifier: MIT OR Apache-2.0
//! One part of the boot in all runs of a set.
use std::collections::BTreeMap;

use super::part::{Part, PartKey, PartPosition};
use super::run_set::RunSet;

/// One part in all runs of a set.
#[derive(Default)]
pub(super) struct PartColumn<'r> {
    pub parts: Vec<&'r Part>,
}

impl PartColumn<'_> {
    pub fn place(&self) -> Option<PartPosition> {
        // The most frequent one; if there are several, the first.
        let count = |place: PartPosition| self.parts.iter().filter(|p| p.place == place).count();
        self.parts.iter().map(|p| p.place).rev().max_by_key(|place| count(*place))
    }

    /// The sum of one figure over all runs.
    pub fn sum(&self, of: impl Fn(&Part) -> i64) -> i128 {
        self.parts.iter().map(|p| i128::from(of(p))).sum()
    }
}

pub(super) type PartColumns<'r> = BTreeMap<&'r PartKey, PartColumn<'r>>;

/// The parts of a set, each with what every run spent in it.
pub(super) fn columns(set: &RunSet) -> PartColumns<'_> {
    let mut found: PartColumns<'_> = BTreeMap::new();
    for part in set.runs.iter().flat_map(|r| &r.parts) {
        found.entry(&part.key).or_default().parts.push(part);
    }
    found
}
