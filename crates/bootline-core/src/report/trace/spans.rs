// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stretches of the boot on their tracks: spans on the lanes of their tasks, waits, silence, findings.
use std::collections::BTreeSet;

use super::{Apart, TraceSink, TrackId, TrackKind, Tracks, What};
use crate::boot::{Boot, Edge, Span, WaitCause};
use crate::report::escape::escaped;
use crate::report::json::word;
use crate::rules::Finding;
use crate::units::Dur;

pub(super) fn lanes<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    for lane in boot.lanes() {
        // A thread of the kernel has one track; what the log lumps with it is shown beside it.
        let kind = if lane.number == 0 { TrackKind::Task(lane.task) } else { TrackKind::Plain };
        let on = tracks.add(lane.title(), kind);
        for edge in lane.edges() {
            match edge {
                Edge::Begin(bar) => tracks.sink.begin(on, bar.from, &span(&boot.spans[bar.span])),
                Edge::End(bar) => tracks.sink.end(on, bar.to),
            }
        }
    }
}

fn span(s: &Span) -> What<'_> {
    What::new(escaped(&s.name), word(&s.kind))
        .arg("net_ns", s.net())
        .arg("own_ns", s.own())
        .arg("console_ns", s.console)
        .known("reported_ns", s.reported)
        .known("module", s.module.as_deref())
        .known("task", s.task)
        .known("returned", s.returned)
        // A span of a later kind may return nothing and be over all the same.
        .known("never_returned", s.end.is_none().then_some(true))
        .known("deferred", s.deferred().then_some(true))
        .arg("first_record", s.first.0)
        .known("last_record", s.last.map(|l| l.0))
}

pub(super) fn waits<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    if boot.waits.is_empty() {
        return;
    }
    let on = tracks.add("console waits", TrackKind::Plain);
    let mut apart = Apart::default();
    for w in boot.waits.iter() {
        let (from, to) = apart.next(w.from, w.from + w.time.best());
        let what = What::new(cause(w.cause), "wait")
            .interval(["wait_ns", "wait_low_ns", "wait_high_ns"], w.time)
            .known("after_record", boot.records.get(w.index).map(|r| r.id.0));
        tracks.slice(on, from, to, &what);
    }
}

/// What was waited for, in a word.
pub(in crate::report) fn cause(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::OwnRecord => "own record",
        WaitCause::Flush => "flush",
        WaitCause::ConsoleLock => "console lock",
    }
}

pub(super) fn gaps<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    if boot.gaps.is_empty() {
        return;
    }
    let mut gaps: Vec<_> = boot.gaps.iter().collect();
    gaps.sort_by_key(|g| g.start);
    // Where the log's order isn't that of time, silences overlap: those go to further tracks. By their ends, the tracks.
    let mut free: BTreeSet<(Dur, TrackId)> = BTreeSet::new();
    for g in gaps {
        let reused = free.first().copied().filter(|(end, _)| *end <= g.start);
        let on = match reused {
            Some(track) => {
                free.remove(&track);
                track.1
            }
            None if free.is_empty() => tracks.add("silence", TrackKind::Plain),
            None => tracks.add(format!("silence, lane {}", free.len() + 1), TrackKind::Plain),
        };
        let what = What::new("silence", "gap")
            .arg("net_ns", g.net())
            .arg("console_ns", g.console)
            .arg("after_record", g.after.0)
            .arg("before_record", g.before.0);
        tracks.slice(on, g.start, g.start + g.length, &what);
        free.insert((g.start + g.length, on));
    }
}

pub(super) fn findings<S: TraceSink>(boot: &Boot, findings: &[Finding], tracks: &mut Tracks<'_, S>) {
    if findings.is_empty() {
        return;
    }
    let group = tracks.add("findings", TrackKind::Plain);
    for f in findings {
        let advice: Vec<&str> = f.advice.iter().map(|a| a.action.as_str()).collect();
        let records: Vec<String> = f.evidence.iter().map(|e| e.id.to_string()).collect();
        let what = What::new(escaped(&f.title), "finding")
            .arg("rule", f.rule)
            .interval(["cost_ns", "cost_low_ns", "cost_high_ns"], f.cost)
            .arg("why", f.why.as_str())
            .arg("do", advice.join("\n"))
            .arg("records", records.join(" "))
            .known("part_of", (!f.part_of.is_empty()).then(|| f.part_of.join(" ")));
        let on = tracks.add_below(Some(group), f.rule, TrackKind::Plain);
        let mut stretches = f.stretches.clone();
        stretches.sort_by_key(|s| s.from);
        let mut apart = Apart::default();
        for s in &stretches {
            let (from, to) = apart.next(s.from, s.to);
            tracks.slice(on, from, to, &what);
        }
        if stretches.is_empty() {
            let at = f.evidence.iter().find_map(|e| boot.stored(e.id)).unwrap_or_default();
            tracks.sink.instant(on, at, &what);
        }
    }
}
