// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{SerialLine, SpeedChange};
use bootline_capture::units::{Dur, Interval, LineRate};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con009,
    doc: "The line's speed changes while the log is printed. The kernel's console has the speed that the port has: a \
          program that sets another one (`stty`, a getty that tries 115200, 57600 and 9600 in turn) sets it for the \
          kernel's messages too, and a receiver that keeps the old speed reads garbage. A boot loader and a kernel \
          that are set to different speeds have the same effect, and the slower one takes longer for the same bytes. Only \
          arrival times show it: each log line takes as long as its bytes take at one standard baud, and later at \
          another.",
    place: TimelinePlace::Evidence,
    check,
};

/// Smaller differences are not reported.
const LEAST: Dur = Dur::from_millis(50);

/// How far before the first record at the new speed its cause may be logged, in records.
const NEAR: usize = 30;

/// What set the new speed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SetBy {
    /// The kernel's console: it starts at another speed than the boot loader's.
    Console,
    /// Something that ran after the kernel's console had started.
    Program,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let Some((line, change)) = boot.line.as_ref().and_then(|l| Some((l, l.speed_change?))) else { return Vec::new() };
    let end = boot.end_index();
    let bytes = |from: usize, to: usize| -> u64 {
        (from..to).filter_map(|i| boot.records.get(i)).map(|r| u64::from(r.line_bytes)).sum()
    };
    let slower = change.is_slower();
    let (slow, fast) = if slower { (change.after, change.before) } else { (change.before, change.after) };
    let longer = |bytes: u64| slow.time_for(bytes).as_dur() - fast.time_for(bytes).as_dur();
    let (part, in_boot) = match slower {
        true => (bytes(change.index, boot.records.len()), bytes(change.index, end)),
        false => (bytes(0, change.index), bytes(0, change.index.min(end))),
    };
    if longer(part) < LEAST {
        return Vec::new();
    }
    let set_by = match line.console.enabled_index.or(boot.milestones.first_kernel) {
        Some(registered) if change.is_console_start(registered) => SetBy::Console,
        _ => SetBy::Program,
    };
    let at = case.at(change.index).map_or(String::new(), |at| format!(" at {}", seconds(at)));
    let those = if slower { "after that" } else { "before that" };
    // A kthread prints next to the boot; writers, and boot loaders, wait for each byte.
    let waits = !slower && set_by == SetBy::Console || line.console.printing.writer_waits();
    let best = if waits { longer(in_boot) } else { Dur::ZERO };
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} changed from {} to {} baud{at}: the {part} bytes {those} took {} longer than at {} baud",
            line.console.name,
            change.from,
            change.to,
            seconds(longer(part)),
            if slower { change.from } else { change.to },
        ),
        cost: Interval::new(Dur::ZERO, best, longer(in_boot)),
        part_of: vec![RuleId::Con001, RuleId::Con002, RuleId::Con003, RuleId::Con007, RuleId::Ldr007],
        time_ranges: Vec::new(),
        why: why(case, line, &change, set_by),
        evidence: cite_at(boot, evidence(case, &change)),
        remedies: remedies(line, &change, set_by),
    }]
}

fn why(case: &Case<'_>, line: &SerialLine, change: &SpeedChange, set_by: SetBy) -> String {
    let rate = |rate: LineRate| format!("{:.0} B/s", rate.bytes_per_s());
    let declared = line.console.declared_baud.map_or(String::new(), |b| format!("; {b} baud declared"));
    let cause = match set_by {
        SetBy::Console => "the kernel's console has another speed than what printed before it",
        SetBy::Program if change.index >= case.boot.end_index() => {
            "the kernel does not change the speed of its console: a program did, or the port's clock changed"
        }
        SetBy::Program => {
            "the kernel does not change the speed of its console after it has started: a program of the initramfs did, \
             or the port's clock changed"
        }
    };
    format!(
        "by arrival times: {} up to the record before {}, {} from it on{declared}; {cause}",
        rate(change.before),
        change.record,
        rate(change.after)
    )
}

/// The records at the change, and the one before it that names the cause.
fn evidence(case: &Case<'_>, change: &SpeedChange) -> Vec<usize> {
    let words = ["stty ", "getty", "baudrate", "setserial"];
    let names_it = |i: &usize| case.boot.records.get(*i).is_some_and(|r| words.iter().any(|w| r.text.contains(w)));
    let from = change.index.saturating_sub(NEAR);
    let cause = (from..change.index.saturating_sub(1)).rev().find(names_it);
    cause.into_iter().chain(change.index.checked_sub(1)).chain([change.index]).collect()
}

fn remedies(line: &SerialLine, change: &SpeedChange, set_by: SetBy) -> Vec<Remedy> {
    let name = &line.console.name;
    let faster = change.from.max(change.to);
    match set_by {
        SetBy::Console if change.is_slower() => vec![Remedy::new(
            format!("run the kernel's console at the boot loader's {faster} baud"),
            vec![SystemChange::parameter("console", format!("{name},{faster}n8"))],
            "a terminal that expects the slower speed must be set to this one",
            Risk::Low,
        )],
        SetBy::Console => vec![Remedy::in_words(
            format!(
                "set the boot loader to the kernel's {faster} baud: in U-Boot `setenv baudrate {faster}; saveenv`, or \
                 CONFIG_BAUDRATE={faster}"
            ),
            Effort::Configuration,
            "a terminal that expects the slower speed must be set to this one",
            Risk::Low,
        )],
        SetBy::Program => vec![Remedy::in_words(
            format!(
                "let programs leave the console's speed alone: `agetty --keep-baud`, and {faster} baud in console=, in \
                 stty and in the getty's arguments"
            ),
            Effort::Configuration,
            format!("a terminal that expects {} baud must be set to {faster}", change.from.min(change.to)),
            Risk::Low,
        )],
    }
}
