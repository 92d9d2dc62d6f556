// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot's tracks in their order, and the first of them: its phases.
use super::line::{counters, line, records};
use super::sink::{SliceInfo, TraceSink, TrackKind};
use super::spans;
use super::traced_boot::TracedBoot;
use super::tracks::Tracks;
use crate::time_value::ClockName;
use crate::wire::word;
use bootline_boot::{BootEnd, EndedBy};
use bootline_capture::units::Dur;

/// Emits the boot's tracks and their events. `zero` is the position of the axis's zero in the trace; it is only
/// reported.
pub(super) fn trace(traced: &TracedBoot<'_>, zero: Dur, sink: &mut impl TraceSink) {
    let boot = traced.boot;
    let mut tracks = Tracks::new(sink);
    // The answer first: where the time went, and the critical path. Then what ran, then the line, then the evidence.
    phases(traced, zero, &mut tracks);
    spans::marks(boot, &mut tracks);
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
        let on = tracks.add("end", TrackKind::Plain, "When init started, or the marker was reached.");
        tracks.sink.instant(on, e.at.best(), &end_of(e));
    }
}

fn end_of(end: &BootEnd) -> SliceInfo<'static> {
    let name = if end.by == EndedBy::Marker { "marker" } else { "init" };
    SliceInfo::new(name, "boot")
        .interval(["elapsed_ns", "elapsed_low_ns", "elapsed_high_ns"], end.elapsed)
        .arg("since", word(&end.since))
        .arg("record", end.record.0)
}
