// SPDX-License-Identifier: MIT OR Apache-2.0
//! What costs time, what to do about it, and what is wrong with the log.
use schemars::JsonSchema;
use serde::Serialize;

use super::interval::Interval;
use super::pair::Pair;
use super::record_id::Id;
use super::remedy::Remedy;
use super::words::ProblemKind;
use bootline_analysis::rules;

/// A cause of lost time.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Finding<'b> {
    /// The rule's code and name: `con001 synchronous-console`.
    rule: &'b str,
    /// One line: what costs how much.
    title: &'b str,
    /// Cost to the boot.
    cost_ns: Interval,
    /// Rules whose findings already contain this cost; absent if it is this finding's alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    part_of: Vec<&'static str>,
    /// Where on the axis the time was lost, if that is one interval or a few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    time_ranges: Vec<TimeRange>,
    /// Why, with the figures it rests on.
    why: &'b str,
    /// The records that show it.
    records: Vec<CitedRecord<'b>>,
    /// What to do, the best first.
    remedies: Vec<Remedy<'b>>,
}

/// A part of the boot's axis.
#[derive(Serialize, JsonSchema)]
struct TimeRange {
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
}

/// A record as evidence.
#[derive(Serialize, JsonSchema)]
struct CitedRecord<'b> {
    /// The record's number.
    id: Id,
    /// The record's text.
    text: &'b str,
}

impl<'b> From<&'b rules::Finding> for Finding<'b> {
    fn from(f: &'b rules::Finding) -> Finding<'b> {
        let range = |r: &rules::TimeRange| TimeRange { start_ns: r.from.as_nanos(), end_ns: r.to.as_nanos() };
        Finding {
            rule: f.rule.title(),
            title: &f.title,
            cost_ns: f.cost.into(),
            part_of: f.part_of.iter().map(|r| r.code()).collect(),
            time_ranges: f.time_ranges.iter().map(range).collect(),
            why: &f.why,
            records: f.evidence.iter().map(|r| CitedRecord { id: r.id.0, text: &r.text }).collect(),
            remedies: f.remedies.iter().map(Remedy::from).collect(),
        }
    }
}

/// Something that is wrong with the log.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Problem<'b> {
    /// What it is.
    kind: ProblemKind,
    /// First occurrence: offsets of its first byte and of the first byte after it.
    bytes: Pair<u64>,
    /// Number of occurrences.
    count: u64,
    /// Description.
    detail: &'b str,
    /// Whether figures can't be trusted because of it.
    spoils: bool,
}

impl<'b> From<&'b bootline_records::Problem> for Problem<'b> {
    fn from(p: &'b bootline_records::Problem) -> Problem<'b> {
        Problem {
            kind: p.kind.into(),
            bytes: Pair([p.bytes.start, p.bytes.end]),
            count: p.count,
            detail: &p.detail,
            spoils: p.kind.spoils_the_answer(),
        }
    }
}
