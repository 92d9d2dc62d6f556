// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite;
use super::unit_cost::{fastinit, records};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use crate::user_space::is_implied;
use bootline_boot::{Boot, DependenciesKnown, Unit};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr010,
    doc: "The application's unit starts long after its last declared dependency is up. By default a service starts after sysinit.target \
          and basic.target: when systemd has loaded its units, mounted and checked file systems, coldplugged devices and opened \
          sockets, whether or not the service needs that. DefaultDependencies=no leaves this out; an init that starts \
          the application and then becomes systemd (init/fastinit of this project) also leaves out systemd's own start. \
          `--app UNIT` names the application; systemd's dependencies come from `systemctl show`.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(500), 0.05);
pub(super) fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let Some(app) = boot.whole.application.as_ref().and_then(|app| app.unit) else { return Vec::new() };
    let unit = &boot.whole.units[app];
    let (Some(systemd), Some(start)) = (boot.whole.manager_start, unit.activating) else { return Vec::new() };
    if boot.whole.dependencies != DependenciesKnown::All {
        return Vec::new();
    }
    let Some(needed) = last_declared(boot, unit) else { return Vec::new() };
    let from = needed.and_then(|n| n.up).unwrap_or(systemd).max(systemd);
    let ranges = case.unclaimed(from, start);
    let high: Dur = ranges.iter().map(|range| (range.to - range.from).max_zero()).sum();
    if high < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let cost = Interval::new(Dur::ZERO, high / 2, high);
    let what_is_needed = match needed {
        Some(n) => format!("its last declared dependency, {}, was up {} earlier", n.name, seconds(start - from)),
        None => "it declares no dependencies of its own".to_owned(),
    };
    let name = &unit.name;
    vec![Finding {
        rule: RULE.id,
        title: format!("{name} began to start {} after systemd; {what_is_needed}", seconds(start - systemd)),
        cost,
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!(
            "from its declared dependencies, without those that every service has. The best estimate is half of the time, because it may need \
             what it does not declare; an experiment that starts {name} early shows how much"
        ),
        evidence: cite(boot, records(unit)),
        remedies: vec![
            Remedy::in_words(
                format!("DefaultDependencies=no in {name}, with After= for what it needs"),
                Effort::Configuration,
                "without After=, file systems may not be mounted and devices may be missing when it starts; every dependency that is dropped \
                 must be declared, including Before=shutdown.target",
                Risk::Medium,
            ),
            fastinit(boot),
        ],
    }]
}

/// Of the units that one declares to need, the one that was up last before it began; `Some(None)` if it declares none, `None`
/// if of one that it declares no time is known.
fn last_declared<'b>(boot: &'b Boot, unit: &Unit) -> Option<Option<&'b Unit>> {
    let is_declared = |u: &&Unit| !is_implied(&u.name);
    let all = unit.after.iter().chain(&unit.requires).filter_map(|&i| boot.whole.units.get(i));
    let declared: Vec<&Unit> = all.filter(is_declared).collect();
    if declared.iter().any(|u| u.up.is_none()) {
        return None;
    }
    let was_up = |u: &&Unit| u.up.is_some_and(|up| unit.activating.is_some_and(|start| up <= start));
    Some(declared.into_iter().filter(was_up).max_by_key(|u| u.up))
}
