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
