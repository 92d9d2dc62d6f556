// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot as a trace: tracks, and what happens on them. What becomes of each concept is told in `docs/export.md`.
//!
//! ```text
//! Boot + Findings ─▶ trace() ─▶ TraceSink ─┬─▶ Perfetto (protobuf)
//!                                          └─▶ Chrome (JSON)
//! ```
//!
//! A sink gets a track before anything on it. On one track times never go back, and what began last ends first: the
//! sinks write what they get, and need not sort.
mod chrome;
mod perfetto;
mod protobuf;
mod spans;

pub use chrome::Chrome;
pub use perfetto::Perfetto;
pub(super) use spans::cause;

use std::borrow::Cow;

use super::boot_label::BootLabel;
use super::escape::escaped;
use super::explain::title;
use super::json::word;
use super::time_value::ClockName;
use bootline_analysis::boot::{Boot, Clock, EndedBy};
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::records::{Caller, RecordOrigin};
use bootline_analysis::rules::Finding;
use bootline_capture::units::{Dur, Interval};

/// Takes a boot's trace.
pub(super) trait TraceSink {
    /// A track, before anything happens on it.
    fn track(&mut self, track: TrackDescriptor<'_>);
    /// A slice begins.
    fn begin(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>);
    /// The slice that began last ends.
    fn end(&mut self, on: TrackId, at: Dur);
    /// Something without a length.
    fn instant(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>);
    /// A counter has this value from now on.
    fn count(&mut self, on: TrackId, at: Dur, value: i64);
}

/// A track's number in its boot, from 0 in the order in which they are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrackId(pub u64);

/// A row of the trace.
#[derive(Clone, Debug)]
pub(super) struct TrackDescriptor<'a> {
    pub id: TrackId,
    /// The track below which it is shown; the boot's own where there is none.
    pub parent: Option<TrackId>,
    pub name: Cow<'a, str>,
    pub kind: TrackKind,
    /// What is on it, for who meets it for the first time.
    pub about: &'static str,
    /// What all lanes of one thing have in common: some viewers show them as one track.
    pub tracks_of: Option<&'a str>,
}

/// What is on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackKind {
    /// Slices and instants.
    Plain,
    /// A number of characters over time.
    Bytes,
    /// A length of time over time.
    Time,
}

/// What a slice or an instant is.
pub(super) struct SliceInfo<'a> {
    pub name: Cow<'a, str>,
    pub category: Cow<'static, str>,
    pub args: Vec<(&'static str, Argument<'a>)>,
}

impl<'a> SliceInfo<'a> {
    fn new(name: impl Into<Cow<'a, str>>, category: impl Into<Cow<'static, str>>) -> SliceInfo<'a> {
        SliceInfo { name: name.into(), category: category.into(), args: Vec::new() }
    }

    fn arg(mut self, name: &'static str, value: impl Into<Argument<'a>>) -> SliceInfo<'a> {
        self.args.push((name, value.into()));
        self
    }

    fn known(self, name: &'static str, value: Option<impl Into<Argument<'a>>>) -> SliceInfo<'a> {
        match value {
            Some(value) => self.arg(name, value),
            None => self,
        }
    }

    fn interval(self, names: [&'static str; 3], value: Interval) -> SliceInfo<'a> {
        self.arg(names[0], value.best()).arg(names[1], value.low()).arg(names[2], value.high())
    }
}

/// What is noted beside a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument<'a> {
    /// Words; of a log, escaped.
    Text(Cow<'a, str>),
    /// A number; of nanoseconds where the name ends in `_ns`.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// A length of time, shown in seconds.
    Seconds(Dur),
}

impl<'a> From<&'a str> for Argument<'a> {
    fn from(text: &'a str) -> Self {
        Argument::Text(escaped(text))
    }
}
impl From<String> for Argument<'_> {
    fn from(text: String) -> Self {
        Argument::Text(Cow::Owned(escaped(&text).into_owned()))
    }
}
impl From<Dur> for Argument<'_> {
    fn from(d: Dur) -> Self {
        Argument::Int(d.as_nanos())
    }
}
impl From<u32> for Argument<'_> {
    fn from(n: u32) -> Self {
        Argument::Int(i64::from(n))
    }
}
impl From<i32> for Argument<'_> {
    fn from(n: i32) -> Self {
        Argument::Int(i64::from(n))
    }
}
impl From<bool> for Argument<'_> {
    fn from(yes: bool) -> Self {
        Argument::Bool(yes)
    }
}

/// Where a boot's axis lies in a trace of several: the time of its zero. None of them has a time below zero, so the first
/// boot moves all of them by what it begins too early.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TraceOrigin {
    shift: Option<Dur>,
}

impl TraceOrigin {
    /// The trace's time of this boot's zero.
    pub fn zero(&mut self, traced: &TracedBoot<'_>) -> Dur {
        let zero = match traced.boot.timeline.clock {
            Clock::Arrival => traced.boot.timeline.zero.since_origin(),
            Clock::Kernel | Clock::None => Dur::ZERO,
        };
        zero + *self.shift.get_or_insert_with(|| (-(zero + traced.first)).max_zero())
    }

    /// How far all times were moved.
    pub fn shift(&self) -> Dur {
        self.shift.unwrap_or_default()
    }
}

/// What a trace tells of.
pub(super) struct TracedBoot<'b> {
    boot: &'b Boot,
    findings: &'b [Finding],
    critical_path: Option<CriticalPath>,
    /// When the first of it happens.
    first: Dur,
}

impl<'b> TracedBoot<'b> {
    pub fn new(boot: &'b Boot, findings: &'b [Finding]) -> TracedBoot<'b> {
        let critical_path = CriticalPath::of(boot);
        let records = (0..boot.records.len()).map(|i| boot.timeline.place(i));
        let records = records.filter_map(|p| p.stored.into_iter().chain(p.transmitted.map(|p| p.start)).min());
        let times = records
            .chain(boot.spans.iter().map(|s| s.start))
            .chain(boot.phases.iter().map(|p| p.start))
            .chain(critical_path.as_ref().map(|c| c.start));
        let first = times.min().unwrap_or_default();
        TracedBoot { boot, findings, critical_path, first }
    }
}

/// A trace's time: never below zero.
fn nanos(zero: Dur, at: Dur) -> u64 {
    u64::try_from((zero + at).as_nanos()).unwrap_or(0)
}

/// The boot's name in a trace: a viewer has little room for it, so the input's folders are left out.
fn boot_name(boot: &Boot, source: &BootLabel) -> String {
    let file = source.input.rsplit('/').next().unwrap_or(&source.input);
    escaped(&title(boot, &BootLabel { input: file.to_owned(), ..source.clone() })).into_owned()
}

/// Gives the boot's tracks and what happens on them.
/// `zero` is where the trace has the axis' zero: it is told, nothing more.
pub(super) fn trace(traced: &TracedBoot<'_>, zero: Dur, sink: &mut impl TraceSink) {
    let boot = traced.boot;
    let mut tracks = Tracks { sink, next: 0 };
    // The answer first: where the time went, and on what the end hung. Then what ran, then the line, then the evidence.
    phases(traced, zero, &mut tracks);
    spans::critical_path(traced.critical_path.as_ref(), &mut tracks);
    spans::findings(boot, traced.findings, &mut tracks);
    spans::waits(boot, &mut tracks);
    spans::async_waits(boot, &mut tracks);
    spans::lanes(boot, &mut tracks);
    spans::services(boot, &mut tracks);
    spans::gaps(boot, &mut tracks);
    line(boot, &mut tracks);
    counters(boot, &mut tracks);
    records(boot, &mut tracks);
}

/// Numbers the tracks.
struct Tracks<'s, S> {
    sink: &'s mut S,
    next: u64,
}

impl<S: TraceSink> Tracks<'_, S> {
    fn add<'n>(&mut self, name: impl Into<Cow<'n, str>>, kind: TrackKind, about: &'static str) -> TrackId {
        self.add_track(|id| TrackDescriptor { id, parent: None, name: name.into(), kind, about, tracks_of: None })
    }

    fn add_track<'n>(&mut self, track: impl FnOnce(TrackId) -> TrackDescriptor<'n>) -> TrackId {
        let id = TrackId(self.next);
        self.next += 1;
        self.sink.track(track(id));
        id
    }

    fn slice(&mut self, on: TrackId, from: Dur, to: Dur, what: &SliceInfo<'_>) {
        self.sink.begin(on, from, what);
        self.sink.end(on, to.max(from));
    }
}

/// Stretches that may touch but never overlap: each begins where the one before it ends, at the earliest.
#[derive(Default)]
struct NonOverlapping {
    end: Option<Dur>,
}

impl NonOverlapping {
    fn next(&mut self, from: Dur, to: Dur) -> (Dur, Dur) {
        let from = self.end.map_or(from, |end| from.max(end));
        let to = to.max(from);
        self.end = Some(to);
        (from, to)
    }
}

fn phases<S: TraceSink>(traced: &TracedBoot<'_>, zero: Dur, tracks: &mut Tracks<'_, S>) {
    let boot = traced.boot;
    let on = tracks.add("phases", TrackKind::Plain, "The parts of the boot: each begins where the one before it ends.");
    let clock = ClockName::of_axis(boot.timeline.clock).map_or("no clock", ClockName::title);
    let problems: Vec<String> = boot.problems.iter().map(|p| format!("{}: {}", word(&p.kind), p.detail)).collect();
    let command_line: Vec<&str> = boot.kernel.command_line.words().collect();
    let what = SliceInfo::new("boot", "boot")
        .known("kernel", boot.kernel.release.as_deref())
        .arg("command_line", command_line.join(" "))
        .arg("clock", clock)
        .known("console", boot.line.as_ref().map(|l| l.console.name.as_str()))
        .arg("axis_zero_ns", zero)
        .arg("kernel_clock_lost_ns", boot.timeline.kernel_clock_lost)
        .known("problems", (!problems.is_empty()).then(|| problems.join("\n")));
    tracks.sink.instant(on, traced.first, &what);
    let mut end = boot.end.as_ref();
    for p in &boot.phases {
        let (from, to) = (p.start, p.end);
        let what = SliceInfo::new(p.name.title(), "phase")
            .arg("console_ns", p.console)
            .known("kernel_ns", p.kernel.map(|(from, to)| to - from))
            .arg("first_record", p.first.0)
            .arg("last_record", p.last.0);
        tracks.sink.begin(on, from, &what);
        if let Some(e) = end.take_if(|e| e.at.best() >= from && e.at.best() <= to) {
            tracks.sink.instant(on, e.at.best(), &end_of(e));
        }
        tracks.sink.end(on, to);
    }
    if let Some(e) = end {
        let on = tracks.add("end", TrackKind::Plain, "When init started, or the marker came.");
        tracks.sink.instant(on, e.at.best(), &end_of(e));
    }
}

fn end_of(end: &bootline_analysis::boot::BootEnd) -> SliceInfo<'static> {
    let name = if end.by == EndedBy::Marker { "marker" } else { "init" };
    SliceInfo::new(name, "boot")
        .interval(["elapsed_ns", "elapsed_low_ns", "elapsed_high_ns"], end.elapsed)
        .arg("since", word(&end.since))
        .arg("record", end.record.0)
}

fn records<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let on = tracks.add("records", TrackKind::Plain, "The log: each record when it was stored.");
    // A log whose clock went back: its records stand in order of time.
    let mut order: Vec<(Dur, usize)> =
        (0..boot.records.len()).filter_map(|i| Some((boot.timeline.stored(i)?, i))).collect();
    order.sort_by_key(|o| o.0);
    let mut free = Dur::from_nanos(i64::MIN);
    for (stored, i) in order {
        let Some(r) = boot.records.get(i) else { continue };
        // Instants of one time are drawn one below the other, in hundreds of rows where the clock stands still.
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

/// What the line carried, and when.
fn line<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
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
        // Reading bounds a character's time, so that neighbours may overlap by one.
        let (from, to) = apart.next(p.start, p.end);
        let what = SliceInfo::new(escaped(r.text), "line").arg("record", r.id.0).arg("bytes", r.line_bytes);
        tracks.slice(on, from, to, &what);
    }
}

fn counters<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let points = boot.backlog();
    if points.is_empty() {
        return;
    }
    let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    type Of = fn(&bootline_analysis::boot::BacklogPoint) -> u64;
    let kinds: [(&str, Of, &'static str); 3] = [
        ("backlog", |p| p.backlog(), "Bytes stored and not yet transmitted."),
        ("stored", |p| p.stored, "Characters of all records so far."),
        ("transmitted", |p| p.transmitted, "Bytes transmitted."),
    ];
    for (name, of, about) in kinds {
        let on = tracks.add(name, TrackKind::Bytes, about);
        for (n, p) in points.iter().enumerate() {
            // Of several points of one instant the last one holds.
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

#[cfg(test)]
mod tests;
