// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, percent, seconds, speed};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, console_remedies};
use bootline_boot::{ConsoleWait, SpanKind, WaitCause};
use bootline_capture::units::{Dur, Interval};
use bootline_console::Printing;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con003,
    doc: "On PREEMPT_RT a kthread prints, and up to 6.18 it holds the console lock until the whole backlog is \
          transmitted (legacy_kthread_func, __console_flush_and_unlock). Whoever takes that lock waits for all of it: \
          the open of /dev/console before init (console_on_rootfs), the start of the frame buffer (fbmem_init), the \
          registration of a tty. From 6.19 on the kthread releases the lock after each record, which helps only if it \
          has a CPU to itself. Such a wait is recognised by its end: the boot continues at the moment when the line \
          has drained.",
    place: TimelinePlace::Evidence,
    check,
};

/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.01);

/// Maximum number of waiters named.
const SHOWN: usize = 4;

/// One stall: the wait, and who waited for the lock.
struct Stall {
    index: usize,
    next: Option<usize>,
    time_range: TimeRange,
    time: Interval,
    waiter: String,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let waits = case.boot.waits.iter().filter(|w| w.cause == WaitCause::ConsoleLock && w.time.high() > Dur::ZERO);
    let mut stalls: Vec<Stall> = waits.map(|w| stall(case, w)).collect();
    stalls.extend(unseen_open(case, line.console.printing));
    let cost = stalls.iter().fold(Interval::default(), |sum, s| sum + s.time);
    if cost.best() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    stalls.retain(|s| s.time.best() > Dur::ZERO);
    // Grouped by waiter, longest first; the evidence is in log order.
    let mut by_waiter: Vec<(&str, Dur)> = Vec::new();
    for s in &stalls {
        match by_waiter.iter_mut().find(|w| w.0 == s.waiter) {
            Some(w) => w.1 += s.time.best(),
            None => by_waiter.push((&s.waiter, s.time.best())),
        }
    }
    by_waiter.sort_by_key(|w| std::cmp::Reverse(w.1));
    let named: Vec<String> = by_waiter.iter().take(SHOWN).map(|(w, t)| format!("{} in {w}", seconds(*t))).collect();
    let mut longest: Vec<&Stall> = stalls.iter().collect();
    longest.sort_by_key(|s| std::cmp::Reverse(s.time.best()));
    longest.truncate(SHOWN);
    let mut cited: Vec<usize> = longest.iter().flat_map(|s| [s.index].into_iter().chain(s.next)).collect();
    cited.sort_unstable();
    cited.dedup();
    let evidence = cite_at(case.boot, cited);
    let cpus = match case.boot.kernel.cpus {
        Some(1) => ", on one CPU",
        _ => "",
    };
    let design = match line.console.printing {
        Printing::ThreadWholeFlush => "this kernel's printer kthread holds the lock until the line has drained",
        Printing::ThreadPerRecord => {
            "by its version, this kernel's printer kthread releases the lock after each record"
        }
        _ => "the printer kthread holds the lock while the line drains",
    };
    let mut remedies: Vec<_> = console_remedies::printer_kthread(case, line).into_iter().collect();
    remedies.push(console_remedies::print_less(case));
    remedies.extend(console_remedies::faster_line(case, line));
    remedies.extend(console_remedies::module_with_replay(case));
    remedies.extend(console_remedies::module_built_in(case));
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the boot waited {} for the console lock, {} of its time{cpus}",
            seconds(cost.best()),
            percent(cost.best(), case.total())
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: stalls.iter().map(|s| s.time_range).collect(),
        why: format!("{}: {}; {}; the line transmits {}", clock(case), named.join(", "), design, speed(line)),
        evidence,
        remedies,
    }]
}

fn stall(case: &Case<'_>, w: &ConsoleWait) -> Stall {
    let time_range = TimeRange { from: w.from, to: w.from + w.time.best() };
    let next = case.next(w.index).map(|n| n.0);
    Stall { index: w.index, next, time_range, time: w.time, waiter: waiter(case, w.index, next, time_range) }
}

/// Who waited: the initcall or probe around the stall, else what init/main.c and the drivers are known to do there.
fn waiter(case: &Case<'_>, index: usize, next: Option<usize>, at: TimeRange) -> String {
    if let Some(span) = case.span_around(at.from, at.to) {
        let kind = if span.kind == SpanKind::Probe { "the probe of" } else { "the initcall" };
        return format!("{kind} `{}`", span.name);
    }
    let text = next.and_then(|i| case.kernel(i)).map_or("", |r| r.text);
    let m = &case.boot.milestones;
    let after_initcalls = m.last_initcall.is_some_and(|l| index >= l) && m.freeing_unused.is_none_or(|f| index < f);
    // prepare_namespace and what follows it in kernel_init come right after the open.
    const AFTER_OPEN: [&str; 8] = [
        "VFS: Mounted root",
        "Waiting for root",
        "EXT4-fs",
        "RAMDISK",
        "devtmpfs: mounted",
        "Freeing unused ",
        "Checked W+X",
        "Run ",
    ];
    if text.contains("console_on_rootfs") || after_initcalls || AFTER_OPEN.iter().any(|t| text.starts_with(t)) {
        return "the open of /dev/console (console_on_rootfs)".to_owned();
    }
    if text.contains(" at MMIO 0x") || text.contains(" at I/O 0x") || text.contains("console [") {
        return "the registration of a port".to_owned();
    }
    // Subsys initcalls run in link order, and drivers/video comes right before drivers/acpi and drivers/iommu.
    if text.starts_with("ACPI: Added _OSI(Module") || text.starts_with("iommu: Default domain") {
        return "fbmem_init (inferred from its position in the log)".to_owned();
    }
    if text.starts_with("fb0:") || text.contains("frame buffer") || text.contains("fbcon") {
        return "the start of the frame buffer".to_owned();
    }
    match next.and_then(|i| case.boot.records.get(i)) {
        Some(r) => format!("what ran before record {}", r.id),
        None => "what ran last".to_owned(),
    }
}

/// A log from which records were cut cannot show that the line was busy. If its records place the open of /dev/console
/// after a gap, and the kernel has a printer kthread, the console lock is the likeliest cause; the lower bound is zero.
fn unseen_open(case: &Case<'_>, printing: Printing) -> Option<Stall> {
    if !matches!(printing, Printing::ThreadWholeFlush | Printing::ThreadPerRecord) {
        return None;
    }
    let mut said = case.find("console_on_rootfs").map(|(i, _)| i);
    let first = said.next()?;
    // Records before and after the open, or only after it.
    let (next, index) = match said.last() {
        Some(last) => (last, first),
        None => (first, case.before(first)?.0),
    };
    let from = case.at(index)?;
    let to = case.at(next)?;
    let net = case.net(from, to);
    (net.best() >= Dur::from_millis(500)).then(|| Stall {
        index,
        next: Some(next),
        time_range: TimeRange { from, to },
        time: Interval::new(Dur::ZERO, net.best(), net.high()),
        waiter: "the open of /dev/console (console_on_rootfs)".to_owned(),
    })
}
