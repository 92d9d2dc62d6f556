// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace holds, whatever its notation.
use std::collections::BTreeMap;

/// A process and the name of its track.
type Row = (u64, String);

/// By track's name the slices (start, length, name), the instants, and the counts.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// (process, track) to slices.
    pub slices: BTreeMap<Row, Vec<(u64, u64, String)>>,
    /// (process, track) to instants.
    pub instants: BTreeMap<Row, Vec<(u64, String)>>,
    /// (process, track) to values.
    pub counts: BTreeMap<Row, Vec<(u64, i64)>>,
}

impl Told {
    /// Whether a reader of JSON, whose numbers are doubles, has all times to the nanosecond: for some days.
    pub fn fits_doubles(&self) -> bool {
        let slices = self.slices.values().flatten().map(|(from, length, _)| from + length);
        let instants = self.instants.values().flatten().map(|(at, _)| *at);
        let counts = self.counts.values().flatten().map(|(at, value)| (*at).max(value.unsigned_abs()));
        slices.chain(instants).chain(counts).all(|at| at < 1 << 50)
    }
}
