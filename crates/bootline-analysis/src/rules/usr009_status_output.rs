// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::finding::cite_at;
use super::wording::{seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, TERMINAL_BUFFER, Unit, status_output};
use bootline_capture::units::{Dur, Interval};
use bootline_records::RecordOrigin;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr009,
    doc: "systemd, init scripts and services whose output goes to the console write to the same slow line as the kernel. Its buffer holds a \
          few kilobytes; once that is full, whoever writes waits, and that is process 1. `quiet` on the kernel's command line, \
          or systemd.show_status=, keeps systemd silent; a service's output belongs into the journal.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not worth a change.
const LEAST: Dur = Dur::from_millis(200);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let (Some(line), Some(from)) = (&boot.line, boot.milestones.kernel_end()) else { return Vec::new() };
    let Some(rate) = line.speed.map(|s| s.rate) else { return Vec::new() };
    // What comes after the boot's end, nobody who waits for the boot waited for.
    let until = boot.whole.stages.last().map(|stage| stage.end);
    let is_counted = |i: &usize| until.is_none_or(|end| case.at(*i).is_some_and(|at| at <= end));
    let (mut bytes, mut first, mut last) = (0, None, None);
    for i in (from + 1..boot.records.len()).filter(is_counted) {
        let Some(r) = boot.records.get(i).filter(|r| r.source == RecordOrigin::Other && r.arrival.is_some()) else {
            continue;
        };
        bytes += u64::from(r.line_bytes);
        first = first.or(Some(i));
        last = Some(i);
    }
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let takes = |bytes: u64| rate.time_for(bytes).as_dur();
    let waited = takes(bytes.saturating_sub(TERMINAL_BUFFER));
    let (Some(begins), Some(ends)) = (case.at(first), case.at(last)) else { return Vec::new() };
    let high = waited.min((ends - begins).max_zero());
    if high < case.threshold(LEAST, 0.01) {
        return Vec::new();
    }
    let has_status = status_output(&boot.records)[first..=last].contains(&true);
    let mut remedies = Vec::new();
    if has_status {
        remedies.push(Remedy::new(
            "keep systemd's status off the console",
            vec![SystemChange::parameter("systemd.show_status", "auto")],
            "only units that fail or are slow are shown",
            Risk::Low,
        ));
    }
    let writers = writers(boot, until);
    remedies.push(if writers.is_empty() {
        Remedy::in_words(
            "send what scripts and services print into the journal or a file, not to /dev/console",
            Effort::Configuration,
            "the console shows less",
            Risk::Low,
        )
    } else {
        let to_journal =
            |u: &Unit| SystemChange::ServiceSetting { unit: u.name.clone(), setting: "StandardOutput=journal" };
        Remedy::new(
            "send what these services print to the journal alone",
            writers.into_iter().map(to_journal).collect(),
            "the console shows less",
            Risk::Low,
        )
    });
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "user space wrote {bytes} bytes to console {}, {} of transmit time",
            line.console.name,
            seconds(takes(bytes))
        ),
        cost: Interval::new(Dur::ZERO, Dur::ZERO, high),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from: begins, to: ends }],
        why: format!(
            "at {}; what exceeds the tty's buffer of {TERMINAL_BUFFER} bytes may have been waited for, which nothing on the console shows",
            speed(line)
        ),
        evidence: cite_at(boot, [first, last]),
        remedies,
    }]
}

/// The services that started before an end and whose output goes to the console, too. Those that serve a terminal must write to it.
fn writers(boot: &Boot, until: Option<Dur>) -> Vec<&Unit> {
    const TERMINALS: [&str; 5] = ["getty", "systemd-ask-password", "systemd-firstboot", "emergency", "rescue"];
    let is_terminal_s = |u: &Unit| TERMINALS.iter().any(|word| u.name.contains(word));
    let in_time = |u: &Unit| u.begins().is_some_and(|begins| until.is_none_or(|end| begins <= end));
    let is_one = |u: &&Unit| u.writes_to_console && u.name.ends_with(".service") && in_time(u) && !is_terminal_s(u);
    boot.whole.units.iter().filter(is_one).take(MOST_WRITERS).collect()
}

/// Services that a remedy names.
const MOST_WRITERS: usize = 5;
