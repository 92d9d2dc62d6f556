// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot explained, for programs: one entry of `boots[]` in `docs/schema/explain-1.schema.json`.
//!
//! Within version 1 fields are added, never removed or given another meaning. Times are integer nanoseconds.
use serde::Serialize;

use super::super::boot_label::BootLabel;
use super::super::phase::{self, PhaseJson};
use bootline_analysis::boot::{
    Boot, BootEnd, Clock, ConsoleSwitch, EndedBy, Flush, RegisteredConsole, SerialLine, SpeedSource, TimeOrigin,
};
use bootline_analysis::records::{Problem, ProblemKind, RecordId};
use bootline_analysis::rules::Finding;
use bootline_capture::units::{Dur, Interval, KernelTime};
use bootline_console::Printing;

/// A boot explained, for programs.
pub fn explain_json<'b>(boot: &'b Boot, findings: &'b [Finding], source: &'b BootLabel) -> impl Serialize + 'b {
    ExplainedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        kernel: kernel(boot),
        clock: boot.timeline.clock,
        kernel_clock_lost_ns: boot.timeline.kernel_clock_lost,
        time_to_init: boot.end.as_ref().map(TimeToInit::new),
        console: boot.line.as_ref().map(ConsoleJson::new),
        consoles: &boot.consoles,
        console_switch: boot.console_switch.as_ref(),
        phases: phase::json(boot),
        spans: boot.spans.len(),
        findings,
        problems: boot.problems.iter().map(ProblemJson::new).collect(),
        trusted: boot.end.is_some() && !boot.problems.iter().any(|p| p.kind.spoils_the_answer()),
    }
}

#[derive(Serialize)]
struct ExplainedBoot<'b> {
    source: &'b str,
    index: usize,
    kernel_version: Option<&'b str>,
    kernel: KernelJson<'b>,
    clock: Clock,
    kernel_clock_lost_ns: Dur,
    time_to_init: Option<TimeToInit>,
    console: Option<ConsoleJson<'b>>,
    consoles: &'b [RegisteredConsole],
    console_switch: Option<&'b ConsoleSwitch>,
    phases: Vec<PhaseJson<'b>>,
    spans: usize,
    findings: &'b [Finding],
    problems: Vec<ProblemJson<'b>>,
    trusted: bool,
}

#[derive(Serialize)]
struct KernelJson<'b> {
    release: Option<&'b str>,
    series: Option<String>,
    preempt_rt: bool,
    smp: bool,
    cpus: Option<u32>,
    command_line: Vec<&'b str>,
    banner: Option<RecordId>,
    command_line_record: Option<RecordId>,
}

fn kernel(boot: &Boot) -> KernelJson<'_> {
    let k = &boot.kernel;
    KernelJson {
        release: k.release.as_deref(),
        series: k.series.map(|s| s.to_string()),
        preempt_rt: k.rt,
        smp: k.smp,
        cpus: k.cpus,
        command_line: k.command_line.words().collect(),
        banner: k.banner,
        command_line_record: k.command_line_record,
    }
}

/// How long the boot took, by each clock.
#[derive(Serialize)]
pub(in super::super) struct TimeToInit {
    kernel_ns: Option<KernelTime>,
    arrival_ns: Option<Dur>,
    elapsed_ns: Interval,
    since: TimeOrigin,
    by: EndedBy,
    record: RecordId,
}

impl TimeToInit {
    pub(in super::super) fn new(end: &BootEnd) -> TimeToInit {
        TimeToInit {
            kernel_ns: end.kernel,
            arrival_ns: end.arrival,
            elapsed_ns: end.elapsed,
            since: end.since,
            by: end.by,
            record: end.record,
        }
    }
}

#[derive(Serialize)]
struct ConsoleJson<'b> {
    name: &'b str,
    kind: bootline_analysis::boot::ConsoleKind,
    printing: Printing,
    declared_baud: Option<u32>,
    frame: String,
    line_bytes_per_s: Option<f64>,
    line_bytes_per_s_low: Option<f64>,
    line_bytes_per_s_high: Option<f64>,
    speed_source: Option<SpeedSource>,
    enabled: Option<RecordId>,
    after_boot_console: bool,
    bytes: u64,
    bytes_before_init: u64,
    cost_ns: Interval,
    flush: Option<FlushJson>,
    backlog_peak: u64,
    lag_at_init_ns: Option<Dur>,
    drained_ns: Option<Dur>,
}

impl ConsoleJson<'_> {
    fn new(line: &SerialLine) -> ConsoleJson<'_> {
        let c = &line.console;
        ConsoleJson {
            name: &c.name,
            kind: c.kind,
            printing: c.printing,
            declared_baud: c.declared_baud.map(|b| b.get()),
            frame: c.frame.to_string(),
            line_bytes_per_s: line.speed.map(|s| s.rate.bytes_per_s()),
            line_bytes_per_s_low: line.speed.map(|s| s.low.bytes_per_s()),
            line_bytes_per_s_high: line.speed.map(|s| s.high.bytes_per_s()),
            speed_source: line.speed.map(|s| s.source),
            enabled: c.enabled,
            after_boot_console: c.after_boot_console,
            bytes: line.bytes,
            bytes_before_init: line.bytes_before_end,
            cost_ns: line.cost,
            flush: line.flush.map(FlushJson::new),
            backlog_peak: line.backlog_peak,
            lag_at_init_ns: line.lag_at_end,
            drained_ns: line.drained,
        }
    }
}

#[derive(Serialize)]
struct FlushJson {
    record: RecordId,
    next: Option<RecordId>,
    bytes: u64,
    waited_ns: Interval,
}

impl FlushJson {
    fn new(f: Flush) -> FlushJson {
        FlushJson { record: f.record, next: f.next, bytes: f.bytes, waited_ns: f.waited }
    }
}

#[derive(Serialize)]
struct ProblemJson<'b> {
    kind: ProblemKind,
    bytes: [u64; 2],
    count: u64,
    detail: &'b str,
    spoils: bool,
}

impl ProblemJson<'_> {
    fn new(p: &Problem) -> ProblemJson<'_> {
        ProblemJson {
            kind: p.kind,
            bytes: [p.bytes.start, p.bytes.end],
            count: p.count,
            detail: &p.detail,
            spoils: p.kind.spoils_the_answer(),
        }
    }
}
