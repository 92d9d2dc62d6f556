// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::boot::{RootWait, RootWaitBy};
use crate::predict::remove_parameters;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Fs001,
    doc: "The boot has nothing left to do and waits for the root's device: rootwait polls until it is there, rootdelay= \
          sleeps a fixed time whether it is there or not, an initramfs has loops of its own. The device's driver comes \
          late, or the device is slow to answer (eMMC, USB, SATA links).",
    place: TimelinePlace::Evidence,
    check,
};

/// Below this the device was there.
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
            "wait for the device, not for a time",
            remove_parameters(case.boot, |word| word.starts_with("rootdelay="))
                .into_iter()
                .chain([SystemChange::word("rootwait")])
                .collect(),
            "a device that never comes is waited for without end",
            Risk::High,
        ),
        RootWaitBy::Rootwait => Remedy::in_words(
            "probe the device's driver sooner: build it in, before drivers that are not needed yet; disable its host's unused ports and protocols",
            Effort::Rebuild,
            "a kernel configuration of one's own",
            Risk::Medium,
        ),
        RootWaitBy::Initramfs => Remedy::in_words(
            "put the device's driver into the kernel, or first into the initramfs, and boot without an initramfs where it isn't needed",
            Effort::Rebuild,
            "a kernel configuration of one's own",
            Risk::High,
        ),
    };
    let name = match by {
        RootWaitBy::Rootwait => "rootwait polled for it",
        RootWaitBy::Rootdelay => "rootdelay= slept",
        RootWaitBy::Initramfs => "the initramfs looped",
    };
    vec![Finding {
        rule: RULE.id,
        title: format!("the boot waited {} for the root's device", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}: {name} between the records below, console waits not counted", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies: vec![
            sooner,
            Remedy::new(
                "probe the host controllers in parallel",
                vec![SystemChange::open_parameter("driver_async_probe", "drivers, separated by commas")],
                "device names may change order: mount by UUID or PARTUUID",
                Risk::High,
            ),
        ],
    }]
}
