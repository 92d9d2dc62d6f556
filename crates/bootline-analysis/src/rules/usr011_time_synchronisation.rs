// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::unit_costs;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr011,
    doc: "Units that are ordered after time-sync.target wait until the clock is synchronised with a server, if a service that waits for \
          that is enabled (systemd-time-wait-sync, chrony-wait, ntp-wait): the time of the network, of a name lookup and of several \
          exchanges, and without a network until a time-out or for ever. Without such a service, time-sync.target delays nothing.",
    place: TimelinePlace::Evidence,
    check,
};

/// A clock that was synchronised at once.
const LEAST: Dur = Dur::from_millis(100);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let costs = unit_costs(case, |u| is_wait(&u.name));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    let mut remedies = vec![Remedy::in_words(
        "order the application after time-set.target (systemd 242), which is reached without a network, or after nothing, and let it cope with a \
         clock that is set later (CLOCK_MONOTONIC for intervals, no certificate checked before the clock is set)",
        Effort::Configuration,
        "until the clock is set, time is that of the RTC or of the last shutdown",
        Risk::Medium,
    )];
    let price = "what relies on the right time at its start (TLS, log files, timers) sees the clock jump";
    remedies.extend(costs.masking(case, "do not wait for the clock", price));
    let title = format!("user space waited up to {} until the clock was synchronised", seconds(cost.high()));
    vec![costs.finding(case, RULE.id, title, remedies)]
}

/// The services that wait, and as what the console shows them; ntpdate and OpenRC's ntp-client set the clock before they end.
fn is_wait(name: &str) -> bool {
    const UNITS: [&str; 9] = [
        "systemd-time-wait-sync.service",
        "chrony-wait.service",
        "ntp-wait.service",
        "ntpsec-wait.service",
        "ntpdate.service",
        "sntp.service",
        "Wait Until Kernel Time Synchronized",
        "Wait for chrony to synchronize system clock",
        "Wait for ntpd to synchronize system clock",
    ];
    UNITS.contains(&name) || name.starts_with("Setting clock via the NTP client")
}
