// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tracks of a boot, numbered as they are added.
use std::borrow::Cow;

use super::sink::{SliceInfo, TraceSink, TrackDescriptor, TrackId, TrackKind};
use bootline_capture::units::Dur;

/// Numbers the tracks.
pub(super) struct Tracks<'s, S> {
    pub sink: &'s mut S,
    next: u64,
}

impl<'s, S: TraceSink> Tracks<'s, S> {
    pub fn new(sink: &'s mut S) -> Tracks<'s, S> {
        Tracks { sink, next: 0 }
    }

    pub fn add<'n>(&mut self, name: impl Into<Cow<'n, str>>, kind: TrackKind, about: &'static str) -> TrackId {
        self.add_track(|id| TrackDescriptor { id, parent: None, name: name.into(), kind, about, tracks_of: None })
    }

    pub fn add_track<'n>(&mut self, track: impl FnOnce(TrackId) -> TrackDescriptor<'n>) -> TrackId {
        let id = TrackId(self.next);
        self.next += 1;
        self.sink.track(track(id));
        id
    }

    pub fn slice(&mut self, on: TrackId, from: Dur, to: Dur, what: &SliceInfo<'_>) {
        self.sink.begin(on, from, what);
        self.sink.end(on, to.max(from));
    }
}

/// Stretches that may touch but never overlap: each begins where the one before it ends, at the earliest.
#[derive(Default)]
pub(super) struct NonOverlapping {
    end: Option<Dur>,
}

impl NonOverlapping {
    pub fn next(&mut self, from: Dur, to: Dur) -> (Dur, Dur) {
        let from = self.end.map_or(from, |end| from.max(end));
        let to = to.max(from);
        self.end = Some(to);
        (from, to)
    }
}
