// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, silence};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini004,
    doc: "The kernel decompresses and unpacks the initramfs. The time grows with its size and depends on the compression: \
          lz4 and zstd are several times faster than gzip, xz far slower. Up to 5.12 the boot waits for it; from 5.13 on it \
          runs next to the initcalls, and the boot waits only for the rest.",
    place: TimelinePlace::Evidence,
    check,
};

/// Shorter unpacking is not reported.
const LEAST: Dur = Dur::from_millis(100);
/// MiB of a compressed image per second. A core of 500 MHz unpacks ten times as fast, even xz.
const CRAWLING: f64 = 0.5;
/// The first kernel that unpacks asynchronously (initramfs_async=).
const ASYNC: KernelVersion = KernelVersion::new(5, 13);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // With and without CONFIG_BLK_DEV_RAM; up to 2.6.28, "checking if image is initramfs... it is".
    let starts =
        ["Trying to unpack rootfs image as initramfs", "Unpacking initramfs", "checking if image is initramfs"];
    let Some(start) = starts.iter().find_map(|s| case.first(s)) else { return Vec::new() };
    let Some((end, freed)) =
        case.find("Freeing initrd memory").find(|(i, r)| *i > start && r.text.starts_with("Freeing initrd memory"))
    else {
        return Vec::new();
    };
    let Some((whole_range, whole)) = case.net_between(start, end) else { return Vec::new() };
    let waits = case.boot.kernel.command_line.value("initramfs_async") == Some("0");
    let is_async = case.boot.kernel.version.is_some_and(|s| s >= ASYNC) && !waits;
    let (cost, time_range, how) = if is_async {
        // What ran next to it did not wait; the silence before its end did.
        let Some(rest) = silence::before(case, end) else { return Vec::new() };
        let from = rest.time_range.from.max(whole_range.from);
        let net = case.net(from, whole_range.to).best().min(rest.net.best());
        let how = "the kernel unpacks it next to the initcalls; at its end nothing else was logged";
        (Interval::new(Dur::ZERO, net, whole.high()), TimeRange { from, to: whole_range.to }, how)
    } else {
        (whole, whole_range, "this kernel unpacks it before it continues")
    };
    if cost.best() < LEAST {
        return Vec::new();
    }
    let large = mebibytes(freed.text).filter(|m| *m >= 1.0 && !is_async);
    let rate = large.map(|m| m / whole.best().as_secs_f64()).filter(|r| *r < CRAWLING);
    let size = mebibytes(freed.text).map_or(String::new(), |m| format!(" of {m:.1} MiB"));
    let mut remedies = vec![
        Remedy::in_words(
            "leave out what the boot does not need (initramfs-tools: MODULES=dep; dracut: hostonly=yes)",
            Effort::Configuration,
            "the image fits this machine only",
            Risk::Medium,
        ),
        Remedy::new(
            "compress it with lz4 instead",
            vec![SystemChange::config("CONFIG_RD_LZ4", "y")],
            "a larger image, which the boot loader has to read: compare both times",
            Risk::Low,
        ),
        Remedy::in_words(
            "boot without an initramfs: build the drivers of the root file system into the kernel",
            Effort::Rebuild,
            "a custom kernel configuration; no encrypted or assembled root",
            Risk::High,
        ),
    ];
    if case.boot.kernel.version.is_some_and(|s| s < ASYNC) {
        remedies.push(Remedy::new(
            "use a kernel that unpacks it next to the initcalls",
            vec![SystemChange::Kernel(KernelVersions::From(ASYNC))],
            "little with one CPU",
            Risk::Medium,
        ));
    }
    let speed = rate.map_or(String::new(), |r| {
        format!("; {r:.1} MiB/s is so little that the processor's clock is probably low or its caches are off")
    });
    if rate.is_some() {
        remedies.insert(
            0,
            Remedy::in_words(
                "check the processor's clock, which the boot loader or firmware sets until cpufreq's driver does, and its caches",
                Effort::Rebuild,
                "a custom boot loader or firmware; a higher clock needs its voltage",
                Risk::Medium,
            ),
        );
    }
    vec![Finding {
        rule: RULE.id,
        title: if is_async {
            format!("the boot waited {} for an initramfs{size} to be unpacked", seconds(cost.best()))
        } else {
            format!("unpacking an initramfs{size} took {}", seconds(cost.best()))
        },
        cost,
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!("{}, without waits for the console; {how}{speed}", clock(case)),
        evidence: cite_at(case.boot, [start, end]),
        remedies,
    }]
}

/// `Freeing initrd memory: 15080K`, up to 3.9 `5432k freed`; in MiB.
fn mebibytes(text: &str) -> Option<f64> {
    let (_, size) = text.split_once(": ")?;
    let digits = size.split(['K', 'k']).next()?;
    Some(digits.parse::<u32>().ok()? as f64 / 1024.0)
}
