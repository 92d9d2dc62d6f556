// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the difference of a boot from the first comes from: the parts that `bootline compare` reports and that changed
//! most, each with its place in the picture.
use super::picture::Picture;
use bootline_analysis::compare::{Contribution, ObservedChange, PartKey, RunSet, decompose};
use bootline_boot::{PhaseName, SpanKind};
use bootline_capture::units::Dur;

/// Parts below this are not listed, nor are those below this share of the boots' difference or of all changes.
const LEAST: (Dur, f64) = (Dur::from_millis(5), 0.01);

/// The parts of a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Those that changed most.
    pub listed: Vec<Part>,
    /// Sum of all the others.
    pub rest: Dur,
    /// Number of others that differ at all.
    pub more: usize,
}

/// One part of the difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// `initcall`, `phase`
    pub what: &'static str,
    /// Name, as in the log.
    pub name: String,
    pub observed: ObservedChange,
    pub by: Dur,
    /// The part of it that is waits for the console.
    pub console: Dur,
    pub shown: Option<RecordTimes>,
}

/// Where a part is shown: in the boot itself or, if that does not have it, in the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordTimes {
    pub in_first: bool,
    pub kind: &'static str,
    pub index: usize,
}

/// The parts of a difference, `most` at most. None if one of the boots has no end, because then there is no total.
pub(super) fn parts(first: &Picture, other: &Picture, most: usize) -> Option<Parts> {
    let set =
        |p: &Picture| Some(RunSet { name: p.source.clone(), runs: vec![p.measures.clone()?], ..RunSet::default() });
    let decomposition = decompose(&set(first)?, &set(other)?);
    let all: Dur = decomposition.contributions.iter().map(|c| c.total().abs()).sum();
    let least = LEAST.0.max(all.scale(LEAST.1));
    let (listed, rest): (Vec<_>, Vec<_>) =
        decomposition.contributions.iter().enumerate().partition(|(n, c)| *n < most && c.total().abs() >= least);
    let part = |(_, c): (usize, &Contribution)| {
        let (what, name) = words(&c.key);
        let shown = place(other, &c.key, false).or_else(|| place(first, &c.key, true));
        Part { what, name, observed: c.observed, by: c.total(), console: c.console, shown }
    };
    Some(Parts {
        listed: listed.into_iter().map(part).collect(),
        rest: rest.iter().map(|(_, c)| c.total()).sum(),
        more: rest.iter().filter(|(_, c)| c.observed != ObservedChange::Same).count(),
    })
}

fn words(key: &PartKey) -> (&'static str, String) {
    match key {
        PartKey::Initcall(name) => ("initcall", name.clone()),
        PartKey::Probe(name) => ("probe", name.clone()),
        PartKey::Async(name) => ("async call", name.clone()),
        // What runs in a nested call is a part of its own.
        PartKey::Phase(name) => ("phase", name.title().to_owned()),
        PartKey::Before | PartKey::Short => ("", key.to_string()),
    }
}

fn place(p: &Picture, key: &PartKey, in_first: bool) -> Option<RecordTimes> {
    let span = |kind: SpanKind, name: &str| {
        // The longest of several with the same name.
        let named = p.spans.iter().enumerate().filter(|(_, s)| s.kind == kind && s.name == *name);
        let (index, _) = named.max_by_key(|(_, s)| p.drawn_end(s) - s.start)?;
        Some(RecordTimes { in_first, kind: "span", index })
    };
    let phase = |name: PhaseName| {
        let index = p.phases.iter().position(|b| b.name == name)?;
        Some(RecordTimes { in_first, kind: "phase", index })
    };
    match key {
        PartKey::Initcall(name) => span(SpanKind::Initcall, name),
        PartKey::Probe(name) => span(SpanKind::Probe, name),
        PartKey::Async(name) => span(SpanKind::Async, name),
        PartKey::Phase(name) => phase(*name),
        PartKey::Before | PartKey::Short => None,
    }
}
