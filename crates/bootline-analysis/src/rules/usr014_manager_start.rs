// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::finding::{cite, cite_at};
use super::unit_cost::fastinit;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, ExecutedBy};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr014,
    doc: "Before systemd starts the first unit, the kernel loads it with its libraries, it mounts its file systems, loads security policies \
          and modules, and reads the files of all units that the default target needs. Everything else waits for that. On slow storage \
          this is mostly reading. Its stamps (`systemctl show`) and the kernel's record of init's execution bound it.",
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
    let executed = whole.init_executed.filter(|init| init.by == ExecutedBy::Kernel);
    let from = executed.map_or(systemd, |init| init.at.min(systemd));
    let set_up = if whole.generators.is_some() { "its set-up" } else { "its set-up and loading units" };
    // What generators do is another rule's.
    let (before, after) = whole.generators.unwrap_or((loaded, loaded));
    let (before, after) = (before.clamp(systemd, loaded.max(systemd)), after.clamp(systemd, loaded.max(systemd)));
    let pieces = [
        ("loading systemd itself", TimeRange { from, to: systemd }),
        (set_up, TimeRange { from: systemd, to: before }),
        ("loading units", TimeRange { from: after, to: loaded }),
    ];
    let ranges: Vec<TimeRange> = pieces.iter().flat_map(|(_, piece)| case.unclaimed(piece.from, piece.to)).collect();
    let net = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    // Of the whole boot, if its length is known: this begins where the time to init ends.
    let whole_length = whole.length().unwrap_or_default().max(case.total());
    if net.high() < LEAST.0.max(whole_length.scale(LEAST.1)) {
        return Vec::new();
    }
    let bpf = restrict_fs(case, pieces[1].1);
    let of_bpf = |what: &str| match &bpf {
        Some(bpf) if what == set_up => {
            format!(", of that up to {} for the BPF program of RestrictFileSystems=", seconds(bpf.length))
        }
        _ => String::new(),
    };
    let lengths: Vec<String> = pieces
        .iter()
        .filter(|(_, piece)| piece.to > piece.from)
        .map(|(what, piece)| format!("{what} {}{}", seconds(piece.to - piece.from), of_bpf(what)))
        .collect();
    let bounds = if executed.is_some() {
        "the kernel's record of init's execution and systemd's own stamps"
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
            lengths.join("; ")
        ),
        evidence: {
            let executed = cite(boot, executed.map(|init| init.record));
            let of_bpf = cite_at(boot, bpf.iter().flat_map(|bpf| [bpf.before, bpf.attached]));
            executed.into_iter().chain(of_bpf).collect()
        },
        remedies: remedies(boot, bpf.is_some()),
    }]
}

/// systemd's load of the BPF program for RestrictFileSystems=, which parses the kernel's type information: bpf_restrict_fs_setup()
/// of systemd 250 and later, in manager_new().
struct RestrictFs {
    /// Position of the record that says that the program is attached.
    attached: usize,
    /// Position of systemd's record before it.
    before: usize,
    /// Time between the two: the load is part of it.
    length: Dur,
}

/// A shorter load is not worth a change.
const LEAST_BPF: Dur = Dur::from_millis(100);
/// A console may show a message this much later.
const LATE: Dur = Dur::from_secs(1);

/// The load in systemd's set-up: that of an initramfs's systemd, or of one that is executed again, is another.
fn restrict_fs(case: &Case<'_>, set_up: TimeRange) -> Option<RestrictFs> {
    let records = &case.boot.records;
    let is_in_time = |i: &usize| case.at(*i).is_some_and(|at| at > set_up.from && at < set_up.to + LATE);
    let attached = records.containing("LSM BPF program attached").find(is_in_time)?;
    let is_systemds = |i: &usize| records.get(*i).is_some_and(|r| r.text.starts_with("systemd[1]: "));
    let before = (0..attached).rev().find(is_systemds)?;
    let length = case.at(attached)? - case.at(before)?;
    (is_systemds(&attached) && length >= LEAST_BPF).then_some(RestrictFs { attached, before, length })
}

/// The kernel's list of security modules without BPF: `LSM: initializing lsm=lockdown,capability,bpf` (6.2 and later).
fn security_modules(boot: &Boot) -> Option<String> {
    let words = "LSM: initializing lsm=";
    let record = boot.records.containing(words).next().and_then(|i| boot.records.get(i))?;
    let (_, modules) = record.text.split_once(words)?;
    // The kernel adds the capabilities itself.
    let modules: Vec<&str> = modules.trim_end().split(',').filter(|m| !matches!(*m, "bpf" | "capability")).collect();
    let is_name = |m: &str| !m.is_empty() && m.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (modules.iter().all(|m| is_name(m)) && !modules.is_empty()).then(|| modules.join(","))
}

fn remedies(boot: &Boot, has_bpf: bool) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    if has_bpf {
        let change = match security_modules(boot) {
            Some(modules) => SystemChange::parameter("lsm", modules),
            None => SystemChange::open_parameter("lsm", "the list in /sys/kernel/security/lsm without bpf"),
        };
        remedies.push(Remedy::new(
            "leave BPF out of the security modules",
            vec![change],
            "RestrictFileSystems= in units has no effect, and no other program can use the BPF security module",
            Risk::Low,
        ));
    }
    remedies.extend([
        fastinit(boot),
        Remedy::in_words(
            "make it smaller: an image with only the units, generators and libraries that this device uses, systemd built without what it does \
             not (SELinux, IMA, audit), on a file system that is fast to read (EROFS with LZ4)",
            Effort::Rebuild,
            "an image of your own to maintain",
            Risk::Medium,
        ),
    ]);
    remedies
}
