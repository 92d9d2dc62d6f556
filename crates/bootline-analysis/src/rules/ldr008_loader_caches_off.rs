// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr008,
    doc: "U-Boot runs with the processor's data cache off: copying, checking and decompressing images takes 5 to 50 times as long. \
          The log shows that they are off, not what that costs.",
    place: TimelinePlace::Evidence,
    check,
};

/// The weak enable_caches() in U-Boot's arch/arm/lib/cache.c, which a board replaces, 2011 to 2025.
const OFF: &str = "WARNING: Caches not enabled";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some((index, _)) = case.before_kernel().find(|(_, text)| text.trim() == OFF) else { return Vec::new() };
    let before_kernel = case.at(index).map_or(Dur::ZERO, |from| case.net(from, Dur::ZERO.max(from)).high());
    vec![Finding {
        rule: RULE.id,
        title: "the boot loader says that its caches are off".to_owned(),
        cost: Interval::new(Dur::ZERO, Dur::ZERO, before_kernel),
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: "what that costs is not in the log: it is part of each step in which images are copied, checked or decompressed"
            .to_owned(),
        evidence: cite_at(case.boot, [index]),
        remedies: vec![Remedy::in_words(
            "switch the caches on: enable_caches() for this board, without CONFIG_SYS_DCACHE_OFF and CONFIG_SYS_ICACHE_OFF",
            Effort::Rebuild,
            "a custom boot loader; drivers with DMA must flush and invalidate",
            Risk::Medium,
        )],
    }]
}
