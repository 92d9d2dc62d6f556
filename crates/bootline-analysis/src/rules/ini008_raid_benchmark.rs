// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::silence;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini008,
    doc: "RAID 6 and btrfs compute parity with the fastest method that the CPU has, and the kernel measures them all: each for \
          16 timer ticks on the boot's own CPU (raid6_select_algo), 64 ms at 250 Hz, 160 ms at 100 Hz. With eight to \
          sixteen measurements that is 0.5 to 2.5 s, on systems without RAID for nothing. Older kernels measure the checksums of RAID 5 \
          in the same way (calibrate_xor_blocks).",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter benchmark is not reported.
const LEAST: Dur = Dur::from_millis(50);
/// The first kernel in which the benchmark can be left out.
const OPTIONAL: KernelVersion = KernelVersion::new(5, 1);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let (mut cost, mut ranges, mut cited) = (Interval::default(), Vec::new(), Vec::new());
    for (range, net, evidence) in [raid6(case), xor(case)].into_iter().flatten() {
        cost = cost + net;
        ranges.push(range);
        cited.extend(evidence);
    }
    if cost.best() < LEAST {
        return Vec::new();
    }
    cited.sort_unstable();
    let mut remedies = vec![Remedy::in_words(
        "build what needs it (btrfs, RAID 4 to 6, dm-raid) as modules, or leave it out",
        Effort::Rebuild,
        "not for a root file system on it; the module measures when it is loaded",
        Risk::Medium,
    )];
    if case.boot.kernel.version.is_none_or(|v| v >= OPTIONAL) {
        remedies.insert(
            0,
            Remedy::new(
                "do not measure, take the method that the kernel prefers",
                vec![SystemChange::config("CONFIG_RAID6_PQ_BENCHMARK", "n")],
                "RAID 6 and btrfs may compute parity more slowly",
                Risk::Low,
            ),
        );
    }
    vec![Finding {
        rule: RULE.id,
        title: format!("measuring the speed of RAID's parity methods took {}", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!("{}, without waits for the console: the boot waits for each measurement", clock(case)),
        evidence: cite_at(case.boot, cited),
        remedies,
    }]
}

type Benchmark = (TimeRange, Interval, [usize; 2]);

/// `raid6: neonx8   gen()  1634 MB/s`, up to 3.19 `raid6: neonx8    1634 MB/s`; the result, `raid6: using algorithm neonx8 gen()
/// 1634 MB/s`, ends them.
fn raid6(case: &Case<'_>) -> Option<Benchmark> {
    let measured = |text: &str| text.starts_with("raid6: ") && text.contains("MB/s");
    let said: Vec<usize> = case.find("raid6: ").filter(|(_, r)| measured(r.text)).map(|(i, _)| i).collect();
    let (first, last) = (*said.first()?, *said.last()?);
    let (range, net) = case.net_between(first, last)?;
    // The first measurement ended with its record; it took no longer than the longest of the others.
    let lengths = said.windows(2).filter_map(|pair| Some((case.at(pair[1])? - case.at(pair[0])?).max_zero()));
    let before = silence::before(case, first).map_or(Dur::ZERO, |s| s.net.best());
    let one = lengths.max()?.min(before);
    let net = Interval::new(net.low(), net.best() + one, net.high() + before);
    Some((TimeRange { from: range.from - one, to: range.to }, net, [first, last]))
}

fn xor(case: &Case<'_>) -> Option<Benchmark> {
    let start = case.first("xor: measuring software checksum speed")?;
    let (end, _) = case.find("xor: using function").find(|(i, _)| *i > start)?;
    let (range, net) = case.net_between(start, end)?;
    Some((range, net, [start, end]))
}
