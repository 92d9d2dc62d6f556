// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stretches of the boot on their tracks: spans on the lanes of their tasks, waits, silence, findings.
use super::sink::{SliceInfo, TraceSink, TrackDescriptor, TrackKind};
use super::traced_boot::TracedBoot;
use super::track_pool::TrackPool;
use super::tracks::{NonOverlapping, Tracks};
use crate::escape::escaped;
use crate::wire::word;
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, SliceEdge, Span, WaitCause};
use bootline_capture::units::Dur;

pub(super) fn lanes<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    for boot_track in boot.tracks() {
        let about = "What a task ran: initcalls, probes and async calls, each inside that which called it.";
        let first = format!("task {}", boot_track.task);
        let on = tracks.add_track(|id| TrackDescriptor {
            id,
            parent: None,
            name: boot_track.title().into(),
            kind: TrackKind::Plain,
            about,
            tracks_of: Some(&first),
        });
        for edge in boot_track.edges() {
            match edge {
                SliceEdge::Begin(bar) => tracks.sink.begin(on, bar.from, &span(&boot.spans()[bar.span])),
                SliceEdge::End(bar) => tracks.sink.end(on, bar.to),
            }
        }
    }
}

fn span(s: &Span) -> SliceInfo<'_> {
    SliceInfo::new(escaped(&s.name), word(&s.kind))
        .arg("net_ns", s.net())
        .arg("self_ns", s.self_time())
        .arg("console_ns", s.console)
        .known("reported_ns", s.reported)
        .known("module", s.module.as_deref())
        .known("task", s.task)
        .known("returned", s.returned)
        // A span of a later kind may have ended without a return value.
        .known("never_returned", s.end.is_none().then_some(true))
        .known("deferred", s.deferred().then_some(true))
        .arg("first_record", s.first.0)
        .known("last_record", s.last.map(|l| l.0))
}

/// What decided when the boot reached its end.
pub(super) fn critical_path<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let Some(shown) = traced.deciding.shown(traced.boot) else { return };
    let about = if shown.chain.is_more_than_path() {
        "The critical path, link by link, from the earliest known moment to the boot's end: shortening anything else has no effect."
    } else {
        "The kernel's critical path, to init or the marker, segment by segment: up to there, shortening anything else has no effect."
    };
    let on = tracks.add("critical path", TrackKind::Plain, about);
    // A target takes no time: there is nothing to draw.
    for link in shown.chain.links.iter().filter(|link| link.length() > Dur::ZERO) {
        let title = shown.title(link);
        let (first, last) = shown.records(link);
        let what = SliceInfo::new(escaped(&title), "critical-path")
            .known("net_ns", link.console.map(|_| link.net()))
            .known("console_ns", link.console)
            .known("processor_ns", link.processor)
            .known("without_it_ns", link.max_saving.map(|saving| -saving))
            .known("start_shown_by", shown.evidence(link))
            .known("first_record", first.map(|id| id.0))
            .known("last_record", last.map(|id| id.0));
        tracks.slice(on, link.start, link.end, &what);
    }
}

/// What the board showed on inputs next to its console.
pub(super) fn marks<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    if boot.marks.is_empty() {
        return;
    }
    let about = "Moments that the board showed on inputs next to its console, by the host's clock.";
    let on = tracks.add("marks", TrackKind::Plain, about);
    for m in &boot.marks {
        let what = SliceInfo::new(escaped(&m.name), "mark")
            .arg("shown_by", escaped(&m.what()).into_owned())
            .arg("uncertainty_ns", m.uncertainty);
        tracks.sink.instant(on, m.at, &what);
    }
}

/// Init's task, and others, waiting for async calls.
pub(super) fn async_waits<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let mut waits: Vec<_> = boot.async_waits.iter().collect();
    waits.sort_by_key(|w| w.from);
    let mut lanes = TrackPool::new("waits for async calls", "Tasks that waited until async calls were done.");
    for w in waits {
        let what = SliceInfo::new(format!("task {} waits", w.task), "wait")
            .arg("task", w.task)
            .arg("first_record", w.first.0)
            .arg("last_record", w.last.0);
        let on = lanes.track(tracks, w.from, w.to);
        tracks.slice(on, w.from, w.to, &what);
    }
}

pub(super) fn waits<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    if boot.waits.is_empty() {
        return;
    }
    let on = tracks.add("console waits", TrackKind::Plain, "The boot waited for its console.");
    let mut apart = NonOverlapping::default();
    for w in boot.waits.iter() {
        let (from, to) = apart.next(w.from, w.from + w.time.best());
        let what = SliceInfo::new(cause(w.cause), "wait")
            .interval(["wait_ns", "wait_low_ns", "wait_high_ns"], w.time)
            .known("after_record", boot.records.get(w.index).map(|r| r.id.0));
        tracks.slice(on, from, to, &what);
    }
}

/// What was waited for, in a word.
pub(crate) fn cause(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::OwnRecord => "own-record",
        WaitCause::Flush => "flush",
        WaitCause::ConsoleLock => "console-lock",
        WaitCause::Processor => "processor",
    }
}

pub(super) fn gaps<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    if boot.gaps().is_empty() {
        return;
    }
    let mut gaps: Vec<_> = boot.gaps().iter().collect();
    gaps.sort_by_key(|g| g.start);
    // Where the log's order isn't that of time, silences overlap.
    let mut lanes = TrackPool::new("silence", "No record was logged: work or waiting, the log does not show which.");
    for g in gaps {
        let on = lanes.track(tracks, g.start, g.start + g.length);
        let what = SliceInfo::new("silence", "gap")
            .arg("net_ns", g.net())
            .arg("console_ns", g.console)
            .arg("after_record", g.after.0)
            .arg("before_record", g.before.0);
        tracks.slice(on, g.start, g.start + g.length, &what);
    }
}

pub(super) fn findings<S: TraceSink>(boot: &Boot, findings: &[Finding], tracks: &mut Tracks<'_, S>) {
    if findings.is_empty() {
        return;
    }
    let about = "Causes of lost time, each with its cost and what to do.";
    let group = tracks.add("findings", TrackKind::Plain, about);
    for f in findings {
        let remedies: Vec<&str> = f.remedies.iter().map(|r| r.action.as_str()).collect();
        let records: Vec<String> = f.evidence.iter().map(|e| e.id.to_string()).collect();
        let what = SliceInfo::new(escaped(&f.title), "finding")
            .arg("rule", f.rule.title())
            .interval(["cost_ns", "cost_low_ns", "cost_high_ns"], f.cost)
            .arg("why", f.why.as_str())
            .arg("do", remedies.join("\n"))
            .arg("records", records.join(" "))
            .known(
                "part_of",
                (!f.part_of.is_empty()).then(|| f.part_of.iter().map(|r| r.code()).collect::<Vec<_>>().join(" ")),
            );
        let (parent, name, kind) = (Some(group), f.rule.title().into(), TrackKind::Plain);
        let on =
            tracks.add_track(|id| TrackDescriptor { id, parent, name, kind, about, tracks_of: Some(f.rule.title()) });
        let mut time_ranges = f.time_ranges.clone();
        time_ranges.sort_by_key(|s| s.from);
        let mut apart = NonOverlapping::default();
        for s in &time_ranges {
            let (from, to) = apart.next(s.from, s.to);
            tracks.slice(on, from, to, &what);
        }
        if time_ranges.is_empty() {
            let at = f.evidence.iter().find_map(|e| boot.stored(e.id)).unwrap_or_default();
            tracks.sink.instant(on, at, &what);
        }
    }
}
