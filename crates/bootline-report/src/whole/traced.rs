// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initcalls that only a trace shows.
use crate::document::Document;
use crate::style::Style;
use crate::table::{Align, Table};
use bootline_boot::{Boot, InitcallOfTrace};

/// Rows where nobody asks for another number.
const MOST: usize = 12;

/// The initcalls that the log does not show, the longest first; `count` of them at most, 12 if none is given.
pub(crate) fn traced_initcalls(document: &mut Document, boot: &Boot, count: Option<usize>) {
    let all = &boot.whole.traced_initcalls;
    let mut only: Vec<&InitcallOfTrace> = all.iter().filter(|c| !c.in_log).collect();
    if only.is_empty() {
        return;
    }
    let total = only.len();
    only.sort_by_key(|c| std::cmp::Reverse(c.length()));
    only.truncate(count.unwrap_or(MOST));
    let first = if only.len() < total { format!(", the first {} of {total}", only.len()) } else { String::new() };
    document.heading(format!("Initcalls that only the trace shows, the longest first{first}"));
    let mut table = Table::new([
        ("length [s]", Align::Right, 0),
        ("from [s]", Align::Right, 1),
        ("to [s]", Align::Right, 2),
        ("returned", Align::Right, 3),
        ("level", Align::Left, 5),
        ("module", Align::Left, 4),
        ("initcall", Align::Left, 0),
    ]);
    for call in only {
        let returned = call.returned.map_or_else(|| "never".to_owned(), |n| n.to_string());
        let cells = vec![
            call.length().map(|l| l.to_string()).unwrap_or_default(),
            call.start.to_string(),
            call.end.map(|t| t.to_string()).unwrap_or_default(),
            returned,
            call.level.clone().unwrap_or_default(),
            call.module.clone().unwrap_or_default(),
            call.name.clone(),
        ];
        table.row(cells, if call.end.is_some() { Style::Plain } else { Style::Warning });
    }
    document.table(table);
}
