// SPDX-License-Identifier: MIT OR Apache-2.0
//! A finding as marks on the axis: where its time was lost, or at least where its evidence is.
use bootline_analysis::remedy::Remedy;
use bootline_analysis::rules::{Finding, RuleId, TimeRange, TimelinePlace, rule};
use bootline_boot::{Boot, WaitCause};
use bootline_capture::units::{Dur, Interval};

/// A finding, with the remedy that saves most.
#[derive(Clone, Debug)]
pub(super) struct FindingMark {
    pub rule: RuleId,
    pub title: String,
    pub why: String,
    pub cost: Interval,
    pub shown: MarkPlacement,
    pub records: Vec<usize>,
    pub remedy: Option<Remedy>,
    /// Whether its time is part of other findings.
    pub part: bool,
}

/// Where a finding is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkPlacement {
    /// Where its time was lost.
    TimeRanges {
        list: Vec<TimeRange>,
        /// Whether most of it is waiting for the line: it is shown where the line was busy, whichever records were
        /// transmitted then.
        line: bool,
    },
    /// In many short waits for the console; with any cause, if none is named.
    Waits(Option<WaitCause>),
    /// Its evidence is here; where the time was lost is unknown.
    Evidence(TimeRange),
    /// Neither is known.
    Nowhere,
}

pub(super) fn mark(boot: &Boot, finding: &Finding) -> FindingMark {
    let saves = |r: &&Remedy| r.saves.map(Interval::best);
    // The first of those that save most; without predictions, the first.
    let best = finding.remedies.iter().rev().max_by_key(saves);
    let records: Vec<usize> = finding.evidence.iter().filter_map(|e| boot.records.index_of(e.id)).collect();
    FindingMark {
        rule: finding.rule,
        title: finding.title.clone(),
        why: finding.why.clone(),
        cost: finding.cost,
        shown: shown(boot, finding, &records),
        records,
        remedy: best.cloned(),
        part: !finding.part_of.is_empty(),
    }
}

fn shown(boot: &Boot, finding: &Finding, records: &[usize]) -> MarkPlacement {
    if !finding.time_ranges.is_empty() {
        let list = finding.time_ranges.clone();
        let length: Dur = list.iter().map(|s| s.to - s.from).sum();
        let waited: Dur = list.iter().map(|s| boot.console_wait(s.from, s.to)).sum();
        return MarkPlacement::TimeRanges { list, line: waited > Dur::ZERO && waited * 2 >= length };
    }
    // Rules whose time is in the waits themselves cite only the worst of them, or what caused them.
    let waits = match rule(finding.rule).map(|r| r.place) {
        Some(TimelinePlace::Waits(cause)) => Some(Some(cause)),
        Some(TimelinePlace::AllWaits) => Some(None),
        Some(TimelinePlace::Evidence) | None => None,
    };
    let waited = |cause: &Option<WaitCause>| {
        boot.waits.iter().any(|w| w.time.best() > Dur::ZERO && cause.is_none_or(|c| c == w.cause))
    };
    if let Some(cause) = waits.filter(waited) {
        return MarkPlacement::Waits(cause);
    }
    let times = records.iter().filter_map(|i| boot.timeline.stored(*i));
    let (from, to) = (times.clone().min(), times.max());
    from.zip(to).map_or(MarkPlacement::Nowhere, |(from, to)| MarkPlacement::Evidence(TimeRange { from, to }))
}
