// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::loader_steps::LoaderSteps;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr006,
    doc: "The kernel's image is decompressed on one core, by the boot loader (arm64, FIT, uImage) or by the image itself (x86, 32-bit \
          ARM): 0.1 to 0.5 s for gzip, several times as long for xz, or where the caches are off. What the reading of \
          a smaller image saves, its decompression may cost.",
    place: TimelinePlace::Evidence,
    check,
};

/// U-Boot's `bootm` (the line ended with "... OK" up to 2019) and `booti`; arch/arm/boot/compressed/misc.c, 2.4 to 7.2; x86's
/// "Decompressing Linux... Parsing ELF..." (6.x: without dots).
const WORDS: [&str; 3] = ["Uncompressing Kernel Image", "Uncompressing Linux", "Decompressing Linux"];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let steps = LoaderSteps { rule: RULE.id, words: &WORDS, what: "decompressing the kernel" };
    steps.findings(case, |_| {
        vec![
            Remedy::new(
                "compress it with lz4 instead",
                vec![SystemChange::config("CONFIG_KERNEL_LZ4", "y")],
                "a larger image, which the boot loader has to read: compare both times",
                Risk::Low,
            ),
            Remedy::in_words(
                "decompress with caches on, and with the processor's clock as the kernel sets it",
                Effort::Rebuild,
                "a custom boot loader",
                Risk::Medium,
            ),
            Remedy::in_words(
                "make it smaller: build in only what the device has",
                Effort::Rebuild,
                "a custom kernel configuration",
                Risk::Medium,
            ),
        ]
    })
}
