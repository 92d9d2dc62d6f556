// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, apart};
use super::finding::cite_at;
use super::silence;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, grub};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr002,
    doc: "U-Boot reads the kernel, the device tree and the initramfs from a file system, and says how long it took. \
          The time is their size divided by the speed that U-Boot's driver reaches, often far below the medium's: without DMA, \
          with caches off, in a slow bus mode. GRUB reads them through the firmware, and says what it reads next: \
          \"Loading Linux 6.12 ...\", \"Loading initial ramdisk ...\".",
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
    /// When it said so.
    to: Dur,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    u_boot(case).into_iter().chain(by_grub(case)).collect()
}

fn u_boot(case: &Case<'_>) -> Option<Finding> {
    let loads: Vec<Load> = case.before_kernel().filter_map(|(index, text)| load(case, index, text)).collect();
    let ranges: Vec<TimeRange> = loads.iter().map(|l| TimeRange { from: l.to - l.took, to: l.to }).collect();
    let ranges = apart(&ranges);
    let cost = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    let took = cost.best();
    if took < LEAST {
        return None;
    }
    let bytes = loads.iter().fold(0, |sum: u64, l| sum.saturating_add(l.bytes));
    let rate = bytes as f64 / took.as_secs_f64() / (1 << 20) as f64;
    let files = if loads.len() == 1 { "a file".to_owned() } else { format!("{} files", loads.len()) };
    let mebibytes = bytes as f64 / (1 << 20) as f64;
    Some(Finding {
        rule: RULE.id,
        title: format!("U-Boot took {} to read {files}, {mebibytes:.1} MiB at {rate:.1} MiB/s", seconds(took)),
        cost,
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!("as U-Boot measured it, in whole milliseconds, up to the records below {}", clock(case)),
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
    })
}

fn by_grub(case: &Case<'_>) -> Option<Finding> {
    let announced = case
        .before_kernel()
        .filter_map(|(index, text)| Some((grub::reads(text.trim())?, silence::after(case, index)?)));
    // What comes before the kernel's first record is also its decompression and its start.
    let (last, read): (Vec<_>, Vec<_>) = announced.partition(|(_, silence)| case.kernel(silence.before).is_some());
    let ranges = apart(&read.iter().map(|(_, silence)| silence.time_range).collect::<Vec<_>>());
    let cost = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    if cost.best() < LEAST {
        return None;
    }
    let files: Vec<&str> = read.iter().map(|(file, _)| *file).collect();
    let mut why = format!("{}: from each message below to the next record", clock(case));
    let rest = silence::cost(&last.iter().map(|(_, silence)| *silence).collect::<Vec<_>>());
    if let Some((file, _)) = last.first() {
        why += &format!("; {file} and the kernel's decompression took {} more", seconds(rest.best()));
    }
    let cited = read.iter().chain(&last).map(|(_, silence)| silence.after).take(8);
    Some(Finding {
        rule: RULE.id,
        title: format!("GRUB took {} to read {}", seconds(cost.best()), files.join(" and ")),
        cost: Interval::new(Dur::ZERO, cost.best(), (cost + rest).high()),
        part_of: Vec::new(),
        time_ranges: ranges,
        why,
        evidence: cite_at(case.boot, cited),
        remedies: vec![
            Remedy::in_words(
                "read less: an initramfs for this machine only (MODULES=dep in /etc/initramfs-tools/initramfs.conf, then \
                 update-initramfs -u), a smaller kernel",
                Effort::Configuration,
                "an initramfs without the drivers of other machines",
                Risk::Medium,
            ),
            Remedy::in_words(
                "read faster: /boot on the fastest medium that the firmware can read",
                Effort::Configuration,
                "a partition of its own for /boot",
                Risk::Low,
            ),
        ],
    })
}

/// What a record says of a file that was read, if the times of the records leave room for it.
fn load(case: &Case<'_>, index: usize, text: &str) -> Option<Load> {
    /// Both are rounded, and the record before it may have been on the line still.
    const SLACK: Dur = Dur::from_millis(100);
    let (bytes, took) = read_in(text)?;
    let to = case.at(index)?;
    let before = index.checked_sub(1).and_then(|i| case.at(i))?;
    (to - before + SLACK >= took).then_some(Load { index, bytes, took, to })
}

/// `5242880 bytes read in 350 ms (14.3 MiB/s)`, as fs_load of U-Boot's fs/fs.c says it.
fn read_in(text: &str) -> Option<(u64, Dur)> {
    let (bytes, rest) = text.split_once(" bytes read in ")?;
    let bytes = bytes.rsplit(' ').next()?.parse().ok()?;
    let milliseconds: u32 = rest.split_once(" ms")?.0.parse().ok()?;
    Some((bytes, Dur::from_millis(milliseconds.into())))
}
