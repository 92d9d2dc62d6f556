// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange, apart};
use super::finding::cite;
use super::unit_cost::names;
use super::unit_release::{is_released, quiet_from};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, DaemonMessage};
use bootline_capture::units::{Dur, Interval};
use bootline_records::RecordId;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr015,
    doc: "A call to a D-Bus service that is not running makes the D-Bus daemon start it, and the caller waits for the answer. A service that \
          does not come up, because it hangs, waits for a device or never takes its name, holds the caller back for 25 s \
          (service_start_timeout), and each further call as long again. dbus-broker has no such time-out.",
    place: TimelinePlace::Evidence,
    check,
};

/// The daemon's own limit, which an old one does not state (bus/config-parser.c).
const DEFAULT_TIMEOUT: Dur = Dur::from_secs(25);
/// No limit is longer: the message is damaged.
const LONGEST: Dur = Dur::from_secs(3_600);

/// An activation that timed out.
struct TimedOut<'b> {
    service: &'b str,
    wait: TimeRange,
    /// The message that requests it, if there is one.
    request: Option<&'b DaemonMessage>,
    failure: &'b DaemonMessage,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let found = timed_out(boot);
    if found.is_empty() {
        return Vec::new();
    }
    let waits = apart(&found.iter().map(|t| t.wait).collect::<Vec<_>>());
    let length = |ranges: &[TimeRange]| -> Dur { ranges.iter().map(|r| r.to - r.from).sum() };
    let unclaimed: Vec<TimeRange> = waits.iter().flat_map(|w| case.unclaimed(w.from, w.to)).collect();
    let high = length(&unclaimed);
    if high == Dur::ZERO {
        return Vec::new();
    }
    let held = found.iter().map(|t| t.wait).filter(|wait| is_released(boot, wait.to));
    let held = held.map(|wait| TimeRange { from: quiet_from(boot, wait), to: wait.to });
    let held = apart(&held.collect::<Vec<_>>());
    let held: Vec<TimeRange> = held.iter().flat_map(|w| case.unclaimed(w.from, w.to)).collect();
    let shown: Vec<String> =
        found.iter().map(|t| format!("{} ({})", t.service, seconds(t.wait.to - t.wait.from))).collect();
    let callers: Vec<&str> = found.iter().filter_map(|t| caller(t.request?)).collect();
    let who = if callers.is_empty() { String::new() } else { format!(", called by {}", names(callers.into_iter())) };
    vec![Finding {
        rule: RULE.id,
        title: format!("D-Bus activation timed out: {}", names(shown.iter().map(String::as_str))),
        cost: Interval::new(Dur::ZERO, length(&held), high),
        part_of: Vec::new(),
        why: format!(
            "by the D-Bus daemon's own messages{who}; {}",
            if held.is_empty() {
                "nothing shows that the boot waited for the caller"
            } else {
                "units started at once after it, and none had come up for as long before"
            }
        ),
        time_ranges: held,
        evidence: cite(boot, found.iter().take(3).flat_map(TimedOut::records)),
        remedies: remedies(&found),
    }]
}

impl TimedOut<'_> {
    fn records(&self) -> impl Iterator<Item = RecordId> {
        self.request.and_then(|m| m.record).into_iter().chain(self.failure.record)
    }
}

/// The first time-out of each service that ended before the boot did.
fn timed_out(boot: &Boot) -> Vec<TimedOut<'_>> {
    let whole = &boot.whole;
    let end = whole.end();
    let mut found: Vec<TimedOut<'_>> = Vec::new();
    for failure in whole.daemon_messages.iter().filter(|m| end.is_none_or(|end| m.at <= end)) {
        let Some((service, rest)) = quoted(&failure.text, "Failed to activate service '") else { continue };
        let is_known = found.iter().any(|t| t.service == service);
        if !rest.starts_with(": timed out") || is_known {
            continue;
        }
        let stated = rest.split_once("service_start_timeout=").and_then(|(_, ms)| ms.split_once("ms"));
        let stated = stated.and_then(|(ms, _)| ms.parse().ok()).map(Dur::from_millis);
        let limit = stated.filter(|limit| *limit <= LONGEST).unwrap_or(DEFAULT_TIMEOUT);
        let is_request = |m: &&DaemonMessage| m.at <= failure.at && requested(&m.text) == Some(service);
        let request = whole.daemon_messages.iter().rev().find(is_request);
        let from = request.map_or(failure.at - limit, |m| m.at.max(failure.at - limit));
        found.push(TimedOut { service, wait: TimeRange { from, to: failure.at }, request, failure });
    }
    found
}

/// The service whose activation a message requests.
fn requested(text: &str) -> Option<&str> {
    let by_systemd = || quoted(text, "Activating via systemd: service name='");
    by_systemd().or_else(|| quoted(text, "Activating service name='")).map(|(name, _)| name)
}

/// What stands in quotes after some words, and the rest.
fn quoted<'t>(text: &'t str, before: &str) -> Option<(&'t str, &'t str)> {
    text.split_once(before)?.1.split_once('\'')
}

/// `requested by ':1.5' (uid=0 pid=345 comm="/usr/bin/panel --full " label="unconfined")`: the program.
fn caller(request: &DaemonMessage) -> Option<&str> {
    let (_, said) = request.text.split_once("comm=\"")?;
    said.split_once('"')?.0.split_whitespace().next()
}

fn remedies(found: &[TimedOut<'_>]) -> Vec<Remedy> {
    let unit = |t: &TimedOut<'_>| quoted(&t.request?.text, " unit='").map(|(unit, _)| unit.to_owned());
    // The name that systemd gives a unit for D-Bus is a link that `systemctl enable` made, which can't be masked.
    let mut masks: Vec<SystemChange> = Vec::new();
    for unit in found.iter().filter_map(unit).filter(|unit| !unit.starts_with("dbus-")) {
        let mask = SystemChange::MaskUnit(unit);
        if !masks.contains(&mask) {
            masks.push(mask);
        }
    }
    let mut remedies = vec![Remedy::in_words(
        "find out why the service does not take its name (`systemctl status`, `journalctl -b -u`): BusName= and the policy in \
         /usr/share/dbus-1/system.d must name it, and what it waits for must be there",
        Effort::Configuration,
        "the service's own repair",
        Risk::Low,
    )];
    let price = "the service is missing: who calls it gets an error at once";
    if masks.is_empty() {
        remedies.push(Remedy::in_words(
            "if this device does not need it, remove its file in /usr/share/dbus-1/system-services, or `systemctl disable` its unit",
            Effort::Configuration,
            price,
            Risk::Medium,
        ));
    } else {
        remedies.push(Remedy::new("do without it, if this device does not need it", masks, price, Risk::Medium));
    }
    remedies
}
