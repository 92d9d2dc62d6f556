// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::unit_costs;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr006,
    doc: "systemd checks file systems before it mounts them (systemd-fsck-root, systemd-fsck@) and remounts the root \
          (systemd-remount-fs); local-fs.target, and with it almost everything, waits. A read-only root needs no check, and one \
          that the kernel mounts with its final options no remount. Seed 5 saves 0.22 s.",
    place: TimelinePlace::Evidence,
    check,
};

/// A short one is not worth a change.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let costs = unit_costs(case, |u| is_check(&u.name) || is_remount(&u.name));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    let has = |is_one: fn(&str) -> bool| costs.units.iter().any(|c| is_one(&c.unit.name));
    let (checks, remounts) = (has(is_check), has(is_remount));
    let mut remedies = Vec::new();
    if remounts || has(is_root_check) {
        remedies.push(Remedy::in_words(
            "use a read-only root (squashfs, erofs), mounted by the kernel with its final options (rootflags=), and check only what is written to",
            Effort::Rebuild,
            "another image; data on a partition of its own",
            Risk::Medium,
        ));
    }
    if checks {
        remedies.push(Remedy::new(
            "skip the checks",
            vec![SystemChange::parameter("fsck.mode", "skip")],
            "a damaged file system is mounted as it is",
            Risk::High,
        ));
    }
    let what = match (checks, remounts) {
        (true, true) => "checking and remounting file systems",
        (true, false) => "checking file systems",
        (false, _) => "remounting the root file system",
    };
    let title = format!("{what} took up to {}", seconds(cost.high()));
    vec![costs.finding(case, RULE.id, title, remedies)]
}

fn is_check(name: &str) -> bool {
    name.starts_with("systemd-fsck") && name.ends_with(".service") || name.starts_with("File System Check on ")
}

fn is_root_check(name: &str) -> bool {
    matches!(name, "systemd-fsck-root.service" | "File System Check on Root Device")
}

fn is_remount(name: &str) -> bool {
    matches!(name, "systemd-remount-fs.service" | "Remount Root and Kernel File Systems")
}
