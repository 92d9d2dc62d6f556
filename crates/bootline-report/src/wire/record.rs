// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records, and what is derived from them: waits, services, gaps, the backlog.
use schemars::JsonSchema;
use serde::Serialize;

use super::{Id, Interval, RecordOrigin, ServiceState, WaitCause, id};
use bootline_boot::Boot;

/// A record of the log.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Record<'b> {
    /// Number of the record.
    id: Id,
    /// The kernel's own record, or another program's line.
    origin: RecordOrigin,
    /// Log level, 0 to 7; null if the log lacks it.
    level: Option<u8>,
    /// Who logged it; null if the log lacks it.
    caller: Option<Caller>,
    /// The kernel's stamp.
    kernel_ns: Option<i64>,
    /// When its first and its last byte arrived, from the capture's clock origin.
    arrival_ns: Option<[i64; 2]>,
    /// When it was stored, on the axis.
    stored_ns: Option<i64>,
    /// Error of `stored_ns`.
    stored_error_ns: i64,
    /// When its transmission began and ended, on the axis.
    transmitted_ns: Option<[i64; 2]>,
    /// Offsets in the input: of its first byte, and of the first byte after it.
    bytes: [u64; 2],
    /// Its bytes on the serial line.
    line_bytes: u32,
    /// Its text.
    text: &'b str,
}

/// Who called printk.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Caller {
    /// A task, by its number.
    Task(u32),
    /// A CPU outside of a task.
    Cpu(u32),
}

impl<'b> Record<'b> {
    /// The record with the index in the boot's log.
    pub(crate) fn new(boot: &Boot, index: usize, r: bootline_records::Record<'b>) -> Record<'b> {
        let times = boot.timeline.place(index);
        Record {
            id: r.id.0,
            origin: r.source.into(),
            level: r.level.map(|l| l.0),
            caller: r.caller.map(|c| match c {
                bootline_records::Caller::Task(n) => Caller::Task(n),
                bootline_records::Caller::Cpu(n) => Caller::Cpu(n),
            }),
            kernel_ns: r.stamp.map(|t| t.since_origin().as_nanos()),
            arrival_ns: r.arrival.map(|a| [a.first, a.last].map(|t| t.since_origin().as_nanos())),
            stored_ns: times.stored.map(|t| t.as_nanos()),
            stored_error_ns: times.error.as_nanos(),
            transmitted_ns: times.transmitted.map(|t| [t.start.as_nanos(), t.end.as_nanos()]),
            bytes: [r.bytes.start, r.bytes.end],
            line_bytes: r.line_bytes,
            text: r.text,
        }
    }
}

/// A wait for the console.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Wait {
    /// The record after which the kernel waited.
    after: Option<Id>,
    /// Why it waited.
    cause: WaitCause,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// Length of the wait.
    time_ns: Interval,
}

impl Wait {
    pub(crate) fn new(boot: &Boot, w: &bootline_boot::ConsoleWait) -> Wait {
        Wait {
            after: id(boot.records.get(w.index).map(|r| r.id)),
            cause: w.cause.into(),
            start_ns: w.from.as_nanos(),
            time_ns: w.time.into(),
        }
    }
}

/// A wait for asynchronous calls.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AsyncWait {
    /// The task that waited.
    task: u32,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// Its first record.
    first: Id,
    /// Its last record.
    last: Id,
}

impl From<&bootline_boot::AsyncWait> for AsyncWait {
    fn from(w: &bootline_boot::AsyncWait) -> AsyncWait {
        AsyncWait {
            task: w.task,
            start_ns: w.from.as_nanos(),
            end_ns: w.to.as_nanos(),
            first: w.first.0,
            last: w.last.0,
        }
    }
}

/// A service of systemd.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Service<'b> {
    /// Its unit, or its description.
    name: &'b str,
    /// When systemd began to start it, on the axis.
    start_ns: Option<i64>,
    /// When it came up or failed, on the axis.
    end_ns: Option<i64>,
    /// The last reported state.
    state: ServiceState,
    /// Whether its start job ran into its time-out.
    timed_out: bool,
    /// Whether a script of init reported it, rather than a manager that starts services in parallel.
    of_script: bool,
    /// Whether it was started in the initramfs.
    in_initramfs: bool,
    /// Its first record.
    first: Id,
    /// Its last record.
    last: Option<Id>,
}

impl<'b> From<&'b bootline_boot::Service> for Service<'b> {
    fn from(s: &'b bootline_boot::Service) -> Service<'b> {
        Service {
            name: &s.name,
            start_ns: s.start.map(|t| t.as_nanos()),
            end_ns: s.end.map(|t| t.as_nanos()),
            state: s.state.into(),
            timed_out: s.timed_out,
            of_script: s.of_script,
            in_initramfs: s.in_initramfs,
            first: s.first.0,
            last: id(s.last),
        }
    }
}

/// Silence between two records.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Gap {
    /// Its length without the waits for the console.
    net_ns: i64,
    /// The record before it.
    after: Id,
    /// The record after it.
    before: Id,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// From start to end.
    length_ns: i64,
    /// Waits for the console within it.
    console_ns: i64,
}

impl From<&bootline_boot::Gap> for Gap {
    fn from(g: &bootline_boot::Gap) -> Gap {
        Gap {
            net_ns: g.net().as_nanos(),
            after: g.after.0,
            before: g.before.0,
            start_ns: g.start.as_nanos(),
            length_ns: g.length.as_nanos(),
            console_ns: g.console.as_nanos(),
        }
    }
}

/// The state of the serial line at one instant.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BacklogPoint {
    /// Bytes stored and not yet transmitted.
    backlog_bytes: u64,
    /// Time, on the boot's axis.
    at_ns: i64,
    /// Bytes stored for the console so far.
    stored_bytes: u64,
    /// Bytes transmitted so far.
    transmitted_bytes: u64,
}

impl From<&bootline_boot::BacklogPoint> for BacklogPoint {
    fn from(p: &bootline_boot::BacklogPoint) -> BacklogPoint {
        BacklogPoint {
            backlog_bytes: p.backlog(),
            at_ns: p.at.as_nanos(),
            stored_bytes: p.stored,
            transmitted_bytes: p.transmitted,
        }
    }
}
