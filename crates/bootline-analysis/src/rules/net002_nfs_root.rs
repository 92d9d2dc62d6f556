// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Net002,
    doc: "The root file system is on NFS, and mounting it takes long: the server answers late, or a first try was refused. After a failed \
          try the kernel sleeps 5 s, then 10, 20 and 30 s (mount_nfs_root), and logs nothing.",
    place: TimelinePlace::Evidence,
    check,
};

/// A server on the same network answers sooner.
const LEAST: Dur = Dur::from_millis(300);
/// How long the kernel has slept after each failed try (NFSROOT_TIMEOUT_MIN to MAX, 2.6.37 to 7.2).
const SLEPT: [i64; 5] = [5, 15, 35, 65, 95];

/// The kernel's messages for a mounted root, and for one that it gave up.
const MOUNTED: [&str; 2] = ["VFS: Mounted root (nfs filesystem)", "VFS: Mounted root (nfs4 filesystem)"];
const GIVEN_UP: &str = "VFS: Unable to mount root fs via NFS";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let failed: Vec<Silence> = silence::ending_with(case, &[GIVEN_UP], LEAST);
    let mounted: Vec<Silence> = silence::ending_with(case, &MOUNTED, LEAST);
    let has_failed = !failed.is_empty();
    let silences = if has_failed { failed } else { mounted };
    let took = silence::cost(&silences).best();
    if took < LEAST {
        return Vec::new();
    }
    // A try itself takes up to a second.
    let is_sleep = |s: &Silence| {
        let mut tries = (1_i64..).zip(SLEPT.map(Dur::from_secs));
        tries.any(|(n, slept)| (slept..=slept + Dur::from_secs(n)).contains(&s.net.best()))
    };
    let retried = has_failed || silences.iter().any(is_sleep);
    let title = match (has_failed, retried) {
        (true, _) => format!("the root file system could not be mounted by NFS; trying took {}", seconds(took)),
        (false, true) => format!(
            "mounting the root file system by NFS took {}, as after a failed try, when the kernel sleeps 5 s or more",
            seconds(took)
        ),
        (false, false) => format!("mounting the root file system by NFS took {}", seconds(took)),
    };
    let mut remedies = Vec::new();
    if retried {
        remedies.push(Remedy::in_words(
            "make the first try succeed: a link that is up before it (a switch's port without spanning tree's delay), the server's name, \
             export and version (nfsroot=...,vers=3,tcp) right",
            Effort::Configuration,
            "none",
            Risk::Low,
        ));
    }
    remedies.push(Remedy::in_words(
        "mount a small local root file system, and NFS from user space in parallel with the application's start",
        Effort::Rebuild,
        "an image on the device's own storage",
        Risk::Medium,
    ));
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
