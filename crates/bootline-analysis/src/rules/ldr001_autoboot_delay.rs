// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr001,
    doc: "The boot loader counts down and waits for a key before it boots: bootdelay in U-Boot, \
          global.autoboot_timeout in Barebox, GRUB_TIMEOUT in GRUB. On a device in the field nobody presses it.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// How boot loaders ask for the key, and what sets the time.
const ASKED: [(&str, &str); 5] = [
    ("Hit any key to stop autoboot", "`setenv bootdelay 0; saveenv` in U-Boot, `nv autoboot_timeout=0` in Barebox"),
    ("to stop autoboot", "`setenv bootdelay 0; saveenv`"),
    ("to abort autoboot", "`setenv bootdelay 0; saveenv`"),
    ("highlighted entry will be executed automatically in", "GRUB_TIMEOUT=0 in /etc/default/grub, then update-grub"),
    ("to interrupt boot", "shorten the boot menu's time-out"),
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    for (i, text) in case.before_kernel() {
        let Some((_, how)) = ASKED.iter().find(|(asks, _)| text.contains(asks)) else { continue };
        let Some(silence) = silence::after(case, i).filter(|s| s.net.best() >= LEAST) else { continue };
        let title = format!("the boot loader waited {} for a key", seconds(silence.net.best()));
        let remedy = Remedy::in_words(
            format!("do not wait: {how}"),
            Effort::Configuration,
            "only a key that is pressed already, or none, stops the boot: keep another way in",
            Risk::Medium,
        );
        return vec![Finding {
            cost: silence.net,
            why: format!("{}: nothing followed the question until the records below", clock(case)),
            ..silence::finding(case, RULE.id, &[silence], title, vec![remedy])
        }];
    }
    Vec::new()
}
