// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv009,
    doc: "A device needs a power domain, an IOMMU or pins from a supplier whose driver never comes. The kernel waits for that driver \
          until deferred_probe_timeout= is over, 10 s in a kernel with modules, and probes the device without it. If the root file system \
          is on that device, the boot waits too. With fw_devlink, the default from 5.13 on, a device also waits for \
          every supplier that the device tree names.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_secs(1);

/// driver_deferred_probe_check_state() in drivers/base/dd.c, 5.0 to 7.2.
const IGNORED: &str = "deferred probe timeout, ignoring dependency";

/// deferred_probe_timeout_work_func(): what still waits when the time is over, 5.8 to 7.2; from 6.8 on with the reason: "platform 17000.mmc:
/// deferred probe pending: platform: wait for supplier /soc/clock@10000".
const PENDING: &str = ": deferred probe pending";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let silences = silence::ending_with(case, &[IGNORED, PENDING], LEAST);
    let Some((first, record)) = silences.first().and_then(|s| Some((s, case.kernel(s.before)?))) else {
        return Vec::new();
    };
    let device = silence::subject(record.text).unwrap_or("a device");
    let took = seconds(silence::cost(&silences).best());
    let pending = record.text.split_once(PENDING).map(|(_, reason)| reason.trim_start_matches(": "));
    let title = match pending {
        Some(reason) => {
            let known = !reason.is_empty() && reason != "(reason unknown)";
            let reason = if known { format!(" ({reason})") } else { String::new() };
            format!(
                "nothing was logged for {took}, until deferred_probe_timeout expired; {device} still waits for a supplier{reason}"
            )
        }
        None => {
            format!("nothing was logged for {took}, until {device} was probed without a supplier that it waited for")
        }
    };
    let by_device_tree = case.find("wait for supplier").any(|(i, _)| i >= first.before);
    let mut remedies = vec![
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
    if by_device_tree {
        remedies.push(Remedy::new(
            "do not wait for a supplier only because the device tree names it",
            vec![SystemChange::parameter("fw_devlink", "permissive")],
            "more probes are tried in vain; a driver that relies on the order fails",
            Risk::Medium,
        ));
    }
    let mut finding = silence::finding(case, RULE.id, &silences, title, remedies);
    if pending.is_some() {
        // The wait did not end for this device: others may have been probed before it was listed, or nothing waited at all.
        finding.cost = Interval::new(Dur::ZERO, Dur::ZERO, finding.cost.high());
        finding.time_ranges.clear();
    }
    vec![finding]
}
