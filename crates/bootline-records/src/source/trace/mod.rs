// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of ftrace as text: the files `trace` and `trace_pipe`, and what `trace-cmd report` prints.
//!
//! Used are the events of initcalls, of programs and their processor time, of loaded modules, and what was written into the trace. Which
//! clock stamped them is in the file `trace_clock`, not in the trace.
mod event_line;
mod initcalls;
mod kernel_trace;
mod programs;
mod trace_header;

pub use kernel_trace::{KernelTrace, TraceMark, TraceTimes, TracedInitcall, TracedProgram};
pub(super) use trace_header::begins;

use self::event_line::event_line;
use self::initcalls::Initcalls;
use self::kernel_trace::{MOST, cut};
use self::programs::Programs;
use self::trace_header::{HeaderLine, header_line};
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::{Dur, TraceTime};

/// Lines with an event that make a trace without a header.
const ENOUGH: usize = 3;

/// Whether most lines are events, or only a trace has the first one.
pub(super) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let (mut events, mut other) = (0, 0);
    for line in lines {
        if begins(line) {
            return true;
        }
        if event_line(line).is_some_and(|e| !e.event.is_empty()) {
            events += 1;
        } else if header_line(line).is_none() {
            other += 1;
        }
    }
    events >= ENOUGH && events > other
}

/// Events of several processors may be out of order by this much.
const REORDERING: Dur = Dur::from_millis(100);

pub(super) fn read(text: &str, problems: &mut Problems) -> KernelTrace {
    let mut trace = KernelTrace::default();
    let (mut initcalls, mut programs) = (Initcalls::default(), Programs::default());
    for line in text.lines() {
        let Some(event) = event_line(line) else {
            match header_line(line) {
                Some(HeaderLine::Clock(clock)) => trace.clock = Some(cut(clock)),
                Some(HeaderLine::Times(times)) => trace.times = times,
                Some(HeaderLine::Overwritten(n)) => {
                    problems.add(ProblemKind::BeginningLost, ByteRange::default(), || {
                        format!("the ring buffer overwrote {n} events before the trace was read")
                    })
                }
                Some(HeaderLine::Lost { processor, events }) => {
                    programs.lost(processor);
                    problems.add(ProblemKind::RecordsLost, ByteRange::default(), || {
                        let of = processor.map_or_else(String::new, |p| format!(" of CPU {p}"));
                        match events {
                            Some(n) => format!("{n} events{of} were lost"),
                            None => format!("events{of} were lost"),
                        }
                    });
                }
                Some(HeaderLine::Other) => {}
                // Lines of the latency format.
                None if trace.times == TraceTimes::Latency => {}
                None => problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                    format!("no event: `{}`", line.chars().take(80).collect::<String>())
                }),
            }
            continue;
        };
        let Some(at) = event.at else {
            trace.times = TraceTimes::Counts;
            continue;
        };
        if let Some((_, last)) = trace.reach.filter(|(_, last)| at + REORDERING < *last) {
            problems.add(ProblemKind::ClockJumpedBack, ByteRange::default(), || {
                format!("the events go back from {last} s to {at} s")
            });
        }
        trace.reach = Some(trace.reach.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        initcalls.event(&event, at, problems);
        programs.event(&event, at, problems);
        let list = match event.event {
            "module_load" => &mut trace.modules,
            "tracing_mark_write" | "print" | "bprint" | "bputs" => &mut trace.markers,
            _ => continue,
        };
        if list.len() == MOST {
            problems
                .add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many marks in the trace".to_owned());
            continue;
        }
        list.push(TraceMark { at, task: event.task, text: mark(event.event, event.fields) });
    }
    trace.initcalls = initcalls.finish();
    trace.programs = programs.finish(trace.reach.map_or(TraceTime::ORIGIN, |(_, last)| last));
    trace
}

/// A module's name without its taints; a marker's text without the function that trace-cmd puts in front.
fn mark(event: &str, fields: &str) -> String {
    match event {
        "module_load" => cut(fields.split(' ').next().unwrap_or(fields)),
        "tracing_mark_write" => cut(fields),
        _ => cut(fields.split_once(": ").map_or(fields, |(_, text)| text)),
    }
}

#[cfg(test)]
mod tests;
