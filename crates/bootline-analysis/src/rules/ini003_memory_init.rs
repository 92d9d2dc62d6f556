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
          With CONFIG_DEFERRED_STRUCT_PAGE_INIT most of this is deferred until all CPUs can share it. With init_on_free=1 it \
          also clears all memory, which takes far longer.",
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
    // mm_init's report: "mem auto-init: stack:off, heap alloc:on, heap free:on"; a second record warns of the time.
    let clears_memory = case.find("mem auto-init: ").any(|(i, r)| i < end && r.text.contains("heap free:on"));
    let does = if clears_memory { "clear and initialise" } else { "initialise" };
    let size = case.kernel(end).and_then(|r| mebibytes(r.text));
    let size = size.map_or("memory".to_owned(), |m| format!("{m} MiB of memory"));
    vec![Finding {
        rule: RULE.id,
        title: format!("the kernel took {} to {does} {size}", seconds(net.best())),
        cost: Interval::new(Dur::ZERO, net.best(), net.high()),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}, between the records below, which may include other early work", clock(case)),
        evidence: cite_at(case.boot, [before, end]),
        remedies: clears_memory
            .then(|| {
                Remedy::new(
                    "do not clear memory that is freed",
                    vec![SystemChange::parameter("init_on_free", "0")],
                    "freed memory keeps its contents until it is used again; init_on_alloc=1 still hides them from users",
                    Risk::Low,
                )
            })
            .into_iter()
            .chain([
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
        ])
            .collect(),
    }]
}

/// `Memory: 8010348K/8388152K available`: the second figure.
fn mebibytes(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once('/')?;
    let kib: u64 = rest.split_once("K ")?.0.parse().ok()?;
    Some(kib / 1024)
}
