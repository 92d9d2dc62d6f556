// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::HashMap;

use super::case::{Case, apart};
use super::finding::cite;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Span, SpanKind};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv014,
    doc: "Modules are loaded one after the other: each is read, decompressed, its signature checked and its symbols resolved before its \
          initcall runs. With initcall_debug this shows as the time from the end of one module's initcall to the next one that the \
          same process loads.",
    place: TimelinePlace::Evidence,
    check,
};

/// Fewer modules are not reported.
const FEW: usize = 5;
/// Least time together, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(100), 0.02);
/// A process that loads modules does something else in a longer pause.
const PAUSE: Dur = Dur::from_millis(500);
/// What is loaded later after init's start is no part of the boot.
const LATEST: Dur = Dur::from_secs(60);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let latest = case.boot.end.as_ref().map(|end| end.at.best() + LATEST);
    let of_module = |s: &&Span| s.kind == SpanKind::Initcall && s.module.is_some() && s.end.is_some();
    let modules: Vec<&Span> = case.boot.spans().iter().filter(of_module).collect();
    let mut last: Option<&Span> = None;
    let mut by_task: HashMap<u32, Vec<(TimeRange, &Span, &Span)>> = HashMap::new();
    // Only where no other process loads meanwhile does the boot wait for this one.
    for next in modules.iter().filter(|s| s.depth == 0 && latest.is_none_or(|latest| s.start <= latest)) {
        let before = last.replace(next);
        let Some((task, before)) = next.task.zip(before.filter(|before| before.task == next.task)) else { continue };
        let Some(from) = before.end.filter(|from| next.start > *from && next.start - *from <= PAUSE) else { continue };
        by_task.entry(task).or_default().push((TimeRange { from, to: next.start }, before, next));
    }
    let length = |loads: &[(TimeRange, &Span, &Span)]| -> Dur { loads.iter().map(|(r, ..)| r.to - r.from).sum() };
    let Some((task, loads)) = by_task.into_iter().max_by_key(|(task, loads)| (length(loads), std::cmp::Reverse(*task)))
    else {
        return Vec::new();
    };
    let ranges = apart(&loads.iter().map(|(range, ..)| *range).collect::<Vec<_>>());
    let net = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    let cost = Interval::new(Dur::ZERO, net.best(), net.high());
    let own: Dur = loads.iter().map(|(.., next)| next.self_time()).sum();
    if loads.len() < FEW || cost.best() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let Some((_, before, next)) = loads.iter().max_by_key(|(range, ..)| range.to - range.from) else {
        return Vec::new();
    };
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "process {task} loaded {} modules one after the other: {} before their initcalls, which took {} themselves",
            loads.len(),
            seconds(cost.best()),
            seconds(own)
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!(
            "{}: from the end of each module's initcall to the next of the same process, without waits for the console; the longest is between \
             the records below. What else the process does is part of it",
            clock(case)
        ),
        evidence: cite(case.boot, before.last.into_iter().chain([next.first])),
        remedies: vec![
            Remedy::in_words(
                "build in what every boot needs, and load only what this device has (no modules listed in /etc/modules that nothing uses)",
                Effort::Rebuild,
                "a custom kernel configuration; a larger kernel is read and decompressed as well",
                Risk::Medium,
            ),
            Remedy::new(
                "leave modules out that the device does not need",
                vec![SystemChange::open_parameter("module_blacklist", "modules, separated by commas")],
                "what they drive does not work",
                Risk::Medium,
            ),
            Remedy::in_words(
                "store them uncompressed and unsigned (CONFIG_MODULE_COMPRESS or its choice, CONFIG_MODULE_SIG)",
                Effort::Rebuild,
                "a larger file system, which takes longer to read from slow storage; no check of what is loaded",
                Risk::Medium,
            ),
        ],
    }]
}
