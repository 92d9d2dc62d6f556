// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evidence: the records of the log, what the line transmitted, and the backlog.
use super::sink::{SliceInfo, TraceSink, TrackKind};
use super::tracks::{NonOverlapping, Tracks};
use crate::escape::escaped;
use bootline_boot::{BacklogPoint, Boot};
use bootline_capture::units::Dur;
use bootline_records::{Caller, RecordOrigin};

pub(super) fn records<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let on = tracks.add("records", TrackKind::Plain, "The log: each record when it was stored.");
    // Sorted by time, because the log's clock may have jumped back.
    let mut order: Vec<(Dur, usize)> =
        (0..boot.records.len()).filter_map(|i| Some((boot.timeline.stored(i)?, i))).collect();
    order.sort_by_key(|o| o.0);
    let mut free = Dur::from_nanos(i64::MIN);
    for (stored, i) in order {
        let Some(r) = boot.records.get(i) else { continue };
        // Viewers stack instants of the same time, in hundreds of rows where the clock stands still.
        let at = stored.max(free);
        free = at + Dur::from_nanos(1);
        let place = boot.timeline.place(i);
        let category = if r.source == RecordOrigin::Kernel { "kernel" } else { "other" };
        let caller = r.caller.map(|c| match c {
            Caller::Task(n) => format!("T{n}"),
            Caller::Cpu(n) => format!("C{n}"),
        });
        let what = SliceInfo::new(escaped(r.text), category)
            .arg("record", r.id.0)
            .known("level", r.level.map(|l| u32::from(l.0)))
            .known("caller", caller)
            .arg("stored_ns", stored)
            .known("kernel_ns", r.stamp.map(|s| s.since_origin()))
            .known("arrival_ns", r.arrival.map(|a| a.first.since_origin()))
            .known("transmitted_ns", place.transmitted.map(|p| p.end))
            .known("console_ns", place.transmitted.map(|p| p.end - p.start))
            .arg("bytes", r.line_bytes);
        tracks.sink.instant(on, at, &what);
    }
}

/// What the line transmitted, and when.
pub(super) fn line<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let transmitted = |i: usize| Some((boot.timeline.place(i).transmitted?, i));
    let mut order: Vec<_> = (0..boot.records.len()).filter_map(transmitted).collect();
    if order.is_empty() {
        return;
    }
    order.sort_by_key(|(p, _)| p.start);
    let name = boot.line.as_ref().map_or("line".into(), |l| format!("line {}", escaped(&l.console.name)));
    let about = "What the line transmitted: each record from its first byte to its last.";
    let on = tracks.add(name, TrackKind::Plain, about);
    let mut apart = NonOverlapping::default();
    for (p, i) in order {
        let Some(r) = boot.records.get(i) else { continue };
        // Byte times are bounded by reads, so neighbours may overlap by one byte.
        let (from, to) = apart.next(p.start, p.end);
        let what = SliceInfo::new(escaped(r.text), "line").arg("record", r.id.0).arg("bytes", r.line_bytes);
        tracks.slice(on, from, to, &what);
    }
}

pub(super) fn counters<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let points = boot.backlog();
    if points.is_empty() {
        return;
    }
    let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    type Of = fn(&BacklogPoint) -> u64;
    let kinds: [(&str, Of, &'static str); 3] = [
        ("backlog", |p| p.backlog(), "Bytes stored and not yet transmitted."),
        ("stored", |p| p.stored, "Bytes of all records so far."),
        ("transmitted", |p| p.transmitted, "Bytes transmitted."),
    ];
    for (name, of, about) in kinds {
        let on = tracks.add(name, TrackKind::Bytes, about);
        for (n, p) in points.iter().enumerate() {
            // If several points have the same time, the last one counts.
            if points.get(n + 1).is_none_or(|next| next.at > p.at) {
                tracks.sink.count(on, p.at, count(of(p)));
            }
        }
    }
    let about = "Time from storing each record to its transmission.";
    let on = tracks.add("console lag", TrackKind::Time, about);
    let place = |i: usize| {
        let place = boot.timeline.place(i);
        Some((place.stored?, (place.transmitted?.end - place.stored?).max_zero()))
    };
    let kernel = |i: &usize| boot.records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel);
    let mut lags: Vec<(Dur, Dur)> = (0..boot.records.len()).filter(kernel).filter_map(place).collect();
    lags.sort_by_key(|l| l.0);
    for (at, lag) in lags {
        tracks.sink.count(on, at, lag.as_nanos());
    }
}
