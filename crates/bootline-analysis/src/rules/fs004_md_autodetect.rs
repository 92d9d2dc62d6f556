// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
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
    let Some((time_range, net)) = case.net_between(start, end) else { return Vec::new() };
    // "md/raid1:md0: active with 2 out of 2 mirrors", "md0: detected capacity change", up to 4.10 "md: bind<sda1>".
    let of_array = |text: &str| {
        let number = text.strip_prefix("md").and_then(|rest| rest.split_once(": ")).map(|(n, _)| n);
        text.starts_with("md/")
            || text.starts_with("md: bind<")
            || text.starts_with("md: created ")
            || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || b == b'_'))
    };
    let assembled = (start..end).any(|i| case.kernel(i).is_some_and(|r| of_array(r.text)))
        || case.boot.kernel.command_line.words().any(|word| word.contains("/dev/md") || word.starts_with("md="));
    if net.best() < LEAST || assembled {
        return Vec::new();
    }
    vec![Finding {
        rule: RULE.id,
        title: format!("looking for RAID arrays took {}, and found none", seconds(net.best())),
        // Without it, the mount of the root file system may wait for the same devices.
        cost: Interval::new(Dur::ZERO, net.best(), net.high()),
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!("{}, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies: vec![
            Remedy::new(
                "do not look for arrays",
                vec![SystemChange::parameter("raid", "noautodetect")],
                "arrays with metadata 0.90 must be assembled by mdadm in an initramfs",
                Risk::Medium,
            ),
            Remedy::new(
                "build the kernel without it",
                vec![SystemChange::config("CONFIG_MD_AUTODETECT", "n")],
                "as above",
                Risk::Medium,
            ),
        ],
    }]
}
