// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::{basis, evidence, names, sum, unit_costs};
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
    let is_check = |name: &str| {
        name.starts_with("systemd-fsck") && name.ends_with(".service")
            || name == "systemd-remount-fs.service"
            || name.starts_with("File System Check on ")
            || name == "Remount Root and Kernel File Systems"
    };
    let costs = unit_costs(case.boot, |u| is_check(&u.name));
    let cost = sum(&costs);
    if cost.high() < LEAST {
        return Vec::new();
    }
    let skip = Remedy::new(
        "skip the checks",
        vec![SystemChange::parameter("fsck.mode", "skip")],
        "a damaged file system is mounted as it is",
        Risk::High,
    );
    let read_only = Remedy::in_words(
        "use a read-only root (squashfs, erofs), mounted by the kernel with its final options (rootflags=), and check only what is written to",
        Effort::Rebuild,
        "another image; data on a partition of its own",
        Risk::Medium,
    );
    vec![Finding {
        rule: RULE.id,
        title: format!("checking and remounting file systems took up to {}", seconds(cost.high())),
        cost,
        part_of: Vec::new(),
        time_ranges: costs.iter().map(|c| c.range).collect(),
        why: format!("{}: {}", basis(&costs), names(costs.iter().map(|c| c.unit.name.as_str()))),
        evidence: evidence(case, &costs),
        remedies: vec![read_only, skip],
    }]
}
