// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, apart};
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, silence};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs005,
    doc: "A file system that was not unmounted replays its journal when it is mounted, and the boot waits: 0.1 to several \
          seconds, more with a larger journal and on slow flash. A device whose power is cut does that on each boot. \
          With an initramfs the root file system is mounted after init's start: the time to init does not include it.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter recovery is not reported.
const LEAST: Dur = Dur::from_millis(50);

/// More than any device mounts; a log may be hostile.
const MOST: usize = 32;

/// How a recovery begins and ends. Where a file system is mounted for writing, ext4 says only that it is over.
const RECOVERIES: [(Option<&str>, &str); 5] = [
    // "EXT4-fs (mmcblk0p2): INFO: recovery required on readonly filesystem"; ext3 alike; up to 2.6.3x without the device.
    (Some(": recovery required on readonly filesystem"), ": recovery complete"),
    (Some("orphan cleanup on readonly fs"), " orphan inode"),
    // "XFS (sda1): Starting recovery (logdev: internal)".
    (Some("Starting recovery (logdev"), "Ending recovery (logdev"),
    // "UBIFS (ubi0:0): recovery needed", up to 3.19 "UBIFS: recovery needed"; on a read-only root "recovery deferred".
    (Some(": recovery needed"), ": recovery completed"),
    (None, ": recovery complete"),
];

/// One recovery.
struct Recovery {
    /// Position of the record that shows its beginning, or of the last one before its end.
    start: usize,
    /// Position of the record that ends it.
    end: usize,
    range: TimeRange,
    net: Interval,
    /// Its beginning is not known, and while it lasted others worked: its length is a bound.
    is_bound: bool,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut found: Vec<Recovery> = Vec::new();
    for (start, end) in RECOVERIES {
        for (i, record) in case.find_anywhere(end).filter(|(_, r)| is_file_system(r.text)).take(MOST) {
            let other = start.is_none() && found.iter().any(|f| f.end == i);
            if other || start.is_none() && !record.text.trim_end_matches('.').ends_with(end) {
                continue;
            }
            found.extend(recovery(case, start, i));
        }
    }
    found.sort_by_key(|f| f.end);
    let (before, after): (Vec<_>, Vec<_>) = found.into_iter().partition(|f| f.end < case.boot.end_index());
    [(before, false), (after, true)]
        .into_iter()
        .filter_map(|(found, is_after)| finding(case, &found, is_after))
        .collect()
}

fn finding(case: &Case<'_>, found: &[Recovery], after_init: bool) -> Option<Finding> {
    let all = cost(case, found.iter());
    let known = cost(case, found.iter().filter(|f| !f.is_bound));
    // Others may work meanwhile, once init has started.
    let low = if after_init { Dur::ZERO } else { known.low() };
    let cost = Interval::new(low, known.best(), all.high());
    let longest = found.iter().max_by_key(|f| f.range.to - f.range.from).filter(|_| all.best() >= LEAST)?;
    let name = case.kernel(longest.end).and_then(|r| silence::subject(r.text)).unwrap_or("a file system");
    let of_other = |f: &&Recovery| case.kernel(f.end).and_then(|r| silence::subject(r.text)) != Some(name);
    let others = if found.iter().any(|f| of_other(&f)) { " and others" } else { "" };
    let mut cited: Vec<usize> = found.iter().flat_map(|f| [f.start, f.end]).collect();
    cited.sort_unstable();
    let most = if found.iter().any(|f| f.is_bound) { "up to " } else { "" };
    let after = if after_init { ", which the time to init does not include" } else { "" };
    Some(Finding {
        rule: RULE.id,
        title: format!("{name}{others} took {most}{} to recover from an unclean shutdown", seconds(all.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: ranges(found.iter().filter(|f| !f.is_bound)),
        why: format!("{}, without waits for the console: the mount waits for it{after}", clock(case)),
        evidence: cite_at(case.boot, cited.into_iter().take(8)),
        remedies: vec![
            Remedy::in_words(
                "unmount it before the power is cut, or keep the root file system read-only and what changes on another one that is mounted later",
                Effort::Rebuild,
                "a different layout; the other file system recovers then",
                Risk::Medium,
            ),
            Remedy::in_words(
                "use a smaller journal (ext4: `mke2fs -J size=`; XFS: `mkfs.xfs -l size=`)",
                Effort::Rebuild,
                "a new image; many small writes become slower",
                Risk::Medium,
            ),
        ],
    })
}

/// The clean-up of orphans lies within the recovery.
fn ranges<'f>(found: impl Iterator<Item = &'f Recovery>) -> Vec<TimeRange> {
    apart(&found.map(|f| f.range).collect::<Vec<_>>())
}

fn cost<'f>(case: &Case<'_>, found: impl Iterator<Item = &'f Recovery> + Clone) -> Interval {
    let whole = ranges(found.clone()).iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    let each = found.fold(Interval::default(), |sum, f| sum + f.net);
    let best = whole.best().min(each.best());
    Interval::new(whole.low().min(each.low()), best, whole.high().max(best))
}

/// The recovery that ends with the record at a position. Without its beginning, only the silence before its end is known, and not all of it
/// need be its.
fn recovery(case: &Case<'_>, start: Option<&str>, end: usize) -> Option<Recovery> {
    let name = silence::subject(case.kernel(end)?.text)?;
    let Some(start) = start else {
        let s = silence::before(case, end)?;
        let net = Interval::new(Dur::ZERO, s.net.best(), s.net.high());
        let is_bound = end >= case.boot.end_index();
        return Some(Recovery { start: s.after, end, range: s.time_range, net, is_bound });
    };
    let of_same = |text: &str| silence::subject(text) == Some(name);
    let before = case.find_anywhere(start).take_while(|(i, _)| *i < end);
    let (start, _) = before.filter(|(_, r)| of_same(r.text)).last()?;
    let (range, net) = case.net_between(start, end)?;
    Some(Recovery { start, end, range, net, is_bound: false })
}

/// `EXT4-fs (mmcblk0p2)`, `XFS (sda1)`, `UBIFS (ubi0:0)`; a driver that recovers from an error is none.
fn is_file_system(text: &str) -> bool {
    ["EXT4-fs", "EXT3-fs", "XFS", "UBIFS"].iter().any(|name| text.starts_with(name))
}
