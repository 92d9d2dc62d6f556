// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is reached from a unit by edges of one kind, directly or through others.

/// For each of so many units, whether it is reached from one, which reaches itself. `edges` adds where a unit leads to.
pub(crate) fn reached(units: usize, from: usize, edges: impl Fn(usize, &mut Vec<usize>)) -> Vec<bool> {
    let mut met = vec![false; units];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut met[at], true) {
            edges(at, &mut open);
        }
    }
    met
}
