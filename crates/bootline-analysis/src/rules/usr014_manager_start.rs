// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::finding::cite_at;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::{Boot, StageName};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr014,
    doc: "Before systemd starts the first unit, the kernel loads it with its libraries, it mounts its file systems, loads security policies \
          and modules, and reads the files of all units that the default target needs. Everything else waits for that. On slow storage \
          this is mostly reading. Its stamps (`systemctl show`) and the kernel's record of init's start bound it.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(300), 0.05);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let whole = &boot.whole;
    let (Some(systemd), Some(loaded)) = (whole.manager_start, whole.units_loaded) else { return Vec::new() };
    // Something like fastinit may have started the application before.
    if whole.application.as_ref().is_some_and(|app| app.at <= systemd) {
        return Vec::new();
    }
    let executed = executed(boot, systemd);
    let from = executed.map_or(systemd, |(_, at)| at);
    // What generators do is another rule's.
    let (before, after) = whole.generators.unwrap_or((loaded, loaded));
    let (before, after) = (before.clamp(systemd, loaded.max(systemd)), after.clamp(systemd, loaded.max(systemd)));
    let pieces = [
        ("loading systemd itself", TimeRange { from, to: systemd }),
        ("its set-up", TimeRange { from: systemd, to: before }),
        ("loading units", TimeRange { from: after, to: loaded }),
    ];
    let ranges: Vec<TimeRange> = pieces.iter().flat_map(|(_, piece)| case.unclaimed(piece.from, piece.to)).collect();
    let net = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    // Of the whole boot, if its length is known: this begins where the time to init ends.
    let whole_length = whole.length().unwrap_or_default().max(case.total());
    if net.high() < LEAST.0.max(whole_length.scale(LEAST.1)) {
        return Vec::new();
    }
    let lengths: Vec<String> = pieces
        .iter()
        .filter(|(_, piece)| piece.to > piece.from)
        .map(|(what, piece)| format!("{what} {}", seconds(piece.to - piece.from)))
        .collect();
    let bounds = if executed.is_some() {
        "the kernel's record of init's start and systemd's own stamps"
    } else {
        "systemd's own stamps"
    };
    vec![Finding {
        rule: RULE.id,
        title: format!("systemd took {} until it could start units, without its generators", seconds(net.high())),
        cost: Interval::new(Dur::ZERO, net.best() / 2, net.high()),
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!(
            "by {bounds}: {}. The best estimate is half of the time, because nothing shows how much a smaller system would need",
            lengths.join(", ")
        ),
        evidence: cite_at(boot, executed.map(|(record, _)| record)),
        remedies: remedies(),
    }]
}

/// The kernel's record that it executes init, and its time, if that init is systemd in the root file system.
fn executed(boot: &Boot, systemd: Dur) -> Option<(usize, Dur)> {
    let at = boot.milestones.init?;
    let is_initramfs_s = boot.whole.stages.iter().any(|stage| stage.name == StageName::Initramfs);
    // Another init may have come before it.
    let names_systemd =
        boot.records.get(at).is_some_and(|r| ["/sbin/init ", "systemd "].iter().any(|p| r.text.contains(p)));
    let time = boot.timeline.stored(at).filter(|time| *time <= systemd)?;
    (names_systemd && !is_initramfs_s).then_some((at, time))
}

fn remedies() -> Vec<Remedy> {
    vec![
        Remedy::in_words(
            "start the application by fastinit (init=/usr/sbin/fastinit), which then becomes systemd",
            Effort::Rebuild,
            "without fastinit at that place the kernel panics; the application finds only what fastinit's configuration mounts, loads and \
             creates",
            Risk::Medium,
        ),
        Remedy::in_words(
            "make it smaller: an image with only the units, generators and libraries that this device uses, systemd built without what it does \
             not (SELinux, IMA, audit), on a file system that is fast to read (EROFS with LZ4)",
            Effort::Rebuild,
            "an image of your own to maintain",
            Risk::Medium,
        ),
    ]
}
