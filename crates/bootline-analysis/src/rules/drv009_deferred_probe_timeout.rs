// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv009,
    doc: "A device needs a power domain, an IOMMU or pins from a supplier whose driver never comes. The kernel waits for that driver \
          until deferred_probe_timeout= is over, 10 s in a kernel with modules, and probes the device without it. If the root file system \
          is on that device, the boot waits too.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_secs(1);

/// driver_deferred_probe_check_state() in drivers/base/dd.c, 5.0 to 7.2.
const OVER: &str = "deferred probe timeout, ignoring dependency";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let silences = silence::ending_with(case, &[OVER], LEAST);
    let Some(first) = silences.first() else { return Vec::new() };
    let device = case.kernel(first.before).and_then(|r| silence::subject(r.text)).unwrap_or("a device");
    let took = seconds(silence::cost(&silences).best());
    let title =
        format!("nothing was logged for {took}, until {device} was probed without a supplier that it waited for");
    let remedies = vec![
        Remedy::in_words(
            "build in the supplier's driver, or take the reference to it out of the device tree if the board does not need it",
            Effort::Rebuild,
            "a custom kernel configuration or device tree",
            Risk::Medium,
        ),
        Remedy::new(
            "wait less",
            vec![SystemChange::parameter("deferred_probe_timeout", "1")],
            "a supplier whose driver is loaded later is ignored: devices run without their power domain, IOMMU or pins",
            Risk::High,
        ),
    ];
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
