// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules, with what each looks for.
use schemars::JsonSchema;
use serde::Serialize;

use bootline_analysis::rules::RULES;

/// What `bootline explain --rules --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RulesJson {
    /// The name and the version of this schema.
    schema: &'static str,
    /// In the order in which they run.
    rules: Vec<DescribedRule>,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
struct DescribedRule {
    /// The rule's code and name, as in a finding: `con001 synchronous-console`.
    rule: &'static str,
    /// What it finds, and why that costs time.
    about: &'static str,
}

/// All rules.
pub fn rules_json() -> RulesJson {
    let rules = RULES.iter().map(|rule| DescribedRule { rule: rule.id.title(), about: rule.doc }).collect();
    RulesJson { schema: "bootline-rules/1", rules }
}
