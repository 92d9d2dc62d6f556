// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::loader_steps::LoaderSteps;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr003,
    doc: "The boot loader uses the network: it waits for the link (1 to 3 s of autonegotiation, 4 to 20 s without a cable), asks DHCP, \
          and reads files by TFTP, a block at a time. A device in the field that boots from its own storage needs none of it.",
    place: TimelinePlace::Evidence,
    check,
};

/// Messages of U-Boot's net/ and drivers/net/, 2010 to 2025, and of Barebox.
const WORDS: [&str; 12] = [
    "Waiting for PHY auto negotiation",
    "Starting autonegotiation",
    "Autonegotiation timed out",
    "BOOTP broadcast ",
    "DHCP client bound to address",
    "TFTP from server ",
    "Loading: #",
    "Loading: *",
    "Loading: T ",
    "ARP Retry count exceeded",
    "Retry count exceeded; starting again",
    "Retry time exceeded; starting again",
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let steps = LoaderSteps { rule: RULE.id, words: &WORDS, what: "using the network in the boot loader" };
    steps.findings(case, |texts| {
        let mut remedies = vec![Remedy::in_words(
            "boot from the device's own storage: take the network out of `bootcmd` or `boot_targets`",
            Effort::Configuration,
            "no boot over the network; keep another way to recover the device",
            Risk::Medium,
        )];
        if texts.iter().any(|t| t.contains("utonegotiation") || t.contains("auto negotiation")) {
            remedies.push(Remedy::in_words(
                "fix the link's speed, or reset the PHY no more than once",
                Effort::Rebuild,
                "the other end must be set to the same speed",
                Risk::Medium,
            ));
        }
        remedies
    })
}
