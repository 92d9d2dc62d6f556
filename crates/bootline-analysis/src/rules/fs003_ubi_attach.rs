// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs003,
    doc: "UBI reads the headers of every block of the flash partition when it attaches: the time grows with the \
          partition's size, about 1.4 s for 470 MiB of NAND. A fastmap stores the result in the flash itself and is \
          read instead; from 6.3 on only if the fifth value of ubi.mtd= is 1. Mounting the UBIFS on it adds little, \
          unless its journal must be recovered.",
    place: TimelinePlace::Evidence,
    check,
};

/// Attaches shorter than this are not reported.
const LEAST: Dur = Dur::from_millis(100);
/// The first kernel that ignores a fastmap, and writes none, unless the fifth value of `ubi.mtd=` is 1: 7af73882dd1c ("ubi: fastmap: Add
/// fastmap control support for module parameter").
const ENABLED: KernelVersion = KernelVersion::new(6, 3);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some((start, record)) = case.find(": attaching mtd").find(|(_, r)| is_ubi(r.text)) else { return Vec::new() };
    // The record that announces the end; without one, the next record.
    let ends = [": attached mtd", ": scanning is finished", ": attached by fastmap", ": background thread"];
    let said = |i: &usize| case.kernel(*i).is_some_and(|r| is_ubi(r.text) && ends.iter().any(|e| r.text.contains(e)));
    let end = (start + 1..case.boot.end_index()).find(said).or_else(|| Some(case.next(start)?.0));
    let (Some(end), Some(from)) = (end, case.at(start)) else { return Vec::new() };
    let Some(to) = case.at(end) else { return Vec::new() };
    let attach = case.net(from, to);
    let mount = mount(case, end);
    let mounting = mount.map_or(Interval::default(), |(_, _, s)| case.net(s.from, s.to));
    let cost = attach + mounting;
    if attach.best() < LEAST {
        return Vec::new();
    }
    let by_fastmap = case.find("attached by fastmap").next().is_some();
    let mut remedies = Vec::new();
    if !by_fastmap {
        let mut changes = vec![
            SystemChange::config("CONFIG_MTD_UBI_FASTMAP", "y"),
            SystemChange::parameter("ubi.fm_autoconvert", "1"),
        ];
        changes.extend(enabling(case, record.text));
        remedies.push(Remedy::new(
            "attach with a fastmap",
            changes,
            "a few erase blocks; the fastmap is rewritten now and then",
            Risk::Medium,
        ));
    }
    remedies.push(Remedy::in_words(
        "attach only what the boot needs: a small partition for the root file system, the rest later from user space",
        Effort::Rebuild,
        "a different flash layout; two wear-levelling domains",
        Risk::High,
    ));
    remedies.push(Remedy::new(
        "move read-only files to a squashfs on a UBI volume",
        vec![
            SystemChange::config("CONFIG_MTD_UBI_BLOCK", "y"),
            SystemChange::open_parameter("ubi.block", "device,volume"),
            SystemChange::open_parameter("root", "/dev/ubiblockDEVICE_VOLUME"),
        ],
        "updates replace the whole image; saves the mount, not the attach",
        Risk::High,
    ));
    let mut time_ranges = vec![TimeRange { from, to }];
    let mut cited = vec![start, end];
    let mut words = String::new();
    if let Some((mounting_from, mounted, s)) = mount {
        time_ranges.push(s);
        cited.extend([mounting_from, mounted].into_iter().filter(|i| *i != end));
        words = format!(", and the mount {}", seconds(mounting.best()));
    }
    vec![Finding {
        rule: RULE.id,
        title: format!("UBI took {} to attach its flash{words}", seconds(attach.best())),
        cost,
        part_of: Vec::new(),
        time_ranges,
        why: format!("{}, from record {} on, without waits for the console", clock(case), record.id),
        evidence: cite_at(case.boot, cited),
        remedies,
    }]
}

/// What makes UBI use a fastmap of the flash that it was attaching: `ubi0: attaching mtd4`, or `UBI: attaching mtd4 to ubi0` up to 3.16.
/// The parameter replaces those of the same flash, as the first one decides. It is a number, a name or a node.
fn enabling(case: &Case<'_>, attaching: &str) -> Vec<SystemChange> {
    if case.boot.kernel.version.is_some_and(|v| v < ENABLED) {
        return Vec::new();
    }
    let number = |before: &str| {
        let digits = attaching.split_once(before)?.1;
        Some(digits.split(|c: char| !c.is_ascii_digit()).next()?).filter(|n| !n.is_empty())
    };
    let (Some(device), Some(flash)) = (number("ubi"), number("attaching mtd")) else { return Vec::new() };
    let is_of_ubi = |word: &&str| word.starts_with("ubi.mtd=");
    let words: Vec<&str> = case.boot.kernel.command_line.words().filter(is_of_ubi).collect();
    if words.iter().any(|word| word.split(',').nth(4).is_some_and(|fastmap| fastmap != "0")) {
        return Vec::new();
    }
    let mut changes = Vec::new();
    // With several, only the user knows which is which.
    if let [word] = words[..] {
        changes.push(SystemChange::without(word));
    }
    changes.push(SystemChange::parameter("ubi.mtd", format!("{flash},0,0,{device},1")));
    changes
}

fn is_ubi(text: &str) -> bool {
    text.starts_with("UBI") || text.starts_with("ubi")
}

/// The mount of a UBIFS as root: from its first record after `after` to "VFS: Mounted root".
fn mount(case: &Case<'_>, after: usize) -> Option<(usize, usize, TimeRange)> {
    let (mounted, _) = case.find("VFS: Mounted root (ubifs").find(|(i, _)| *i > after)?;
    let first = (after + 1..mounted).find(|i| case.kernel(*i).is_some_and(|r| r.text.starts_with("UBIFS")))?;
    Some((first, mounted, TimeRange { from: case.at(first)?, to: case.at(mounted)? }))
}
