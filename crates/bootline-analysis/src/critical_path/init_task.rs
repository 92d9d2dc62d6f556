// SPDX-License-Identifier: MIT OR Apache-2.0
//! What init's own task was doing at each moment.
use std::collections::HashMap;

use super::boot_task::{INIT, holds_up, of_init, user_space};
use super::named_interval::{self, NamedInterval};
use super::segment::{NestedSpan, Segment, SegmentKind};
use bootline_boot::{Boot, Phase, PhaseName, Span, SpanKind};
use bootline_capture::units::Dur;
use bootline_records::{RecordId, RecordOrigin};

/// Shortest gap that is a segment of its own, and its smallest share of the boot.
const SILENCE: (Dur, f64) = (Dur::from_millis(20), 0.01);

/// The late initcall in which init's task waits for the worker that retries deferred probes (drivers/base/dd.c).
const DEFERRED_PROBES: &str = "deferred_probe_initcall";

/// The boot from the perspective of init's task.
pub(super) struct InitTask<'b> {
    boot: &'b Boot,
    /// Initcalls of init's task, and in user space those of any: disjoint, by start.
    calls: Vec<Call<'b>>,
    /// When records were stored, ascending.
    stored: Vec<Stored<'b>>,
    /// Named intervals other than initcalls and phases, disjoint, by start.
    known: Vec<NamedInterval>,
    /// Positions of probes and async calls, by their ends.
    ended: Vec<(Dur, usize)>,
    silence: Dur,
}

struct Call<'b> {
    span: &'b Span,
    /// Start, or the end of another task's call that began before it.
    from: Dur,
    /// End, or the last moment that the log shows.
    to: Dur,
}

struct Stored<'b> {
    at: Dur,
    id: RecordId,
    /// The device, if the record announces the timeout of a deferred probe.
    timed_out: Option<&'b str>,
}

impl<'b> InitTask<'b> {
    pub fn new(boot: &'b Boot, start: Dur, end: Dur) -> InitTask<'b> {
        let timeouts = named_interval::timeouts(boot);
        let mut stored = Vec::new();
        let mut latest = start;
        for (i, r) in boot.records.iter().enumerate().take(boot.end_index()) {
            // A record of another CPU may be stamped before its predecessor.
            let Some(at) = boot.timeline.stored(i).filter(|t| *t >= latest) else { continue };
            if r.source == RecordOrigin::Kernel || at > Dur::ZERO {
                latest = at;
                stored.push(Stored { at, id: r.id, timed_out: timeouts.get(&i).copied() });
            }
        }
        let non_critical = boot.spans().iter().enumerate().filter(|(_, s)| s.kind != SpanKind::Initcall);
        let mut ended: Vec<(Dur, usize)> = non_critical.filter_map(|(i, s)| Some((s.end?, i))).collect();
        ended.sort_unstable();
        let silence = SILENCE.0.max((end - start).scale(SILENCE.1));
        InitTask {
            boot,
            calls: calls(boot, end),
            stored,
            known: named_interval::named_intervals(boot, end, &timeouts),
            ended,
            silence,
        }
    }

    /// What init's task did between two moments: segments without gap or overlap.
    pub fn between(&self, from: Dur, to: Dur) -> Vec<Segment> {
        let mut found: Vec<Segment> = Vec::new();
        let mut at = from;
        while at < to {
            let (kind, until) = self.at(at, to);
            let until = until.min(to).max(at + Dur::from_nanos(1));
            match found.last_mut() {
                Some(last) if last.kind == kind && joins(&kind) => last.end = until,
                _ => found.push(Segment {
                    kind,
                    start: at,
                    end: until,
                    console: Dur::ZERO,
                    max_saving: Dur::ZERO,
                    first: None,
                    last: None,
                    nested: Vec::new(),
                }),
            }
            at = until;
        }
        for segment in &mut found {
            self.complete(segment);
        }
        found
    }

    /// The calls that run between two moments, by start.
    pub fn calls_between(&self, from: Dur, to: Dur) -> impl Iterator<Item = &'b Span> {
        let first = self.calls.partition_point(|c| c.to <= from);
        self.calls[first..].iter().map(|c| c.span).take_while(move |s| s.start < to)
    }

    /// The segment at a moment, and its end, `to` at the latest.
    fn at(&self, at: Dur, to: Dur) -> (SegmentKind, Dur) {
        let next_known = self.known.partition_point(|k| k.to <= at);
        let mut limit = to;
        if let Some(k) = self.known.get(next_known) {
            if k.from <= at {
                return (k.kind.clone(), k.to);
            }
            limit = limit.min(k.from);
        }
        if at < Dur::ZERO {
            return (SegmentKind::BeforeKernel, limit.min(Dur::ZERO));
        }
        let next_call = self.calls.partition_point(|c| c.to <= at);
        if let Some(call) = self.calls.get(next_call) {
            if call.from <= at {
                let kind = match call.span.name.as_str() {
                    DEFERRED_PROBES => SegmentKind::DeferredProbes,
                    name => SegmentKind::Initcall { name: name.to_owned() },
                };
                return (kind, call.to.min(limit));
            }
            limit = limit.min(call.from);
        }
        // Between two records.
        let next = self.stored.partition_point(|s| s.at <= at);
        let before = next.checked_sub(1).map_or(Dur::ZERO, |i| self.stored[i].at);
        let ends = self.stored.get(next).filter(|s| s.at <= limit);
        let after = ends.map_or(limit, |s| s.at);
        let net = (after - before) - self.boot.console_wait(before, after);
        if net >= self.silence {
            let kind = match ends.and_then(|s| s.timed_out) {
                Some(device) => SegmentKind::DeferredTimeout { device: Some(device.to_owned()) },
                None => SegmentKind::Silence,
            };
            return (kind, after);
        }
        let phase = self.phase(at);
        let ends = phase.map_or(limit, |p| p.end).max(at + Dur::from_nanos(1));
        let name = phase.map_or(PhaseName::KernelToConsole, |p| p.name);
        (SegmentKind::Phase { name }, after.min(ends))
    }

    fn phase(&self, at: Dur) -> Option<&'b Phase> {
        let of_kernel = |p: &&Phase| p.name != PhaseName::BeforeKernel;
        self.boot.phases.iter().filter(of_kernel).find(|p| p.start <= at && at < p.end)
    }

    /// Fills in evidence, console waits and nested spans.
    fn complete(&self, segment: &mut Segment) {
        let (from, to) = (segment.start, segment.end);
        segment.console = self.boot.console_wait(from, to);
        let after = self.stored.partition_point(|s| s.at <= from);
        segment.first = after.checked_sub(1).or((!self.stored.is_empty()).then_some(0)).map(|i| self.stored[i].id);
        let until = self.stored.partition_point(|s| s.at < to).min(self.stored.len().saturating_sub(1));
        segment.last = self.stored.get(until).map(|s| s.id).max(segment.first);
        match segment.kind {
            SegmentKind::Initcall { .. } | SegmentKind::DeferredProbes => {
                let Some(call) = self.calls.get(self.calls.partition_point(|c| c.to <= from)) else { return };
                segment.first = Some(call.span.first);
                segment.last = call.span.last.or(segment.last);
                segment.nested = match segment.kind {
                    SegmentKind::DeferredProbes => self.ended(from, to),
                    _ => self.nested(call.span, from, to),
                };
            }
            SegmentKind::RootWait { .. } | SegmentKind::DeferredTimeout { .. } | SegmentKind::Silence => {
                segment.nested = self.ended(from, to);
            }
            _ => {}
        }
    }

    /// Calls and probes of the same task inside an initcall, within a time range.
    fn nested(&self, call: &Span, from: Dur, to: Dur) -> Vec<NestedSpan> {
        let first = self.boot.spans().partition_point(|s| s.start < from.max(call.start));
        let here = self.boot.spans()[first..].iter().take_while(|s| s.start < to);
        let mut found: Vec<NestedSpan> = Vec::new();
        let mut over = from;
        for span in here {
            let own = span.kind != SpanKind::Async && span.task.is_none_or(|t| Some(t) == call.task || t == INIT);
            let Some(end) = span.end.filter(|end| own && *end <= to && span.start >= over) else { continue };
            if span.first == call.first {
                continue;
            }
            over = end;
            found.push(nested(span, end));
        }
        found
    }

    /// Spans of other tasks that ended while init's task waited, whenever they had begun.
    fn ended(&self, from: Dur, to: Dur) -> Vec<NestedSpan> {
        let here = self.ended.partition_point(|e| e.0 <= from)..self.ended.partition_point(|e| e.0 <= to);
        let mut found: Vec<NestedSpan> = Vec::new();
        for &(end, i) in &self.ended[here] {
            let span = &self.boot.spans()[i];
            // A probe inside a probe is covered by the outer one.
            if span.parent.is_none_or(|p| self.boot.spans()[p].kind == SpanKind::Initcall) {
                found.push(nested(span, end));
            }
        }
        found.sort_by_key(|i| i.record);
        found
    }
}

fn nested(span: &Span, end: Dur) -> NestedSpan {
    NestedSpan {
        kind: span.kind,
        name: span.name.clone(),
        deferred: span.deferred(),
        length: end - span.start,
        console: span.console,
        record: span.first,
    }
}

/// Initcalls that no other of their task encloses, cut so that they are disjoint. One without a return in the log lasts
/// until the next one's start in its own task, which begins it only after the return. Calls of other tasks show nothing
/// about that.
fn calls(boot: &Boot, end: Dur) -> Vec<Call<'_>> {
    let user_space = user_space(boot);
    let holds_up = |s: &&Span| {
        of_init(s) || s.kind == SpanKind::Initcall && s.task.is_some_and(|t| holds_up(t, s.start, user_space))
    };
    let mut all: Vec<Call<'_>> = Vec::new();
    // Index of each task's latest one.
    let mut latest: HashMap<u32, usize> = HashMap::new();
    for span in boot.spans().iter().filter(holds_up).filter(|s| s.start < end) {
        let task = span.task.unwrap_or(INIT);
        if let Some(last) = latest.get(&task).map(|i| &mut all[*i]) {
            if last.span.end.is_none() {
                last.to = span.start;
            } else if last.to > span.start {
                continue;
            }
        }
        latest.insert(task, all.len());
        all.push(Call { span, from: span.start, to: span.end.unwrap_or(end) });
    }
    // Modules may be loaded in parallel: a call that outlasts the one before it continues where that one ended.
    let mut calls: Vec<Call<'_>> = Vec::new();
    for call in all {
        match calls.last().map(|last| last.to).filter(|over| *over > call.from) {
            Some(over) if call.to > over => calls.push(Call { from: over, ..call }),
            Some(_) => {}
            None => calls.push(call),
        }
    }
    calls
}

/// Whether consecutive segments of this kind are merged; two calls of the same name are not.
fn joins(kind: &SegmentKind) -> bool {
    matches!(kind, SegmentKind::Phase { .. } | SegmentKind::BeforeKernel)
}
