// SPDX-License-Identifier: MIT OR Apache-2.0
//! The path's segments and what ran in parallel, as tables.
use std::collections::HashSet;

use super::options::CriticalChainOptions;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::wire::word;
use bootline_analysis::critical_path::{CriticalPath, NestedSpan, NonCriticalSpan, Segment, SegmentKind};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// Once the links that stand by themselves make this share of the chain, net of the console, no more do.
const ENOUGH: f64 = 0.95;
/// A link that waited for the console for this share of the chain stands by itself, however short its work is.
const CONSOLE: f64 = 0.05;
/// Probes and calls below this share of the chain are not shown inside a link.
const SMALL: f64 = 0.01;
/// The most probes and calls that are shown inside a link, the longest.
const INSIDE: usize = 3;
/// The most that is shown beside the chain, the longest.
const BESIDE: usize = 10;

/// One line of the tree: a link, or several small ones.
enum Branch<'c> {
    One(&'c Segment),
    Many(&'c [Segment]),
}

/// The links that stand by themselves, by position.
pub(super) fn outstanding(critical_path: &CriticalPath, options: &CriticalChainOptions) -> HashSet<usize> {
    let all = &critical_path.segments;
    if all.len() <= 2 * options.count {
        return (0..all.len()).collect();
    }
    let net = all.iter().map(Segment::net).sum::<Dur>();
    let mut by_net: Vec<usize> = (0..all.len()).filter(|i| all[*i].net() > Dur::ZERO).collect();
    by_net.sort_by_key(|i| (std::cmp::Reverse(all[*i].net()), *i));
    let mut shown = Dur::ZERO;
    let mut found = HashSet::new();
    for i in by_net.into_iter().take(options.count) {
        if shown >= net.scale(ENOUGH) {
            break;
        }
        shown += all[i].net();
        found.insert(i);
    }
    let least = critical_path.length().scale(CONSOLE);
    let for_console = (0..all.len()).filter(|i| all[*i].console > Dur::ZERO && all[*i].console >= least);
    found.extend(for_console.filter(|_| options.count > 0));
    found
}

/// From the end back.
fn branches<'c>(critical_path: &'c CriticalPath, outstanding: &HashSet<usize>) -> Vec<Branch<'c>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < critical_path.segments.len() {
        let run = (at..critical_path.segments.len()).take_while(|i| !outstanding.contains(i)).count();
        let here = &critical_path.segments[at..at + run.max(1)];
        found.push(if here.len() == 1 { Branch::One(&here[0]) } else { Branch::Many(here) });
        at += here.len();
    }
    found.reverse();
    found
}

/// `311 initcalls, longest pci_arch_init`
fn many_title(many: &[Segment]) -> String {
    let initcalls = many.iter().all(|s| matches!(s.kind, SegmentKind::Initcall { .. }));
    let what = if initcalls { "initcalls" } else { "segments" };
    // The first of equals.
    let longest = many.iter().rev().max_by_key(|s| s.net()).filter(|s| s.net() > Dur::ZERO);
    let longest = longest.map(|s| match &s.kind {
        SegmentKind::Initcall { name } => format!(", longest {name}"),
        kind => format!(", longest: {}", kind.title()),
    });
    format!("{} {what}{}", many.len(), longest.unwrap_or_default())
}

pub(super) fn segments_table(
    critical_path: &CriticalPath,
    outstanding: &HashSet<usize>,
    reached: &str,
    record: RecordId,
) -> Table {
    let mut table = Table::new([
        ("from [s]", Align::Right, 0),
        ("net [s]", Align::Right, 0),
        ("console [s]", Align::Right, 1),
        ("without it [s]", Align::Right, 2),
        ("segment", Align::Left, 0),
        ("records", Align::Right, 3),
    ]);
    let at = |t: Dur| (t - critical_path.start).to_string();
    let empty = String::new;
    table.row(
        vec![at(critical_path.end), empty(), empty(), empty(), reached.to_owned(), record.to_string()],
        Style::Strong,
    );
    let least = critical_path.length().scale(SMALL);
    let all = branches(critical_path, outstanding);
    for (n, branch) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        let (edge, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        match branch {
            Branch::One(s) => {
                let style = if s.net() >= critical_path.length().scale(0.1) { Style::Cost } else { Style::Plain };
                let max_saving = saved(s.max_saving);
                let name = format!("{edge}{}", s.kind.title());
                let cells = vec![
                    at(s.start),
                    s.net().to_string(),
                    s.console.to_string(),
                    max_saving,
                    name,
                    records(s.first, s.last),
                ];
                table.row(cells, style);
                for nested in nested(s, least) {
                    let net = (nested.length - nested.console).max_zero();
                    let put_off = if nested.deferred { ", deferred" } else { "" };
                    let name = format!("{trunk}└─ {} {}{put_off}", word(&nested.kind), nested.name);
                    let cells = vec![
                        empty(),
                        net.to_string(),
                        nested.console.to_string(),
                        empty(),
                        name,
                        nested.record.to_string(),
                    ];
                    table.row(cells, Style::Faint);
                }
            }
            Branch::Many(many) => {
                let sum = |part: fn(&Segment) -> Dur| many.iter().map(part).sum::<Dur>();
                let name = format!("{edge}{}", many_title(many));
                let ids = records(many.first().and_then(|s| s.first), many.last().and_then(|s| s.last));
                let start = many.first().map_or(critical_path.start, |s| s.start);
                let cells = vec![
                    at(start),
                    sum(Segment::net).to_string(),
                    sum(|s| s.console).to_string(),
                    saved(sum(|s| s.max_saving)),
                    name,
                    ids,
                ];
                table.row(cells, Style::Plain);
            }
        }
    }
    table
}

/// What the boot would take less.
fn saved(max_saving: Dur) -> String {
    if max_saving > Dur::ZERO { (-max_saving).to_string() } else { String::new() }
}

fn records(first: Option<RecordId>, last: Option<RecordId>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if last != first => format!("{first}-{last}"),
        (Some(one), _) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    }
}

/// The longest inside a link, in the log's order.
fn nested(s: &Segment, least: Dur) -> Vec<&NestedSpan> {
    let mut all: Vec<&NestedSpan> = s.nested.iter().filter(|i| i.length >= least).collect();
    all.sort_by_key(|i| std::cmp::Reverse(i.length));
    all.truncate(INSIDE);
    all.sort_by_key(|i| i.record);
    all
}

pub(super) fn longest(non_critical: &[NonCriticalSpan]) -> Vec<&NonCriticalSpan> {
    let mut all: Vec<&NonCriticalSpan> = non_critical.iter().collect();
    all.sort_by_key(|b| (std::cmp::Reverse(b.end - b.start), b.start));
    all.truncate(BESIDE);
    all
}

pub(super) fn slack(non_critical: &[&NonCriticalSpan]) -> Table {
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
