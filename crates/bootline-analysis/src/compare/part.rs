// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a boot, which add up to it: each instant between its beginning and its end belongs to exactly one.
//!
//! An instant belongs to the innermost initcall, probe or async call that is running; if several tasks run one, to that
//! of the boot's own task; if none is running, to the phase. Within each part, waits for the console are separated from
//! work. So a part's time excludes the spans inside it, unlike what `blame` shows.
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::quantity::span_word;
use bootline_boot::{Boot, BootEnd, PhaseName, Span, SpanKind};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "name")]
pub enum PartKey {
    /// The time in this phase that belongs to no span.
    Phase(PhaseName),
    /// Before the first phase.
    Before,
    /// An initcall, without what is inside it.
    Initcall(String),
    /// A probe.
    Probe(String),
    /// An async call.
    Async(String),
    /// All spans that a stored baseline has only as a sum, because none of them took long.
    Short,
}

impl PartKey {
    /// The part that is a span's own time.
    pub fn of_span(kind: SpanKind, name: &str) -> PartKey {
        let name = name.to_owned();
        match kind {
            SpanKind::Initcall => PartKey::Initcall(name),
            SpanKind::Probe => PartKey::Probe(name),
            SpanKind::Async => PartKey::Async(name),
        }
    }

    /// Whether it is a span that the log names.
    pub fn is_span(&self) -> bool {
        matches!(self, PartKey::Initcall(_) | PartKey::Probe(_) | PartKey::Async(_))
    }
}

impl fmt::Display for PartKey {
    /// ``initcall `acpi_init` ``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartKey::Phase(name) => f.write_str(name.title()),
            PartKey::Before => f.write_str("before the first record"),
            PartKey::Initcall(name) => write!(f, "{} `{name}`", span_word(SpanKind::Initcall)),
            PartKey::Probe(name) => write!(f, "{} `{name}`", span_word(SpanKind::Probe)),
            PartKey::Async(name) => write!(f, "{} call `{name}`", span_word(SpanKind::Async)),
            PartKey::Short => f.write_str("short initcalls and probes"),
        }
    }
}

/// Position of a part in the boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPosition {
    /// The phase in which it begins.
    pub phase: Option<PhaseName>,
    /// Whether the boot's own task runs it.
    pub main: bool,
}

/// One part of one boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub key: PartKey,
    /// Its own time without the console.
    pub work: Dur,
    /// Waits for the console in it.
    pub console: Dur,
    /// Bytes for the console that were stored in it.
    pub bytes: u64,
    /// Position of its start.
    pub place: PartPosition,
    /// Start, for the order of parts.
    pub start: Dur,
    /// Its first and its last record, where it is a span.
    pub records: Option<(RecordId, RecordId)>,
}

impl Part {
    /// Work and waits.
    pub fn time(&self) -> Dur {
        self.work + self.console
    }
}

/// The task in which the kernel runs its initcalls.
const MAIN: u32 = 1;

/// The parts of a boot up to its end, by when they begin. Their times add up to the time to its end.
pub(super) fn parts(boot: &Boot, end: &BootEnd) -> Vec<Part> {
    let stop = end.at.best();
    let start = stop - end.elapsed.best();
    if start >= stop {
        return Vec::new();
    }
    let spans: Vec<(Dur, Dur, &Span)> = boot
        .spans()
        .iter()
        .map(|s| (s.start.max(start), s.end.unwrap_or(stop).min(stop), s))
        .filter(|(from, to, _)| from < to)
        .collect();
    let waits: Vec<(Dur, Dur)> = boot
        .waits
        .iter()
        .map(|w| (w.from.max(start), (w.from + w.time.best()).min(stop)))
        .filter(|(from, to)| from < to)
        .collect();
    let phases: Vec<(Dur, PhaseName)> = boot.phases.iter().map(|p| (p.start, p.name)).collect();
    let phase_at = |t: Dur| phases.iter().rev().find(|(from, _)| *from <= t).map(|(_, name)| *name);

    // Where anything begins or ends; between two of these nothing changes.
    let mut cuts: Vec<Dur> = [start, stop]
        .into_iter()
        .chain(spans.iter().flat_map(|(from, to, _)| [*from, *to]))
        .chain(waits.iter().flat_map(|(from, to)| [*from, *to]))
        .chain(phases.iter().map(|(from, _)| (*from).clamp(start, stop)))
        .collect();
    cuts.sort_unstable();
    cuts.dedup();

    let mut found = PartBuilder::default();
    let mut beginning = spans.iter().enumerate().collect::<Vec<_>>();
    beginning.sort_by_key(|(_, (from, ..))| *from);
    let mut beginning = beginning.into_iter().peekable();
    // The innermost is on top; an ended one is removed when it gets to the top.
    let mut running: BinaryHeap<(bool, u32, Dur, usize)> = BinaryHeap::new();
    let (mut next_wait, mut waiting_until) = (waits.iter().peekable(), start);
    // The part of each time range, for the bytes stored in it.
    let mut owners: Vec<(Dur, usize)> = Vec::new();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        while let Some((i, (begins, _, span))) = beginning.next_if(|(_, (begins, ..))| *begins <= from) {
            running.push((is_main(span), span.depth, *begins, i));
        }
        while running.peek().is_some_and(|(.., i)| spans[*i].1 <= from) {
            running.pop();
        }
        while let Some((_, until)) = next_wait.next_if(|(begins, _)| *begins <= from) {
            waiting_until = waiting_until.max(*until);
        }
        let (key, place, records) = match running.peek().map(|(.., i)| spans[*i].2) {
            Some(span) => {
                let place = PartPosition { phase: phase_at(from), main: is_main(span) };
                (PartKey::of_span(span.kind, &span.name), place, Some((span.first, span.last.unwrap_or(span.first))))
            }
            None => {
                let phase = phase_at(from);
                (phase.map_or(PartKey::Before, PartKey::Phase), PartPosition { phase, main: true }, None)
            }
        };
        let at = found.part(key, place, from, records);
        let part = &mut found.parts[at];
        if waiting_until > from {
            part.console += to - from
        } else {
            part.work += to - from
        }
        owners.push((from, at));
    }
    found.count_bytes(boot, end, &owners);
    found.parts
}

fn is_main(span: &Span) -> bool {
    span.task.is_none_or(|t| t == MAIN)
}

#[derive(Default)]
struct PartBuilder {
    parts: Vec<Part>,
    by_key: BTreeMap<PartKey, usize>,
}

impl PartBuilder {
    fn part(&mut self, key: PartKey, place: PartPosition, start: Dur, records: Option<(RecordId, RecordId)>) -> usize {
        *self.by_key.entry(key.clone()).or_insert_with(|| {
            self.parts.push(Part { key, work: Dur::ZERO, console: Dur::ZERO, bytes: 0, place, start, records });
            self.parts.len() - 1
        })
    }

    fn count_bytes(&mut self, boot: &Boot, end: &BootEnd, owners: &[(Dur, usize)]) {
        for (i, r) in boot.records.iter().enumerate().take(end.index + 1) {
            let place = boot.timeline.place(i);
            let (Some(stored), Some(_)) = (place.stored, place.transmitted) else { continue };
            let at = owners.partition_point(|(from, _)| *from <= stored).saturating_sub(1);
            if let Some((_, part)) = owners.get(at) {
                self.parts[*part].bytes += u64::from(r.line_bytes);
            }
        }
    }
}
