// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, percent, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs002,
    doc: "JFFS2 stores no index: the mount scans the whole flash partition for nodes. 470 MiB of NAND, 8 % full, took \
          2.6 s, more than UBI's attach and UBIFS's mount together (1.5 s).",
    place: TimelinePlace::Evidence,
    check,
};

/// Mounts shorter than this are not reported.
const LEAST: Dur = Dur::from_millis(100);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(mounted) = case.first("VFS: Mounted root (jffs2") else { return Vec::new() };
    let (Some(to), Some((before, before_at))) = (case.at(mounted), case.before(mounted)) else { return Vec::new() };
    // JFFS2's records before the mount, except that of its registration, which an initcall prints.
    let own = |i: &usize| case.kernel(*i).is_some_and(|r| is_scan(r.text));
    let first = (mounted.saturating_sub(100)..mounted).find(own);
    let (from, said) = match first.and_then(|i| case.at(i)) {
        Some(at) => (at, true),
        None => (before_at, false),
    };
    let net = case.net(from, to);
    if net.best() < LEAST {
        return Vec::new();
    }
    // Without a record of JFFS2's own, a wait for the device may be included.
    let cost = if said { net } else { Interval::new(Dur::ZERO, net.best(), net.high()) };
    let start = first.unwrap_or(before);
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the mount of the JFFS2 root took {}, {} of the boot",
            seconds(net.best()),
            percent(net.best(), case.total())
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}, between the records below, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [start, mounted]),
        remedies: vec![
            Remedy::new(
                "use UBIFS on UBI",
                vec![SystemChange::config("CONFIG_MTD_UBI", "y"), SystemChange::config("CONFIG_UBIFS_FS", "y")],
                "a different image; UBI's attach time still grows with the partition",
                Risk::High,
            ),
            Remedy::new(
                "move read-only files to a squashfs",
                vec![SystemChange::config("CONFIG_SQUASHFS", "y")],
                "updates replace the whole image; on NAND it needs UBI underneath",
                Risk::High,
            ),
            Remedy::in_words(
                "shrink the root partition: the scan grows with its size, not with its content",
                Effort::Rebuild,
                "less space",
                Risk::Medium,
            ),
            Remedy::new(
                "store block summaries (run sumtool over the image)",
                vec![SystemChange::config("CONFIG_JFFS2_SUMMARY", "y")],
                "a little space in each block",
                Risk::Low,
            ),
        ],
    }]
}

fn is_scan(text: &str) -> bool {
    (text.starts_with("JFFS2 ") || text.starts_with("jffs2: "))
        && !text.contains(" version ")
        && !text.contains(": version ")
}
