// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, longest};
use super::finding::cite;
use super::wording::{clock, percent, seconds};
use super::{Advice, Finding, Rule, RuleId, TimelinePlace};
use crate::boot::{Span, SpanKind};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini001,
    doc: "The initcalls that took longest, net of the console, of the probes inside them, and of what other rules \
          explain. Initcalls run one after the other on one processor: what one takes, all that follow wait for.",
    place: TimelinePlace::Evidence,
    check,
};

/// How many are shown.
const SHOWN: usize = 5;
/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(20), 0.01);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let least = case.threshold(LEAST.0, LEAST.1);
    let end = case.end();
    // A module's initcall in udev's task holds up nobody but that task.
    let beside = |s: &Span| s.module.is_some() && s.task.is_some_and(|t| t != 1);
    let wanted = |s: &&Span| {
        s.kind == SpanKind::Initcall && s.start < end && s.end.is_some() && !beside(s) && s.self_time() >= least
    };
    let mut found = Vec::new();
    for span in longest(case.boot.spans.iter().filter(wanted)) {
        let (cost, time_ranges) = case.own(span);
        if cost.best() < least {
            continue;
        }
        found.push(Finding {
            rule: RULE.id,
            title: format!(
                "the initcall `{}` took {}, {} of the boot",
                span.name,
                seconds(cost.best()),
                percent(cost.best(), case.total())
            ),
            cost,
            part_of: Vec::new(),
            time_ranges,
            why: format!(
                "{}: {} in all, {} of it waits for the console, {} in what it called",
                clock(case),
                seconds(span.gross()),
                seconds(span.console),
                seconds(span.children)
            ),
            evidence: cite(case.boot, [Some(span.first), span.last].into_iter().flatten()),
            advice: vec![advice(&span.name)],
        });
    }
    found.sort_by_key(|f: &Finding| std::cmp::Reverse(f.cost.best()));
    found.truncate(SHOWN);
    found
}

/// What is known of some, by their name.
fn advice(name: &str) -> Advice {
    const KNOWN: &[(&str, &str, &str, &str)] = &[
        (
            "i915",
            "without the frame buffer at boot",
            "CONFIG_DRM_FBDEV_EMULATION=n",
            "no text on the screen before user space",
        ),
        (
            "acpi_init",
            "leave out the ACPI tables and devices that the board doesn't need",
            "firmware settings",
            "devices disappear",
        ),
        ("ahci", "probe it in parallel", "driver_async_probe=ahci", "device names may change order"),
        (
            "populate_rootfs",
            "a smaller initramfs, or one that unpacks faster",
            "lz4 or no compression",
            "a larger image",
        ),
        ("tracer_init_tracefs", "leave tracing out", "CONFIG_FTRACE=n", "no tracing"),
        ("trace_init", "leave tracing out", "CONFIG_FTRACE=n", "no tracing"),
        ("regulatory_init", "build the wireless core as a module", "CONFIG_CFG80211=m", "wireless comes later"),
    ];
    match KNOWN.iter().find(|k| name.contains(k.0)) {
        Some(&(_, action, setting, price)) => Advice::new(action, setting, price),
        None => Advice::plain(
            "build it as a module, or out where the board doesn't need it; `ftrace_graph_filter` with `ftrace=function_graph` shows what it does",
            "a kernel configuration of one's own",
        ),
    }
}
