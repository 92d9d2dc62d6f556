// SPDX-License-Identifier: MIT OR Apache-2.0
//! One diagnosis: its identity, what it finds, and the check.
use super::case::Case;
use super::finding::Finding;
use super::rule_id::RuleId;
use crate::boot::WaitCause;

/// One diagnosis.
pub struct Rule {
    /// Which one it is.
    pub id: RuleId,
    /// What it finds, why that costs time: one paragraph for `bootline explain --rules` and the docs.
    pub doc: &'static str,
    /// Where the time of its findings lies.
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
    /// Not known: only the evidence has a place.
    Evidence,
}
