// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::BTreeSet;

use super::case::Case;
use super::finding::cite;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{ListedConsole, RegisteredConsole, SerialLine, is_serial};
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_console::Framework;
use bootline_records::{RecordId, RecordOrigin};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con010,
    doc: "Each record is printed to each registered console, one after the other where the writer waits. A second serial \
          console adds its own transmit time, and the log of the first does not show it: it looks like work. A boot \
          console (earlycon) that stays registered, as with keep_bootcon, prints each record a second time, and every \
          writer waits for it, also where the real console is an nbcon console. /proc/consoles shows what is \
          registered: flag B is a boot console, C the one that /dev/console leads to, N an nbcon console.",
    place: TimelinePlace::Evidence,
    check,
};

/// A serial console in addition to the one that printed this log.
struct Extra {
    name: String,
    record: RecordId,
    /// A boot console.
    boot: bool,
    /// An nbcon console: its own kthread prints to it.
    nbcon: bool,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    // Writers wait for a boot console and for a legacy one, whatever the main one is.
    let extra = extra_consoles(case, &line.console.name).into_iter().filter(|e| e.boot || !e.nbcon);
    extra.map(|e| finding(case, line, &e)).collect()
}

fn finding(case: &Case<'_>, line: &SerialLine, extra: &Extra) -> Finding {
    let main = &line.console.name;
    let title = match extra.boot {
        true => format!("boot console {} is still registered next to {main}: each record is printed twice", extra.name),
        false => format!("each record is printed to {} as well as to {main}", extra.name),
    };
    // The log of one console does not show how long writers wait for another: what looks like work, or like a slower line,
    // may be that.
    let repeated = if extra.boot { printed_twice(case) } else { None };
    let most = transmit_time(case, line, extra, repeated.unwrap_or(line.bytes_before_end));
    let bytes = line.bytes_before_end;
    let why = match most {
        Some(most) if repeated.is_some() => format!(
            "{} of {bytes} bytes up to the boot's end are records that arrived twice, {} of transmit time",
            repeated.unwrap_or_default(),
            seconds(most)
        ),
        Some(most) => format!(
            "{bytes} bytes were printed to {main} up to the boot's end; {} takes up to {} for the same",
            extra.name,
            seconds(most)
        ),
        None => format!(
            "{bytes} bytes were printed to {main} up to the boot's end; how long {} takes for the same is unknown, because \
             the log does not show its speed",
            extra.name
        ),
    };
    let listed = case.boot.listed_consoles.iter().find(|c| c.name == *main).map(|c| c.record);
    Finding {
        rule: RULE.id,
        title,
        cost: match most {
            // Whoever wrote the record waited for both.
            Some(most) if repeated.is_some() => Interval::new(Dur::ZERO, most, most),
            _ => Interval::new(Dur::ZERO, Dur::ZERO, most.unwrap_or_default()),
        },
        part_of: Vec::new(),
        time_ranges: Vec::new(),
        why,
        evidence: cite(case.boot, [extra.record].into_iter().chain(listed.or(line.console.enabled))),
        remedies: vec![leave_out(case, extra)],
    }
}

/// Serial consoles next to the main one: in the last listing, or else registered to the end of the log.
fn extra_consoles(case: &Case<'_>, main: &str) -> Vec<Extra> {
    let boot = case.boot;
    let listed = &boot.listed_consoles;
    if !listed.is_empty() {
        let is_extra =
            |c: &&ListedConsole| c.name != main && if c.boot { is_port(&c.name) } else { is_serial(&c.name) };
        let extra = |c: &ListedConsole| Extra { name: c.name.clone(), record: c.record, boot: c.boot, nbcon: c.nbcon };
        return listed.iter().filter(is_extra).map(extra).collect();
    }
    let is_extra = |name: &str| name != main && is_serial(name);
    // Without a listing, that the kernel says no "disabled" proves nothing of a boot console.
    let kept = boot.consoles.iter().filter(|c| !c.boot && c.disabled.is_none() && is_extra(&c.name));
    let mut seen = BTreeSet::new();
    let once = kept.filter(|c| seen.insert(&c.name));
    // Only from 6.12 on does the kernel's message show it.
    let nbcon = |c: &RegisteredConsole| c.framework == Framework::Nbcon && boot.kernel.version.is_some();
    once.map(|c| Extra { name: c.name.clone(), record: c.enabled, boot: c.boot, nbcon: nbcon(c) }).collect()
}

/// Whether a boot console's name is not that of a screen or a hypervisor's log.
fn is_port(name: &str) -> bool {
    !["earlyvga", "efi", "simplefb", "xen", "ttynull"].iter().any(|screen| name.starts_with(screen))
}

/// Bytes of the records that arrived twice in a row before the boot's end: once from the boot console, once from the real one on the
/// same line. None if there are none.
fn printed_twice(case: &Case<'_>) -> Option<u64> {
    let boot = case.boot;
    let mut bytes = 0;
    let mut before = None;
    for r in boot.records.iter().take(boot.end_index()) {
        let now =
            r.stamp.filter(|_| r.source == RecordOrigin::Kernel && r.arrival.is_some()).map(|stamp| (stamp, r.text));
        let is_second = now.is_some() && now == before;
        bytes += if is_second { u64::from(r.line_bytes) } else { 0 };
        // A third one is the first of another pair.
        before = now.filter(|_| !is_second);
    }
    (bytes > 0).then_some(bytes)
}

/// How long the other console took for so many bytes, if it is as fast as its `console=` says; a boot console is on the
/// same line.
fn transmit_time(case: &Case<'_>, line: &SerialLine, extra: &Extra, bytes: u64) -> Option<Dur> {
    let arguments = case.boot.kernel.command_line.consoles();
    let own = arguments.iter().rev().find(|a| a.name == extra.name).and_then(|a| Some(LineRate::of(a.baud?, a.frame)));
    let rate = if extra.boot { line.speed.map(|s| s.rate) } else { own };
    Some(rate?.time_for(bytes).as_dur())
}

fn leave_out(case: &Case<'_>, extra: &Extra) -> Remedy {
    let command_line = &case.boot.kernel.command_line;
    if extra.boot {
        let price = "a hang at the hand-over from the boot console to the real one shows less";
        return match command_line.has("keep_bootcon") {
            true => {
                let changes = vec![SystemChange::without("keep_bootcon")];
                Remedy::new("let the real console replace the boot console", changes, price, Risk::Low)
            }
            false => Remedy::in_words(
                "make the last console= name a console that exists: a boot console stays until that one registers",
                Effort::Configuration,
                price,
                Risk::Low,
            ),
        };
    }
    let own = |word: &&str| {
        let value = word.strip_prefix("console=");
        value.is_some_and(|v| v.split(',').next() == Some(extra.name.as_str()))
    };
    let changes: Vec<SystemChange> = command_line.words().filter(own).map(SystemChange::without).collect();
    let action = format!("print to one serial console: leave out {}", extra.name);
    let price = format!("{} shows no kernel messages", extra.name);
    if changes.is_empty() {
        let action =
            format!("{action}, which the firmware's tables or a driver selects: name the other one in console=");
        return Remedy::in_words(action, Effort::Configuration, price, Risk::Low);
    }
    Remedy::new(action, changes, price, Risk::Low)
}
