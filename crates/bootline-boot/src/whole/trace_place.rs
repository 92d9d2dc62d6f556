// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace on the boot's axis.
//!
//! Initcalls that the log shows, too, place it and check it. Without such, its clock must be one that starts with the kernel: the one it
//! names, the one on the kernel's command line (`trace_clock=`), or the default, `local`, which is printk's.
use std::collections::HashMap;

use super::alignment::{AlignedBy, Alignment};
use super::boot_source::{BootSource, SourceContent, SourceRefusal, SourceUse};
use super::process::{Process, ProcessBy};
use super::systemd_clock::kernel_clock;
use super::traced::{InitcallOfTrace, MarkKind, MarkOfTrace};
use crate::boot::Boot;
use crate::initcall::{Span, SpanKind};
use crate::timeline::Clock;
use bootline_capture::units::{Dur, TraceTime};
use bootline_records::source::{Facts, KernelTrace, TraceTimes, TracedInitcall};
use bootline_records::{ByteRange, ProblemKind, Problems};

/// A trace with its place on the axis.
pub(super) struct PlacedTrace<'s> {
    trace: &'s KernelTrace,
    alignment: Alignment,
    /// The log's initcalls by their functions.
    logged: HashMap<String, Vec<Logged>>,
}

/// An initcall in the log.
#[derive(Clone, Copy)]
struct Logged {
    start: Dur,
    took: Option<Dur>,
    /// What it waited for the console.
    console: Dur,
    returned: Option<i32>,
}

/// Clocks that start with the kernel: sched_clock's, and CLOCK_MONOTONIC, its raw form, CLOCK_BOOTTIME.
const SINCE_KERNEL: [&str; 6] = ["local", "global", "perf", "mono", "mono_raw", "boot"];
/// Fewer shared initcalls show no other boot.
const FEW: usize = 5;
/// Initcalls of one boot are not farther apart in the log and in the trace, once aligned.
const LATE: Dur = Dur::from_secs(1);
/// The kernel's log and a trace measure one initcall this differently at most: a record may be printed in between.
const SAME_LENGTH: Dur = Dur::from_millis(100);

/// The first trace that fits.
pub(super) fn place<'s>(boot: &Boot, sources: &'s [BootSource], uses: &mut [SourceUse]) -> Option<PlacedTrace<'s>> {
    let mut placed: Option<PlacedTrace<'s>> = None;
    for (source, used) in sources.iter().zip(uses).filter(|(_, used)| used.refused.is_none()) {
        let SourceContent::Facts(facts) = &source.content else { continue };
        let Facts::Trace(trace) = &facts.facts else { continue };
        if placed.is_some() {
            used.refused = Some(SourceRefusal::Second);
            continue;
        }
        let logged = logged(boot.spans());
        match clock(boot, trace).and_then(|note| Ok((note, aligned(boot, trace, &logged)?))) {
            Ok((note, alignment)) => {
                (used.alignment, used.note) = (Some(alignment), Some(note + &drift(boot)));
                placed = Some(PlacedTrace { trace, alignment, logged });
            }
            Err(why) => used.refused = Some(why),
        }
    }
    placed
}

/// On an axis of arrival times one offset is not enough where the kernel's clock lost time.
fn drift(boot: &Boot) -> String {
    let lost = boot.timeline.kernel_clock_lost;
    if boot.timeline.clock == Clock::Arrival && lost > SAME_LENGTH {
        return format!(
            "; the kernel's clock lost {lost} s against the axis, so its later events may stand that much too early"
        );
    }
    String::new()
}

fn logged(spans: &[Span]) -> HashMap<String, Vec<Logged>> {
    let mut logged: HashMap<String, Vec<Logged>> = HashMap::new();
    for span in spans.iter().filter(|s| s.kind == SpanKind::Initcall) {
        logged.entry(span.name.clone()).or_default().push(Logged {
            start: span.start,
            took: span.reported.or(span.end.map(|end| end - span.start)),
            console: span.console,
            returned: span.returned,
        });
    }
    logged
}

/// Which clock the times are of, in words; an error where they can't be placed.
fn clock(boot: &Boot, trace: &KernelTrace) -> Result<String, SourceRefusal> {
    let of_command_line = boot.kernel.command_line.values("trace_clock").last();
    let named = trace.clock.as_deref().or(of_command_line);
    match (trace.times, named) {
        (TraceTimes::Latency, _) => Err(SourceRefusal::LatencyFormat),
        (TraceTimes::Counts, named) => Err(SourceRefusal::TraceClock(named.map(str::to_owned))),
        (TraceTimes::Seconds, Some(name)) if !SINCE_KERNEL.contains(&name) => {
            Err(SourceRefusal::TraceClock(Some(name.to_owned())))
        }
        (TraceTimes::Seconds, Some(name)) if trace.clock.is_some() => Ok(format!("its clock is `{name}`")),
        (TraceTimes::Seconds, Some(name)) => Ok(format!("its clock is `{name}` by the kernel's command line")),
        (TraceTimes::Seconds, None) => Ok("it names no clock: `local`, the default, is assumed".to_owned()),
    }
}

fn aligned(
    boot: &Boot,
    trace: &KernelTrace,
    logged: &HashMap<String, Vec<Logged>>,
) -> Result<Alignment, SourceRefusal> {
    let kernel = kernel_clock(boot).map_or(Dur::ZERO, |k| k.offset);
    let mut of_trace: HashMap<&str, usize> = HashMap::new();
    trace.initcalls.iter().for_each(|call| *of_trace.entry(&call.name).or_default() += 1);
    let distances: Vec<Dur> = trace
        .initcalls
        .iter()
        .filter(|call| of_trace[call.name.as_str()] == 1)
        .filter_map(|call| {
            let [one] = logged.get(&call.name)?.as_slice() else { return None };
            Some(one.start - call.start.since_origin())
        })
        .collect();
    let of = distances.len();
    let Some(alignment) = Alignment::of_equal(distances.clone(), AlignedBy::Initcalls) else {
        return Ok(Alignment::unchecked(kernel, AlignedBy::KernelStart));
    };
    // By the kernel's stamps the zero of all these clocks is known; arrival times may differ by what the kernel's clock lost.
    let is_off = boot.timeline.clock == Clock::Kernel && (alignment.offset - kernel).abs() > LATE;
    let matched = distances.iter().filter(|d| (**d - alignment.offset).abs() <= LATE && !is_off).count();
    if of >= FEW && matched * 2 < of {
        return Err(SourceRefusal::OtherBoot { matched, of });
    }
    if is_off {
        return Err(SourceRefusal::OtherBoot { matched: 0, of });
    }
    Ok(alignment)
}

impl PlacedTrace<'_> {
    fn at(&self, t: TraceTime) -> Dur {
        self.alignment.on_axis(t.since_origin())
    }

    /// The initcalls; those of which the log says something else are named and left out.
    pub fn initcalls(&self, problems: &mut Problems) -> Vec<InitcallOfTrace> {
        let mut calls: Vec<InitcallOfTrace> = Vec::new();
        for call in &self.trace.initcalls {
            let start = self.at(call.start);
            let of_log = self.logged.get(&call.name).and_then(|list| {
                let near = list.iter().filter(|l| (l.start - start).abs() <= LATE);
                near.min_by_key(|l| (l.start - start).abs())
            });
            if let Some(what) = of_log.and_then(|l| contradiction(l, call)) {
                problems.add(ProblemKind::SourcesContradict, ByteRange::default(), || {
                    format!("initcall `{}` {what}: the trace's is not used", call.name)
                });
                continue;
            }
            calls.push(InitcallOfTrace {
                name: call.name.clone(),
                module: call.module.clone(),
                level: call.level.clone(),
                task: call.task,
                start,
                end: call.end.map(|end| self.at(end)),
                returned: call.returned,
                in_log: of_log.is_some(),
            });
        }
        calls.sort_by_key(|c| (c.start, std::cmp::Reverse(c.end)));
        calls
    }

    /// The programs, as processes.
    pub fn processes(&self) -> impl Iterator<Item = Process> + '_ {
        self.trace.programs.iter().map(|p| Process {
            pid: p.pid,
            parent: p.parent,
            name: p.path.clone(),
            args: None,
            start: Some(self.at(p.start)),
            start_error: Dur::ZERO,
            end: p.end.map(|end| self.at(end)),
            cpu: p.cpu,
            io_wait: None,
            by: ProcessBy::Trace,
        })
    }

    /// Modules and markers, in order of time.
    pub fn marks(&self) -> Vec<MarkOfTrace> {
        let lists = [(MarkKind::Module, &self.trace.modules), (MarkKind::Marker, &self.trace.markers)];
        let mark = |kind, m: &bootline_records::source::TraceMark| MarkOfTrace {
            at: self.at(m.at),
            task: m.task,
            kind,
            text: m.text.clone(),
        };
        let mut marks: Vec<MarkOfTrace> =
            lists.into_iter().flat_map(|(kind, list)| list.iter().map(move |m| mark(kind, m))).collect();
        marks.sort_by_key(|m| m.at);
        marks
    }
}

/// What the log and the trace say differently of an initcall.
fn contradiction(log: &Logged, trace: &TracedInitcall) -> Option<String> {
    if let (Some(ours), Some(theirs)) = (log.returned, trace.returned) {
        if ours != theirs {
            return Some(format!("returned {ours} by the log and {theirs} by the trace"));
        }
    }
    let (ours, theirs) = (log.took?, trace.end? - trace.start);
    let differs = (ours - theirs).abs() > SAME_LENGTH + log.console;
    differs.then(|| format!("took {ours} s by the log and {theirs} s by the trace"))
}
