// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, apart};
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr002,
    doc: "U-Boot reads the kernel, the device tree and the initramfs from storage or network, and says how long it took. \
          The time is their size divided by the speed that U-Boot's driver reaches, often far below the medium's: without DMA, \
          with caches off, in a slow bus mode.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// One file that U-Boot read.
struct Load {
    index: usize,
    bytes: u64,
    took: Dur,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let loads: Vec<Load> = case
        .before_kernel()
        .filter_map(|(index, text)| read_in(text).map(|(bytes, took)| Load { index, bytes, took }))
        .collect();
    let ranges = loads.iter().filter_map(|l| {
        let to = case.at(l.index)?;
        Some(TimeRange { from: to - l.took, to })
    });
    let ranges = apart(&ranges.collect::<Vec<_>>());
    let took: Dur = loads.iter().map(|l| l.took).sum();
    if took < LEAST || loads.is_empty() {
        return Vec::new();
    }
    let bytes = loads.iter().fold(0, |sum: u64, l| sum.saturating_add(l.bytes));
    let rate = bytes as f64 / took.as_secs_f64() / (1 << 20) as f64;
    let files = if loads.len() == 1 { "a file".to_owned() } else { format!("{} files", loads.len()) };
    let mebibytes = bytes as f64 / (1 << 20) as f64;
    vec![Finding {
        rule: RULE.id,
        title: format!("U-Boot took {} to read {files}, {mebibytes:.1} MiB at {rate:.1} MiB/s", seconds(took)),
        cost: Interval::exact(took),
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!("as U-Boot measured it, in whole milliseconds; the records' times are {}", clock(case)),
        evidence: cite_at(case.boot, loads.iter().map(|l| l.index).take(8)),
        remedies: vec![
            Remedy::in_words(
                "read less: a smaller kernel and initramfs, compressed as the ratio of this speed to the processor's suggests",
                Effort::Rebuild,
                "a custom kernel configuration",
                Risk::Medium,
            ),
            Remedy::in_words(
                "read faster: U-Boot's driver with DMA, the bus mode that the medium allows (HS200, quad SPI), caches on",
                Effort::Rebuild,
                "a custom boot loader",
                Risk::Medium,
            ),
            Remedy::in_words(
                "let SPL load the kernel (U-Boot's Falcon mode)",
                Effort::Rebuild,
                "no U-Boot prompt, no choice at boot; SPL must be able to read the medium",
                Risk::High,
            ),
        ],
    }]
}

/// `5242880 bytes read in 350 ms (14.3 MiB/s)`, as U-Boot's fs_load and spi, mmc and nand commands say it.
fn read_in(text: &str) -> Option<(u64, Dur)> {
    let (bytes, rest) = text.split_once(" bytes read in ")?;
    let bytes = bytes.rsplit(' ').next()?.parse().ok()?;
    let milliseconds: u32 = rest.split_once(" ms")?.0.parse().ok()?;
    Some((bytes, Dur::from_millis(milliseconds.into())))
}
