// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::unit_costs;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr004,
    doc: "network-online.target waits until an interface has an address (systemd-networkd-wait-online, NetworkManager-wait-online, \
          ifupdown): seconds for DHCP, up to 2 min without a cable. What is ordered after it waits as well, although most services \
          can bind to an address that comes later.",
    place: TimelinePlace::Evidence,
    check,
};

/// A network that was there at once.
const LEAST: Dur = Dur::from_millis(100);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let is_wait = |name: &str| {
        name.ends_with("-wait-online.service")
            || matches!(name, "network-online.target" | "ifupdown-wait-online.service")
    };
    let costs = unit_costs(case, |u| is_wait(&u.name));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    let mut remedies = vec![Remedy::in_words(
        "order the application after network.target, or after nothing, and let it wait for its address itself (bind to any address, retry)",
        Effort::Configuration,
        "the application must cope with a network that comes later",
        Risk::Medium,
    )];
    let price = "what needs the network at its start fails, or must retry";
    remedies.extend(costs.masking(case, "do not wait for the network", price));
    let title = format!("user space waited up to {} until the network was online", seconds(cost.high()));
    vec![costs.finding(case, RULE.id, title, remedies)]
}
