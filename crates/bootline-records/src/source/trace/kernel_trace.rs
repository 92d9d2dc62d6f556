// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace of ftrace shows of a boot.
use bootline_capture::units::{Dur, TraceTime};

/// What a trace shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelTrace {
    /// How its times are to be read.
    pub times: TraceTimes,
    /// The clock that it names (`trace_clock`); most traces name none.
    pub clock: Option<String>,
    /// Times of the first and the last event.
    pub reach: Option<(TraceTime, TraceTime)>,
    /// Initcalls, in the order in which they began.
    pub initcalls: Vec<TracedInitcall>,
    /// Programs that were executed, in that order.
    pub programs: Vec<TracedProgram>,
    /// Modules, when they were loaded.
    pub modules: Vec<TraceMark>,
    /// Lines that programs wrote into the trace (`trace_marker`), and trace_printk()'s.
    pub markers: Vec<TraceMark>,
}

/// How the times of a trace are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceTimes {
    /// Seconds, with a fraction.
    #[default]
    Seconds,
    /// Whole numbers: a counter's (`counter`, `x86-tsc`, ...), not seconds.
    Counts,
    /// The latency format: microseconds from some event.
    Latency,
}

/// An initcall (initcall:initcall_start to initcall:initcall_finish).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedInitcall {
    /// The function. From a file, as all names here: hostile until a renderer escapes it.
    pub name: String,
    /// The module it is in, if it is in one.
    pub module: Option<String>,
    /// Its level, if the trace shows it: `device`.
    pub level: Option<String>,
    /// The task that ran it.
    pub task: u32,
    /// When it began.
    pub start: TraceTime,
    /// When it returned; none where the trace does not show that.
    pub end: Option<TraceTime>,
    /// What it returned.
    pub returned: Option<i32>,
}

/// A program from its execution (sched:sched_process_exec) to the next one of the same process, or to its exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedProgram {
    /// Number of the process.
    pub pid: u32,
    /// Number of the process that forked it, if the trace shows that.
    pub parent: Option<u32>,
    /// Path of the program.
    pub path: String,
    /// When it was executed.
    pub start: TraceTime,
    /// When it ended; none where the trace does not show that.
    pub end: Option<TraceTime>,
    /// Processor time of its main thread; none without sched:sched_switch.
    pub cpu: Option<Dur>,
}

/// Something at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMark {
    /// When.
    pub at: TraceTime,
    /// The task that caused it.
    pub task: u32,
    /// A module's name, or a marker's text.
    pub text: String,
}

/// Maximum number of initcalls, of programs, of marks, and of tasks under way: a file may be hostile.
pub(super) const MOST: usize = 50_000;
/// Longest text that is kept, in characters.
pub(super) const LONGEST: usize = 300;

/// The first characters of a text.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
