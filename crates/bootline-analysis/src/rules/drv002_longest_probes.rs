// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, longest};
use super::finding::cite;
use super::probe_remedies::{Probed, asynchronous_probes};
use super::wording::{clock, percent, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::SpanKind;
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv002,
    doc: "The probes that delayed the boot longest, net of the console and of what other rules explain. Probes run \
          one after the other inside their driver's initcall, unless the driver asks for asynchronous probing; most \
          wait for hardware (links, panels, flash, firmware) rather than compute.",
    place: TimelinePlace::Evidence,
    check,
};

/// How many are shown.
const SHOWN: usize = 3;
/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(30), 0.01);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let least = case.threshold(LEAST.0, LEAST.1);
    let end = case.end();
    let wanted = |s: &&bootline_boot::Span| {
        s.kind == SpanKind::Probe && !s.deferred() && s.start < end && s.self_time() >= least
    };
    let mut found = Vec::new();
    for span in longest(case.boot.spans().iter().filter(wanted)) {
        let (net, time_ranges) = case.own(span);
        if net.best() < least {
            continue;
        }
        // A probe in a worker runs in parallel with the boot, which may wait only for its end.
        let beside = span.task.is_some_and(|t| t != 1) && span.parent.is_none();
        let cost = if beside { Interval::new(Dur::ZERO, Dur::ZERO, net.high()) } else { net };
        let whose =
            if beside { "in a worker, in parallel with the boot" } else { "in sequence with the rest of the boot" };
        found.push(Finding {
            rule: RULE.id,
            title: format!(
                "the probe of `{}` took {}, {} of the boot",
                span.name,
                seconds(net.best()),
                percent(net.best(), case.total())
            ),
            cost,
            part_of: Vec::new(),
            time_ranges: if beside { Vec::new() } else { time_ranges },
            why: format!(
                "{}: {} in total, {} of it waits for the console; {whose}",
                clock(case),
                seconds(span.gross()),
                seconds(span.console)
            ),
            evidence: cite(case.boot, span.last),
            remedies: vec![
                asynchronous_probes(
                    "probe the device in parallel",
                    Probed::ItsDriver,
                    "needs another CPU; device names may change order",
                    Risk::Medium,
                ),
                Remedy::in_words(
                    "build the driver as a module and load it once the application runs",
                    Effort::Rebuild,
                    "the device is available later",
                    Risk::Medium,
                ),
            ],
        });
    }
    found.sort_by_key(|f: &Finding| std::cmp::Reverse((f.cost.best(), f.cost.high())));
    found.truncate(SHOWN);
    found
}
