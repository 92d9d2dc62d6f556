// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot explained, for programs: one entry of `boots[]` in `docs/schema/explain-1.schema.json`.
//!
//! Within version 1 fields are added, never removed or given another meaning. Times are integer nanoseconds.
use schemars::JsonSchema;
use serde::Serialize;

use crate::boot_label::BootLabel;
use crate::wire::{
    Clock, ConsoleKind, ConsoleSwitch, Finding, Id, Interval, Phase, Printing, Problem, RegisteredConsole, SpeedSource,
    TimeToInit, WholeBoot, id,
};
use bootline_analysis::rules;
use bootline_boot::{Boot, Flush, SerialLine};

/// A boot explained, for programs.
pub fn explain_json<'b>(boot: &'b Boot, findings: &'b [rules::Finding], source: &'b BootLabel) -> impl Serialize + 'b {
    ExplainedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        kernel: kernel(boot),
        clock: boot.timeline.clock.into(),
        kernel_clock_lost_ns: boot.timeline.kernel_clock_lost.as_nanos(),
        time_to_init: boot.end.as_ref().map(TimeToInit::from),
        console: boot.line.as_ref().map(|line| ConsoleJson::new(boot, line)),
        consoles: boot.consoles.iter().map(RegisteredConsole::from).collect(),
        console_switch: boot.console_switch.as_ref().map(ConsoleSwitch::from),
        phases: Phase::all(boot),
        whole: WholeBoot::from(boot),
        spans: boot.spans().len(),
        findings: findings.iter().map(Finding::from).collect(),
        problems: boot.problems.iter().map(Problem::from).collect(),
        trusted: boot.end.is_some() && !boot.problems.iter().any(|p| p.kind.spoils_the_answer()),
    }
}

/// A boot explained.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExplainedBoot<'b> {
    /// The input as it was named; `-` is standard input.
    source: &'b str,
    /// Which boot of that input, from 0.
    index: usize,
    /// The release, as in `uname -r`; null where the log lacks the banner.
    kernel_version: Option<&'b str>,
    /// What the log says about the kernel.
    kernel: KernelJson<'b>,
    clock: Clock,
    /// Real time that the kernel's clock lost against the host's.
    kernel_clock_lost_ns: i64,
    /// Null if the log does not reach the boot's end.
    time_to_init: Option<TimeToInit>,
    /// The console on a serial line; null if the log shows none.
    console: Option<ConsoleJson<'b>>,
    /// All consoles that registered.
    consoles: Vec<RegisteredConsole<'b>>,
    /// Null if the log shows none.
    console_switch: Option<ConsoleSwitch<'b>>,
    /// In order.
    phases: Vec<Phase>,
    /// From the earliest known moment to the application.
    whole: WholeBoot<'b>,
    /// How many initcalls and probes the log names; `bootline blame --json` lists them.
    spans: usize,
    /// The costliest first.
    findings: Vec<Finding<'b>>,
    /// What is wrong with the log.
    problems: Vec<Problem<'b>>,
    /// Whether the boot's end was reached and no problem spoils the figures.
    trusted: bool,
}

/// What the log says about the kernel.
#[derive(Serialize, JsonSchema)]
struct KernelJson<'b> {
    /// As `kernel_version`.
    release: Option<&'b str>,
    /// `6.18`
    series: Option<String>,
    /// Whether it is built with PREEMPT_RT.
    preempt_rt: bool,
    /// Whether it is built for several CPUs.
    smp: bool,
    /// CPUs brought up.
    cpus: Option<u32>,
    /// The words of its command line, up to `--`.
    command_line: Vec<&'b str>,
    /// The banner's record.
    banner: Option<Id>,
    /// The command line's record.
    command_line_record: Option<Id>,
}

fn kernel(boot: &Boot) -> KernelJson<'_> {
    let k = &boot.kernel;
    KernelJson {
        release: k.release.as_deref(),
        series: k.version.map(|v| v.series().to_string()),
        preempt_rt: k.rt,
        smp: k.smp,
        cpus: k.cpus,
        command_line: k.command_line.words().collect(),
        banner: id(k.banner),
        command_line_record: id(k.command_line_record),
    }
}

/// A console on a serial line.
#[derive(Serialize, JsonSchema)]
struct ConsoleJson<'b> {
    /// `ttyS0`
    name: &'b str,
    kind: ConsoleKind,
    printing: Printing,
    /// Baud on the command line, or as stated by the user.
    declared_baud: Option<u32>,
    /// `8n1`
    frame: String,
    /// Bytes per second that the line transmits.
    line_bytes_per_s: Option<f64>,
    /// Lower bound of that speed.
    line_bytes_per_s_low: Option<f64>,
    /// Upper bound of that speed.
    line_bytes_per_s_high: Option<f64>,
    /// Null if the speed is unknown.
    speed_source: Option<SpeedSource>,
    /// The record that says that the console is enabled.
    enabled: Option<Id>,
    /// Whether a boot console transmitted the log before it.
    after_boot_console: bool,
    /// Bytes of the whole log.
    bytes: u64,
    /// Bytes that the line had transmitted when the boot ended.
    bytes_before_init: u64,
    /// What the console cost the boot's critical path.
    cost_ns: Interval,
    /// The flush when the console registered.
    flush: Option<FlushJson>,
    /// The largest backlog, in bytes.
    backlog_peak: u64,
    /// How long after the boot's end its own record was transmitted.
    lag_at_init_ns: Option<i64>,
    /// When the whole log was transmitted, on the axis.
    drained_ns: Option<i64>,
}

impl ConsoleJson<'_> {
    fn new<'b>(boot: &Boot, line: &'b SerialLine) -> ConsoleJson<'b> {
        let c = &line.console;
        ConsoleJson {
            name: &c.name,
            kind: c.framework.into(),
            printing: c.printing.into(),
            declared_baud: c.declared_baud.map(|b| b.get()),
            frame: c.frame.to_string(),
            line_bytes_per_s: line.speed.map(|s| s.rate.bytes_per_s()),
            line_bytes_per_s_low: line.speed.map(|s| s.low.bytes_per_s()),
            line_bytes_per_s_high: line.speed.map(|s| s.high.bytes_per_s()),
            speed_source: line.speed.map(|s| s.source.into()),
            enabled: id(c.enabled),
            after_boot_console: c.after_boot_console,
            bytes: line.bytes,
            bytes_before_init: line.bytes_before_end,
            cost_ns: line.cost.into(),
            flush: line.flush.map(FlushJson::new),
            backlog_peak: boot.backlog_peak(),
            lag_at_init_ns: line.lag_at_end.map(|l| l.as_nanos()),
            drained_ns: line.drained.map(|d| d.as_nanos()),
        }
    }
}

/// The flush of what was stored before a console registered.
#[derive(Serialize, JsonSchema)]
struct FlushJson {
    /// The registration's record.
    record: Id,
    /// The record after it.
    next: Option<Id>,
    /// Bytes stored before.
    bytes: u64,
    /// How long the boot waited for them.
    waited_ns: Interval,
}

impl FlushJson {
    fn new(f: Flush) -> FlushJson {
        FlushJson { record: f.record.0, next: id(f.next), bytes: f.bytes, waited_ns: f.waited.into() }
    }
}
