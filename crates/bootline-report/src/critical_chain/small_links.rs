// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the path's segments stand by themselves, and what is shown of those that do not.
use std::collections::HashSet;

use super::options::CriticalChainOptions;
use bootline_analysis::boot_chain::{BootLink, LinkKind};
use bootline_analysis::critical_path::{CriticalPath, NestedSpan, Segment, SegmentKind};
use bootline_capture::units::Dur;

/// Once the links that stand by themselves make this share of the chain, net of the console, no more do.
const ENOUGH: f64 = 0.95;
/// A link that waited for the console for this share of the chain stands by itself, however short its work is.
const CONSOLE: f64 = 0.05;
/// The most probes and calls that are shown inside a link, the longest.
const INSIDE: usize = 3;

/// One line of the tree: a link, or several small segments.
pub(super) enum Branch<'l, 'c> {
    One(&'c BootLink),
    Many(&'l [&'c BootLink]),
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
pub(super) fn branches<'l, 'c>(links: &'l [&'c BootLink], outstanding: &HashSet<usize>) -> Vec<Branch<'l, 'c>> {
    let is_small = |link: &BootLink| match link.kind {
        LinkKind::Segment { segment } => !outstanding.contains(&segment),
        _ => false,
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < links.len() {
        let run = links[at..].iter().take_while(|link| is_small(link)).count();
        let here = &links[at..at + run.max(1)];
        found.push(if here.len() == 1 { Branch::One(here[0]) } else { Branch::Many(here) });
        at += here.len();
    }
    found.reverse();
    found
}

/// `311 initcalls, longest pci_arch_init`
pub(super) fn many_title(many: &[&Segment]) -> String {
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

/// The longest inside a link, in the log's order.
pub(super) fn nested(s: &Segment, least: Dur) -> Vec<&NestedSpan> {
    let mut all: Vec<&NestedSpan> = s.nested.iter().filter(|i| i.length >= least).collect();
    all.sort_by_key(|i| std::cmp::Reverse(i.length));
    all.truncate(INSIDE);
    all.sort_by_key(|i| i.record);
    all
}
