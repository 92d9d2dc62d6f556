// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::HashSet;

use super::case::{Case, TimeRange};
use super::finding::cite;
use super::unit_cost::names;
use super::usr010_late_application;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr003,
    doc: "Services that the application does not need start before it is up: they share the processor and the disk with it, and \
          systemd, which starts one unit after another, starts them first. Not needed is what the application's unit does not \
          require, want or start after, directly or through others. `--app UNIT` names the application; systemd's \
          dependencies come from `systemctl show`.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.01);
/// Services that remedies name, those that used most.
const NAMED: usize = 5;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let Some(app) = boot.whole.application.as_ref() else { return Vec::new() };
    let Some(chain) = case.unit_chain() else { return Vec::new() };
    let cpus = i64::from(boot.kernel.cpus.unwrap_or(1).max(1));
    // What a service used of the processors up to when the source was taken, but no more than fits before the application.
    let used = |i: usize| {
        let unit = &boot.whole.units[i];
        let room = unit.activating.map_or(Dur::ZERO, |from| (app.at - from).max_zero());
        unit.cpu.map(|cpu| cpu.min(room * cpus))
    };
    let is_candidate = |i: &usize| {
        let unit = &boot.whole.units[*i];
        let is_systemds_own = unit.name.starts_with("systemd-") || unit.name.starts_with("dbus");
        // What a socket starts has been asked for.
        unit.name.ends_with(".service") && !is_systemds_own && unit.triggered_by.is_empty()
    };
    let mut services: Vec<(usize, Option<Dur>)> =
        chain.off_path.iter().copied().filter(is_candidate).map(|i| (i, used(i))).collect();
    services.sort_by_key(|(i, cpu)| (std::cmp::Reverse(*cpu), *i));
    let room = chain.length();
    let processor = services.iter().filter_map(|(_, cpu)| *cpu).sum::<Dur>().min(room * cpus);
    let high = processor.min(room);
    if services.is_empty() || high < LEAST.0.max(room.scale(LEAST.1)) {
        return Vec::new();
    }
    // systemd counts up to when it is asked, which may be days later: only what a job used that had ended before the application
    // was used before it. On several processors even that may have cost nothing; on one, at most what it used.
    let has_ended = |i: usize| {
        let unit = &boot.whole.units[i];
        unit.service_type.as_deref() == Some("oneshot") && unit.up.is_some_and(|up| up <= app.at)
    };
    let before: Dur = services.iter().filter(|(i, _)| has_ended(*i)).filter_map(|(_, cpu)| *cpu).sum();
    let best = if boot.kernel.cpus.is_some() { before.min(high) / cpus / 2 } else { Dur::ZERO };
    let required: HashSet<usize> = boot.whole.units.iter().flat_map(|u| &u.requires).copied().collect();
    let name = |i: usize| boot.whole.units[i].name.as_str();
    let first = services.iter().filter_map(|(i, _)| boot.whole.units[*i].activating).min().unwrap_or(chain.start);
    let named = || services.iter().take(NAMED).map(|(i, _)| name(*i).to_owned());
    let later = named().map(|unit| SystemChange::StartAfter { unit, after: app.name.clone() }).collect();
    let dispensable = services.iter().map(|(i, _)| *i).filter(|i| !required.contains(i)).take(NAMED);
    let masked: Vec<SystemChange> = dispensable.map(|i| SystemChange::MaskUnit(name(i).to_owned())).collect();
    let mut remedies = vec![Remedy::new(
        "start them after the application",
        later,
        "they are up later; what asks for one of them earlier, by D-Bus for example, waits for the application, and for ever where the application waits for it",
        Risk::Medium,
    )];
    if !masked.is_empty() {
        let action = "do without what the product does not need";
        remedies.push(Remedy::new(action, masked, "these services", Risk::Medium));
    }
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} services that {} does not need used up to {} of the processor before it was up",
            services.len(),
            app.name,
            seconds(processor)
        ),
        cost: Interval::new(Dur::ZERO, best, high),
        // They run while the application waits.
        part_of: if usr010_late_application::check(case).is_empty() { Vec::new() } else { vec![RuleId::Usr010] },
        time_ranges: vec![TimeRange { from: first, to: app.at.max(first) }],
        why: format!(
            "by systemd's accounting up to when it was asked, which may be after the application was up: {}. The best estimate is half of what \
             jobs used that had ended before the application was up ({}), shared among the processors",
            names(services.iter().map(|(i, _)| name(*i))),
            seconds(before)
        ),
        evidence: cite(boot, services.iter().take(3).filter_map(|(i, _)| boot.whole.units[*i].first)),
        remedies,
    }]
}
