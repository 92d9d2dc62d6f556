// SPDX-License-Identifier: MIT OR Apache-2.0
//! A limit of a budget, and what became of it.
use super::change::SetSummary;
use super::gate_reason::GateReason;
use super::largest_part::LargestPart;
use super::quantity::{Quantity, Unit};
use bootline_stats::Estimate;

/// What became of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateOutcome {
    /// The runs are within it.
    Pass,
    /// They are beyond it.
    Fail,
    /// The runs support neither.
    Inconclusive,
}

/// Which of a rule's limits it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// On the runs alone.
    AtMost,
    /// On what they have more than the baseline.
    IncreaseAtMost,
}

/// One limit, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedLimit {
    /// Of what.
    pub of: Quantity,
    /// Nanoseconds or characters.
    pub unit: Unit,
    /// Which limit.
    pub limit_kind: LimitKind,
    /// The limit, in nanoseconds or characters; none where it is a share of a baseline that isn't there.
    pub limit: Option<f64>,
    /// What became of it.
    pub outcome: GateOutcome,
    /// Why it is inconclusive, or what to know about the outcome.
    pub reason: Option<GateReason>,
    /// Of the runs.
    pub runs: Option<SetSummary>,
    /// Of the baseline.
    pub baseline: Option<SetSummary>,
    /// The figure that the limit is on.
    pub figure: Option<Estimate>,
    /// The least increase that shows in four of five cases.
    pub minimum_detectable_effect: Option<f64>,
    /// What the greatest part of the figure is.
    pub largest: Option<LargestPart>,
}
