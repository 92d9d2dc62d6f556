// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini003,
    doc: "The kernel initialises a structure for each page of memory before it continues: 100 to 150 ms for 8 GiB. \
          With CONFIG_DEFERRED_STRUCT_PAGE_INIT most of this is deferred until all CPUs can share it.",
    place: TimelinePlace::Evidence,
    check,
};

/// Shorter initialisation is not reported.
const LEAST: Dur = Dur::from_millis(40);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // "Memory: 8010348K/8388152K available (...)" ends mm_init's freeing of all memory to the allocator.
    let Some(end) = case.find(" available (").find(|(_, r)| r.text.starts_with("Memory: ")).map(|(i, _)| i) else {
        return Vec::new();
    };
    let (Some(to), Some((before, from))) = (case.at(end), case.before(end)) else { return Vec::new() };
    let net = case.net(from, to);
    if net.best() < LEAST {
        return Vec::new();
    }
    let size = case.kernel(end).and_then(|r| mebibytes(r.text));
    let size = size.map_or("memory".to_owned(), |m| format!("{m} MiB of memory"));
    vec![Finding {
        rule: RULE.id,
        title: format!("the kernel took {} to initialise {size}", seconds(net.best())),
        cost: Interval::new(Dur::ZERO, net.best(), net.high()),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}, between the records below, which may include other early work", clock(case)),
        evidence: cite_at(case.boot, [before, end]),
        remedies: vec![
            Remedy::new(
                "initialise most memory pages later, on all CPUs",
                vec![SystemChange::config("CONFIG_DEFERRED_STRUCT_PAGE_INIT", "y")],
                "64-bit with sparse memory only",
                Risk::Low,
            ),
            Remedy::new(
                "boot with less memory and add the rest later by hotplug",
                vec![SystemChange::open_parameter("mem", "size")],
                "user space must add it",
                Risk::Medium,
            ),
        ],
    }]
}

/// `Memory: 8010348K/8388152K available`: the second figure.
fn mebibytes(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once('/')?;
    let kib: u64 = rest.split_once("K ")?.0.parse().ok()?;
    Some(kib / 1024)
}
