// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chrome's Trace Event Format, the JSON object form, as chrome://tracing, Perfetto and speedscope read it.
//!
//! | trace | event |
//! | --- | --- |
//! | boot | `pid`, named by the metadata `process_name`, in order by `process_sort_index` |
//! | track | `tid` (the track's number from 1: a task's number isn't unique beside tracks that are no tasks), named by `thread_name`, in order by `thread_sort_index` |
//! | slice | `B` and `E` |
//! | instant | `i` of scope `t` |
//! | flow | `s` within the slice that it leaves, `f` where that which it reaches begins (`bp` `e`: of the slice around it) |
//! | counter | `C`: its name has the process's scope, its one series is the unit |
//!
//! Times are microseconds; three decimals keep the nanosecond.
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::boot_trace::trace;
use super::sink::{Argument, FlowId, SliceInfo, TraceSink, TrackDescriptor, TrackId, TrackKind};
use super::traced_boot::{TraceOrigin, TracedBoot, boot_name, nanos};
use crate::emitter::{BootEmitter, ReportedBoot};
use crate::json_format::write_compact;
use bootline_capture::units::Dur;

/// Writes boots into one trace, piece by piece.
#[derive(Debug, Default)]
pub struct Chrome {
    origin: TraceOrigin,
    boots: u64,
}

impl Chrome {
    /// A trace without boots.
    pub fn new() -> Chrome {
        Chrome::default()
    }
}

impl BootEmitter for Chrome {
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        let ReportedBoot { boot, findings, label } = *reported;
        if self.boots == 0 {
            let tool = concat!("bootline ", env!("CARGO_PKG_VERSION"));
            write!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"tool\":\"{tool}\"}},\"traceEvents\":[")?;
        }
        let traced = TracedBoot::new(boot, findings);
        let zero = self.origin.zero(&traced);
        let comma = self.boots > 0;
        self.boots += 1;
        let mut events =
            Events { pid: self.boots, zero, comma, tracks: Vec::new(), text: String::new(), out, result: Ok(()) };
        events.metadata("process_name", None, &[("name", Argument::Text(boot_name(boot, label).into()))]);
        let index = i64::try_from(self.boots).unwrap_or(i64::MAX);
        events.metadata("process_sort_index", None, &[("sort_index", Argument::Int(index))]);
        trace(&traced, zero, &mut events);
        events.result
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.boots > 0 { out.write_all(b"\n]}\n") } else { Ok(()) }
    }
}

/// Flows of one boot, at most: ids stay below 2^53, which every reader of JSON has.
const FLOWS: u64 = 1 << 32;

struct Events<'o> {
    pid: u64,
    zero: Dur,
    comma: bool,
    /// Names and units of the counters; none for other tracks.
    tracks: Vec<Option<(String, &'static str)>>,
    /// The event being built.
    text: String,
    out: &'o mut dyn Write,
    /// The first error; nothing is written after it.
    result: io::Result<()>,
}

impl Events<'_> {
    fn flush(&mut self) {
        if self.result.is_ok() {
            self.result = self.out.write_all(self.text.as_bytes());
        }
        self.text.clear();
    }

    /// What every event begins with.
    fn head(&mut self, kind: char, tid: Option<u64>, at: Option<Dur>) {
        self.text.push_str(if self.comma { ",\n" } else { "\n" });
        self.comma = true;
        _ = write!(self.text, "{{\"ph\":\"{kind}\",\"pid\":{}", self.pid);
        if let Some(tid) = tid {
            _ = write!(self.text, ",\"tid\":{tid}");
        }
        if let Some(at) = at {
            let ns = nanos(self.zero, at);
            _ = write!(self.text, ",\"ts\":{}.{:03}", ns / 1_000, ns % 1_000);
        }
    }

    /// One event; `args` come last.
    fn event(&mut self, kind: char, tid: Option<u64>, at: Option<Dur>, name: Option<(&str, &str)>, args: &Args<'_>) {
        self.head(kind, tid, at);
        if kind == 'i' {
            self.text.push_str(",\"s\":\"t\"");
        }
        if let Some((name, category)) = name {
            _ = write!(self.text, ",\"name\":{}", json(name));
            if !category.is_empty() {
                _ = write!(self.text, ",\"cat\":{}", json(category));
            }
        }
        if !args.is_empty() {
            for (n, (name, value)) in args.iter().enumerate() {
                let before = if n == 0 { ",\"args\":{" } else { "," };
                let value = match value {
                    Argument::Text(text) => json(text),
                    Argument::Int(n) => n.to_string(),
                    Argument::Bool(yes) => yes.to_string(),
                    Argument::Seconds(d) => {
                        let ns = d.as_nanos();
                        format!(
                            "{}{}.{:09}",
                            if ns < 0 { "-" } else { "" },
                            ns.unsigned_abs() / 1_000_000_000,
                            ns.unsigned_abs() % 1_000_000_000
                        )
                    }
                };
                _ = write!(self.text, "{before}\"{name}\":{value}");
            }
            self.text.push('}');
        }
        self.text.push('}');
        self.flush();
    }

    /// An end of a flow. Ids are of the whole trace.
    fn flow(&mut self, kind: char, on: TrackId, at: Dur, flow: FlowId) {
        self.head(kind, Some(tid(on)), Some(at));
        let id = self.pid * FLOWS + flow.0;
        let end = if kind == 'f' { ",\"bp\":\"e\"" } else { "" };
        _ = write!(self.text, ",\"name\":\"released\",\"cat\":\"flow\",\"id\":{id}{end}}}");
        self.flush();
    }

    fn metadata(&mut self, name: &str, tid: Option<u64>, args: &Args<'_>) {
        self.event('M', tid, None, Some((name, "")), args);
    }

    fn what(&mut self, kind: char, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        self.event(kind, Some(tid(on)), Some(at), Some((&what.name, &what.category)), &what.args);
    }
}

type Args<'a> = [(&'static str, Argument<'a>)];

fn tid(track: TrackId) -> u64 {
    track.0 + 1
}

fn json(text: impl Serialize) -> String {
    let mut quoted = Vec::new();
    write_compact(&text, &mut quoted).expect("memory takes a string");
    String::from_utf8_lossy(&quoted).into_owned()
}

impl TraceSink for Events<'_> {
    fn track(&mut self, track: TrackDescriptor<'_>) {
        let unit = match track.kind {
            TrackKind::Bytes => Some("bytes"),
            TrackKind::Time => Some("s"),
            TrackKind::Plain => None,
        };
        // A counter is shown by its name; it has no thread.
        if unit.is_none() {
            let (tid, index) = (tid(track.id), i64::try_from(track.id.0).unwrap_or(i64::MAX));
            self.metadata("thread_name", Some(tid), &[("name", Argument::Text(track.name.as_ref().into()))]);
            self.metadata("thread_sort_index", Some(tid), &[("sort_index", Argument::Int(index))]);
        }
        self.tracks.push(unit.map(|unit| (track.name.into_owned(), unit)));
    }

    fn begin(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        self.what('B', on, at, what);
        if let Some(flow) = what.flow_in {
            self.flow('f', on, at, flow);
        }
        // The slice is open: its end has a later line, even at the same time.
        for start in &what.flows_out {
            self.flow('s', on, start.at, start.id);
        }
    }

    fn end(&mut self, on: TrackId, at: Dur) {
        self.event('E', Some(tid(on)), Some(at), None, &[]);
    }

    fn instant(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        self.what('i', on, at, what);
    }

    fn count(&mut self, on: TrackId, at: Dur, value: i64) {
        let Some(Some((name, unit))) = self.tracks.get(on.0 as usize).cloned() else { return };
        let value = if unit == "s" { Argument::Seconds(Dur::from_nanos(value)) } else { Argument::Int(value) };
        self.event('C', None, Some(at), Some((&name, "")), &[(unit, value)]);
    }
}
