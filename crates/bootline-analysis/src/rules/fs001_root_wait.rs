// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Advice, Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::boot::{RootWait, RootWaitBy};
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
    let slower = match by {
        RootWaitBy::Rootdelay => Advice::new(
            "wait for the device, not for a time",
            "rootwait instead of rootdelay=",
            "a device that never comes is waited for without end",
        ),
        RootWaitBy::Rootwait => Advice::plain(
            "probe the device's driver sooner: build it in, before drivers that are not needed yet; disable its host's unused ports and protocols",
            "a kernel configuration of one's own",
        ),
        RootWaitBy::Initramfs => Advice::plain(
            "put the device's driver into the kernel, or first into the initramfs, and boot without an initramfs where it isn't needed",
            "a kernel configuration of one's own",
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
        advice: vec![
            slower,
            Advice::new(
                "probe the host controllers in parallel",
                "driver_async_probe=<driver>,...",
                "device names may change order: mount by UUID or PARTUUID",
            ),
        ],
    }]
}
