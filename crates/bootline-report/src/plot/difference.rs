// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differs between two boots: spans and phases that took longer or shorter than in the first.
use std::collections::HashMap;

use super::picture::Picture;
use bootline_boot::{PhaseName, Span, SpanKind};
use bootline_capture::units::Dur;

/// Differences below this are not marked, nor are those below a tenth of the longer: two boots of the same setup differ
/// by as much.
const LEAST: Dur = Dur::from_millis(10);

/// What differs between a boot and the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// For each span, how much longer it took, if that is marked.
    pub spans: Vec<Option<SpanChange>>,
    /// For each phase, likewise.
    pub phases: Vec<Option<Dur>>,
    /// How much later the boot's end came.
    pub end: Option<Dur>,
}

/// How a span differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanChange {
    /// It took this much longer.
    By(Dur),
    /// The first boot does not have it, and it took a while.
    New,
}

/// A span's identity across boots: kind, name, and that it is the nth of its name.
type Key<'p> = (SpanKind, &'p str, usize);

fn keyed(spans: &[Span]) -> Vec<(Key<'_>, &Span)> {
    let mut seen: HashMap<(SpanKind, &str), usize> = HashMap::new();
    let mut keyed = Vec::with_capacity(spans.len());
    for span in spans {
        let (kind, name) = (span.kind, span.name.as_str());
        let n = seen.entry((kind, name)).or_default();
        *n += 1;
        keyed.push(((kind, name, *n), span));
    }
    keyed
}

/// How a boot differs from the first one.
pub(super) fn difference(first: &Picture, other: &Picture) -> Difference {
    let before: HashMap<Key<'_>, &Span> = keyed(&first.spans).into_iter().collect();
    let span = |(key, span): (Key<'_>, &Span)| {
        let now = other.drawn_end(span) - span.start;
        match before.get(&key) {
            Some(was) => marked(first.drawn_end(was) - was.start, now).map(SpanChange::By),
            None => (now >= LEAST && !before.is_empty()).then_some(SpanChange::New),
        }
    };
    let phase = |p: &super::picture::DrawnPhase| {
        // How long a log continues after init says nothing about the boot.
        let was = first.phases.iter().find(|b| b.name == p.name && b.name != PhaseName::UserSpace)?;
        marked(was.end - was.start, p.end - p.start)
    };
    Difference {
        spans: keyed(&other.spans).into_iter().map(span).collect(),
        phases: other.phases.iter().map(phase).collect(),
        end: first.end.zip(other.end).map(|(a, b)| b.elapsed.best() - a.elapsed.best()),
    }
}

fn marked(was: Dur, now: Dur) -> Option<Dur> {
    let by = now - was;
    (by.abs() >= LEAST && by.abs() >= was.max(now) / 10).then_some(by)
}
