// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans from `initcall_debug`: initcalls, probes, async calls; nested as they really were.
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::timeline::Timeline;
use super::wait::Waits;
use crate::records::{Caller, RecordId, RecordSet, Source};
use crate::units::{Dur, KernelTime};

/// What a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpanKind {
    /// An initcall: `calling` to `initcall ... returned`.
    Initcall,
    /// A driver's probe of one device: `probe of ... returned`.
    Probe,
    /// An async call (`async_schedule`).
    Async,
}

/// A stretch of the boot that the log names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// What it is.
    pub kind: SpanKind,
    /// The function (`acpi_init`) or the device (`serial8250`, `0000:00:02.0`).
    pub name: String,
    /// The module an initcall is in, if it is in one.
    pub module: Option<String>,
    /// Its start on the boot's axis.
    #[serde(rename = "start_ns")]
    pub start: Dur,
    /// Its end; none when it never returned.
    #[serde(rename = "end_ns")]
    pub end: Option<Dur>,
    /// What the kernel said it took (its own clock).
    #[serde(rename = "reported_ns")]
    pub reported: Option<Dur>,
    /// What it returned, with the log's sign: see [`Span::deferred`].
    pub returned: Option<i32>,
    /// The task that ran it, where the log tells.
    pub task: Option<u32>,
    /// Position of the enclosing span in the boot's list.
    pub parent: Option<usize>,
    /// How many spans enclose it.
    pub depth: u32,
    /// The waits for the console inside it.
    #[serde(rename = "console_ns")]
    pub console: Dur,
    /// Time in spans directly inside it, net of their console waits.
    #[serde(rename = "children_ns")]
    pub children: Dur,
    /// Its first record ("calling", or the only one).
    pub first: RecordId,
    /// Its last record ("returned").
    pub last: Option<RecordId>,
    #[serde(skip)]
    first_index: usize,
    #[serde(skip)]
    last_index: usize,
}

/// The return value that defers a probe (include/linux/errno.h).
const EPROBE_DEFER: i32 = -517;

impl Span {
    /// From start to end, console waits included; what the kernel reported where the end's time is not known.
    pub fn gross(&self) -> Dur {
        match self.end {
            Some(end) => end - self.start,
            None => self.reported.unwrap_or_default(),
        }
    }

    /// Whether it is a probe that was put off. really_probe (drivers/base/dd.c, from 5.12 on) turns the sign of what the
    /// driver's own probe returned, so its deferral reads 517, and that of a missing supplier -517.
    pub fn deferred(&self) -> bool {
        self.kind == SpanKind::Probe && self.returned.is_some_and(|r| r == EPROBE_DEFER || r == -EPROBE_DEFER)
    }

    /// Without the waits for the console.
    pub fn net(&self) -> Dur {
        (self.gross() - self.console).max_zero()
    }

    /// Without the console and without the spans inside it.
    pub fn own(&self) -> Dur {
        (self.net() - self.children).max_zero()
    }
}

/// What one record of `initcall_debug` says.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    Calling { name: &'a str, module: Option<&'a str>, task: Option<u32> },
    Returned { name: &'a str, returned: i32, took: Dur },
    Probe { device: &'a str, returned: i32, took: Dur },
}

fn parse(text: &str) -> Option<Line<'_>> {
    match text.as_bytes().first()? {
        b'c' => {
            // calling  acpi_init+0x0/0x4f0 @ 1
            // calling  ahci_pci_driver_init+0x0/0xff0 [ahci] @ 131
            let rest = text.strip_prefix("calling  ")?;
            let (what, task) = rest.rsplit_once(" @ ")?;
            // Suspend and resume write "@ 12, parent: ...": no initcall.
            let task = task.parse().ok()?;
            let (name, module) = symbol(what);
            Some(Line::Calling { name, module, task: Some(task) })
        }
        b'i' => {
            let rest = text.strip_prefix("initcall ")?;
            let (what, rest) = rest.split_once(" returned ")?;
            let (returned, took) = outcome(rest)?;
            Some(Line::Returned { name: symbol(what).0, returned, took })
        }
        b'p' => {
            let rest = text.strip_prefix("probe of ")?;
            let (device, rest) = rest.split_once(" returned ")?;
            let (returned, took) = outcome(rest)?;
            Some(Line::Probe { device, returned, took })
        }
        _ => None,
    }
}

/// `0 after 426 usecs`, also with ` with ...` or `, error code ...` behind the number.
fn outcome(text: &str) -> Option<(i32, Dur)> {
    let (returned, rest) = text.split_once(" after ")?;
    let (took, unit) = rest.split_once(' ')?;
    let returned = returned.trim_end_matches([',', ' ']).parse().ok()?;
    let took = unit.starts_with("usec").then(|| took.parse().ok().map(Dur::from_micros)).flatten()?;
    Some((returned, took))
}

/// `acpi_init+0x0/0x4f0 [ahci]` is `acpi_init` in `ahci`.
fn symbol(text: &str) -> (&str, Option<&str>) {
    let module = text.split_once(" [").and_then(|(_, m)| m.strip_suffix(']'));
    let name = text.split([' ', '+']).next().unwrap_or(text);
    (name, module)
}

/// An async call's symbol carries its cookie in front: `12_do_scan_async`.
fn async_name(name: &str) -> Option<&str> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && name[digits..].starts_with('_')).then(|| &name[digits + 1..])
}

/// All spans up to position `until`, by start; spans inside another name it as their parent.
pub(super) fn spans(records: &RecordSet, timeline: &Timeline, waits: &Waits) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let lines: Vec<(usize, Option<u32>, RecordId, Line<'_>)> = (0..records.len())
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
            Line::Calling { name, module, task } => {
                let (kind, shown) = match async_name(name) {
                    Some(plain) => (SpanKind::Async, plain),
                    None => (SpanKind::Initcall, name),
                };
                open.entry(name).or_default().push(spans.len());
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
            Line::Returned { name, returned, took } => {
                let Some(at) = open.get_mut(name).and_then(Vec::pop) else { continue };
                let span = &mut spans[at];
                span.end = Some(now);
                span.reported = Some(took);
                span.returned = Some(returned);
                span.last = Some(id);
                span.last_index = index;
            }
            Line::Probe { device, returned, took } => {
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
    spans.sort_by_key(|s| (s.start, std::cmp::Reverse(s.end), s.first));
    nest(&mut spans);
    spans
}

fn record_text(records: &RecordSet, i: usize) -> Option<(RecordId, Option<Caller>, &str)> {
    records.get(i).filter(|r| r.source == Source::Kernel).map(|r| (r.id, r.caller, r.text))
}

/// The kernel records before a position by their stamps, to find the last one stored by a given kernel time.
struct StampOrder<'a> {
    records: &'a RecordSet,
    timeline: &'a Timeline,
    /// Position of the first record not yet in `ascending`.
    seen: usize,
    /// What a search backwards could stop at, in the log's order: a record behind which an earlier stamp follows is
    /// never the last with a stamp that is early enough. So the stamps ascend.
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

    /// Takes in the records before `index`; positions ascend from call to call.
    fn advance(&mut self, index: usize) {
        while self.seen < index {
            let (r, at) = (self.records.get(self.seen), self.timeline.stored(self.seen));
            self.seen += 1;
            let (Some(r), Some(at)) = (r, at) else { continue };
            if let Some(last) = self.ascending.last_mut() {
                last.next.get_or_insert(at);
            }
            if let Some(stamp) = r.stamp.filter(|_| r.source == Source::Kernel) {
                while self.ascending.last().is_some_and(|s| s.stamp >= stamp) {
                    self.ascending.pop();
                }
                self.ascending.push(Stored { stamp, at, next: None });
            }
        }
    }

    /// A probe's record gives only its end and, by the kernel's clock, its length. On a clock that stood still the
    /// length is wrong: the start is then where the kernel's clock showed the end less the length.
    fn probe_start(&mut self, index: usize, now: Dur, took: Dur) -> Dur {
        let Some(stamp) = self.records.get(index).and_then(|r| r.stamp) else { return now - took };
        let began = stamp - took;
        self.advance(index);
        // The last record stored before the probe began, and how far behind it the probe began.
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

/// Gives each span its parent: spans of one task nest as they enclose one another. What another task runs at the same
/// time (an async call, a deferred probe's worker) is not inside, and has a stack of its own.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |text, want| assert_eq!(parse(text), want, "{text}");
        check(
            "calling  acpi_init+0x0/0x4f0 @ 1",
            Some(Line::Calling { name: "acpi_init", module: None, task: Some(1) }),
        );
        check(
            "calling  ahci_init+0x0/0xff0 [ahci] @ 131",
            Some(Line::Calling { name: "ahci_init", module: Some("ahci"), task: Some(131) }),
        );
        check(
            "initcall acpi_init+0x0/0x4f0 returned 0 after 120240 usecs",
            Some(Line::Returned { name: "acpi_init", returned: 0, took: Dur::from_micros(120_240) }),
        );
        check(
            "initcall x_init+0x0/0x10 returned -19 after 12 usecs ",
            Some(Line::Returned { name: "x_init", returned: -19, took: Dur::from_micros(12) }),
        );
        check(
            "probe of 3f215040.serial returned -517 after 8 usecs",
            Some(Line::Probe { device: "3f215040.serial", returned: -517, took: Dur::from_micros(8) }),
        );
        check("calling  usb_dev_suspend+0x0/0x10 @ 12, parent: usb1", None);
        check("probe of nothing", None);
        check("initcall x returned 0 after 99999999999999999999 usecs", None);
    }

    #[test]
    fn async_symbols_carry_a_cookie() {
        assert_eq!(async_name("12_do_scan_async"), Some("do_scan_async"));
        assert_eq!(async_name("acpi_init"), None);
        assert_eq!(async_name("3com_init"), None);
    }
}
