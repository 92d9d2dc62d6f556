// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::probe_remedies::{OTHER_DISK_NAMES, Probed, asynchronous_probes};
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::predict::remove_parameters;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{RootWait, RootWaitBy};
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
/// usb-storage's default.
const DELAY_USE: Dur = Dur::from_secs(1);

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
    let medium = medium(case, end);
    let mut remedies = vec![sooner];
    remedies.extend(medium.and_then(|m| m.remedy(case, start)));
    remedies.push(asynchronous_probes(
        "probe the host controllers in parallel",
        Probed::Drivers,
        OTHER_DISK_NAMES,
        Risk::High,
    ));
    let what = medium.map_or("", Medium::words);
    vec![Finding {
        rule: RULE.id,
        title: format!("the boot waited {} for the root device{what}", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}: {name} between the records below, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies,
    }]
}

/// What the root file system is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Medium {
    Mmc,
    Nvme,
    Sata,
    Usb,
}

/// From the name of the device that was mounted: `EXT4-fs (mmcblk0p2): mounted filesystem`, else from root=.
fn medium(case: &Case<'_>, mounted: usize) -> Option<Medium> {
    let text = case.kernel(mounted)?.text;
    let inside = text.split_once(" (").and_then(|(_, rest)| rest.split_once("): ")).map(|(name, _)| name);
    let named = case.boot.kernel.command_line.value("root").and_then(|root| root.strip_prefix("/dev/"));
    let name = inside.or(named)?;
    let says = |words: &str| case.find(words).next().is_some();
    // A disk may be either: only where the other kind is not there, its name shows which.
    let (usb, sata) = (says("USB Mass Storage device detected"), says("SATA link up"));
    match name {
        _ if name.starts_with("mmcblk") => Some(Medium::Mmc),
        _ if name.starts_with("nvme") => Some(Medium::Nvme),
        _ if name.starts_with("sd") && usb && !sata => Some(Medium::Usb),
        _ if name.starts_with("sd") && sata && !usb => Some(Medium::Sata),
        _ => None,
    }
}

impl Medium {
    fn words(self) -> &'static str {
        match self {
            Medium::Mmc => " on an eMMC or SD card",
            Medium::Nvme => " on an NVMe disk",
            Medium::Sata => " on a SATA disk",
            Medium::Usb => " on a USB disk",
        }
    }

    /// What makes this kind of device come sooner, if the log shows that it would.
    fn remedy(self, case: &Case<'_>, waits: usize) -> Option<Remedy> {
        match self {
            Medium::Mmc => Some(Remedy::in_words(
                "say in the device tree what is soldered (non-removable, no-sd, no-sdio), so that other kinds of card are not tried first",
                Effort::Rebuild,
                "cards of the other kinds are not found",
                Risk::Medium,
            )),
            // usb-storage waits before it scans (delay_use, 1 s; up to 3.x 5 s): from its host to the disk's first record.
            Medium::Usb => {
                let scanned = case.find("Direct-Access").map(|(i, _)| i).find(|i| *i > waits)?;
                let (host, _) = case.find(": usb-storage ").take_while(|(i, _)| *i < scanned).last()?;
                let waited = case.at(scanned)? - case.at(host)? >= DELAY_USE.scale(0.9);
                waited.then(|| {
                    Remedy::new(
                        "look at the USB disk as soon as it is there",
                        vec![SystemChange::parameter("usb-storage.delay_use", "0")],
                        "a disk that needs the time may not be found",
                        Risk::Medium,
                    )
                })
            }
            Medium::Nvme | Medium::Sata => None,
        }
    }
}
