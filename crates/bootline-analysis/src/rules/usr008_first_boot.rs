// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::unit_costs;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr008,
    doc: "Jobs that an image runs on its first boot, or after each update: the cache of shared libraries (ldconfig), the hardware \
          database, the journal's catalogue, users, host keys, growing the root file system, cloud-init. They can be done when the \
          image is built. On an image that resets at each start they run at every boot.",
    place: TimelinePlace::Evidence,
    check,
};

/// A short one is not worth a change.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    const JOBS: [&str; 17] = [
        "ldconfig.service",
        "systemd-hwdb-update.service",
        "systemd-journal-catalog-update.service",
        "systemd-sysusers.service",
        "systemd-firstboot.service",
        "systemd-update-done.service",
        "systemd-machine-id-commit.service",
        "systemd-growfs-root.service",
        "systemd-repart.service",
        "ssh-keygen.service",
        "sshd-keygen.service",
        "sshdgenkeys.service",
        "regenerate_ssh_host_keys.service",
        "resize2fs_once.service",
        "cloud-init.service",
        "cloud-init-local.service",
        "run-postinsts.service",
    ];
    let costs = unit_costs(case, |u| JOBS.contains(&u.name.as_str()) || u.name.starts_with("sshd-keygen@"));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    let remedies = vec![Remedy::in_words(
        "do these jobs when the image is built: boot it once, or run ldconfig -r, systemd-hwdb --root= update, journalctl --root= --update-catalog, systemd-sysusers --root=, and keep /etc/.updated and /var/.updated newer than /usr",
        Effort::Rebuild,
        "the image's build does more; host keys must stay unique for each device",
        Risk::Low,
    )];
    let title = format!("jobs of a first boot took up to {}", seconds(cost.high()));
    vec![costs.finding(case, RULE.id, title, remedies)]
}
