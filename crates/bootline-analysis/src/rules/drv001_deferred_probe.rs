// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::BTreeMap;

use super::case::{Case, apart};
use super::finding::cite;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Span, SpanKind};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv001,
    doc: "A probe that lacks something (a clock, a regulator, a DMA channel) returns EPROBE_DEFER and is retried each \
          time another device appears, at the latest in deferred_probe_initcall. The log shows -517, or 517 if the \
          driver's own probe returned it, because the kernel then inverts the sign. Failed tries cost their own time; \
          a success in deferred_probe_initcall costs its whole time, because nothing runs in parallel with it. If a \
          console registers inside the probe, its flush is con002's.",
    place: TimelinePlace::Evidence,
    check,
};

/// Not reported if the failed tries took less than the first and no late success took longer than the second.
const LEAST: (Dur, Dur) = (Dur::from_millis(10), Dur::from_millis(100));

/// One device's tries.
#[derive(Default)]
struct Tries<'a> {
    failed: Vec<&'a Span>,
    success: Option<&'a Span>,
}

impl Tries<'_> {
    fn late(&self) -> Dur {
        self.success.map_or(Dur::ZERO, Span::gross)
    }
    fn delay(&self) -> Dur {
        self.failed.first().zip(self.success).map_or(Dur::ZERO, |(first, s)| (s.start - first.start).max_zero())
    }
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let end = case.end();
    let mut devices: BTreeMap<&str, Tries<'_>> = BTreeMap::new();
    for s in case.boot.spans().iter().filter(|s| s.kind == SpanKind::Probe && s.start < end) {
        match s.returned {
            _ if s.deferred() => devices.entry(&s.name).or_default().failed.push(s),
            // A positive match: a probe that succeeded without failing before was not deferred. Before 5.12 success was
            // 1.
            Some(0 | 1) => {
                if let Some(t) = devices.get_mut(s.name.as_str()) {
                    t.success.get_or_insert(s);
                }
            }
            _ => {}
        }
    }
    let tries: usize = devices.values().map(|t| t.failed.len()).sum();
    let time_range = |s: &Span| TimeRange { from: s.start, to: s.end.unwrap_or(s.start) };
    let failed: Vec<TimeRange> = devices.values().flat_map(|t| &t.failed).map(|s| time_range(s)).collect();
    let wasted = union(case, &failed);
    let mut worst: Vec<(&str, &Tries<'_>)> = devices.iter().map(|(n, t)| (*n, t)).collect();
    worst.sort_by_key(|(_, t)| std::cmp::Reverse((t.late(), t.failed.iter().map(|s| s.gross()).sum::<Dur>())));
    let latest = worst.first().map_or(Dur::ZERO, |(_, t)| t.late());
    if wasted.best() < LEAST.0 && latest < LEAST.1 {
        return Vec::new();
    }
    worst.truncate(3);
    // deferred_probe_initcall runs alone; an earlier success might have taken the same time without the failure.
    let alone = |s: &&Span| {
        s.parent.and_then(|p| case.boot.spans().get(p)).is_some_and(|p| p.name == "deferred_probe_initcall")
    };
    let late: Vec<TimeRange> = devices.values().filter_map(|t| t.success).filter(alone).map(time_range).collect();
    let mut time_ranges = failed;
    time_ranges.extend(late);
    let both = union(case, &time_ranges);
    let cost = Interval::new(wasted.low(), both.best(), both.high());
    let named: Vec<String> = worst.iter().map(|(name, t)| words(case, name, t)).collect();
    let ids =
        worst.iter().flat_map(|(_, t)| t.failed.first().map(|s| s.first).into_iter().chain(t.success.map(|s| s.first)));
    let title = match worst.first().filter(|_| latest >= LEAST.1) {
        Some((name, t)) => format!("the deferred probe of `{name}` took {} when it was retried", seconds(t.late())),
        None => format!("deferred probes wasted {} in {tries} failed tries", seconds(wasted.best())),
    };
    vec![Finding {
        rule: RULE.id,
        title,
        cost,
        part_of: Vec::new(),
        time_ranges,
        why: format!(
            "{}: {tries} tries of {} devices were deferred, {} in total; {}",
            clock(case),
            devices.len(),
            seconds(wasted.best()),
            named.join("; ")
        ),
        evidence: cite(case.boot, ids),
        remedies: vec![
            Remedy::in_words(
                "probe a deferred device's suppliers before it: build them in, or move them to an earlier initcall level; describe the link in the device tree",
                Effort::Rebuild,
                "a custom kernel configuration",
                Risk::Medium,
            ),
            Remedy::new(
                "let the kernel order probes by the device tree's links",
                vec![SystemChange::parameter("fw_devlink", "on")],
                "a wrong device tree may keep devices waiting",
                Risk::High,
            ),
        ],
    }]
}

fn words(case: &Case<'_>, name: &str, t: &Tries<'_>) -> String {
    let Some(s) = t.success else { return format!("`{name}` never succeeded in {} tries", t.failed.len()) };
    let inside =
        s.parent.and_then(|p| case.boot.spans().get(p)).map_or(String::new(), |p| format!(" inside `{}`", p.name));
    let console = if s.console > Dur::ZERO {
        format!(", {} of it waits for the console", seconds(s.console))
    } else {
        String::new()
    };
    let flush = case.boot.line.as_ref().and_then(|l| l.flush).and_then(|f| case.boot.stored(f.record));
    let registers = flush.is_some_and(|at| s.start <= at && s.end.is_some_and(|end| at <= end));
    let console = match registers && s.console < s.gross().scale(0.5) {
        true => format!(
            "{console}; the console registers inside it, so its flush is the likeliest cause, though the bytes in the log do not account for it"
        ),
        false => console,
    };
    format!(
        "`{name}` succeeded {} after its first try{inside} and took {}{console}",
        seconds(t.delay()),
        seconds(t.late())
    )
}

/// What time ranges cost together, counting overlaps once.
fn union(case: &Case<'_>, time_ranges: &[TimeRange]) -> Interval {
    apart(time_ranges).into_iter().fold(Interval::default(), |sum, s| sum + case.net(s.from, s.to))
}
