// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sink that checks what every other may rely on.
use std::collections::BTreeMap;

use super::boot_trace::trace;
use super::sink::{FlowId, SliceInfo, TraceSink, TrackDescriptor, TrackId, TrackKind};
use super::traced_boot::TracedBoot;
use bootline_analysis::rules::findings;
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// What a sink may rely on, checked event by event; and what it was given, summed up.
#[derive(Default)]
pub(super) struct CheckedSink {
    tracks: Vec<(String, TrackKind)>,
    running: BTreeMap<TrackId, Vec<Dur>>,
    last: BTreeMap<TrackId, Dur>,
    /// By track: how long its outermost slices are, how many slices and instants it has.
    pub length: BTreeMap<String, Dur>,
    pub slices: BTreeMap<String, usize>,
    pub instants: BTreeMap<String, usize>,
    /// By flow: how often it left a slice, and reached one.
    pub flows: BTreeMap<FlowId, (usize, usize)>,
    first: Option<Dur>,
}

impl CheckedSink {
    /// The number of slices on a track and its further ones: `units`, `units, track 2`.
    pub fn slices_of(&self, name: &str) -> usize {
        CheckedSink::sum(&self.slices, name)
    }

    /// The number of instants there.
    pub fn instants_of(&self, name: &str) -> usize {
        CheckedSink::sum(&self.instants, name)
    }

    fn sum(of: &BTreeMap<String, usize>, name: &str) -> usize {
        of.iter().filter(|(track, _)| track.split(", ").next() == Some(name)).map(|(_, n)| n).sum()
    }

    fn at(&mut self, on: TrackId, at: Dur) -> String {
        let before = self.last.insert(on, at).unwrap_or(at);
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        assert!(at >= before, "time goes back on {}: {before}, {at}", self.tracks[on.0 as usize].0);
        self.tracks[on.0 as usize].0.clone()
    }
}

impl TraceSink for CheckedSink {
    fn track(&mut self, track: TrackDescriptor<'_>) {
        assert_eq!(track.id.0 as usize, self.tracks.len());
        assert!(track.parent.is_none_or(|p| p < track.id), "a parent comes first");
        assert!(!track.name.is_empty() && !track.about.is_empty());
        self.tracks.push((track.name.into_owned(), track.kind));
    }
    fn begin(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        assert!(!what.category.is_empty());
        let name = self.at(on, at);
        if let Some(flow) = what.flow_in {
            let (left, reached) = self.flows.entry(flow).or_default();
            *reached += 1;
            assert_eq!((*left, *reached), (1, 1), "{flow:?}");
        }
        for start in &what.flows_out {
            assert!(start.at >= at, "{start:?}");
            self.flows.entry(start.id).or_default().0 += 1;
        }
        self.running.entry(on).or_default().push(at);
        *self.slices.entry(name).or_default() += 1;
    }
    fn end(&mut self, on: TrackId, at: Dur) {
        let name = self.at(on, at);
        let stack = self.running.get_mut(&on).expect("nothing began");
        let from = stack.pop().expect("nothing runs");
        assert!(at >= from);
        if stack.is_empty() {
            *self.length.entry(name).or_default() += at - from;
        }
    }
    fn instant(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        assert!(what.flow_in.is_none() && what.flows_out.is_empty(), "readers bind flows to slices");
        let before = self.last.get(&on).copied();
        let name = self.at(on, at);
        // Perfetto's UI draws those of one time one below the other.
        assert!(name != "records" || before.is_none_or(|b| b < at), "two records at {at}");
        *self.instants.entry(name).or_default() += 1;
    }
    fn count(&mut self, on: TrackId, at: Dur, value: i64) {
        assert!(matches!(self.tracks[on.0 as usize].1, TrackKind::Bytes | TrackKind::Time));
        assert!(value >= 0);
        self.at(on, at);
    }
}

/// The boot's trace, checked.
pub(super) fn checked(boot: &Boot) -> CheckedSink {
    let mut checked = CheckedSink::default();
    let found = findings(boot);
    let traced = TracedBoot::new(boot, &found);
    trace(&traced, Dur::ZERO, &mut checked);
    assert_eq!(checked.first, Some(traced.first), "what is first lies at the trace's zero");
    assert!(checked.flows.values().all(|ends| *ends == (1, 1)), "{:?}", checked.flows);
    assert!(checked.running.values().all(Vec::is_empty), "something never ends");
    checked
}
