// SPDX-License-Identifier: MIT OR Apache-2.0
//! The search for the path, backwards from the end, through what was waited for.
use std::collections::{HashMap, HashSet};

use super::boot_task::{holds_up, of_init, user_space};
use super::init_task::InitTask;
use super::path::{CriticalPath, NonCriticalSpan, PathBasis};
use super::segment::{Segment, SegmentKind};
use bootline_boot::{AsyncWait, Boot, Clock, Span, SpanKind, TimeOrigin};
use bootline_capture::units::Dur;
use bootline_records::{RecordId, RecordOrigin};

/// Shorter waits are ignored.
const LEAST_WAIT: Dur = Dur::from_micros(100);

/// How much earlier a waiter's record may be than that of the call that released it, which another CPU writes.
const LET_GO: Dur = Dur::from_millis(2);

/// Maximum number of calls examined to find the one that a wait was for. It is among the last few that ended during the
/// wait; without a maximum, many waits with many calls each would cost their product.
pub(super) const MOST_LOOKED_AT: usize = 4096;

/// A task waited for something that ran in parallel.
struct TaskJoin {
    from: Dur,
    to: Dur,
    first: RecordId,
    last: RecordId,
    initramfs: bool,
}

/// Work that runs in parallel with init's task and may be waited for.
struct Call<'b> {
    name: &'b str,
    start: Dur,
    end: Dur,
    task: Option<u32>,
    /// Async calls are numbered as they are scheduled.
    cookie: Option<u64>,
    first: RecordId,
    last: RecordId,
    initramfs: bool,
}

impl CriticalPath {
    /// The critical path of a boot; none if the log does not reach the requested end, or has no times. O(n log n) in
    /// records and spans.
    pub fn of(boot: &Boot) -> Option<CriticalPath> {
        critical_path(boot)
    }
}

fn critical_path(boot: &Boot) -> Option<CriticalPath> {
    if boot.timeline.clock == Clock::None {
        return None;
    }
    let end = boot.end.as_ref()?.at.best();
    let (start, since) = beginning(boot)?;
    let start = start.min(end);
    let path = PathSearch {
        boot,
        init_task: InitTask::new(boot, start, end),
        calls: calls(boot, end),
        joins: joins(boot, end),
        waits: waits_of_calls(boot),
        probes: probes(boot),
        start,
        end,
    };
    let segments = path.segments();
    let non_critical = path.non_critical(&segments);
    let of_init = boot.spans().iter().any(of_init);
    let basis = match (of_init, boot.async_waits.is_empty()) {
        (true, false) => PathBasis::AsyncCalls,
        (true, true) => PathBasis::Initcalls,
        (false, _) => PathBasis::Records,
    };
    Some(CriticalPath { start, since, end, basis, segments, non_critical })
}

/// The earliest moment that is known.
fn beginning(boot: &Boot) -> Option<(Dur, TimeOrigin)> {
    let end = boot.end.as_ref()?;
    let reference = end.at.best() - end.elapsed.best();
    if end.since == TimeOrigin::PowerOn {
        return Some((reference, TimeOrigin::PowerOn));
    }
    let stamped = boot.records.iter().any(|r| r.source == RecordOrigin::Kernel && r.stamp.is_some());
    if stamped {
        return Some((reference.min(Dur::ZERO), TimeOrigin::KernelStart));
    }
    Some((reference, end.since))
}

/// Async calls by their ends; if the log does not name them, the unpacking of the initramfs by its messages.
fn calls(boot: &Boot, end: Dur) -> Vec<Call<'_>> {
    let call = |s: &'_ Span| -> Option<(Dur, RecordId)> { Some((s.end.filter(|to| *to <= end)?, s.last?)) };
    let mut all: Vec<Call<'_>> = boot
        .spans()
        .iter()
        .filter(|s| s.kind == SpanKind::Async)
        .filter_map(|s| {
            let (to, last) = call(s)?;
            let initramfs = s.name == UNPACKING;
            let cookie = cookie(boot, s.first);
            Some(Call { name: &s.name, start: s.start, end: to, task: s.task, cookie, first: s.first, last, initramfs })
        })
        .collect();
    if !all.iter().any(|c| c.initramfs) {
        all.extend(unpacking(boot).filter(|c| c.end <= end));
    }
    all.sort_by_key(|c| c.end);
    all
}

/// `calling  12_do_scan_async+0x0/0x10 @ 45`
fn cookie(boot: &Boot, record: RecordId) -> Option<u64> {
    let text = boot.records.get(boot.records.index_of(record)?)?.text;
    text.strip_prefix("calling  ")?.split_once('_')?.0.parse().ok()
}

/// init/initramfs.c
const UNPACKING: &str = "do_populate_rootfs";

/// "Trying to unpack rootfs image as initramfs..." to "Freeing initrd memory: 456K".
fn unpacking(boot: &Boot) -> Option<Call<'static>> {
    let find = |start: &'static str| {
        let found = boot.records.containing(start).filter_map(|i| Some((boot.records.get(i)?, i)));
        let mut kernel = found.filter(move |(r, _)| r.source == RecordOrigin::Kernel && r.text.starts_with(start));
        let (record, i) = kernel.next()?;
        Some((boot.timeline.stored(i)?, record.id))
    };
    let (start, first) = find("Trying to unpack rootfs image as initramfs")?;
    let (end, last) = find("Freeing initrd memory")?;
    let (task, cookie) = (None, None);
    (end > start).then_some(Call { name: UNPACKING, start, end, task, cookie, first, last, initramfs: true })
}

/// What init's task waited for, by the waits' ends; in user space also what other tasks that load modules waited for.
fn joins(boot: &Boot, end: Dur) -> Vec<TaskJoin> {
    let user_space = user_space(boot);
    let non_critical: HashSet<u32> =
        boot.spans().iter().filter(|s| s.kind == SpanKind::Async).filter_map(|s| s.task).collect();
    let waited = boot.async_waits.iter().filter(|w| w.to <= end && w.to - w.from >= LEAST_WAIT);
    let waited = waited.filter(|w| holds_up(w.task, w.from, user_space) && !non_critical.contains(&w.task));
    let mut all: Vec<TaskJoin> =
        waited.map(|w| TaskJoin { from: w.from, to: w.to, first: w.first, last: w.last, initramfs: false }).collect();
    all.extend(wait_for_initramfs(boot).filter(|j| j.to <= end && j.to - j.from >= LEAST_WAIT));
    all.sort_by_key(|j| j.to);
    all
}

/// What each task waited for async calls, by the waits' ends.
fn waits_of_calls(boot: &Boot) -> HashMap<u32, Vec<AsyncWait>> {
    let mut all: HashMap<u32, Vec<AsyncWait>> = HashMap::new();
    for wait in boot.async_waits.iter().filter(|w| w.to - w.from >= LEAST_WAIT) {
        all.entry(wait.task).or_default().push(*wait);
    }
    all.values_mut().for_each(|waits| waits.sort_by_key(|w| w.to));
    all
}

/// What each task probed, by the probes' ends: end, start, device.
type Probes<'b> = HashMap<u32, Vec<(Dur, Dur, &'b str)>>;

fn probes(boot: &Boot) -> Probes<'_> {
    let mut all: Probes<'_> = HashMap::new();
    for span in boot.spans().iter().filter(|s| s.kind == SpanKind::Probe) {
        if let Some((task, end)) = span.task.zip(span.end) {
            all.entry(task).or_default().push((end, span.start, &span.name));
        }
    }
    all.values_mut().for_each(|probes| probes.sort_unstable());
    all
}

/// After the initcalls, kernel_init_freeable waits for the initramfs (wait_for_initramfs). Without initcall_debug
/// nothing shows when the initcalls ended.
fn wait_for_initramfs(boot: &Boot) -> Option<TaskJoin> {
    let last = boot.spans().iter().filter(|s| of_init(s)).max_by_key(|s| s.end)?;
    let (from, first) = (last.end?, last.last?);
    let unpacking = unpacking(boot)?;
    let to = unpacking.end;
    // A module's initcall may come long after.
    let done = boot.milestones.last_initcall.and_then(|i| boot.records.get(i)).is_some_and(|r| r.id == first);
    (done && to > from).then_some(TaskJoin { from, to, first, last: unpacking.last, initramfs: true })
}

/// State of the search.
struct PathSearch<'b> {
    boot: &'b Boot,
    init_task: InitTask<'b>,
    calls: Vec<Call<'b>>,
    joins: Vec<TaskJoin>,
    waits: HashMap<u32, Vec<AsyncWait>>,
    probes: Probes<'b>,
    start: Dur,
    end: Dur,
}

impl PathSearch<'_> {
    fn segments(&self) -> Vec<Segment> {
        let mut backwards: Vec<Segment> = Vec::new();
        let mut at = self.end;
        let mut joins = self.joins.iter().rev().skip_while(|j| j.to > self.end).peekable();
        while at > self.start {
            while joins.next_if(|j| j.to > at).is_some() {}
            let Some(join) = joins.next().filter(|j| j.to > self.start) else {
                backwards.extend(self.init_task.between(self.start, at).into_iter().rev());
                break;
            };
            backwards.extend(self.init_task.between(join.to, at).into_iter().rev());
            at = match self.waited_for(join.from, join.to, |c| c.initramfs || !join.initramfs) {
                Some((call, next)) => self.follow(call, join.to, next, &mut backwards),
                None => {
                    let from = join.from.max(self.start);
                    backwards.push(Segment {
                        kind: SegmentKind::AsyncWait,
                        start: from,
                        end: join.to,
                        console: self.boot.console_wait(from, join.to),
                        max_saving: join.to - from,
                        first: Some(join.first),
                        last: Some(join.last),
                        nested: Vec::new(),
                    });
                    from
                }
            };
        }
        backwards.reverse();
        let mut ups: Vec<Dur> = self.boot.services.iter().filter(|s| s.start.is_some()).filter_map(|s| s.end).collect();
        ups.sort_unstable();
        for segment in &mut backwards {
            match segment.kind {
                SegmentKind::AsyncCall { .. } | SegmentKind::Initramfs | SegmentKind::AsyncWait => {}
                // The next segment could have begun once the service before it was up.
                SegmentKind::Service { .. } => {
                    let before = ups.partition_point(|up| *up < segment.end).checked_sub(1).map(|i| ups[i]);
                    let since = before.map_or(segment.start, |up| up.max(segment.start));
                    segment.max_saving = segment.net().min(segment.end - since);
                }
                _ => segment.max_saving = segment.net(),
            }
        }
        backwards
    }

    /// The call that ended last during a wait, and until when the wait had lasted without it: until the call before it
    /// ended, or not at all. Only the last [`MOST_LOOKED_AT`] to end are looked at: one further back counts as none.
    fn waited_for(&self, from: Dur, to: Dur, fits: impl Fn(&Call<'_>) -> bool) -> Option<(&Call<'_>, Dur)> {
        let after = self.calls.partition_point(|c| c.end <= to + LET_GO);
        let here = self.calls[..after].iter().rev().take_while(|c| c.end > from);
        let mut fitting = here.take(MOST_LOOKED_AT).filter(|c| c.start < to && fits(c));
        let call = fitting.next()?;
        let next = fitting.next().map_or(from, |c| c.end);
        Some((call, next))
    }

    /// Goes back through a call to its start, or, if it waited for another call, through that one. Returns the moment
    /// reached.
    fn follow(&self, call: &Call<'_>, to: Dur, next: Dur, backwards: &mut Vec<Segment>) -> Dur {
        let (mut call, mut to, mut next) = (call, to, next);
        loop {
            let from = call.start.max(self.start);
            let waits = call.task.and_then(|task| self.waits.get(&task)).map_or(&[][..], Vec::as_slice);
            // A worker continues with its next call, whose waits do not belong to this one.
            let nested = |w: &AsyncWait| w.to < to && w.to <= call.end;
            let wait = waits[..waits.partition_point(nested)].last().filter(|w| w.from >= from);
            // A call never waits for those that were scheduled after it.
            let earlier = |c: &Call<'_>| c.cookie.zip(call.cookie).is_some_and(|(theirs, own)| theirs < own);
            let inner = wait.and_then(|w| Some((w, self.waited_for(w.from, w.to, earlier)?)));
            let start = inner.as_ref().map_or(from, |(w, _)| w.to);
            backwards.push(Segment {
                kind: self.kind(call),
                start,
                end: to,
                console: self.boot.console_wait(start, to),
                max_saving: (to - next.max(start)).max_zero(),
                first: Some(call.first),
                last: Some(call.last),
                nested: Vec::new(),
            });
            let Some((_, (inner, before))) = inner else { return from };
            (call, to, next) = (inner, start, before);
        }
    }

    fn kind(&self, call: &Call<'_>) -> SegmentKind {
        if call.initramfs {
            return SegmentKind::Initramfs;
        }
        // The probe that the call makes is the last thing in it.
        let probes = call.task.and_then(|task| self.probes.get(&task)).map_or(&[][..], Vec::as_slice);
        let last = probes[..probes.partition_point(|p| p.0 <= call.end)].last();
        let device = last.filter(|p| p.1 + LET_GO >= call.start).map(|p| p.2.to_owned());
        SegmentKind::AsyncCall { name: call.name.to_owned(), device }
    }

    /// The spans off the path.
    fn non_critical(&self, segments: &[Segment]) -> Vec<NonCriticalSpan> {
        let follow: Vec<&Segment> = segments.iter().filter(|s| is_async_call(s)).collect();
        let on_chain: HashSet<RecordId> = follow.iter().filter_map(|s| s.first).collect();
        let mut all: Vec<NonCriticalSpan> = Vec::new();
        for call in self.calls.iter().filter(|c| !on_chain.contains(&c.first)) {
            // It could end as late as the first wait that it would have prolonged.
            let after = &self.joins[self.joins.partition_point(|j| j.to < call.end)..];
            let latest = after.iter().find(|j| call.initramfs || !j.initramfs).map_or(self.end, |j| j.to);
            all.push(NonCriticalSpan {
                kind: SpanKind::Async,
                name: call.name.to_owned(),
                start: call.start,
                end: call.end,
                slack: (latest - call.end).max_zero(),
                record: call.first,
            });
        }
        // What init's task did while the path went through calls: together it could take as much longer as it waited.
        let waited_till = |at: Dur| self.joins.binary_search_by_key(&at, |j| j.to).is_ok();
        for calls in follow.chunk_by(|a, b| a.end == b.start && !waited_till(a.end)) {
            let (Some(start), Some(end)) = (calls.first().map(|s| s.start), calls.last().map(|s| s.end)) else {
                continue;
            };
            let at = self.joins.partition_point(|j| j.to < end);
            let Some(join) = self.joins.get(at).filter(|j| j.to == end) else { continue };
            let slack = (join.to - join.from.max(start)).max_zero();
            // In a call that schedules another one, what comes after the scheduling runs in parallel with it.
            for call in self.init_task.calls_between(start, join.from) {
                let Some(to) = call.end.filter(|to| *to <= join.to) else { continue };
                all.push(NonCriticalSpan {
                    kind: call.kind,
                    name: call.name.clone(),
                    start: call.start.max(start),
                    end: to,
                    slack,
                    record: call.first,
                });
            }
        }
        all.sort_by_key(|b| (b.start, b.record));
        all
    }
}

fn is_async_call(segment: &Segment) -> bool {
    matches!(segment.kind, SegmentKind::AsyncCall { .. } | SegmentKind::Initramfs)
}
