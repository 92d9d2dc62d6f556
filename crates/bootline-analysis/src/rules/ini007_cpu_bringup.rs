// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini007,
    doc: "The kernel starts its other CPUs one by one and waits for each: 1 to 10 ms a CPU, 1 to 10 s for one that does not \
          come online.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter bring-up is not reported.
const LEAST: Dur = Dur::from_millis(100);
/// x86 starts its CPUs in parallel from here on.
const PARALLEL: KernelVersion = KernelVersion::new(6, 5);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // "smp: Bringing up secondary CPUs ..." from 4.13; before, x86 said "x86: Booting SMP configuration:" or "Booting Node 0".
    let starts = ["Bringing up secondary CPUs", "x86: Booting SMP configuration", "Booting Node "];
    let start = starts.iter().find_map(|s| case.find(s).next()).map(|(i, _)| i);
    let Some(start) = start else { return Vec::new() };
    let Some((end, _)) = case.find("Brought up ").find(|(i, _)| *i > start) else { return Vec::new() };
    let Some((time_range, net)) = case.net_between(start, end) else { return Vec::new() };
    // A printer kthread that transmits a backlog has the only CPU that is online.
    let busy = case.thread_busy(time_range.from, time_range.to);
    let cost = Interval::new((net.low() - busy).max_zero(), (net.best() - busy).max_zero(), net.high());
    if cost.best() < LEAST {
        return Vec::new();
    }
    let failed = case.find("failed to come online").map(|(i, _)| i).find(|i| (start..end).contains(i));
    let mut remedies = vec![Remedy::new(
        "boot with one CPU, and bring the others online from user space",
        vec![SystemChange::parameter("maxcpus", "1")],
        "`echo 1 >/sys/devices/system/cpu/cpuN/online` for each; the boot has one CPU until then",
        Risk::Medium,
    )];
    if case.boot.kernel.version.is_some_and(|s| s < PARALLEL) && case.find("x86").next().is_some() {
        remedies.push(Remedy::new(
            "use a kernel that starts them in parallel",
            vec![SystemChange::Kernel(KernelVersions::From(PARALLEL))],
            "x86 only",
            Risk::Medium,
        ));
    }
    if failed.is_some() {
        remedies.insert(
            0,
            Remedy::in_words(
                "take the CPU that does not come online out of the device tree, or mend its firmware (PSCI)",
                Effort::Rebuild,
                "the CPU is not used; it is not now either",
                Risk::Low,
            ),
        );
    }
    let why = if failed.is_some() { ": a CPU did not come online" } else { "" };
    vec![Finding {
        rule: RULE.id,
        title: format!("bringing up the other CPUs took {}{why}", seconds(cost.best())),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!("{}, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, [Some(start), failed, Some(end)].into_iter().flatten()),
        remedies,
    }]
}
