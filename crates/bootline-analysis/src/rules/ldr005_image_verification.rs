// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::loader_steps::LoaderSteps;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr005,
    doc: "U-Boot computes the checksum, hash or signature of the kernel and the initramfs before it starts them. In plain C, with caches \
          off, SHA-256 of 10 MiB takes from 0.2 s to several seconds.",
    place: TimelinePlace::Evidence,
    check,
};

/// Messages of U-Boot's boot/image-board.c and image-fit.c (common/ up to 2021), and of `bootm` for each image.
const WORDS: [&str; 3] = ["Verifying Checksum ...", "Verifying Hash Integrity ...", "Checking hash(es) for "];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let steps = LoaderSteps { rule: RULE.id, words: &WORDS, what: "checking images in the boot loader" };
    steps.findings(case, |texts| {
        let mut remedies = vec![Remedy::in_words(
            "compute hashes with the processor's instructions or its engine (CONFIG_ARMV8_CRYPTO, CONFIG_SHA_HW_ACCEL), with caches on",
            Effort::Rebuild,
            "a custom boot loader",
            Risk::Medium,
        )];
        // A signature is there for a reason; a checksum may not be.
        if texts.iter().all(|t| t.contains("Verifying Checksum ...")) {
            remedies.insert(
                0,
                Remedy::in_words(
                    "do not check: `setenv verify n; saveenv` in U-Boot",
                    Effort::Configuration,
                    "a damaged image is started; only where something else has checked it",
                    Risk::High,
                ),
            );
        }
        remedies
    })
}
