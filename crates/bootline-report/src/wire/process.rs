// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bootcharts and traces show: processes, the use of processors and disks, initcalls, marks.
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{MarkKind, ProcessBy};
use bootline_boot as domain;

/// A process of user space, or one program that it executed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Process<'b> {
    /// Its number.
    pid: u32,
    /// Its parent's number.
    parent: Option<u32>,
    /// Its name or, of a trace, the path of the program.
    name: &'b str,
    /// Its program and arguments.
    args: Option<&'b str>,
    /// Its start, on the axis; null for one that ran before the recorder.
    start_ns: Option<i64>,
    /// By how much the start may be off, to either side.
    start_error_ns: i64,
    /// Its end, or the first moment at which it was not there any more; null where it still ran or nothing shows that.
    end_ns: Option<i64>,
    /// Processor time that it used; by a trace, that of its main thread.
    cpu_ns: Option<i64>,
    /// Time for which it waited for block devices.
    io_wait_ns: Option<i64>,
    by: ProcessBy,
}

impl<'b> From<&'b domain::Process> for Process<'b> {
    fn from(p: &'b domain::Process) -> Process<'b> {
        Process {
            pid: p.pid,
            parent: p.parent,
            name: &p.name,
            args: p.args.as_deref(),
            start_ns: p.start.map(|t| t.as_nanos()),
            start_error_ns: p.start_error.as_nanos(),
            end_ns: p.end.map(|t| t.as_nanos()),
            cpu_ns: p.cpu.map(|t| t.as_nanos()),
            io_wait_ns: p.io_wait.map(|t| t.as_nanos()),
            by: p.by.into(),
        }
    }
}

/// How busy processors and disks were, from a bootchart's first sample to the boot's end.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ResourceUse<'b> {
    /// The first sample, on the axis.
    from_ns: i64,
    /// The last sample up to the boot's end.
    to_ns: i64,
    /// Share of the processors' time in which one worked, 0 to 1.
    processor_busy: Option<f64>,
    /// Share of the processors' time in which one was idle while a task waited for a block device.
    io_wait: Option<f64>,
    /// The disks that were used, the busiest first.
    disks: Vec<DiskUse<'b>>,
}

/// What a disk did.
#[derive(Serialize, JsonSchema)]
struct DiskUse<'b> {
    /// Its name.
    name: &'b str,
    /// Share of the time in which requests were in flight, 0 to 1.
    busy: f64,
    /// Bytes read.
    read_bytes: u64,
    /// Bytes written.
    written_bytes: u64,
}

impl<'b> From<&'b domain::ResourceUse> for ResourceUse<'b> {
    fn from(u: &'b domain::ResourceUse) -> ResourceUse<'b> {
        let disk = |d: &'b domain::DiskUse| DiskUse {
            name: &d.name,
            busy: d.busy,
            read_bytes: d.read,
            written_bytes: d.written,
        };
        ResourceUse {
            from_ns: u.from.as_nanos(),
            to_ns: u.to.as_nanos(),
            processor_busy: u.processor_busy,
            io_wait: u.io_wait,
            disks: u.disks.iter().map(disk).collect(),
        }
    }
}

/// An initcall that a trace shows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TracedInitcall<'b> {
    /// The function.
    name: &'b str,
    /// Its module.
    module: Option<&'b str>,
    /// Its level: `device`.
    level: Option<&'b str>,
    /// The task that ran it.
    task: u32,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis; null where the trace does not show it.
    end_ns: Option<i64>,
    /// Return value.
    returned: Option<i32>,
    /// Whether the log shows it, too: then it is among the boot's spans.
    in_log: bool,
}

impl<'b> From<&'b domain::InitcallOfTrace> for TracedInitcall<'b> {
    fn from(c: &'b domain::InitcallOfTrace) -> TracedInitcall<'b> {
        TracedInitcall {
            name: &c.name,
            module: c.module.as_deref(),
            level: c.level.as_deref(),
            task: c.task,
            start_ns: c.start.as_nanos(),
            end_ns: c.end.map(|t| t.as_nanos()),
            returned: c.returned,
            in_log: c.in_log,
        }
    }
}

/// A moment that a trace shows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TraceMark<'b> {
    /// When, on the axis.
    at_ns: i64,
    /// The task that caused it.
    task: u32,
    kind: MarkKind,
    /// The module's name, or the marker's text.
    text: &'b str,
}

impl<'b> From<&'b domain::MarkOfTrace> for TraceMark<'b> {
    fn from(m: &'b domain::MarkOfTrace) -> TraceMark<'b> {
        TraceMark { at_ns: m.at.as_nanos(), task: m.task, kind: m.kind.into(), text: &m.text }
    }
}
