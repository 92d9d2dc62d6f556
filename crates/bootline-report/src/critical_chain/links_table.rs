// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chain's links as a table, from the end back.
use std::collections::HashSet;

use super::shown_chain::ShownChain;
use super::small_links::{Branch, branches, many_title, nested};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::wire::word;
use bootline_analysis::boot_chain::{BootLink, LinkKind};
use bootline_boot::Unit;
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// Probes and calls below this share of the chain are not shown inside a link.
const SMALL: f64 = 0.01;
/// A link that makes up this share of the chain stands out.
const HEAVY: f64 = 0.1;
/// Units that are shown in user space that nothing divides, the longest.
const UNITS: usize = 3;
/// A queue shorter than this is not worth a row.
const LEAST_QUEUE: Dur = Dur::from_millis(1);

/// The links; `outstanding` are the positions of the segments that are not merged, `reached` what the chain ends with.
pub(super) fn links_table(
    shown: &ShownChain<'_, '_>,
    outstanding: &HashSet<usize>,
    what: &str,
    reached: &str,
) -> Table {
    let chain = shown.chain;
    let has_processor = chain.links.iter().any(|link| link.processor.is_some());
    let columns = [
        ("from [s]", Align::Right, 0),
        ("net [s]", Align::Right, 0),
        ("console [s]", Align::Right, 1),
        ("processor [s]", Align::Right, 4),
        ("without it [s]", Align::Right, 2),
        (what, Align::Left, 0),
        ("records", Align::Right, 3),
    ];
    let mut rows = Rows {
        table: Table::new(columns.into_iter().filter(|(title, ..)| has_processor || *title != "processor [s]")),
        has_processor,
        zero: chain.start,
    };
    let record = shown.last_record().map(|id| id.to_string()).unwrap_or_default();
    let end = Cells { from: Some(chain.end), what: reached.to_owned(), records: record, ..Cells::default() };
    rows.add(end, Style::Strong);
    let least = chain.length().scale(SMALL);
    let heavy = chain.length().scale(HEAVY);
    let is_shown = |link: &&BootLink| !matches!(link.kind, LinkKind::Queue { .. }) || link.length() >= LEAST_QUEUE;
    let links: Vec<&BootLink> = chain.links.iter().filter(is_shown).collect();
    let all = branches(&links, outstanding);
    for (n, branch) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        let (edge, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        match branch {
            Branch::One(link) => {
                // Of systemd's own start, the name says which of its properties show it.
                let by = shown.evidence(link).filter(|_| matches!(link.kind, LinkKind::Stage(_)));
                let by = by.map(|by| format!(" ({by})")).unwrap_or_default();
                let cells = Cells {
                    from: Some(link.start),
                    net: Some(link.net()),
                    console: link.console,
                    processor: link.processor,
                    saved: link.max_saving,
                    what: format!("{edge}{}{by}", shown.short_title(link)),
                    records: records(shown.records(link)),
                };
                let is_heavy = link.net() >= heavy && link.net() > Dur::ZERO;
                rows.add(cells, if is_heavy { Style::Cost } else { Style::Plain });
                rows.inside(shown, link, trunk, least);
            }
            Branch::Many(many) => {
                let segments: Vec<_> = many.iter().filter_map(|link| shown.segment(link)).collect();
                let sum = |part: fn(&BootLink) -> Dur| Some(many.iter().map(|link| part(link)).sum::<Dur>());
                let cells = Cells {
                    from: many.first().map(|link| link.start),
                    net: sum(BootLink::net),
                    console: sum(|link| link.console.unwrap_or_default()),
                    processor: None,
                    saved: sum(|link| link.max_saving.unwrap_or_default()),
                    what: format!("{edge}{}", many_title(&segments)),
                    records: records((many.first().and_then(|l| l.first), many.last().and_then(|l| l.last))),
                };
                rows.add(cells, Style::Plain);
            }
        }
    }
    rows.table
}

/// One row's cells.
#[derive(Default)]
struct Cells {
    from: Option<Dur>,
    net: Option<Dur>,
    console: Option<Dur>,
    processor: Option<Dur>,
    saved: Option<Dur>,
    what: String,
    records: String,
}

struct Rows {
    table: Table,
    has_processor: bool,
    /// The chain's start.
    zero: Dur,
}

impl Rows {
    fn add(&mut self, cells: Cells, style: Style) {
        let shown = |d: Option<Dur>| d.map(|d| d.to_string()).unwrap_or_default();
        let saved = cells.saved.filter(|saved| *saved > Dur::ZERO).map(|saved| -saved);
        let mut row = vec![shown(cells.from.map(|from| from - self.zero)), shown(cells.net), shown(cells.console)];
        if self.has_processor {
            row.push(shown(cells.processor));
        }
        row.extend([shown(saved), cells.what, cells.records]);
        self.table.row(row, style);
    }

    /// The longest of what ran inside a link: probes and calls, or units.
    fn inside(&mut self, shown: &ShownChain<'_, '_>, link: &BootLink, trunk: &str, least: Dur) {
        for nested in shown.segment(link).map(|s| nested(s, least)).unwrap_or_default() {
            let put_off = if nested.deferred { ", deferred" } else { "" };
            let cells = Cells {
                net: Some((nested.length - nested.console).max_zero()),
                console: Some(nested.console),
                what: format!("{trunk}└─ {} {}{put_off}", word(&nested.kind), nested.name),
                records: nested.record.to_string(),
                ..Cells::default()
            };
            self.add(cells, Style::Faint);
        }
        for unit in longest_units(shown, link, least) {
            let cells = Cells {
                net: unit.activation(),
                what: format!("{trunk}└─ {}", unit.name),
                records: records((unit.first, unit.last)),
                ..Cells::default()
            };
            self.add(cells, Style::Faint);
        }
    }
}

/// The longest units inside a link, by their start.
fn longest_units<'b>(shown: &ShownChain<'b, '_>, link: &BootLink, least: Dur) -> Vec<&'b Unit> {
    let units = link.units.iter().filter_map(|i| shown.boot.whole.units.get(*i));
    let mut all: Vec<&Unit> = units.filter(|unit| unit.activation().is_some_and(|length| length >= least)).collect();
    all.sort_by_key(|unit| std::cmp::Reverse(unit.activation()));
    all.truncate(UNITS);
    all.sort_by_key(|unit| unit.begins());
    all
}

fn records((first, last): (Option<RecordId>, Option<RecordId>)) -> String {
    match (first, last) {
        (Some(first), Some(last)) if last != first => format!("{first}-{last}"),
        (Some(one), _) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    }
}
