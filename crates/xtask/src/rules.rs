// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/rules.md: the rules in their own words, each with what it finds in its fixture.
use std::fmt::Write as _;
use std::path::Path;

use bootline_analysis::rules::{RULES, Rule};

use crate::document::Document;
use crate::error::{Error, read};

const HEAD: &str = "\
<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
<!-- Written by `cargo xtask docs` from the rules' own words. -->
# The rules

Each finding names one cause of lost time: what it costs, as an interval, why, the records that show it, and what to
do at what price. Costs add up, except those of a finding that says what it is part of. What the log can't tell has a
lower bound of zero.
";

/// The first finding of a rule in the golden file of its fixture: a line, and what is set in below it.
fn example(expected: &str) -> String {
    let more = expected.lines().skip(1).take_while(|l| l.starts_with(' '));
    expected.lines().take(1).chain(more).flat_map(|line| [line, "\n"]).collect()
}

fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("it has a line from the beginning");
        if last.len() + 1 + word.len() > 120 {
            lines.push(word.to_owned());
        } else {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        }
    }
    lines.join("\n")
}

/// All rules, by their codes.
pub fn document(root: &Path) -> Result<Document, Error> {
    let fixtures = root.join("crates/bootline-analysis/tests/rules");
    let mut text = HEAD.to_owned();
    let mut rules: Vec<&Rule> = RULES.iter().collect();
    rules.sort_by_key(|r| r.id.code());
    for rule in rules {
        let fixture = fixtures.join(format!("{}_{}", rule.id.code(), rule.id.name().replace('-', "_")));
        let expected = read(&fixture.join("fires.expected"))?;
        _ = write!(text, "\n## {} {}\n\n{}\n", rule.id.code(), rule.id.name(), wrapped(rule.doc));
        _ = write!(text, "\nFor example:\n\n```text\n{}```\n", example(&expected));
    }
    Ok(Document { path: "docs/rules.md", text })
}
