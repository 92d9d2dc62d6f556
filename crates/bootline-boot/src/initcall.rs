// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans from `initcall_debug`: initcalls, probes, async calls, nested as they ran.
use std::collections::{BTreeMap, HashMap, VecDeque};

use super::initcall_debug::{InitcallDebugRecord, async_name, parse};
use super::timeline::Timeline;
use super::wait::ConsoleWaits;
use bootline_capture::units::{Dur, KernelTime};
use bootline_records::{Caller, RecordId, RecordOrigin, RecordSet};

/// What a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpanKind {
    /// An initcall: `calling` to `initcall ... returned`.
    Initcall,
    /// A driver's probe of one device: `probe of ... returned`.
    Probe,
    /// An async call (`async_schedule`).
    Async,
}

/// A named part of the boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// What it is.
    pub kind: SpanKind,
    /// The function (`acpi_init`) or the device (`serial8250`, `0000:00:02.0`).
    pub name: String,
    /// The module an initcall is in, if it is in one.
    pub module: Option<String>,
    /// Its start on the boot's axis.
    pub start: Dur,
    /// Its end; none when it never returned.
    pub end: Option<Dur>,
    /// Duration as reported by the kernel, by its own clock.
    pub reported: Option<Dur>,
    /// Return value, with the sign as logged: see [`Span::deferred`].
    pub returned: Option<i32>,
    /// The task that ran it, if the log names it.
    pub task: Option<u32>,
    /// Position of the enclosing span in the boot's list.
    pub parent: Option<usize>,
    /// How many spans enclose it.
    pub depth: u32,
    /// The waits for the console inside it.
    pub console: Dur,
    /// Time in spans directly inside it, net of their console waits.
    pub children: Dur,
    /// Its first record ("calling", or the only one).
    pub first: RecordId,
    /// Its last record ("returned").
    pub last: Option<RecordId>,
    first_index: usize,
    last_index: usize,
}

/// The return value that defers a probe (include/linux/errno.h).
const EPROBE_DEFER: i32 = -517;

impl Span {
    /// From start to end, including waits for the console; as reported by the kernel if the end is unknown.
    pub fn gross(&self) -> Dur {
        match self.end {
            Some(end) => end - self.start,
            None => self.reported.unwrap_or_default(),
        }
    }

    /// Whether it is a deferred probe. really_probe (drivers/base/dd.c, from 5.12 on) inverts the sign of the driver's
    /// own return value, so a deferral by the driver is logged as 517, and one for a missing supplier as -517.
    pub fn deferred(&self) -> bool {
        self.kind == SpanKind::Probe && self.returned.is_some_and(|r| r == EPROBE_DEFER || r == -EPROBE_DEFER)
    }

    fn close(&mut self, end: Dur, took: Dur, returned: Option<i32>, last: RecordId, last_index: usize) {
        self.end = Some(end);
        self.reported = Some(took);
        self.returned = returned;
        self.last = Some(last);
        self.last_index = last_index;
    }

    /// Without the waits for the console.
    pub fn net(&self) -> Dur {
        (self.gross() - self.console).max_zero()
    }

    /// Without the console and without the spans inside it.
    pub fn self_time(&self) -> Dur {
        (self.net() - self.children).max_zero()
    }
}

/// All spans up to position `until`, by start; spans inside another name it as their parent.
pub(super) fn spans(records: &RecordSet, timeline: &Timeline, waits: &ConsoleWaits) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut open = OpenSpans::default();
    let lines: Vec<(usize, Option<u32>, RecordId, InitcallDebugRecord<'_>)> = (0..records.len())
        .filter_map(|i| {
            let r = record_text(records, i)?;
            let task = match r.1 {
                Some(Caller::Task(t)) => Some(t),
                _ => None,
            };
            Some((i, task, r.0, parse(r.2)?))
        })
        .collect();
    let mut clock = StampOrder::new(records, timeline);
    for (index, caller, id, line) in &lines {
        let (index, id) = (*index, *id);
        let Some(now) = timeline.stored(index) else { continue };
        match *line {
            InitcallDebugRecord::Calling { name, module, task } => {
                let (kind, shown) = match async_name(name) {
                    Some(plain) => (SpanKind::Async, plain),
                    None => (SpanKind::Initcall, name),
                };
                open.push(name, spans.len());
                spans.push(Span {
                    kind,
                    name: shown.to_owned(),
                    module: module.map(str::to_owned),
                    start: now,
                    end: None,
                    reported: None,
                    returned: None,
                    task: task.or(*caller),
                    parent: None,
                    depth: 0,
                    console: Dur::ZERO,
                    children: Dur::ZERO,
                    first: id,
                    last: None,
                    first_index: index,
                    last_index: index,
                });
            }
            InitcallDebugRecord::AsyncReturned { name, took } => {
                let Some(at) = open.pop(name) else { continue };
                spans[at].close(now, took, None, id, index);
            }
            InitcallDebugRecord::Waiting { .. } | InitcallDebugRecord::Continuing { .. } => {}
            InitcallDebugRecord::Returned { name, returned, took } => {
                let Some(at) = open.pop(name) else { continue };
                spans[at].close(now, took, Some(returned), id, index);
            }
            InitcallDebugRecord::Probe { device, returned, took } => {
                let start = clock.probe_start(index, now, took);
                spans.push(Span {
                    kind: SpanKind::Probe,
                    name: device.to_owned(),
                    module: None,
                    start,
                    end: Some(now),
                    reported: Some(took),
                    returned: Some(returned),
                    task: *caller,
                    parent: None,
                    depth: 0,
                    console: Dur::ZERO,
                    children: Dur::ZERO,
                    first: id,
                    last: Some(id),
                    first_index: index,
                    last_index: index,
                });
            }
        }
    }
    for span in &mut spans {
        if let Some(end) = span.end {
            span.console = waits.within(span.start, end);
        }
    }
    give_probes_to_async_calls(&mut spans);
    spans.sort_by_key(|s| (s.start, std::cmp::Reverse(s.end), s.first));
    nest(&mut spans);
    spans
}

/// Spans that have not returned, by name.
#[derive(Default)]
struct OpenSpans<'r> {
    /// The last ones: most return before many others are called.
    recent: VecDeque<(&'r str, usize)>,
    /// All before them.
    older: HashMap<&'r str, Vec<usize>>,
}

impl<'r> OpenSpans<'r> {
    fn push(&mut self, name: &'r str, span: usize) {
        const RECENT: usize = 8;
        if self.recent.len() == RECENT {
            if let Some((name, span)) = self.recent.pop_front() {
                self.older.entry(name).or_default().push(span);
            }
        }
        self.recent.push_back((name, span));
    }

    /// The last one of a name.
    fn pop(&mut self, name: &str) -> Option<usize> {
        match self.recent.iter().rposition(|(open, _)| *open == name) {
            Some(at) => self.recent.remove(at).map(|(_, span)| span),
            None => self.older.get_mut(name)?.pop(),
        }
    }
}

/// Maximum time from the record of a probe to that of the async call that ran it.
const RIGHT_BEHIND: Dur = Dur::from_millis(1);

/// A probe's record does not name its task. A probe in an async call (driver_async_probe=) is the last thing that the
/// call does.
fn give_probes_to_async_calls(spans: &mut [Span]) {
    let mut calls: Vec<(Dur, Dur, u32)> =
        spans.iter().filter(|s| s.kind == SpanKind::Async).filter_map(|s| Some((s.end?, s.start, s.task?))).collect();
    calls.sort_unstable();
    for probe in spans.iter_mut().filter(|s| s.kind == SpanKind::Probe && s.task.is_none()) {
        let Some(end) = probe.end else { continue };
        let after = calls[calls.partition_point(|c| c.0 < end)..].iter().take_while(|c| c.0 <= end + RIGHT_BEHIND);
        let holds = after.filter(|c| c.1 <= probe.start + RIGHT_BEHIND).max_by_key(|c| c.1);
        probe.task = holds.map(|c| c.2);
    }
}

/// A task's wait for the completion of async calls (async_synchronize_full).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncWait {
    /// The task that waited.
    pub task: u32,
    /// Start, on the boot's axis.
    pub from: Dur,
    /// End, on the boot's axis.
    pub to: Dur,
    /// "async_waiting"
    pub first: RecordId,
    /// "async_continuing"
    pub last: RecordId,
}

/// All such waits, by their ends: kernel/async.c logs them with `async.dyndbg=+p`.
pub(super) fn async_waits(records: &RecordSet, timeline: &Timeline) -> Vec<AsyncWait> {
    let mut open: HashMap<u32, (Dur, RecordId)> = HashMap::new();
    let mut found = Vec::new();
    for index in records.containing("async_") {
        let Some((id, _, text)) = record_text(records, index) else { continue };
        let (Some(line), Some(now)) = (parse(text), timeline.stored(index)) else { continue };
        match line {
            InitcallDebugRecord::Waiting { task } => {
                open.insert(task, (now, id));
            }
            InitcallDebugRecord::Continuing { task } => {
                if let Some((from, first)) = open.remove(&task) {
                    found.push(AsyncWait { task, from, to: now.max(from), first, last: id });
                }
            }
            _ => {}
        }
    }
    found
}

fn record_text(records: &RecordSet, i: usize) -> Option<(RecordId, Option<Caller>, &str)> {
    records.get(i).filter(|r| r.source == RecordOrigin::Kernel).map(|r| (r.id, r.caller, r.text))
}

/// The kernel records before a position by their stamps, to find the last one stored by a given kernel time.
struct StampOrder<'a> {
    records: &'a RecordSet,
    timeline: &'a Timeline,
    /// Position of the first record not yet in `ascending`.
    seen: usize,
    /// Candidates for a backward search, in log order: a record followed by an earlier stamp is never the last one
    /// whose stamp is early enough. So the stamps ascend.
    ascending: Vec<Stored>,
}

/// A record's two times.
struct Stored {
    stamp: KernelTime,
    at: Dur,
    /// When the next record was stored.
    next: Option<Dur>,
}

impl<'a> StampOrder<'a> {
    fn new(records: &'a RecordSet, timeline: &'a Timeline) -> StampOrder<'a> {
        StampOrder { records, timeline, seen: 0, ascending: Vec::new() }
    }

    /// Adds the records before `index`; positions ascend from call to call.
    fn advance(&mut self, index: usize) {
        while self.seen < index {
            let (r, at) = (self.records.get(self.seen), self.timeline.stored(self.seen));
            self.seen += 1;
            let (Some(r), Some(at)) = (r, at) else { continue };
            if let Some(last) = self.ascending.last_mut() {
                last.next.get_or_insert(at);
            }
            if let Some(stamp) = r.stamp.filter(|_| r.source == RecordOrigin::Kernel) {
                while self.ascending.last().is_some_and(|s| s.stamp >= stamp) {
                    self.ascending.pop();
                }
                self.ascending.push(Stored { stamp, at, next: None });
            }
        }
    }

    /// A probe's record gives only its end and, by the kernel's clock, its length. If that clock stood still, the
    /// length is wrong: the start is then where the kernel's clock showed the end minus the length.
    fn probe_start(&mut self, index: usize, now: Dur, took: Dur) -> Dur {
        let Some(stamp) = self.records.get(index).and_then(|r| r.stamp) else { return now - took };
        let began = stamp - took;
        self.advance(index);
        // The last record stored before the probe began, and how long after it the probe began.
        let before = self.ascending.partition_point(|s| s.stamp <= began).checked_sub(1);
        match before.map(|i| &self.ascending[i]) {
            Some(s) => {
                let next = s.next.unwrap_or(now);
                (s.at + (began - s.stamp)).min(next.max(s.at)).min(now)
            }
            None => (now - took).max_zero(),
        }
    }
}

/// Sets each span's parent: spans of one task nest as they enclose one another. What another task runs at the same time
/// (an async call, a deferred probe's worker) is not nested, and has its own stack.
fn nest(spans: &mut [Span]) {
    // The stack of spans still running, per task; spans without a task belong to the boot's own (task 1).
    let mut running: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for i in 0..spans.len() {
        let (start, end) = (spans[i].start, spans[i].end);
        let task = spans[i].task.unwrap_or(1);
        let stack = running.entry(task).or_default();
        while let Some(&top) = stack.last() {
            let encloses = match (spans[top].end, end) {
                (Some(outer), Some(inner)) => outer >= inner && spans[top].last_index >= spans[i].last_index,
                (None, _) => true,
                (Some(outer), None) => outer > start,
            };
            if encloses {
                break;
            }
            stack.pop();
        }
        if let Some(&parent) = stack.last() {
            spans[i].parent = Some(parent);
            spans[i].depth = spans[parent].depth + 1;
            let net = spans[i].net();
            spans[parent].children += net;
        }
        stack.push(i);
    }
}
