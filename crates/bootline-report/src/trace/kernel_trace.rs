// SPDX-License-Identifier: MIT OR Apache-2.0
//! What only a trace of ftrace shows: initcalls that the log does not name, modules, markers.
use super::sink::{SliceInfo, TraceSink, TrackKind};
use super::traced_boot::TracedBoot;
use super::track_pool::TrackPool;
use super::tracks::Tracks;
use crate::escape::escaped;
use crate::wire::word;
use bootline_boot::InitcallOfTrace;

/// Initcalls that the log does not show: the others are on the tracks of their tasks.
pub(super) fn initcalls<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let about = "Initcalls that a trace shows and the log does not.";
    let mut pool = TrackPool::new("traced initcalls", about);
    // The boot has them by their start.
    for call in traced.boot.whole.traced_initcalls.iter().filter(|call| !call.in_log) {
        let to = call.end.unwrap_or(traced.last).max(call.start);
        let on = pool.track(tracks, call.start, to);
        tracks.slice(on, call.start, to, &info(call));
    }
}

fn info(call: &InitcallOfTrace) -> SliceInfo<'_> {
    SliceInfo::new(escaped(&call.name), "initcall")
        .arg("task", call.task)
        .known("module", call.module.as_deref())
        .known("level", call.level.as_deref())
        .known("returned", call.returned)
        .known("never_returned", call.end.is_none().then_some(true))
}

/// Modules that were loaded, and what was written into the trace.
pub(super) fn marks<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let marks = &traced.boot.whole.trace_marks;
    if marks.is_empty() {
        return;
    }
    let about = "Modules that a trace shows as loaded, and what was written into it.";
    let on = tracks.add("trace marks", TrackKind::Plain, about);
    for mark in marks {
        let what = SliceInfo::new(escaped(&mark.text), word(&mark.kind)).arg("task", mark.task);
        tracks.sink.instant(on, mark.at, &what);
    }
}
