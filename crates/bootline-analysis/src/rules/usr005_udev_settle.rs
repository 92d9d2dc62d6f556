// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::{price_of_masking, unit_costs};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr005,
    doc: "udev's coldplug (systemd-udev-trigger, or the script of another init) makes the kernel report every device again, and udevd runs its rules for each; \
          systemd-udev-settle waits until all of that is done. A system whose devices are known needs neither: devtmpfs makes the \
          nodes, and a unit can wait for its own device. Seed 5 saves 0.57 s with static nodes.",
    place: TimelinePlace::Evidence,
    check,
};

/// A short one is not worth a change.
const LEAST: Dur = Dur::from_millis(100);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // systemd's, then what scripts say: Debian's, OpenRC's, Buildroot's, Yocto's.
    const UNITS: [&str; 12] = [
        "systemd-udev-settle.service",
        "systemd-udev-trigger.service",
        "udev-settle.service",
        "Wait for udev To Complete Device Initialization",
        "Coldplug All udev Devices",
        "Waiting for /dev to be fully populated",
        "Synthesizing the initial hotplug events",
        "Synthesizing the initial hotplug events (devices)",
        "Synthesizing the initial hotplug events (subsystems)",
        "Waiting for uevents to be processed",
        "Populating /dev using udev",
        "Populating dev cache",
    ];
    let costs = unit_costs(case, |u| UNITS.contains(&u.name.as_str()));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    let settles = costs.units.iter().find(|c| c.unit.name == UNITS[0]);
    let mut remedies = Vec::new();
    if let Some(settle) = settles {
        let (price, risk) = price_of_masking(case.boot, &[settle.unit], "what relies on it without saying so fails");
        remedies.push(Remedy::new(
            "do not wait for all devices: order units after the .device they need",
            vec![SystemChange::MaskUnit(UNITS[0].to_owned())],
            price,
            risk,
        ));
    }
    remedies.push(Remedy::in_words(
        "build the drivers that the application needs into the kernel and take their nodes from devtmpfs; start the coldplug after the application",
        Effort::Configuration,
        "names, links and permissions that udev's rules set come later",
        Risk::Medium,
    ));
    let title = format!("udev's coldplug and settle took up to {}", seconds(cost.high()));
    vec![costs.finding(case, RULE.id, title, remedies)]
}
