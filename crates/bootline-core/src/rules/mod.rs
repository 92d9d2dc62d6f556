// SPDX-License-Identifier: MIT OR Apache-2.0
//! The diagnoses: one rule a file, named by its code. A rule looks at a boot and gives findings; it prints nothing.
//!
//! To add one: write `xyz000_name.rs` with a `RULE`, list it in [`RULES`], and give it a folder in `tests/rules/` with
//! a log that fires, one that nearly fires, and the expected output.
mod con001_synchronous_console;
mod con002_flush_at_registration;
mod finding;

pub use finding::{Advice, Evidence, Finding};

use crate::boot::Boot;

/// One diagnosis.
pub struct Rule {
    /// `con001`: three letters for the part of the boot, three digits.
    pub code: &'static str,
    /// `synchronous-console`
    pub name: &'static str,
    /// What it finds, why that costs time: one paragraph for `bootline explain --rules` and the docs.
    pub doc: &'static str,
    /// The check.
    pub check: fn(&Boot) -> Vec<Finding>,
}

/// All rules, in the order of their codes.
pub const RULES: &[Rule] = &[con001_synchronous_console::RULE, con002_flush_at_registration::RULE];

/// All findings on a boot, the costliest first.
pub fn findings(boot: &Boot) -> Vec<Finding> {
    let mut found: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(boot)).collect();
    found.sort_by_key(|f| std::cmp::Reverse((f.cost.best(), f.cost.high())));
    found
}
