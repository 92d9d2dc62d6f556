// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule says.
use super::case::TimeRange;
use super::rule_id::RuleId;
use crate::boot::Boot;
use crate::records::RecordId;
use crate::remedy::Remedy;
use bootline_capture::units::Interval;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's code and name: `con001 synchronous-console`.
    pub rule: RuleId,
    /// One line: what costs how much. It may name what the log names (devices, functions): escape it like a record.
    pub title: String,
    /// What it costs the boot; zero where it costs nothing by itself (a clock that stood still).
    pub cost: Interval,
    /// Rules whose findings already hold this cost; empty where it is this finding's alone. Only findings that are
    /// part of no other add up.
    pub part_of: Vec<RuleId>,
    /// Where on the boot's axis the time went, where it is one stretch or few.
    pub time_ranges: Vec<TimeRange>,
    /// Why, in a sentence or two, with the figures it rests on and the clock that they are from.
    pub why: String,
    /// The records that show it.
    pub evidence: Vec<CitedRecord>,
    /// What to do, the best first.
    pub remedies: Vec<Remedy>,
}

/// A record cited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedRecord {
    /// Its number.
    pub id: RecordId,
    /// Its text as logged: hostile until escaped by a renderer.
    pub text: String,
}

/// Cites records by id, in the given order; ids that the boot doesn't hold are left out.
pub(super) fn cite(boot: &Boot, ids: impl IntoIterator<Item = RecordId>) -> Vec<CitedRecord> {
    ids.into_iter()
        .filter_map(|id| boot.records.by_id(id))
        .map(|r| CitedRecord { id: r.id, text: r.text.to_owned() })
        .collect()
}

/// Cites records by position.
pub(super) fn cite_at(boot: &Boot, indices: impl IntoIterator<Item = usize>) -> Vec<CitedRecord> {
    let records = indices.into_iter().filter_map(|i| boot.records.get(i));
    records.map(|r| CitedRecord { id: r.id, text: r.text.to_owned() }).collect()
}
