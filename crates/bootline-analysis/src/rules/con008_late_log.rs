// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use crate::remedy::Remedy;
use bootline_boot::Clock;
use bootline_capture::units::{Dur, Interval};
use bootline_records::RecordOrigin;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con008,
    doc: "Where a kthread prints, the boot does not wait for the line: the log arrives later than what it reports. The \
          kernel's stamps show when a message was logged, a terminal's when it arrived. What programs write to the \
          same port goes out between two kernel messages, so that a login prompt appears among messages of the \
          kernel's start. The boot loses no time by this; whoever reads along, or switches the device off, does.",
    place: TimelinePlace::Evidence,
    check,
};

/// Shorter delays go unnoticed.
const LEAST: Dur = Dur::from_millis(1000);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let Some(line) = &boot.line else { return Vec::new() };
    let by_thread = boot.console_switch.is_some() || !line.console.printing.writer_waits();
    // Only arrival times show it; on the kernel's clock transmission is modelled.
    let lag = line.lag_at_end.filter(|lag| *lag >= LEAST && by_thread && boot.timeline.clock == Clock::Arrival);
    let (Some(lag), Some(end)) = (lag, &boot.end) else { return Vec::new() };
    let among = program_among_older_records(case);
    let among_words = match among {
        Some(_) => "; programs already wrote to the port meanwhile, between messages of the kernel's start",
        None => "",
    };
    // What makes the log arrive sooner need not make the boot shorter.
    let useful = |r: Remedy| Remedy { saves: r.saves.filter(|s| s.best() > Dur::ZERO), ..r };
    let remedies = [Some(console_remedies::print_less(case)), console_remedies::faster_line(case, line)];
    let faster = console_remedies::log_on_faster_line(case, line).map_or_else(String::new, |(baud, late)| {
        format!("; at {baud} baud its end is predicted to arrive {} after init starts", seconds(late))
    });
    vec![Finding {
        rule: RULE.id,
        title: format!("{} printed the end of the boot {} after it was logged", line.console.name, seconds(lag)),
        cost: Interval::default(),
        part_of: Vec::new(),
        why: format!(
            "by arrival times and the kernel's stamps: at most {} bytes waited for the line, which transmits {}{among_words}; the boot did not wait for them, but what the line shows is that old{faster}",
            boot.backlog_peak(),
            speed(line)
        ),
        evidence: cite_at(boot, [end.index].into_iter().chain(among.into_iter().flatten())),
        time_ranges: Vec::new(),
        remedies: remedies.into_iter().flatten().map(useful).collect(),
    }]
}

/// What a program wrote before a kernel message that had been logged long before: the first such pair.
fn program_among_older_records(case: &Case<'_>) -> Option<[usize; 2]> {
    let records = &case.boot.records;
    let stored = |i| case.boot.timeline.stored(i);
    let is_of = |i: usize, origin| records.get(i).is_some_and(|r| r.source == origin);
    (1..records.len()).find_map(|kernel| {
        let program = kernel - 1;
        let is_pair = is_of(program, RecordOrigin::Other) && is_of(kernel, RecordOrigin::Kernel);
        (is_pair && stored(program)? - stored(kernel)? >= LEAST).then_some([program, kernel])
    })
}
