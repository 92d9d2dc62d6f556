// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{percent, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_records::ProblemKind;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Clk001,
    doc: "The kernel's clock lost time against the host's. On x86, until the clocksource switches to the TSC, the \
          kernel counts timer ticks, and ticks that fall into console output with interrupts off are lost. That costs \
          nothing by itself, but every figure derived from the stamps (dmesg, bootgraph, systemd-analyze) is too \
          small by the time lost.",
    place: TimelinePlace::Evidence,
    check,
};

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    // By stamps alone, that all of them are zero is all that is known.
    let is_known = boot.timeline.kernel_clock_lost > Dur::ZERO;
    if !is_known || !boot.problems.iter().any(|p| p.kind == ProblemKind::ClockStoodStill) {
        return Vec::new();
    }
    let lost_at = |i: usize| Some(case.at(i)? - case.kernel(i)?.stamp?.since_origin());
    let points: Vec<(usize, Dur)> = (0..boot.records.len()).filter_map(|i| Some((i, lost_at(i)?))).collect();
    let total = boot.timeline.kernel_clock_lost;
    // The records at which the loss began and at which it was complete.
    let since = points.iter().find(|(_, l)| *l > total.scale(0.02).max(Dur::from_millis(5))).map(|p| p.0);
    let since = since.map(|i| case.before(i).map_or(i, |b| b.0));
    let until = points.iter().find(|(_, l)| *l >= total.scale(0.98)).map(|p| p.0);
    let switch = case.first("clocksource: Switched to clocksource ");
    let id = |i: Option<usize>| i.and_then(|i| boot.records.get(i)).map_or("?".to_owned(), |r| r.id.to_string());
    let at_switch = match switch.and_then(|s| Some((s, lost_at(s)?))) {
        Some((s, lost)) => format!("; {} of it before record {} switched the clocksource", seconds(lost), id(Some(s))),
        None => String::new(),
    };
    let x86 = boot.records.containing("tsc: ").next().is_some();
    let arrival = "measure by arrival times, not by stamps";
    let mut remedies = vec![Remedy::in_words(arrival, Effort::None, "a capture with arrival times", Risk::Low)];
    if x86 {
        remedies.push(Remedy::new(
            "let the kernel use the TSC from the start",
            vec![SystemChange::open_parameter("tsc_early_khz", "TSC frequency in kHz")],
            "a wrong value makes every time wrong",
            Risk::High,
        ));
    }
    let mut cited: Vec<usize> = [since, until, switch].into_iter().flatten().collect();
    cited.sort_unstable();
    cited.dedup();
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the kernel's clock lost {}, {} of the boot: its stamps are too small",
            seconds(total),
            percent(total, case.total())
        ),
        cost: Interval::exact(Dur::ZERO),
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: format!(
            "compared with arrival times, the kernel's clock stood still between record {} and record {}{at_switch}; the times here are arrival times",
            id(since),
            id(until)
        ),
        evidence: cite_at(boot, cited),
        remedies,
    }]
}
