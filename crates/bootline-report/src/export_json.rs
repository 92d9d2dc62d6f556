// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot without a loss, for programs: one entry of `boots[]` in `docs/schema/export-1.schema.json`.
//!
//! What `explain --json` says, then lists whose items take a line each and are given away as they are made: there may
//! be a million records.
use serde::Serialize;

use super::boot_label::BootLabel;
use super::explain::explain_json;
use super::json::{BootsJson, harmless};
use super::trace::cause;
use bootline_analysis::boot::{BacklogPoint, Boot, ConsoleWait, Gap, Slice, Span};
use bootline_analysis::records::{Caller, Level, Record, RecordId, RecordOrigin};
use bootline_analysis::rules::Finding;
use bootline_capture::units::{Dur, HostTime, Interval, KernelTime};

/// Adds a boot to the list; `out` takes the text.
pub fn export_json(
    list: &mut BootsJson,
    boot: &Boot,
    findings: &[Finding],
    source: &BootLabel,
    out: &mut dyn FnMut(&[u8]),
) {
    let explained = list.item(&Explained { explained: explain_json(boot, findings, source) });
    // The boot's own brace comes behind the lists.
    out(explained.strip_suffix("\n    }").unwrap_or(&explained).as_bytes());
    lines("records", boot.records.iter().enumerate().map(|(i, r)| RecordJson::new(boot, i, r)), out);
    let mut drawn = vec![None; boot.spans.len()];
    for track in boot.tracks() {
        track.slices.iter().for_each(|slice| drawn[slice.span] = Some((track.number, *slice)));
    }
    lines("spans", boot.spans.iter().zip(drawn).map(|(s, d)| SpanJson::new(s, d)), out);
    lines("waits", boot.waits.iter().map(|w| WaitJson::new(boot, w)), out);
    lines("async_waits", boot.async_waits.iter(), out);
    lines("services", boot.services.iter(), out);
    lines("gaps", boot.gaps.iter().map(|gap| GapJson { net_ns: gap.net(), gap }), out);
    lines("backlog", boot.backlog().iter().map(|point| PointJson { backlog_bytes: point.backlog(), point }), out);
    out(b"\n    }");
}

fn lines(name: &str, items: impl Iterator<Item = impl Serialize>, out: &mut dyn FnMut(&[u8])) {
    out(format!(",\n      \"{name}\": [").as_bytes());
    let mut any = false;
    for item in items {
        let text = serde_json::to_string(&item).expect("plain structs of numbers and strings always serialise");
        out(format!("{}\n        {}", if any { "," } else { "" }, harmless(&text)).as_bytes());
        any = true;
    }
    out(if any { b"\n      ]" } else { b"]" });
}

#[derive(Serialize)]
struct Explained<E> {
    explained: E,
}

#[derive(Serialize)]
struct RecordJson<'b> {
    id: RecordId,
    origin: RecordOrigin,
    level: Option<Level>,
    caller: Option<Caller>,
    kernel_ns: Option<KernelTime>,
    arrival_ns: Option<[HostTime; 2]>,
    stored_ns: Option<Dur>,
    stored_error_ns: Dur,
    transmitted_ns: Option<[Dur; 2]>,
    bytes: [u64; 2],
    line_bytes: u32,
    text: &'b str,
}

impl<'b> RecordJson<'b> {
    fn new(boot: &Boot, index: usize, r: Record<'b>) -> RecordJson<'b> {
        let place = boot.timeline.place(index);
        RecordJson {
            id: r.id,
            origin: r.source,
            level: r.level,
            caller: r.caller,
            kernel_ns: r.stamp,
            arrival_ns: r.arrival.map(|a| [a.first, a.last]),
            stored_ns: place.stored,
            stored_error_ns: place.error,
            transmitted_ns: place.transmitted.map(|p| [p.start, p.end]),
            bytes: [r.bytes.start, r.bytes.end],
            line_bytes: r.line_bytes,
            text: r.text,
        }
    }
}

#[derive(Serialize)]
struct SpanJson<'b> {
    gross_ns: Dur,
    net_ns: Dur,
    self_ns: Dur,
    track: Option<usize>,
    track_depth: Option<usize>,
    #[serde(flatten)]
    span: &'b Span,
}

impl SpanJson<'_> {
    fn new(span: &Span, drawn: Option<(usize, Slice)>) -> SpanJson<'_> {
        let (track, track_depth) = drawn.map(|(track, slice)| (track, slice.depth)).unzip();
        SpanJson { gross_ns: span.gross(), net_ns: span.net(), self_ns: span.self_time(), track, track_depth, span }
    }
}

#[derive(Serialize)]
struct WaitJson {
    after: Option<RecordId>,
    cause: &'static str,
    start_ns: Dur,
    time_ns: Interval,
}

impl WaitJson {
    fn new(boot: &Boot, w: &ConsoleWait) -> WaitJson {
        let after = boot.records.get(w.index).map(|r| r.id);
        WaitJson { after, cause: cause(w.cause), start_ns: w.from, time_ns: w.time }
    }
}

#[derive(Serialize)]
struct GapJson<'b> {
    net_ns: Dur,
    #[serde(flatten)]
    gap: &'b Gap,
}

#[derive(Serialize)]
struct PointJson<'b> {
    backlog_bytes: u64,
    #[serde(flatten)]
    point: &'b BacklogPoint,
}
