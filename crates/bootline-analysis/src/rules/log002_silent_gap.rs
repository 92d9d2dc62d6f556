// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite;
use super::wording::{clock, percent, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Gap, is_serial};
use bootline_capture::units::{Dur, Interval};
use bootline_records::{RUNNER_LATENESS, RecordId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Log002,
    doc: "A time range in which nothing was logged and that no other rule explains: something worked or slept \
          silently. The records around it show where to look; initcall_debug would name the initcall or probe inside.",
    place: TimelinePlace::Evidence,
    check,
};

/// How many are shown.
const SHOWN: usize = 3;
/// Least length net of the console, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(100), 0.02);

pub(super) fn check(case: &Case<'_>) -> Vec<Finding> {
    let least = case.threshold(LEAST.0, LEAST.1);
    let debug = case.boot.kernel.command_line.initcall_debug() || !case.boot.spans().is_empty();
    let mut found = Vec::new();
    // Gaps are sorted by length: what remains of later ones is too short to be shown.
    for gap in case.boot.gaps().iter().take(1_000) {
        let time_range = TimeRange { from: gap.start, to: gap.start + gap.length };
        let net = net(case, gap).unwrap_or_else(|| case.net(time_range.from, time_range.to));
        if net.best() < least {
            continue;
        }
        let console = if gap.console > Dur::ZERO {
            format!("; {} more were waits for the console", seconds(gap.console))
        } else {
            String::new()
        };
        let is_flush = is_flush(case, gap.before);
        let inside = case.span_around(time_range.from, time_range.to);
        let inside_words = inside.map_or(String::new(), |s| format!(", inside `{}`", s.name));
        let remedy = match inside {
            None if is_flush => Remedy::in_words(
                "state the console and its speed: --console NAME,BAUD",
                Effort::None,
                "none: the log shows no speed, so what the line carried is unknown",
                Risk::Low,
            ),
            Some(s) => Remedy::new(
                format!("trace `{}`", s.name),
                vec![
                    SystemChange::parameter("ftrace", "function_graph"),
                    SystemChange::parameter("ftrace_graph_filter", s.name.as_str()),
                ],
                "a kernel with CONFIG_FUNCTION_GRAPH_TRACER; tracing slows the boot",
                Risk::Low,
            ),
            None if debug => Remedy::in_words(
                "look at kthreads and at init/main.c with ftrace, because no initcall runs in the gap",
                Effort::Configuration,
                "a kernel with CONFIG_FTRACE",
                Risk::Low,
            ),
            None => Remedy::new(
                "make the kernel log what runs in the gap (with quiet, read it from dmesg)",
                vec![SystemChange::word("initcall_debug"), SystemChange::parameter("log_buf_len", "4M")],
                "several hundred kB of log; printing it to the console would cost more than the gap",
                Risk::Low,
            ),
        };
        // Two logs in one may hold a gap that is longer than the boot.
        let share =
            (net.best() <= case.total()).then(|| format!(", {} of the boot", percent(net.best(), case.total())));
        let length = format!("{}{}", seconds(net.best()), share.unwrap_or_default());
        let title = if is_flush {
            format!("nothing was logged for {length}, until a console was enabled: it probably printed the log so far")
        } else {
            format!("nothing was logged for {length}, between records {} and {}", gap.after, gap.before)
        };
        found.push(Finding {
            rule: RULE.id,
            title,
            cost: net,
            part_of: Vec::new(),
            time_ranges: vec![time_range],
            why: format!("{}, net of what other findings explain{inside_words}{console}", clock(case)),
            evidence: cite(case.boot, [gap.after, gap.before]),
            remedies: vec![remedy],
        });
    }
    found.sort_by_key(|f: &Finding| std::cmp::Reverse(f.cost.best()));
    found.truncate(SHOWN);
    found
}

/// What remains of a gap in a job's log, bounded by the kernel's stamps: its times are those at which a server read the lines. (A
/// capture's times are better than the stamps, whose clock may have lost time.)
fn net(case: &Case<'_>, gap: &Gap) -> Option<Interval> {
    let records = &case.boot.records;
    let (after, before) = (records.index_of(gap.after)?, records.index_of(gap.before)?);
    let is_late = records.get(before)?.arrival.is_some_and(|a| a.uncertainty >= RUNNER_LATENESS);
    is_late.then(|| case.net_between(after, before)).flatten().map(|(_, net)| net)
}

/// Whether a record is the one at which a kernel before 6.2 announces a console that has flushed the log, at a speed that
/// nothing shows. (Where the speed is known, the flush is a wait for the console and its rule names it.)
fn is_flush(case: &Case<'_>, id: RecordId) -> bool {
    let boot = case.boot;
    let speed_unknown = boot.line.as_ref().is_none_or(|line| line.speed.is_none());
    let enabled = boot.consoles.iter().any(|c| c.enabled == id && is_serial(&c.name));
    enabled && speed_unknown && boot.kernel.flushes_before_enabled()
}
