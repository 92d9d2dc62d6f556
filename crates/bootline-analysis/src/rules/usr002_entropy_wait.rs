// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::silence::{self, Silence};
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;
use bootline_records::RecordOrigin;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr002,
    doc: "getrandom() blocks until the kernel has gathered entropy (\"random: crng init done\"). Without a hardware generator and \
          with few interrupts, that takes up to minutes on kernels before 5.4, and about 1 s later, where the kernel makes its own (try_to_generate_entropy). \
          Services that start meanwhile wait: ssh, TLS, systemd itself. With fips=1 the kernel's own crypto waits too, before init.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(500);
/// Who waited goes on at once.
const AT_ONCE: Dur = Dur::from_millis(100);
/// getrandom() is from 3.17.
const BLOCKS: KernelVersion = KernelVersion::new(3, 17);
/// The first kernel that makes entropy of its own.
const OWN: KernelVersion = KernelVersion::new(5, 4);
/// The first kernel that can trust the processor's generator.
const TRUST: KernelVersion = KernelVersion::new(4, 19);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some((waited, after_init)) = waited(case) else { return Vec::new() };
    let version = case.boot.kernel.version;
    let mut remedies = Vec::new();
    if version.is_none_or(|v| v >= TRUST) {
        remedies.push(Remedy::new(
            "trust the processor's generator, if it has one (x86's RDRAND, arm64's RNDR, POWER, s390)",
            vec![SystemChange::parameter("random.trust_cpu", "on")],
            "a flaw in that instruction is not made up for",
            Risk::Low,
        ));
    }
    remedies.push(Remedy::in_words(
        "give the kernel entropy sooner: build in the driver of the SoC's generator (CONFIG_HW_RANDOM) with `rng_core.default_quality=1000`, or let the boot loader pass a seed (rng-seed) with `random.trust_bootloader=on`",
        Effort::Rebuild,
        "keys are as good as that generator or seed: one that repeats makes them guessable",
        Risk::Medium,
    ));
    if version.is_some_and(|v| v < OWN) {
        remedies.push(Remedy::new(
            "use a kernel that makes entropy of its own within about a second",
            vec![SystemChange::Kernel(KernelVersions::From(OWN))],
            "a newer kernel",
            Risk::Medium,
        ));
    }
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} probably waited {} for random numbers",
            if after_init { "user space" } else { "the kernel" },
            seconds(waited.net.best())
        ),
        cost: Interval::new(Dur::ZERO, if after_init { Dur::ZERO } else { waited.net.best() }, waited.net.high()),
        part_of: Vec::new(),
        time_ranges: if after_init { Vec::new() } else { vec![waited.time_range] },
        why: format!(
            "{}: nothing was logged until the generator was ready, and then at once{}",
            clock(case),
            if after_init { "; the time to init does not include this time" } else { "" }
        ),
        evidence: cite_at(case.boot, [waited.after, waited.before, waited.before + 1]),
        remedies,
    }]
}

/// The silence that ends with the generator's record, if output follows at once, and whether that is after init's start. (Records
/// without a time would have been output in the silence.) Before, many an interrupt that ends a wait completes the generator too.
fn waited(case: &Case<'_>) -> Option<(Silence, bool)> {
    let init = case.boot.end.as_ref()?.index;
    let records = &case.boot.records;
    let of_kernel = |i: &usize| records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel);
    let ready = records.containing("random: crng init done").find(of_kernel)?;
    let after_init = ready > init;
    let fips = case.boot.kernel.command_line.value("fips") == Some("1");
    let silence = silence::before(case, ready)?;
    let blocks = case.boot.kernel.version.is_none_or(|v| v >= BLOCKS);
    let adjacent = silence.after + 1 == ready;
    let is_note = |i: usize| records.get(i).is_some_and(|r| r.text.contains("missed due to ratelimiting"));
    let next = (ready + 1..records.len()).find(|i| !is_note(*i))?;
    let goes_on = case.at(next)? - silence.time_range.to <= AT_ONCE;
    let waited = blocks && adjacent && goes_on && silence.net.best() >= LEAST;
    (waited && (after_init || fips)).then_some((silence, after_init))
}
