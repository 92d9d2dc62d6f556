// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::loader_steps::LoaderSteps;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr004,
    doc: "The boot loader starts USB or SATA and looks for devices, before it knows whether it needs them: 1 s for a hub's ports to get \
          power, 0.1 to 1 s a device. U-Boot's `preboot` often does so for a keyboard that no device in the field has.",
    place: TimelinePlace::Evidence,
    check,
};

/// Messages of U-Boot's cmd/usb.c, common/usb*.c and drivers/scsi/scsi.c, 2008 to 2025. With driver model `starting USB...` is followed by
/// `Bus usb@1c1a000: USB EHCI 1.00`, before by `USB0:   `.
const WORDS: [&str; 8] = [
    "starting USB...",
    "(Re)start USB...",
    "resetting USB...",
    "Bus usb",
    "USB0:   ",
    "USB1:   ",
    "scanning bus ",
    "scanning usb for ",
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let steps =
        LoaderSteps { rule: RULE.id, words: &WORDS, what: "looking for devices on USB and SATA in the boot loader" };
    steps.findings(case, |_| {
        vec![Remedy::in_words(
            "do not start what the boot does not need: take `usb start` and `scsi scan` out of `preboot` and `bootcmd`, and usb and scsi out of `boot_targets`",
            Effort::Configuration,
            "no USB keyboard in the boot loader, no boot from USB or SATA",
            Risk::Medium,
        )]
    })
}
