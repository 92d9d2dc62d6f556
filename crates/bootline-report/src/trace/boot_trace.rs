// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot's tracks in their order, and the parts of its log: its phases.
use super::line::{counters, line, records};
use super::processes::processes;
use super::services::services;
use super::sink::{SliceInfo, TraceSink, TrackKind};
use super::stages::{application, stages};
use super::traced_boot::TracedBoot;
use super::tracks::Tracks;
use super::units::units;
use super::{kernel_trace, spans};
use crate::time_value::ClockName;
use crate::wire::word;
use bootline_boot::{BootEnd, EndedBy, SourceUse};
use bootline_capture::units::Dur;

/// Emits the boot's tracks and their events. `zero` is the position of the axis's zero in the trace; it is only
/// reported.
pub(super) fn trace(traced: &TracedBoot<'_>, zero: Dur, sink: &mut impl TraceSink) {
    let boot = traced.boot;
    let mut tracks = Tracks::new(sink);
    // The answer first: where the time went, and the critical path. Then what ran, then the line, then the evidence.
    stages(boot, &mut tracks);
    application(boot, &mut tracks);
    phases(traced, zero, &mut tracks);
    spans::marks(boot, &mut tracks);
    spans::critical_path(traced, &mut tracks);
    spans::findings(boot, traced.findings, &mut tracks);
    spans::waits(boot, &mut tracks);
    spans::async_waits(boot, &mut tracks);
    spans::lanes(boot, &mut tracks);
    kernel_trace::initcalls(traced, &mut tracks);
    units(traced, &mut tracks);
    services(traced, &mut tracks);
    processes(traced, &mut tracks);
    kernel_trace::marks(traced, &mut tracks);
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
    let sources: Vec<String> = boot.whole.sources.iter().map(source).collect();
    let command_line: Vec<&str> = boot.kernel.command_line.words().collect();
    let what = SliceInfo::new("boot", "boot")
        .known("kernel", boot.kernel.release.as_deref())
        .arg("command_line", command_line.join(" "))
        .arg("clock", clock)
        .known("console", boot.line.as_ref().map(|l| l.console.name.as_str()))
        .arg("axis_zero_ns", zero)
        .arg("kernel_clock_lost_ns", boot.timeline.kernel_clock_lost)
        .known("sources", (!sources.is_empty()).then(|| sources.join("\n")))
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

/// `units.txt: systemctl show`
fn source(used: &SourceUse) -> String {
    match &used.refused {
        Some(why) => format!("{}: {why}", used.name),
        None => format!("{}: {}", used.name, used.kind.unwrap_or("not recognised")),
    }
}

fn end_of(end: &BootEnd) -> SliceInfo<'static> {
    let name = if end.by == EndedBy::Marker { "marker" } else { "init" };
    SliceInfo::new(name, "boot")
        .interval(["elapsed_ns", "elapsed_low_ns", "elapsed_high_ns"], end.elapsed)
        .arg("since", word(&end.since))
        .arg("record", end.record.0)
}
