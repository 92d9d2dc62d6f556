// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_boot::Clock;
use bootline_capture::units::{Dur, Interval};
use bootline_records::RecordOrigin;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr001,
    doc: "The command line asks for a quiet console, and user space makes it loud again: kernel.printk by sysctl, \
          `dmesg -n`, a sysrq, systemd logging to the console, or programs that write to /dev/kmsg. From then on, \
          while services start, the kernel's messages wait for the line as if quiet had not been given.",
    place: TimelinePlace::Evidence,
    check,
};

/// More kernel records than this after init's start are not those of a quiet boot.
const MANY: usize = 20;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let command_line = &boot.kernel.command_line;
    if !case.quiet_console() {
        return Vec::new();
    }
    let after = boot.end_index();
    let kernel_record = |i: &usize| boot.records.get(*i).filter(|r| r.source == RecordOrigin::Kernel);
    // Only records that arrived are known to have been printed.
    let arrived = boot.timeline.clock == Clock::Arrival;
    let mut loud: Vec<usize> =
        if arrived && boot.end.is_some() { (after..boot.records.len()).collect() } else { Vec::new() };
    loud.retain(|i| kernel_record(i).is_some_and(|r| r.level.is_none_or(|l| l.0 >= 4)));
    let raised = raised(case);
    let systemd: Vec<&str> = command_line
        .words()
        .filter(|w| ["systemd.log_target=console", "systemd.log_target=kmsg", "systemd.log_level=debug"].contains(w))
        .collect();
    if loud.len() < MANY && raised.is_none() && systemd.is_empty() {
        return Vec::new();
    }
    let (cost, bytes) = cost(case, &loud);
    let what = if cost.best() > Dur::ZERO { seconds(cost.best()) } else { format!("{bytes} bytes") };
    let from_user = loud.iter().filter(|i| kernel_record(i).is_some_and(|r| is_user_space(r.text))).count();
    let mut why = Vec::new();
    if let Some(r) = raised.and_then(|i| boot.records.get(i)) {
        why.push(format!("record {} changes the console's log level", r.id));
    }
    if !systemd.is_empty() {
        why.push(format!("the command line contains {}", systemd.join(" ")));
    }
    if !loud.is_empty() {
        why.push(format!(
            "{} kernel records, {bytes} bytes, arrived after init's start, {from_user} of them written by programs \
             through /dev/kmsg",
            loud.len()
        ));
    }
    if command_line.is_empty() {
        why.push("almost no kernel message precedes init's, so quiet was requested".to_owned());
    }
    if let Some(line) = &boot.line {
        why.push(format!("the line transmits {}", speed(line)));
    }
    let mut remedies = vec![Remedy::new(
        "keep the console's log level when user space starts: no `dmesg -n`, no `klogd -c`, and a file in sysctl.d",
        vec![SystemChange::Sysctl { key: "kernel.printk", value: "4 4 1 7" }],
        "messages are in dmesg only",
        Risk::Low,
    )];
    if !systemd.is_empty() || from_user > 0 {
        remedies.push(Remedy::new(
            "keep programs from writing to the kernel log",
            vec![
                SystemChange::parameter("printk.devkmsg", "off"),
                SystemChange::parameter("systemd.log_target", "journal"),
            ],
            "early services' messages are in the journal only",
            Risk::Low,
        ));
    }
    let evidence =
        raised.into_iter().chain(loud.iter().copied().take(2)).chain(loud.iter().copied().skip(2).next_back());
    let mut evidence: Vec<usize> = evidence.collect();
    evidence.dedup();
    vec![Finding {
        rule: RULE.id,
        title: format!("quiet was undone after init's start: {what} of kernel messages on the line"),
        cost,
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why: format!("{}; the time to init does not include this time", why.join("; ")),
        evidence: cite_at(boot, evidence),
        remedies,
    }]
}

/// Transmit time of the bytes; whether user space waited for all of them is unknown. Where the line's speed is unknown,
/// the time from each record to the next is the upper bound.
fn cost(case: &Case<'_>, loud: &[usize]) -> (Interval, u64) {
    let bytes = loud.iter().filter_map(|i| case.boot.records.get(*i)).map(|r| u64::from(r.line_bytes)).sum();
    let time = case.boot.line.as_ref().and_then(|l| {
        let waits = l.console.printing.writer_waits();
        l.speed.filter(|_| waits).map(|s| s.rate.time_for(bytes).as_dur())
    });
    let until_next = |i: usize| Some((case.at(i + 1)? - case.at(i)?).max_zero());
    let high = || loud.iter().filter_map(|i| until_next(*i)).sum();
    let known = time.unwrap_or_default();
    (Interval::new(Dur::ZERO, known, time.unwrap_or_else(high)), bytes)
}

/// The record that shows the level being raised, by sysrq, sysctl or dmesg.
fn raised(case: &Case<'_>) -> Option<usize> {
    let records = &case.boot.records;
    let sysrq = records.containing("Loglevel set to ").chain(records.containing("Changing Loglevel")).min();
    let sysctl = records
        .containing("kernel.printk")
        .find(|i| records.get(*i).and_then(|r| console_level(r.text)).is_some_and(|level| level > 4));
    let dmesg = records.containing("dmesg -n").next();
    [sysrq, sysctl, dmesg].into_iter().flatten().min()
}

/// `kernel.printk = 7 4 1 7`, `kernel.printk=7 4 1 7`
fn console_level(text: &str) -> Option<u8> {
    let (_, value) = text.split_once("kernel.printk")?;
    let value = value.trim_start().strip_prefix(['=', ':'])?;
    value.split_whitespace().next()?.parse().ok()
}

/// What programs write to /dev/kmsg begins with their name and process: `systemd[1]: `.
fn is_user_space(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('[') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    !name.is_empty() && !name.contains(' ') && digits > 0 && rest[digits..].starts_with("]:")
}
