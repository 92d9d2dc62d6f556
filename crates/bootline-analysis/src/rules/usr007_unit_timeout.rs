// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::finding::cite;
use super::unit_cost::names;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::Unit;
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr007,
    doc: "systemd waits 90 s for a device that a mount, a swap or a console names and that never appears, and as long for a service that \
          does not say that it is ready. What is ordered after it waits as well. The usual causes: a UUID in /etc/fstab that is \
          gone, `console=` or `resume=` for hardware that is not there, a Type=notify service that never notifies.",
    place: TimelinePlace::Evidence,
    check,
};

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let timed_out: Vec<&Unit> = boot.whole.units.iter().filter(|u| u.timed_out).collect();
    let Some(last) = timed_out.iter().filter_map(|u| u.up).max() else { return Vec::new() };
    // A device's wait begins with systemd's first jobs; nothing logs that.
    let began = timed_out.iter().filter_map(|u| u.activating).min();
    let first_unit = || boot.whole.units.iter().filter_map(Unit::begins).min();
    let from = began.or(boot.whole.units_loaded).or_else(first_unit).unwrap_or(last).min(last);
    // What came up after it may have waited for it, or not.
    let next = boot.whole.units.iter().filter_map(Unit::begins).filter(|t| *t >= last).min();
    let held = next.is_some_and(|next| next - last < AT_ONCE);
    let quiet = boot.whole.units.iter().filter_map(|u| u.up).filter(|up| *up < last).max().unwrap_or(from).max(from);
    let best = if held { last - quiet } else { Dur::ZERO };
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} ran into a time-out after {}",
            names(timed_out.iter().map(|u| u.name.as_str())),
            seconds(last - from)
        ),
        cost: Interval::new(Dur::ZERO, best, last - from),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from: quiet, to: last }],
        why: format!(
            "by systemd's own message; {}",
            if held {
                "units started at once after it, and none had come up for as long before"
            } else {
                "nothing shows that other units waited for it"
            }
        ),
        evidence: cite(boot, timed_out.iter().take(3).filter_map(|u| u.last.or(u.first))),
        remedies: vec![Remedy::in_words(
            "remove what names it (/etc/fstab, `console=`, `resume=`), or let the boot go on without it: nofail,x-systemd.device-timeout=1s in /etc/fstab, TimeoutStartSec= in the unit",
            Effort::Configuration,
            "a device that comes late is not used",
            Risk::Low,
        )],
    }]
}

/// Who waited goes on at once.
const AT_ONCE: Dur = Dur::from_millis(500);
