// SPDX-License-Identifier: MIT OR Apache-2.0
//! One line of a trace.
//!
//! ```text
//!        swapper/0-1     [000] .....     0.412345: initcall_start: func=acpi_init+0x0/0x4f0
//!             init-1     (-----) [001] d..2. 3.5: sched_process_exec: filename=/sbin/init pid=1 old_pid=1
//! ```
//! Source: trace_print_context() in kernel/trace/trace_output.c and, for `trace-cmd report`, tep_print_event() in libtraceevent. The column
//! of flags is there from 3.1 on and has four or five characters; that of the thread group (record-tgid) stands before or after the
//! processor's. Clocks that count no nanoseconds are printed without a point.
use bootline_capture::units::TraceTime;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventLine<'t> {
    pub task: u32,
    pub processor: u32,
    /// None where it is no number of seconds.
    pub at: Option<TraceTime>,
    /// `initcall_start`; empty where the line has no event's name, such as a function's.
    pub event: &'t str,
    /// What follows the name.
    pub fields: &'t str,
}

/// The event of a line; none where it has not this form.
pub(super) fn event_line(line: &str) -> Option<EventLine<'_>> {
    let (head, processor, rest) = around_processor(line)?;
    let head = without_group(head.trim_end());
    let (_, task) = head.rsplit_once('-')?;
    let task = task.parse().ok()?;
    let rest = without_leading_group(rest.trim_start());
    let (mut word, mut rest) = first_word(rest)?;
    if !word.ends_with(':') {
        // The flags: `d..2.`
        if word.len() > 8 || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        (word, rest) = first_word(rest)?;
    }
    let at = stamp(word.strip_suffix(':')?)?;
    // `trace-cmd report --ts-diff`
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("(+").and_then(|r| r.split_once(')')).map_or(rest, |(_, r)| r.trim_start());
    let (event, fields) = match rest.split_once(':') {
        Some((event, fields)) if is_name(event.trim_end()) => (event.trim_end(), fields.trim_start()),
        _ => ("", rest),
    };
    Some(EventLine { task, processor, at, event, fields: fields.trim_end() })
}

/// What is before `[000]`, the number in it, and what follows.
fn around_processor(line: &str) -> Option<(&str, u32, &str)> {
    line.match_indices(" [").find_map(|(at, _)| {
        let (number, rest) = line[at + 2..].split_once(']')?;
        let is_number = (2..=5).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        let processor = number.parse().ok().filter(|_| is_number && rest.starts_with([' ', '\t']))?;
        Some((&line[..at], processor, rest))
    })
}

/// Without `(  412)` or `(-----)` at the end.
fn without_group(head: &str) -> &str {
    let before = head.strip_suffix(')').and_then(|h| h.rsplit_once('(')).filter(|(_, group)| is_group(group));
    before.map_or(head, |(before, _)| before.trim_end())
}

fn without_leading_group(rest: &str) -> &str {
    let after = rest.strip_prefix('(').and_then(|r| r.split_once(')')).filter(|(group, _)| is_group(group));
    after.map_or(rest, |(_, after)| after.trim_start())
}

fn is_group(group: &str) -> bool {
    let group = group.trim();
    !group.is_empty() && (group.bytes().all(|b| b.is_ascii_digit()) || group.bytes().all(|b| b == b'-'))
}

fn first_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `12.345678` and, with nanoseconds, `12.345678901`; a whole number is none of seconds.
fn stamp(word: &str) -> Option<Option<TraceTime>> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((seconds, fraction)) = word.split_once('.') else { return digits(word).then_some(None) };
    if !digits(seconds) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let scale = 10i64.pow(9 - u32::try_from(fraction.len()).ok()?);
    let seconds = seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
    Some(Some(TraceTime::from_nanos(seconds.checked_add(fraction.parse::<i64>().ok()? * scale)?)))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_many_kernels() {
        let check = |line: &str, task: u32, processor: u32, ns: Option<i64>, event: &str, fields: &str| {
            let at = ns.map(TraceTime::from_nanos);
            assert_eq!(event_line(line), Some(EventLine { task, processor, at, event, fields }), "{line}");
        };
        let call = "func=acpi_init+0x0/0x4f0";
        let ns = Some(412_345_000);
        // 2.6.30, 3.10, 5.14 and PREEMPT_RT, with the thread group in both places.
        check(
            &format!("       swapper-1     [000]     0.412345: initcall_start: {call}"),
            1,
            0,
            ns,
            "initcall_start",
            call,
        );
        check(
            &format!("       swapper/0-1     [000] ....     0.412345: initcall_start: {call}"),
            1,
            0,
            ns,
            "initcall_start",
            call,
        );
        check(
            &format!("  swapper/0-1  [013] d..1.  0.412345: initcall_start: {call}\r"),
            1,
            13,
            ns,
            "initcall_start",
            call,
        );
        check(
            &format!("  swapper/0-1  (-----) [000] .N.1..   0.412345: initcall_start: {call}"),
            1,
            0,
            ns,
            "initcall_start",
            call,
        );
        check(
            &format!("  a b-c-412 [000] (  412) ....  0.412345: initcall_start: {call}"),
            412,
            0,
            ns,
            "initcall_start",
            call,
        );
        // trace-cmd report: with padding, with nanoseconds, with differences.
        check(
            &format!("   swapper/0-1   [000]     0.412345: initcall_start:       {call}"),
            1,
            0,
            ns,
            "initcall_start",
            call,
        );
        check(
            &format!("   swapper/0-1   [000]     0.412345001: (+12) initcall_start: {call}"),
            1,
            0,
            Some(412_345_001),
            "initcall_start",
            call,
        );
        // A counter's number, and a function.
        check("   <idle>-0   [001] d..1. 123456789: sched_switch: x", 0, 1, None, "sched_switch", "x");
        check(
            "   bash-1977 [000] .... 17.993652: sys_close <-system_call",
            1977,
            0,
            Some(17_993_652_000),
            "",
            "sys_close <-system_call",
        );
        for line in [
            "",
            "# tracer: nop",
            "CPU:1 [LOST 233 EVENTS]",
            "  bash-4340    3d..1   12us : func",
            "[    0.123456] Linux version 6.12",
            " => sys_close",
            "a-1 [000] .... 99999999999999.000000: x: y",
            "a-1 [000] .... 1.0000000000: x: y",
        ] {
            assert_eq!(event_line(line), None, "{line}");
        }
    }
}
