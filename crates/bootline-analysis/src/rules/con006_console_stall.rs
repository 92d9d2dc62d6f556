// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con006,
    doc: "The watchdog reports a soft lockup, or RCU a stall, and the trace below it shows the console: a CPU was in \
          console_unlock, printing other tasks' messages for longer than the detector's timeout. Each report adds \
          output and prolongs the stall. The reports mislead: nothing hung, the line was slow. \
          (Documentation/RCU/stallwarn.rst names a slow console as a cause.)",
    place: TimelinePlace::Evidence,
    check,
};

/// How a report begins.
const REPORTS: [&str; 4] =
    ["BUG: soft lockup - CPU#", "INFO: rcu_", "self-detected stall on CPU", "detected stalls on CPUs"];
/// Functions in which a CPU waits for the line.
const CONSOLE: [&str; 12] = [
    "console_unlock+",
    "console_flush_all+",
    "console_emit_next_record+",
    "console_flush_one_record+",
    "serial8250_console_write+",
    "serial8250_console_putchar+",
    "uart_console_write+",
    "wait_for_xmitr+",
    "wait_for_lsr+",
    "pl011_console_write",
    "vprintk_emit+",
    "nbcon_atomic_flush_pending+",
];
/// Records: a report with the traces of all CPUs is rarely longer.
const TRACE: usize = 400;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let records = &case.boot.records;
    // Matched by text alone: such logs are torn, and their lines have often lost their stamps.
    let mut reports: Vec<usize> = REPORTS.iter().flat_map(|r| records.containing(r)).collect();
    reports.sort_unstable();
    reports.dedup();
    if reports.is_empty() {
        return Vec::new();
    }
    let mut traces: Vec<usize> = CONSOLE.iter().flat_map(|f| records.containing(f)).collect();
    traces.sort_unstable();
    traces.dedup();
    let trace_of = |report: usize| {
        let next = traces.partition_point(|t| *t <= report);
        traces.get(next).copied().filter(|t| *t - report <= TRACE)
    };
    let Some((first, trace)) = reports.iter().find_map(|r| Some((*r, trace_of(*r)?))) else { return Vec::new() };
    let stuck = reports.iter().filter_map(|i| stuck_for(records.get(*i)?.text)).max();
    let words = stuck.map_or(String::new(), |s| format!(", the longest stuck for {} s", s.as_nanos() / 1_000_000_000));
    let mut remedies = Vec::new();
    if let Some(line) = &case.boot.line {
        remedies.extend(console_remedies::faster_line(case, line));
        remedies.extend(console_remedies::printer_kthread(case, line));
    }
    remedies.push(console_remedies::print_less(case));
    remedies.push(Remedy::new(
        "silence RCU's stall detector during boot",
        vec![SystemChange::parameter("rcupdate.rcu_cpu_stall_suppress_at_boot", "1")],
        "also hides real stalls during boot, and saves no time",
        Risk::Low,
    ));
    let function = records.get(trace).map_or("", |r| r.text).trim();
    let function = CONSOLE.iter().find(|f| function.contains(*f)).map_or("", |f| f.trim_end_matches('+'));
    let how_many = match reports.len() {
        1 => "a report of a lockup or stall is".to_owned(),
        n => format!("{n} reports of a lockup or stall are"),
    };
    vec![Finding {
        rule: RULE.id,
        title: format!("{how_many} caused by the console{words}"),
        // The CPU that prints need not be the one that the boot runs on.
        cost: Interval::new(Dur::ZERO, Dur::ZERO, stuck.unwrap_or_default()),
        part_of: vec![RuleId::Con001, RuleId::Con002, RuleId::Con003, RuleId::Con007],
        time_ranges: Vec::new(),
        why: format!(
            "the trace after the report shows `{function}`: the CPU was writing to the line, it did not hang; what that cost the boot is counted in the waits for the console"
        ),
        evidence: cite_at(case.boot, [first, trace]),
        remedies,
    }]
}

/// `... stuck for 22s! [modprobe:35056]`
fn stuck_for(text: &str) -> Option<Dur> {
    let (_, rest) = text.split_once(" stuck for ")?;
    let seconds: i64 = rest.split_once('s')?.0.parse().ok()?;
    Some(Dur::from_secs(seconds))
}
