// SPDX-License-Identifier: MIT OR Apache-2.0
//! What fails without a unit.
use std::collections::HashSet;

use bootline_boot::Boot;

/// Names of the units that require one of those left out, and are not left out themselves: they will not start.
pub(crate) fn requiring<'b>(boot: &'b Boot, left_out: &HashSet<&str>) -> Vec<&'b str> {
    let units = &boot.whole.units;
    let is_out: Vec<bool> = units.iter().map(|unit| left_out.contains(unit.name.as_str())).collect();
    let fails = |at: &usize| !is_out[*at] && units[*at].requires.iter().any(|needed| is_out[*needed]);
    (0..units.len()).filter(fails).map(|at| units[at].name.as_str()).collect()
}
