// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange, apart};
use super::finding::cite;
use super::unit_release::{is_released, quiet_from};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::{Boot, Unit};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr007,
    doc: "systemd waits 90 s for a device that a mount, a swap or a console names and that never appears, and as long for a service that \
          does not say that it is ready. What is ordered after it waits as well. The usual causes: a UUID in /etc/fstab that is \
          gone, `console=` or `resume=` for hardware that is not there, a Type=notify service that never notifies.",
    place: TimelinePlace::Evidence,
    check,
};

/// The units whose start ran into its time-out on the way to the application, or, without one, among systemd's first jobs: what times
/// out later costs the boot nothing.
pub(super) fn timed_out(boot: &Boot) -> impl Iterator<Item = &Unit> {
    let whole = &boot.whole;
    let application = whole.application.as_ref().map(|app| app.at);
    let finish = whole.manager_finish;
    whole.units.iter().filter(move |u| {
        let in_time = match (application, finish) {
            (Some(at), _) => u.up.is_some_and(|up| up <= at),
            (None, Some(finish)) => u.begins().is_some_and(|begins| begins <= finish),
            (None, None) => u.up.is_some(),
        };
        u.timed_out && in_time
    })
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let units: Vec<&Unit> = timed_out(boot).filter(|u| u.up.is_some()).collect();
    let Some(last) = units.iter().filter_map(|u| u.up).max() else { return Vec::new() };
    // A device's wait begins with systemd's first jobs; nothing logs that.
    let first_unit = || boot.whole.units.iter().filter_map(Unit::begins).min();
    let first_job = boot.whole.units_loaded.or_else(first_unit);
    let wait_of = |u: &Unit| {
        let to = u.up.unwrap_or(last);
        TimeRange { from: u.activating.or(first_job).unwrap_or(to).min(to), to }
    };
    let waits = apart(&units.iter().map(|u| wait_of(u)).collect::<Vec<_>>());
    let high: Dur = waits.iter().map(|wait| wait.to - wait.from).sum();
    let from = waits.last().map_or(last, |wait| wait.from);
    let wait = TimeRange { from, to: last };
    let held = is_released(boot, last);
    let quiet = quiet_from(boot, wait);
    let best = if held { last - quiet } else { Dur::ZERO };
    let with_length = |u: &&Unit| {
        let wait = wait_of(u);
        format!("{} ran into a time-out after {}", u.name, seconds(wait.to - wait.from))
    };
    let shown: Vec<String> = units.iter().take(SHOWN).map(with_length).collect();
    let more = if units.len() > SHOWN { format!(" and {} more", units.len() - SHOWN) } else { String::new() };
    vec![Finding {
        rule: RULE.id,
        title: format!("{}{more}", shown.join(", ")),
        cost: Interval::new(Dur::ZERO, best, high.max(best)),
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
        evidence: cite(boot, units.iter().take(SHOWN).filter_map(|u| u.last.or(u.first))),
        remedies: remedies(&units),
    }]
}

/// By the kinds of unit.
fn remedies(units: &[&Unit]) -> Vec<Remedy> {
    let is_service = |u: &&&Unit| u.name.ends_with(".service");
    // The console may show a device by its path, and any unit by its description.
    let is_device =
        |u: &&&Unit| [".device", ".mount", ".swap"].iter().any(|end| u.name.ends_with(end)) || u.name.starts_with('/');
    let mut remedies = Vec::new();
    if units.iter().any(|u| !is_service(&u)) {
        remedies.push(Remedy::in_words(
            "remove what names it (/etc/fstab, `console=`, `resume=`), or let the boot go on without it: nofail,x-systemd.device-timeout=1s in /etc/fstab",
            Effort::Configuration,
            "a device that comes late is not used",
            Risk::Low,
        ));
    }
    if units.iter().any(|u| !is_device(&u)) {
        remedies.push(Remedy::in_words(
            "find out why the service is not ready in time (`systemctl status`, `journalctl -b -u`): one of Type=notify must call sd_notify(READY=1), one of Type=forking must fork; or bound the wait: TimeoutStartSec= in the unit",
            Effort::Configuration,
            "with a shorter time-out, a service that is slow is stopped",
            Risk::Medium,
        ));
    }
    remedies
}

/// Units that are shown.
const SHOWN: usize = 3;
