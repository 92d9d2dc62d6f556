// SPDX-License-Identifier: MIT OR Apache-2.0
//! Back from the end: through what was waited for.
use super::course::{Course, of_init, waits_of_init};
use super::{Basis, Beside, Chain, Link, Segment};
use crate::boot::{Boot, Clock, Since, Span, SpanKind};
use crate::records::{RecordId, Source};
use crate::units::Dur;

/// A wait shorter than this decides nothing.
const LEAST_WAIT: Dur = Dur::from_micros(100);

/// How far a waiter's record may be before that of the call that let it go on: another processor writes it.
const LET_GO: Dur = Dur::from_millis(2);

/// init's task waited for something that ran beside it.
struct Join {
    from: Dur,
    to: Dur,
    first: RecordId,
    last: RecordId,
    initramfs: bool,
}

/// What runs beside init's task and may be waited for.
struct Call<'b> {
    name: &'b str,
    start: Dur,
    end: Dur,
    first: RecordId,
    last: RecordId,
    initramfs: bool,
}

pub(super) fn chain(boot: &Boot) -> Option<Chain> {
    if boot.timeline.clock == Clock::None {
        return None;
    }
    let end = boot.end.as_ref()?.at.best();
    let (start, since) = beginning(boot)?;
    let start = start.min(end);
    let course = Course::new(boot, start, end);
    let calls = calls(boot, end);
    let joins = joins(boot, end);
    let segments = segments(boot, &course, &calls, &joins, start, end);
    let beside = beside(boot, &segments, &calls, &joins, end);
    let of_init = boot.spans.iter().any(of_init);
    let basis = match (of_init, boot.async_waits.is_empty()) {
        (true, false) => Basis::AsyncCalls,
        (true, true) => Basis::Initcalls,
        (false, _) => Basis::Records,
    };
    Some(Chain { start, since, end, basis, segments, beside })
}

/// The earliest moment that is known.
fn beginning(boot: &Boot) -> Option<(Dur, Since)> {
    let end = boot.end.as_ref()?;
    let reference = end.at.best() - end.elapsed.best();
    if end.since == Since::PowerOn {
        return Some((reference, Since::PowerOn));
    }
    let stamped = boot.records.iter().any(|r| r.source == Source::Kernel && r.stamp.is_some());
    if stamped {
        return Some((reference.min(Dur::ZERO), Since::KernelStart));
    }
    Some((reference, end.since))
}

/// Async calls by their ends; where the log doesn't name them, the unpacking of the initramfs by its own words.
fn calls(boot: &Boot, end: Dur) -> Vec<Call<'_>> {
    let call = |s: &'_ Span| -> Option<(Dur, RecordId)> { Some((s.end.filter(|to| *to <= end)?, s.last?)) };
    let mut all: Vec<Call<'_>> = boot
        .spans
        .iter()
        .filter(|s| s.kind == SpanKind::Async)
        .filter_map(|s| {
            let (to, last) = call(s)?;
            let initramfs = s.name == UNPACKING;
            Some(Call { name: &s.name, start: s.start, end: to, first: s.first, last, initramfs })
        })
        .collect();
    if !all.iter().any(|c| c.initramfs) {
        all.extend(unpacking(boot).filter(|c| c.end <= end));
    }
    all.sort_by_key(|c| c.end);
    all
}

/// init/initramfs.c
const UNPACKING: &str = "do_populate_rootfs";

/// "Trying to unpack rootfs image as initramfs..." to "Freeing initrd memory: 456K".
fn unpacking(boot: &Boot) -> Option<Call<'static>> {
    let find = |start: &'static str| {
        let found = boot.records.containing(start).filter_map(|i| Some((boot.records.get(i)?, i)));
        let mut kernel = found.filter(move |(r, _)| r.source == Source::Kernel && r.text.starts_with(start));
        let (record, i) = kernel.next()?;
        Some((boot.timeline.stored(i)?, record.id))
    };
    let (start, first) = find("Trying to unpack rootfs image as initramfs")?;
    let (end, last) = find("Freeing initrd memory")?;
    (end > start).then_some(Call { name: UNPACKING, start, end, first, last, initramfs: true })
}

/// What init's task waited for, by the waits' ends.
fn joins(boot: &Boot, end: Dur) -> Vec<Join> {
    let waited = boot.async_waits.iter().filter(|w| waits_of_init(w.task) && w.to <= end);
    let mut all: Vec<Join> =
        waited.map(|w| Join { from: w.from, to: w.to, first: w.first, last: w.last, initramfs: false }).collect();
    all.extend(wait_for_initramfs(boot).filter(|j| j.to <= end));
    all.sort_by_key(|j| j.to);
    all
}

/// With the initcalls done, kernel_init_freeable waits for the initramfs (wait_for_initramfs). Without initcall_debug
/// nothing shows when they were.
fn wait_for_initramfs(boot: &Boot) -> Option<Join> {
    let last = boot.spans.iter().filter(|s| of_init(s)).max_by_key(|s| s.end)?;
    let (from, first) = (last.end?, last.last?);
    let unpacking = unpacking(boot)?;
    let to = unpacking.end;
    // A module's initcall may come long behind.
    let done = boot.milestones.last_initcall.and_then(|i| boot.records.get(i)).is_some_and(|r| r.id == first);
    (done && to > from).then_some(Join { from, to, first, last: unpacking.last, initramfs: true })
}

fn segments(
    boot: &Boot,
    course: &Course<'_>,
    calls: &[Call<'_>],
    joins: &[Join],
    start: Dur,
    end: Dur,
) -> Vec<Segment> {
    let mut backwards: Vec<Vec<Segment>> = Vec::new();
    let mut at = end;
    let mut joins = joins.iter().rev().peekable();
    while at > start {
        while joins.peek().is_some_and(|j| j.to > at || j.to - j.from < LEAST_WAIT) {
            joins.next();
        }
        let Some(join) = joins.next().filter(|j| j.to > start) else {
            backwards.push(course.between(start, at));
            break;
        };
        backwards.push(course.between(join.to, at));
        // The call that ended last while init's task waited.
        let behind = calls.partition_point(|c| c.end <= join.to + LET_GO);
        let fits = |c: &&Call<'_>| c.start < join.to && (c.initramfs || !join.initramfs);
        let waited_for = calls[..behind].iter().rev().take_while(|c| c.end > join.from).find(fits);
        let segment = match waited_for {
            Some(call) => {
                let from = call.start.max(start);
                // Without it the wait had lasted until the call before it ended, or not at all.
                let before = calls[..behind].iter().rev().filter(|c| c.first != call.first && c.end <= call.end);
                let next = before.take_while(|c| c.end > join.from).find(fits).map_or(join.from, |c| c.end);
                Segment {
                    link: link(boot, call, join),
                    start: from,
                    end: join.to,
                    console: boot.console_wait(from, join.to),
                    effect: (join.to - next.max(from)).max_zero(),
                    first: Some(call.first),
                    last: Some(call.last),
                    inside: Vec::new(),
                }
            }
            None => {
                let from = join.from.max(start);
                Segment {
                    link: Link::AsyncWait,
                    start: from,
                    end: join.to,
                    console: boot.console_wait(from, join.to),
                    effect: join.to - from,
                    first: Some(join.first),
                    last: Some(join.last),
                    inside: Vec::new(),
                }
            }
        };
        at = segment.start;
        backwards.push(vec![segment]);
    }
    let mut chain: Vec<Segment> = backwards.into_iter().rev().flatten().collect();
    for segment in &mut chain {
        if !matches!(segment.link, Link::AsyncCall { .. } | Link::Initramfs | Link::AsyncWait) {
            segment.effect = segment.net();
        }
    }
    chain
}

fn link(boot: &Boot, call: &Call<'_>, join: &Join) -> Link {
    if call.initramfs && join.initramfs {
        return Link::Initramfs;
    }
    // The probe that the call makes is the last thing in it.
    let within = |s: &&Span| {
        s.kind == SpanKind::Probe && s.end.is_some_and(|end| end <= call.end) && s.start + LET_GO >= call.start
    };
    let first = boot.spans.partition_point(|s| s.start + LET_GO < call.start);
    let here = boot.spans[first..].iter().take_while(|s| s.start <= call.end);
    let task = boot.spans.iter().find(|s| s.first == call.first).and_then(|s| s.task);
    let device = here.filter(within).filter(|s| s.task == task && task.is_some()).max_by_key(|s| s.gross());
    Link::AsyncCall { name: call.name.to_owned(), device: device.map(|s| s.name.clone()) }
}

/// What the chain doesn't go through.
fn beside(boot: &Boot, segments: &[Segment], calls: &[Call<'_>], joins: &[Join], end: Dur) -> Vec<Beside> {
    let on_chain = |first: RecordId| segments.iter().any(|s| s.first == Some(first) && through_a_call(s));
    let mut all: Vec<Beside> = Vec::new();
    for call in calls.iter().filter(|c| !on_chain(c.first)) {
        // It may end as late as the first wait that it would have kept up.
        let join = joins.iter().find(|j| j.to >= call.end && (call.initramfs || !j.initramfs));
        let latest = join.map_or(end, |j| j.to);
        all.push(Beside {
            kind: SpanKind::Async,
            name: call.name.to_owned(),
            start: call.start,
            end: call.end,
            slack: (latest - call.end).max_zero(),
            record: call.first,
        });
    }
    // What init's task did while the chain went through a call: all of it may take as much longer as it waited.
    for segment in segments.iter().filter(|s| through_a_call(s)) {
        let Some(join) = joins.iter().find(|j| j.to == segment.end) else { continue };
        let slack = (join.to - join.from.max(segment.start)).max_zero();
        let first = boot.spans.partition_point(|s| s.start < segment.start);
        let here = boot.spans[first..].iter().take_while(|s| s.start < join.from);
        for call in here.filter(|s| of_init(s) && s.parent.is_none()) {
            let Some(to) = call.end.filter(|to| *to <= join.to) else { continue };
            all.push(Beside {
                kind: call.kind,
                name: call.name.clone(),
                start: call.start,
                end: to,
                slack,
                record: call.first,
            });
        }
    }
    all.sort_by_key(|b| (b.start, b.record));
    all
}

fn through_a_call(segment: &Segment) -> bool {
    matches!(segment.link, Link::AsyncCall { .. } | Link::Initramfs)
}
