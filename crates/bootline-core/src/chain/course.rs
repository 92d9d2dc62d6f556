// SPDX-License-Identifier: MIT OR Apache-2.0
//! What init's own task was at, moment for moment.
use super::{Inside, Link, Segment};
use crate::boot::{Boot, Phase, PhaseName, Span, SpanKind, WaitCause};
use crate::records::{RecordId, Source};
use crate::units::Dur;

/// init's task, and swapper's before it.
const INIT: u32 = 1;

/// The least silence that is a link of its own, and the least share of the boot.
const SILENCE: (Dur, f64) = (Dur::from_millis(20), 0.01);

/// The boot's course as init's task saw it.
pub(super) struct Course<'b> {
    boot: &'b Boot,
    /// Initcalls of init's task that no other encloses: disjoint, by start.
    calls: Vec<&'b Span>,
    /// When records were stored, ascending, with their ids.
    stored: Vec<(Dur, RecordId)>,
    /// What is known apart from initcalls and phases, disjoint, by start.
    known: Vec<Known>,
    silence: Dur,
}

/// A stretch with a link of its own.
struct Known {
    from: Dur,
    to: Dur,
    link: Link,
}

pub(super) fn of_init(span: &Span) -> bool {
    span.kind == SpanKind::Initcall && span.task.is_none_or(|t| t == INIT)
}

pub(super) fn waits_of_init(task: u32) -> bool {
    task == INIT
}

impl<'b> Course<'b> {
    pub fn new(boot: &'b Boot, start: Dur, end: Dur) -> Course<'b> {
        let mut calls: Vec<&Span> = Vec::new();
        for span in boot.spans.iter().filter(|s| of_init(s) && s.start < end) {
            // A call that never returned lasts to the end.
            if calls.last().is_none_or(|c| c.end.is_some_and(|to| to <= span.start)) {
                calls.push(span);
            }
        }
        let mut stored = Vec::new();
        let mut latest = start;
        for (i, r) in boot.records.iter().enumerate().take(boot.end_index()) {
            // A record of another processor may be stamped before its predecessor.
            let Some(at) = boot.timeline.stored(i).filter(|t| *t >= latest) else { continue };
            if r.source == Source::Kernel || at > Dur::ZERO {
                latest = at;
                stored.push((at, r.id));
            }
        }
        let silence = SILENCE.0.max((end - start).scale(SILENCE.1));
        Course { boot, calls, stored, known: known(boot), silence }
    }

    /// What init's task was at from one moment to another: segments without gap or overlap.
    pub fn between(&self, from: Dur, to: Dur) -> Vec<Segment> {
        let mut found: Vec<Segment> = Vec::new();
        let mut at = from;
        while at < to {
            let (link, until) = self.at(at, to);
            let until = until.min(to).max(at + Dur::from_nanos(1));
            match found.last_mut() {
                Some(last) if last.link == link && joins(&link) => last.end = until,
                _ => found.push(Segment {
                    link,
                    start: at,
                    end: until,
                    console: Dur::ZERO,
                    effect: Dur::ZERO,
                    first: None,
                    last: None,
                    inside: Vec::new(),
                }),
            }
            at = until;
        }
        for segment in &mut found {
            self.complete(segment);
        }
        found
    }

    /// The link at a moment, and until when it is that one, `to` at the latest.
    fn at(&self, at: Dur, to: Dur) -> (Link, Dur) {
        let next_known = self.known.partition_point(|k| k.to <= at);
        let mut limit = to;
        if let Some(k) = self.known.get(next_known) {
            if k.from <= at {
                return (k.link.clone(), k.to);
            }
            limit = limit.min(k.from);
        }
        if at < Dur::ZERO {
            return (Link::BeforeKernel, limit.min(Dur::ZERO));
        }
        let next_call = self.calls.partition_point(|c| c.end.is_some_and(|end| end <= at));
        if let Some(call) = self.calls.get(next_call) {
            if call.start <= at {
                let until = call.end.unwrap_or(limit).min(limit);
                return (Link::Initcall { name: call.name.clone() }, until);
            }
            limit = limit.min(call.start);
        }
        // Between two records.
        let next = self.stored.partition_point(|s| s.0 <= at);
        let before = next.checked_sub(1).map_or(Dur::ZERO, |i| self.stored[i].0);
        let behind = self.stored.get(next).map_or(limit, |s| s.0.min(limit));
        let net = (behind - before) - self.boot.console_wait(before, behind);
        if net >= self.silence {
            return (Link::Silence, behind);
        }
        let phase = self.phase(at);
        let ends = phase.map_or(limit, |p| p.end).max(at + Dur::from_nanos(1));
        let name = phase.map_or(PhaseName::KernelToConsole, |p| p.name);
        (Link::Phase { name }, behind.min(ends))
    }

    fn phase(&self, at: Dur) -> Option<&'b Phase> {
        let of_kernel = |p: &&Phase| p.name != PhaseName::BeforeKernel;
        self.boot.phases.iter().filter(of_kernel).find(|p| p.start <= at && at < p.end)
    }

    /// Evidence, console waits and what is inside.
    fn complete(&self, segment: &mut Segment) {
        let (from, to) = (segment.start, segment.end);
        segment.console = self.boot.console_wait(from, to);
        let behind = self.stored.partition_point(|s| s.0 <= from);
        segment.first = behind.checked_sub(1).or((!self.stored.is_empty()).then_some(0)).map(|i| self.stored[i].1);
        let until = self.stored.partition_point(|s| s.0 < to).min(self.stored.len().saturating_sub(1));
        segment.last = self.stored.get(until).map(|s| s.1).max(segment.first);
        if let Link::Initcall { .. } = segment.link {
            let next = self.calls.partition_point(|c| c.end.is_some_and(|end| end <= from));
            let Some(call) = self.calls.get(next) else { return };
            segment.first = Some(call.first);
            segment.last = call.last.or(segment.last);
            segment.inside = self.inside(call, from, to);
        }
    }

    /// Calls and probes of init's task inside an initcall, in a stretch of it.
    fn inside(&self, call: &Span, from: Dur, to: Dur) -> Vec<Inside> {
        let first = self.boot.spans.partition_point(|s| s.start < from.max(call.start));
        let here = self.boot.spans[first..].iter().take_while(|s| s.start < to);
        let mut found: Vec<Inside> = Vec::new();
        let mut over = from;
        for span in here {
            let own = span.kind != SpanKind::Async && span.task.is_none_or(|t| t == INIT);
            let Some(end) = span.end.filter(|end| own && *end <= to && span.start >= over) else { continue };
            if span.first == call.first {
                continue;
            }
            over = end;
            found.push(Inside {
                kind: span.kind,
                name: span.name.clone(),
                deferred: span.deferred(),
                length: end - span.start,
                console: span.console,
                record: span.first,
            });
        }
        found
    }
}

/// What follows itself is one: not two calls of one name.
fn joins(link: &Link) -> bool {
    matches!(link, Link::Phase { .. } | Link::BeforeKernel)
}

/// The flush at the console's registration, and the wait for the root: by start, disjoint.
fn known(boot: &Boot) -> Vec<Known> {
    let mut all: Vec<Known> = Vec::new();
    let flush = boot.waits.iter().filter(|w| w.cause == WaitCause::Flush && w.time.best() > Dur::ZERO);
    all.extend(flush.map(|w| Known { from: w.from, to: w.from + w.time.best(), link: Link::ConsoleFlush }));
    if let Some(wait) = boot.root_wait() {
        let at = |i: usize| boot.timeline.stored(i);
        if let (Some(from), Some(to)) = (at(wait.from), at(wait.to)) {
            all.push(Known { from, to, link: Link::RootWait { by: wait.by } });
        }
    }
    all.retain(|k| k.to > k.from);
    all.sort_by_key(|k| k.from);
    let mut until = Dur::from_nanos(i64::MIN);
    all.retain_mut(|k| {
        k.from = k.from.max(until);
        until = until.max(k.to);
        k.to > k.from
    });
    all
}
