// SPDX-License-Identifier: MIT OR Apache-2.0
//! One diagnosis: its identity, what it finds, and the check.
use super::case::Case;
use super::finding::Finding;

/// One diagnosis.
pub struct Rule {
    /// `con001`: the part of the boot (con console, clk clock, log log, ini initcalls, drv drivers, fs file systems,
    /// net network, usr user space) and three digits.
    pub code: &'static str,
    /// `synchronous-console`
    pub name: &'static str,
    /// What it finds, why that costs time: one paragraph for `bootline explain --rules` and the docs.
    pub doc: &'static str,
    pub(super) check: fn(&Case<'_>) -> Vec<Finding>,
}
