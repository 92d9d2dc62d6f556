// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot in a glance: its stages, and the application that it is for.
use super::sink::{SliceInfo, TraceSink, TrackKind};
use super::tracks::Tracks;
use crate::escape::escaped;
use crate::wire::word;
use bootline_boot::{Application, Boot};

/// The stages, which tile the time.
pub(super) fn stages<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let whole = &boot.whole;
    let Some(last) = whole.stages.len().checked_sub(1) else { return };
    let about = "The whole boot, from the earliest known moment: each stage begins where the one before it ends.";
    let on = tracks.add("stages", TrackKind::Plain, about);
    for (i, stage) in whole.stages.iter().enumerate() {
        let what = SliceInfo::new(stage.name.title(), "stage")
            .arg("start_shown_by", stage.evidence.title())
            .known("since", whole.since.filter(|_| i == 0).map(|since| word(&since)))
            // Without one, the stage goes on: only the log ends there.
            .known("until", whole.until.filter(|_| i == last).map(|until| until.title()));
        tracks.slice(on, stage.start, stage.end, &what);
    }
}

/// The application: its own start, if that is known, and when it was reached.
pub(super) fn application<S: TraceSink>(boot: &Boot, tracks: &mut Tracks<'_, S>) {
    let Some(app) = &boot.whole.application else { return };
    let on = tracks.add("application", TrackKind::Plain, "The application: from its own start until it is reached.");
    if let Some(start) = app.start.filter(|start| *start < app.at) {
        tracks.slice(on, start, app.at, &SliceInfo::new(escaped(&app.name), "application"));
    }
    tracks.sink.instant(on, app.at, &reached(boot, app));
}

fn reached<'b>(boot: &'b Boot, app: &'b Application) -> SliceInfo<'b> {
    let whole = &boot.whole;
    SliceInfo::new(escaped(&app.name), "application")
        .known("elapsed_ns", whole.time_to_application())
        .known("since", whole.since.map(|since| word(&since)))
        .known("unit", app.unit.and_then(|i| whole.units.get(i)).map(|unit| unit.name.as_str()))
        .known("pid", app.process.and_then(|i| whole.processes.get(i)).map(|process| process.pid))
        .known("mark", app.mark.and_then(|i| boot.marks.get(i)).map(|mark| mark.name.as_str()))
        .known("record", app.record.map(|id| id.0))
}
