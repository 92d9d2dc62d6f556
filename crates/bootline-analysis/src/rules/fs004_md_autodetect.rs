// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs004,
    doc: "A kernel with CONFIG_MD_AUTODETECT waits until every device has been probed and looks for RAID arrays of the old \
          kind on all partitions, before it mounts the root file system; on a system without RAID for nothing.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not reported.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // The wait's own message is from 2.6.30 (md_autodetect waits for async probes).
    let starts = ["md: Waiting for all devices to be available before autodetect", "md: Autodetecting RAID arrays."];
    let Some(start) = starts.iter().find_map(|s| case.first(s)) else { return Vec::new() };
    let Some((end, _)) = case.find("md: ... autorun DONE.").find(|(i, _)| *i > start) else { return Vec::new() };
    let (Some(from), Some(to)) = (case.at(start), case.at(end)) else { return Vec::new() };
    let net = case.net(from, to);
    // "md: created md0", "md/raid1:md0: active with 2 out of 2 mirrors": the array is used.
    let assembled = case.find("md: created md").any(|(i, _)| i > start && i < end);
    if net.best() < LEAST || assembled {
        return Vec::new();
    }
    vec![Finding {
        rule: RULE.id,
        title: format!("looking for RAID arrays took {}, and found none", seconds(net.best())),
        // Without it, the mount of the root file system may wait for the same devices.
        cost: Interval::new(Dur::ZERO, net.best(), net.high()),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies: vec![
            Remedy::new(
                "do not look for arrays",
                vec![SystemChange::parameter("raid", "noautodetect")],
                "arrays with metadata 0.90 must be assembled by mdadm",
                Risk::Low,
            ),
            Remedy::new(
                "build the kernel without it",
                vec![SystemChange::config("CONFIG_MD_AUTODETECT", "n")],
                "as above",
                Risk::Low,
            ),
        ],
    }]
}
