// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini006,
    doc: "The kernel is built to find bugs, not to boot fast: KASAN, KCSAN and lockdep make everything it does two to ten \
          times slower, kmemleak scans all memory, and self-tests of kprobes, trace events and data structures run before \
          init. Only the self-tests say how long they took.",
    place: TimelinePlace::Evidence,
    check,
};

/// An option of the kernel's configuration that slows all of it, and how it announces itself.
const SLOWING: [(&str, &str, &str); 4] = [
    // "kasan: " from 3.19, capitals in between; with the mode from 5.17.
    ("KernelAddressSanitizer initialized", "KASAN", "CONFIG_KASAN"),
    ("Lock dependency validator: Copyright", "lockdep", "CONFIG_PROVE_LOCKING"),
    ("Kernel memory leak detector initialized", "kmemleak", "CONFIG_DEBUG_KMEMLEAK"),
    ("kcsan: enabled early", "KCSAN", "CONFIG_KCSAN"),
];

/// KASAN with the tags of arm64's MTE is made for devices in the field.
const PRODUCTION: &str = "(hw-tags";

/// A self-test: its first words, its last, and the symbol.
const TESTS: [(&str, &str, &str, &str); 4] = [
    // "Kprobe smoke test started" up to 4.x, "Kprobe smoke test: started" from 4.5 on.
    ("Kprobe smoke test", "Kprobe smoke test", "kprobes' self-test", "CONFIG_KPROBES_SANITY_TEST"),
    (
        "Running tests on trace events:",
        "Running tests on all trace events:",
        "trace events' self-test",
        "CONFIG_EVENT_TRACE_STARTUP_TEST",
    ),
    ("TAP version 14", "# Totals:", "KUnit's tests", "CONFIG_KUNIT"),
    ("KTAP version 1", "# Totals:", "KUnit's tests", "CONFIG_KUNIT"),
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let slowing: Vec<_> = SLOWING
        .iter()
        .filter_map(|s| Some((*s, case.find(s.0).find(|(_, r)| !r.text.contains(PRODUCTION))?.0)))
        .collect();
    let mut cited: Vec<usize> = slowing.iter().map(|(_, i)| *i).collect();
    let mut named: Vec<&'static str> = slowing.iter().map(|((_, name, _), _)| *name).collect();
    let mut symbols: Vec<&'static str> = slowing.iter().map(|((_, _, symbol), _)| *symbol).collect();
    let (mut ranges, mut tested) = (Vec::new(), Interval::default());
    for (first, last, name, symbol) in TESTS {
        let Some(start) = case.first(first) else { continue };
        let Some(end) = case.find(last).map(|(i, _)| i).filter(|i| *i > start).last() else { continue };
        let Some((time_range, net)) = case.net_between(start, end) else { continue };
        // Two headers of one test's report.
        if ranges.iter().any(|r: &TimeRange| r.to > time_range.from && r.from < time_range.to) {
            continue;
        }
        tested = tested + net;
        ranges.push(time_range);
        cited.extend([start, end]);
        if !symbols.contains(&symbol) {
            named.push(name);
            symbols.push(symbol);
        }
    }
    if symbols.is_empty() {
        return Vec::new();
    }
    cited.sort_unstable();
    let also =
        if tested.best() > Dur::ZERO { format!(", {} in self-tests", seconds(tested.best())) } else { String::new() };
    let slower = if slowing.is_empty() { "" } else { "; what the others cost can't be seen in one log" };
    vec![Finding {
        rule: RULE.id,
        title: format!("a kernel built for debugging: {}{also}", named.join(", ")),
        cost: tested,
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!("{}, without waits for the console: the self-tests' time{slower}", clock(case)),
        evidence: cite_at(case.boot, cited),
        remedies: vec![Remedy::new(
            "build a kernel without them for everything but debugging",
            symbols.into_iter().map(|s| SystemChange::config(s, "n")).collect(),
            "such bugs show by their consequences only",
            Risk::Low,
        )],
    }]
}
