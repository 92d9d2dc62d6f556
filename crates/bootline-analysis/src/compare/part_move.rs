// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts that are in both sets of runs, but at different positions in the boot.
use std::collections::BTreeMap;

use super::part::PartKey;
use super::part_column::{PartColumn, PartColumns};
use bootline_boot::PhaseName;

/// Where a part moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartMove {
    /// Into another phase.
    Phase {
        /// Where it was.
        from: Option<PhaseName>,
        /// Where it is.
        to: Option<PhaseName>,
    },
    /// To another task, in parallel with the boot's own.
    Parallel,
    /// From another task to the boot's own, which now waits for it.
    Inline,
    /// To the other side of initcalls: after those that it preceded, or before those that it followed.
    Order,
}

/// The parts that moved. Order counts only for initcalls of the boot's own task: that of other tasks varies from run to run.
pub(super) fn moves(before: &PartColumns<'_>, after: &PartColumns<'_>) -> BTreeMap<PartKey, PartMove> {
    let mut found = BTreeMap::new();
    let mut in_order = Vec::new();
    for (key, a) in before.iter().filter(|(key, _)| key.is_span()) {
        let Some(b) = after.get(key) else { continue };
        let (Some(from), Some(to)) = (a.place(), b.place()) else { continue };
        if from.phase != to.phase {
            found.insert((*key).clone(), PartMove::Phase { from: from.phase, to: to.phase });
        } else if from.main != to.main {
            found.insert((*key).clone(), if to.main { PartMove::Inline } else { PartMove::Parallel });
        } else if to.main && matches!(key, PartKey::Initcall(_)) {
            in_order.push((median_start(a), median_start(b), *key));
        }
    }
    in_order.sort();
    let positions: Vec<i64> = in_order.iter().map(|(_, after, _)| *after).collect();
    let keep = longest_ascending(&positions);
    for (i, (.., key)) in in_order.iter().enumerate() {
        if !keep[i] {
            found.insert((*key).clone(), PartMove::Order);
        }
    }
    found
}

fn median_start(column: &PartColumn<'_>) -> i64 {
    let mut starts: Vec<i64> = column.parts.iter().map(|p| p.start.as_nanos()).collect();
    starts.sort_unstable();
    starts.get(starts.len() / 2).copied().unwrap_or_default()
}

/// Marks a longest ascending subsequence; the other values have moved.
fn longest_ascending(values: &[i64]) -> Vec<bool> {
    // For each length, the position of the smallest value at which a sequence of that length ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (i, value) in values.iter().enumerate() {
        let length = ends.partition_point(|e| values[*e] < *value);
        before.push(length.checked_sub(1).map(|l| ends[l]));
        if length == ends.len() {
            ends.push(i);
        } else {
            ends[length] = i;
        }
    }
    let mut keep = vec![false; values.len()];
    let mut at = ends.last().copied();
    while let Some(i) = at {
        keep[i] = true;
        at = before[i];
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_as_can_be_have_moved() {
        let check = |values: &[i64], expected: &[bool]| assert_eq!(longest_ascending(values), expected, "{values:?}");
        check(&[], &[]);
        check(&[1, 2, 3], &[true, true, true]);
        check(&[9, 1, 2, 3], &[false, true, true, true]);
        check(&[1, 2, 9, 3, 4], &[true, true, false, true, true]);
    }
}
