// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slices that may overlap, on as many tracks as that takes: on one track slices only follow one another.
use std::collections::BTreeSet;

use super::sink::{TraceSink, TrackDescriptor, TrackId, TrackKind};
use super::tracks::Tracks;
use bootline_capture::units::Dur;

/// The tracks of one concept. What is on them is given by its start.
pub(super) struct TrackPool {
    name: &'static str,
    about: &'static str,
    /// The tracks, by when what is on them ends.
    by_end: BTreeSet<(Dur, TrackId)>,
}

impl TrackPool {
    pub fn new(name: &'static str, about: &'static str) -> TrackPool {
        TrackPool { name, about, by_end: BTreeSet::new() }
    }

    /// A track on which nothing is from then on: the first that is free, a further one where none is.
    pub fn track<S: TraceSink>(&mut self, tracks: &mut Tracks<'_, S>, from: Dur, to: Dur) -> TrackId {
        let free = self.by_end.first().copied().filter(|(end, _)| *end <= from);
        let on = match free {
            Some(track) => {
                self.by_end.remove(&track);
                track.1
            }
            None => {
                let (n, plain) = (self.by_end.len(), TrackKind::Plain);
                let name = if n == 0 { self.name.into() } else { format!("{}, track {}", self.name, n + 1).into() };
                let (about, tracks_of) = (self.about, Some(self.name));
                tracks.add_track(|id| TrackDescriptor { id, parent: None, name, kind: plain, about, tracks_of })
            }
        };
        self.by_end.insert((to, on));
        on
    }
}
