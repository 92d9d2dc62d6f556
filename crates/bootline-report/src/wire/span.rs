// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initcalls, probes and asynchronous calls.
use schemars::JsonSchema;
use serde::Serialize;

use super::{Id, SpanKind, id};
use bootline_boot::Slice;

/// An initcall, a probe or an asynchronous call.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Span<'b> {
    /// Length, including waits for the console.
    gross_ns: i64,
    /// Length without the waits for the console.
    net_ns: i64,
    /// Length without the waits and without nested spans.
    self_ns: i64,
    #[serde(flatten)]
    of: SpanFields<'b>,
}

/// A span with its position in a drawing.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DrawnSpan<'b> {
    /// Length, including waits for the console.
    gross_ns: i64,
    /// Length without the waits for the console.
    net_ns: i64,
    /// Length without the waits and without nested spans.
    self_ns: i64,
    /// The track on which traces draw it.
    track: Option<usize>,
    /// Nesting depth on that track.
    track_depth: Option<usize>,
    #[serde(flatten)]
    of: SpanFields<'b>,
}

#[derive(Serialize, JsonSchema)]
struct SpanFields<'b> {
    /// Kind of span.
    kind: SpanKind,
    /// The function, or the device.
    name: &'b str,
    /// Its module.
    module: Option<&'b str>,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis; null if it never returned.
    end_ns: Option<i64>,
    /// The duration that the kernel reported.
    reported_ns: Option<i64>,
    /// Return value; null if it never returned.
    returned: Option<i32>,
    /// The task that ran it.
    task: Option<u32>,
    /// Index of the enclosing span.
    parent: Option<usize>,
    /// Number of enclosing spans.
    depth: u32,
    /// Waits for the console within it.
    console_ns: i64,
    /// Time in the spans nested in it.
    children_ns: i64,
    /// Its first record.
    first: Id,
    /// Its last record.
    last: Option<Id>,
}

impl<'b> From<&'b bootline_boot::Span> for SpanFields<'b> {
    fn from(s: &'b bootline_boot::Span) -> SpanFields<'b> {
        SpanFields {
            kind: s.kind.into(),
            name: &s.name,
            module: s.module.as_deref(),
            start_ns: s.start.as_nanos(),
            end_ns: s.end.map(|t| t.as_nanos()),
            reported_ns: s.reported.map(|t| t.as_nanos()),
            returned: s.returned,
            task: s.task,
            parent: s.parent,
            depth: s.depth,
            console_ns: s.console.as_nanos(),
            children_ns: s.children.as_nanos(),
            first: s.first.0,
            last: id(s.last),
        }
    }
}

impl<'b> From<&'b bootline_boot::Span> for Span<'b> {
    fn from(s: &'b bootline_boot::Span) -> Span<'b> {
        Span {
            gross_ns: s.gross().as_nanos(),
            net_ns: s.net().as_nanos(),
            self_ns: s.self_time().as_nanos(),
            of: s.into(),
        }
    }
}

impl<'b> DrawnSpan<'b> {
    /// `drawn` is the number of its track, and where it is on it.
    pub(crate) fn new(s: &'b bootline_boot::Span, drawn: Option<(usize, Slice)>) -> DrawnSpan<'b> {
        DrawnSpan {
            gross_ns: s.gross().as_nanos(),
            net_ns: s.net().as_nanos(),
            self_ns: s.self_time().as_nanos(),
            track: drawn.map(|(track, _)| track),
            track_depth: drawn.map(|(_, slice)| slice.depth),
            of: s.into(),
        }
    }
}
