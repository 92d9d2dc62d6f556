// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace says of itself: comments in front of the events, lines about lost events, and the file `trace_clock`, if somebody
//! put its content in front.
//!
//! Source: print_trace_header() and print_trace_line() in kernel/trace/trace.c, print_event() in trace-cmd's trace-read.c. The
//! comments do not name the clock.
use super::kernel_trace::TraceTimes;

/// What one line says of the trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderLine<'t> {
    /// The clock, from `trace_clock`: `[local] global counter`.
    Clock(&'t str),
    /// How times are written.
    Times(TraceTimes),
    /// The ring buffer overwrote so many events.
    Overwritten(u64),
    /// A processor's events were lost; how many, if that is known.
    Lost { processor: Option<u32>, events: Option<u64> },
    /// Nothing that is used.
    Other,
}

/// Clocks of kernel/trace/trace.c, trace_clocks[].
const CLOCKS: [&str; 10] =
    ["local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc"];

/// Whether a line is the first of a trace's comments.
pub(in super::super) fn begins(line: &str) -> bool {
    line.starts_with("# tracer: ")
}

/// None where the line is none of these.
pub(super) fn header_line(line: &str) -> Option<HeaderLine<'_>> {
    if let Some(comment) = line.strip_prefix('#') {
        return Some(of_comment(comment.trim()));
    }
    let line = line.trim();
    if let Some(lost) = lost(line) {
        return Some(lost);
    }
    if let Some(clock) = clock(line) {
        return Some(HeaderLine::Clock(clock));
    }
    // trace-cmd's own, and the lines of a stack.
    let is_other = line.is_empty()
        || ["cpus=", "version = ", "=> ", "<stack trace>", "trace clock:"].iter().any(|s| line.starts_with(s))
        || line.starts_with("CPU ") && line.ends_with(" is empty");
    is_other.then_some(HeaderLine::Other)
}

fn of_comment(comment: &str) -> HeaderLine<'_> {
    let entries = comment.strip_prefix("entries-in-buffer/entries-written:").and_then(|rest| {
        let (kept, written) = rest.split_whitespace().next()?.split_once('/')?;
        written.parse::<u64>().ok()?.checked_sub(kept.parse().ok()?)
    });
    match entries {
        Some(0) => HeaderLine::Other,
        Some(overwritten) => HeaderLine::Overwritten(overwritten),
        None if comment.starts_with("latency trace v") || comment.contains("=> CPU#") => {
            HeaderLine::Times(TraceTimes::Latency)
        }
        None => HeaderLine::Other,
    }
}

/// `CPU:1 [LOST 233 EVENTS]`, and trace-cmd's `CPU:1 [233 EVENTS DROPPED]`
fn lost(line: &str) -> Option<HeaderLine<'_>> {
    let (processor, what) = line.strip_prefix("CPU:")?.split_once(" [")?;
    let what = what.strip_suffix(']')?;
    let number = what.strip_prefix("LOST").and_then(|w| w.strip_suffix("EVENTS"));
    let number = number.or_else(|| what.strip_suffix("EVENTS DROPPED"))?;
    Some(HeaderLine::Lost { processor: processor.parse().ok(), events: number.trim().parse().ok() })
}

fn clock(line: &str) -> Option<&str> {
    let mut chosen = None;
    let mut known = 0;
    for word in line.split_whitespace() {
        let plain = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
        if plain.is_some() && chosen.replace(plain?).is_some() {
            return None;
        }
        known += usize::from(CLOCKS.contains(&plain.unwrap_or(word)));
    }
    chosen.filter(|_| known >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |line, expected| assert_eq!(header_line(line), expected, "{line}");
        check("# tracer: nop", Some(HeaderLine::Other));
        check("# entries-in-buffer/entries-written: 12/12   #P:4", Some(HeaderLine::Other));
        check("# entries-in-buffer/entries-written: 140080/250280   #P:4", Some(HeaderLine::Overwritten(110_200)));
        check("# latency trace v1.1.5 on 6.1.0", Some(HeaderLine::Times(TraceTimes::Latency)));
        check("#                   _------=> CPU#", Some(HeaderLine::Times(TraceTimes::Latency)));
        check("CPU:1 [LOST 233 EVENTS]", Some(HeaderLine::Lost { processor: Some(1), events: Some(233) }));
        check("CPU:0 [LOST EVENTS]", Some(HeaderLine::Lost { processor: Some(0), events: None }));
        check("CPU:3 [7 EVENTS DROPPED]", Some(HeaderLine::Lost { processor: Some(3), events: Some(7) }));
        check("CPU:3 [EVENTS DROPPED]", Some(HeaderLine::Lost { processor: Some(3), events: None }));
        check("local global counter uptime perf [mono] mono_raw boot", Some(HeaderLine::Clock("mono")));
        check("[local] [global] counter perf", None);
        check("cpus=4", Some(HeaderLine::Other));
        check("hello", None);
    }
}
