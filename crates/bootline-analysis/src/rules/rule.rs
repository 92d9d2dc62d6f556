// SPDX-License-Identifier: MIT OR Apache-2.0
//! One diagnosis: its identity, what it finds, and the check.
use super::case::Case;
use super::finding::Finding;
use crate::rule_id::RuleId;
use bootline_boot::WaitCause;

/// One diagnosis.
pub struct Rule {
    /// Identity: code and name.
    pub id: RuleId,
    /// What it finds and why that costs time: one paragraph for `bootline explain --rules` and docs/rules.md.
    pub doc: &'static str,
    /// Where on the timeline the time of its findings lies.
    pub place: TimelinePlace,
    pub(super) check: fn(&Case<'_>) -> Vec<Finding>,
}

/// Where on the timeline the time of a rule's findings lies, where a finding has no time ranges of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelinePlace {
    /// In the waits for the console that have this cause.
    Waits(WaitCause),
    /// In all waits for the console.
    AllWaits,
    /// Unknown: only the evidence has a position.
    Evidence,
}
