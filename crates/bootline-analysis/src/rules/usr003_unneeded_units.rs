// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::finding::cite;
use super::unit_cost::names;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use crate::user_space::{UnitChain, unit_times};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr003,
    doc: "Services that the application needs in no way start before it is up: they share the processor and the disk with it, and \
          systemd, which starts one unit after another, starts them first. Not needed is what the application's unit neither \
          requires or wants, directly or through others, nor is ordered after. `--app UNIT` names the application; systemd's \
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
    let Some(chain) = UnitChain::of(boot) else { return Vec::new() };
    let times = unit_times(boot);
    // What a service used of the processor up to when the source was taken, but no more than fits before the application.
    let used = |i: usize| {
        let unit = &boot.whole.units[i];
        let room = unit.activating.map_or(Dur::ZERO, |from| (app.at - from).max_zero());
        times[i].processor.map(|_| unit.cpu.unwrap_or_default().min(room))
    };
    let is_candidate = |i: &usize| {
        let name = &boot.whole.units[*i].name;
        name.ends_with(".service") && !name.starts_with("systemd-") && !name.starts_with("dbus")
    };
    let mut services: Vec<(usize, Option<Dur>)> =
        chain.off_path.iter().copied().filter(is_candidate).map(|i| (i, used(i))).collect();
    services.sort_by_key(|(i, cpu)| (std::cmp::Reverse(*cpu), *i));
    let processor: Dur = services.iter().filter_map(|(_, cpu)| *cpu).sum();
    let room = chain.length();
    let high = processor.min(room);
    if services.is_empty() || high < LEAST.0.max(room.scale(LEAST.1)) {
        return Vec::new();
    }
    // On several processors it may have cost nothing; on one, at most what it used.
    let best = case.boot.kernel.cpus.map_or(Dur::ZERO, |n| high / i64::from(n.max(1)) / 2);
    let name = |i: usize| boot.whole.units[i].name.as_str();
    let first = services.iter().filter_map(|(i, _)| boot.whole.units[*i].activating).min().unwrap_or(chain.start);
    let named = || services.iter().take(NAMED).map(|(i, _)| name(*i).to_owned());
    let later = named().map(|unit| SystemChange::StartAfter { unit, after: app.name.clone() }).collect();
    let masked = named().map(SystemChange::MaskUnit).collect();
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} services that {} does not need used up to {} of the processor before it was up",
            services.len(),
            app.name,
            seconds(processor)
        ),
        cost: Interval::new(Dur::ZERO, best, high),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from: first, to: app.at.max(first) }],
        why: format!(
            "by systemd's accounting up to when it was asked, which may be after the application was up: {}. The best estimate takes half of it \
             for what delayed the application",
            names(services.iter().map(|(i, _)| name(*i)))
        ),
        evidence: cite(boot, services.iter().take(3).filter_map(|(i, _)| boot.whole.units[*i].first)),
        remedies: vec![
            Remedy::new("start them after the application", later, "they are up later", Risk::Low),
            Remedy::new("do without what the product does not need", masked, "these services", Risk::Medium),
        ],
    }]
}
