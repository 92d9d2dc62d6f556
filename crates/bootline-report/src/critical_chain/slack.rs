// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ran in parallel with the kernel's critical path, with its slack.
use crate::document::Document;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::wire::word;
use bootline_analysis::critical_path::{CriticalPath, NonCriticalSpan};

/// Maximum number of spans shown next to the path, the longest.
const BESIDE: usize = 10;

/// What is not critical, if the log shows such.
pub(super) fn slack(document: &mut Document, critical_path: &CriticalPath) {
    let non_critical = longest(&critical_path.non_critical);
    if non_critical.is_empty() {
        return;
    }
    let more = critical_path.non_critical.len() - non_critical.len();
    let and = if more > 0 { format!(" {more} shorter ones are not shown.") } else { String::new() };
    document.paragraph(format!(
        "Not critical: shortening one of these saves nothing, and lengthening it by up to its slack costs nothing.{and}"
    ));
    document.table(table(&non_critical));
}

fn longest(non_critical: &[NonCriticalSpan]) -> Vec<&NonCriticalSpan> {
    let mut all: Vec<&NonCriticalSpan> = non_critical.iter().collect();
    all.sort_by_key(|b| (std::cmp::Reverse(b.end - b.start), b.start));
    all.truncate(BESIDE);
    all
}

fn table(non_critical: &[&NonCriticalSpan]) -> Table {
    let mut table = Table::new([
        ("length [s]", Align::Right, 0),
        ("slack [s]", Align::Right, 0),
        ("kind", Align::Left, 2),
        ("name", Align::Left, 0),
        ("record", Align::Right, 1),
    ]);
    for b in non_critical {
        let length = (b.end - b.start).to_string();
        let cells = vec![length, b.slack.to_string(), word(&b.kind), b.name.clone(), b.record.to_string()];
        table.row(cells, Style::Plain);
    }
    table
}
