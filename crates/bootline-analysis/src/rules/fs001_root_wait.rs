// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::probe_remedies::{OTHER_DISK_NAMES, asynchronous_probes};
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::boot::{RootWait, RootWaitBy};
use crate::predict::remove_parameters;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs001,
    doc: "The boot has nothing left to do and waits for the root device: rootwait polls until it is there, rootdelay= \
          sleeps a fixed time whether it is there or not, an initramfs has its own loops. Either the device's driver \
          is probed late, or the device is slow to answer (eMMC, USB, SATA links).",
    place: TimelinePlace::Evidence,
    check,
};

/// If the wait is shorter, the device was ready.
const LEAST: Dur = Dur::from_millis(50);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(RootWait { from: start, to: end, by }) = case.boot.root_wait() else { return Vec::new() };
    let (Some(from), Some(to)) = (case.at(start), case.at(end)) else { return Vec::new() };
    let cost = case.net(from, to);
    if cost.best() < LEAST {
        return Vec::new();
    }
    let sooner = match by {
        RootWaitBy::Rootdelay => Remedy::new(
            "wait for the root device instead of a fixed time",
            remove_parameters(case.boot, |word| word.starts_with("rootdelay="))
                .into_iter()
                .chain([SystemChange::word("rootwait")])
                .collect(),
            "the boot waits forever for a device that never appears",
            Risk::High,
        ),
        RootWaitBy::Rootwait => Remedy::in_words(
            "probe the root device sooner: build its driver in, ahead of drivers that are not needed yet; disable unused ports and protocols of its host controller",
            Effort::Rebuild,
            "a custom kernel configuration",
            Risk::Medium,
        ),
        RootWaitBy::Initramfs => Remedy::in_words(
            "build the root device's driver into the kernel, or load it first in the initramfs; boot without an initramfs if possible",
            Effort::Rebuild,
            "a custom kernel configuration",
            Risk::High,
        ),
    };
    let name = match by {
        RootWaitBy::Rootwait => "rootwait polled",
        RootWaitBy::Rootdelay => "rootdelay= slept",
        RootWaitBy::Initramfs => "the initramfs polled",
    };
    vec![Finding {
        rule: RULE.id,
        title: format!("the boot waited {} for the root device", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}: {name} between the records below, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies: vec![sooner, asynchronous_probes("probe the host controllers in parallel", OTHER_DISK_NAMES)],
    }]
}
