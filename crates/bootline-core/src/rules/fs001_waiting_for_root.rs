// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::figure::{clock, seconds};
use super::finding::cite_at;
use super::{Advice, Finding, Rule, Stretch};
use crate::units::Dur;

pub(super) const RULE: Rule = Rule {
    code: "fs001",
    name: "waiting-for-root",
    doc: "The boot has nothing left to do and waits for the root's device: rootwait polls until it is there, rootdelay= \
          sleeps a fixed time whether it is there or not, an initramfs has loops of its own. The device's driver comes \
          late, or the device is slow to answer (eMMC, USB, SATA links).",
    check,
};

/// Below this the device was there.
const LEAST: Dur = Dur::from_millis(50);

/// How the waiting announces itself.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Rootwait,
    Rootdelay,
    Initramfs,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some((start, by)) = announced(case) else { return Vec::new() };
    let Some(from) = case.at(start) else { return Vec::new() };
    let Some((end, to)) = ended(case, start, by) else { return Vec::new() };
    let cost = case.net(from, to);
    if cost.best() < LEAST {
        return Vec::new();
    }
    let slower = match by {
        By::Rootdelay => Advice::new(
            "wait for the device, not for a time",
            "rootwait instead of rootdelay=",
            "a device that never comes is waited for without end",
        ),
        By::Rootwait => Advice::plain(
            "bring the device's driver sooner: built in, before what nobody needs yet; disable its host's unused ports and protocols",
            "a kernel configuration of one's own",
        ),
        By::Initramfs => Advice::plain(
            "put the device's driver into the kernel, or first into the initramfs, and boot without an initramfs where it isn't needed",
            "a kernel configuration of one's own",
        ),
    };
    let name = match by {
        By::Rootwait => "rootwait polled for it",
        By::Rootdelay => "rootdelay= slept",
        By::Initramfs => "the initramfs looped",
    };
    vec![Finding {
        rule: "fs001 waiting-for-root",
        title: format!("the boot waited {} for the root's device", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        stretches: vec![Stretch { from, to }],
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

fn announced(case: &Case<'_>) -> Option<(usize, By)> {
    if let Some(i) = case.first("Waiting for root device") {
        return Some((i, By::Rootwait));
    }
    let delay = case.find("sec before mounting root device").next();
    if let Some((i, _)) = delay {
        return Some((i, By::Rootdelay));
    }
    // initramfs-tools' own words, not the kernel's.
    let mut loops = case.boot.records.containing("Waiting for root file system");
    loops.next().map(|i| (i, By::Initramfs))
}

/// The first record that shows the device, else that the root is mounted.
fn ended(case: &Case<'_>, start: usize, by: By) -> Option<(usize, Dur)> {
    let mounted = |text: &str| {
        text.starts_with("VFS: Mounted root") || text.contains(": mounted filesystem") || text.contains("): Mounting")
    };
    let later = || start + 1..case.boot.records.len();
    let timed = |i: usize| Some((i, case.at(i)?));
    if by == By::Rootdelay {
        // A sleep: whatever the root's own code says next ends it, while drivers talk on.
        return later()
            .find(|i| case.kernel(*i).is_some_and(|r| mounted(r.text) || r.text.starts_with("md: ")))
            .and_then(timed);
    }
    let end = later().find(|i| case.kernel(*i).is_some_and(|r| mounted(r.text)))?;
    timed(end)
}
