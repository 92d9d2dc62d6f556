// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule reports.
use super::case::TimeRange;
use crate::remedy::Remedy;
use crate::rule_id::RuleId;
use bootline_boot::Boot;
use bootline_capture::units::Interval;
use bootline_records::RecordId;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's code and name: `con001 synchronous-console`.
    pub rule: RuleId,
    /// One line: what costs how much. It may contain text from the log (devices, functions): escape it like a record.
    pub title: String,
    /// Cost to the boot; zero for what costs nothing by itself (a clock that stood still).
    pub cost: Interval,
    /// Rules whose findings already contain this cost; empty if it is this finding's alone. Only findings that are part
    /// of no other add up.
    pub part_of: Vec<RuleId>,
    /// Where on the boot's axis the time was lost, if that is one time range or a few.
    pub time_ranges: Vec<TimeRange>,
    /// Why, in a sentence or two, with the figures it rests on and their clock.
    pub why: String,
    /// The records that show it.
    pub evidence: Vec<CitedRecord>,
    /// What to do, the best first.
    pub remedies: Vec<Remedy>,
}

/// A cited record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedRecord {
    /// Number of the record.
    pub id: RecordId,
    /// Text as logged: hostile until a renderer escapes it.
    pub text: String,
}

/// Cites records by id, in the given order; ids that the boot does not contain are left out.
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
