// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace holds, whatever its notation.
use std::collections::BTreeMap;

/// A process and the name of its track.
pub type Row = (u64, String);

/// By track's name the slices (start, length, name), the instants, and the counts.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// (process, track) to slices.
    pub slices: BTreeMap<Row, Vec<(u64, u64, String)>>,
    /// (process, track) to instants.
    pub instants: BTreeMap<Row, Vec<(u64, String)>>,
    /// (process, track) to values.
    pub counts: BTreeMap<Row, Vec<(u64, i64)>>,
    /// By id the slices that a flow joins.
    pub flows: BTreeMap<u64, Flow>,
}

/// A flow's ends.
#[derive(Debug, Default, PartialEq)]
pub struct Flow {
    /// The slice that it leaves.
    pub from: Option<End>,
    /// The slice that it reaches.
    pub to: Option<End>,
}

/// A slice: its row, when it begins, its name.
pub type End = (Row, u64, String);

impl Told {
    /// Notes an end of a flow.
    pub fn flow(&mut self, id: u64, leaves: bool, end: End) {
        let flow = self.flows.entry(id).or_default();
        let place = if leaves { &mut flow.from } else { &mut flow.to };
        assert!(place.replace(end).is_none(), "flow {id} has an end twice");
    }

    /// Whether each flow joins a slice to one that begins no sooner.
    pub fn flows_go_on(&self) -> bool {
        self.flows.values().all(|f| f.from.as_ref().zip(f.to.as_ref()).is_some_and(|(from, to)| from.1 <= to.1))
    }

    /// Whether a reader of JSON, whose numbers are doubles, has all times to the nanosecond: for some days.
    pub fn fits_doubles(&self) -> bool {
        let slices = self.slices.values().flatten().map(|(from, length, _)| from + length);
        let instants = self.instants.values().flatten().map(|(at, _)| *at);
        let counts = self.counts.values().flatten().map(|(at, value)| (*at).max(value.unsigned_abs()));
        slices.chain(instants).chain(counts).all(|at| at < 1 << 50)
    }
}
