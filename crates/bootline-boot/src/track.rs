// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks: where each span is drawn, so that on one track spans either follow or enclose one another.
//!
//! A trace viewer reads a track as a thread's stack: what begins last ends first. In a boot, async probes overlap the
//! initcalls and each other, and without CONFIG_PRINTK_CALLER the log does not show which task ran them. So each task
//! gets a track, and what would partly overlap on it goes to a further track of that task. A span is drawn inside another
//! only if that is its parent; running at the same time is not enough.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Boot;
use super::initcall::Span;
use bootline_capture::units::Dur;

/// Spans of one task that can be drawn on one track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The task that ran them: 1 (the boot's own, `kernel_init`) if the log does not show it.
    pub task: u32,
    /// Number of the track within its task, from 0. A task does one thing at a time; a second track shows that the log
    /// attributes several tasks to one.
    pub number: usize,
    /// Its spans by start, an enclosing one before those inside it.
    pub slices: Vec<Slice>,
}

/// One span on its track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The span's position in the boot's list.
    pub span: usize,
    /// Its start on the boot's axis.
    pub from: Dur,
    /// End, on the boot's axis, never before the start. A span that never returned lasts until the end of the log.
    pub to: Dur,
    /// Number of slices on this track that enclose it.
    pub depth: usize,
}

/// One end of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceEdge {
    /// The slice begins.
    Begin(Slice),
    /// The slice ends: always the one that began last of those still open.
    End(Slice),
}

impl SliceEdge {
    /// On the boot's axis.
    pub fn at(&self) -> Dur {
        match self {
            SliceEdge::Begin(slice) => slice.from,
            SliceEdge::End(slice) => slice.to,
        }
    }
}

impl Track {
    /// `task 1`, `task 77`; a task's further tracks are numbered from 2.
    pub fn title(&self) -> String {
        match self.number {
            0 => format!("task {}", self.task),
            n => format!("task {}, lane {}", self.task, n + 1),
        }
    }

    /// Begins and ends in order of time; at the same instant, in an order that nests.
    pub fn edges(&self) -> Vec<SliceEdge> {
        let mut edges = Vec::with_capacity(self.slices.len() * 2);
        let mut running: Vec<Slice> = Vec::new();
        for slice in &self.slices {
            while running.len() > slice.depth {
                edges.extend(running.pop().map(SliceEdge::End));
            }
            edges.push(SliceEdge::Begin(*slice));
            running.push(*slice);
        }
        edges.extend(running.into_iter().rev().map(SliceEdge::End));
        edges
    }
}

/// A task's tracks while they are filled.
#[derive(Default)]
struct TaskTracks {
    tracks: Vec<(Track, Vec<Slice>)>,
    /// Tracks on which nothing runs.
    free: BTreeSet<usize>,
    /// The ends of the innermost running spans: time and track.
    ends: BTreeSet<(Dur, usize)>,
}

impl TaskTracks {
    /// Closes the slices that end at or before `now`.
    fn advance(&mut self, now: Dur) {
        while let Some(&(end, track)) = self.ends.first().filter(|(end, _)| *end <= now) {
            self.ends.remove(&(end, track));
            let running = &mut self.tracks[track].1;
            running.pop();
            match running.last() {
                Some(below) => _ = self.ends.insert((below.to, track)),
                None => _ = self.free.insert(track),
            }
        }
    }

    /// A track on which a slice with that parent and end fits.
    fn track_for(&mut self, task: u32, parent: Option<(usize, usize)>, to: Dur) -> usize {
        let inside = parent
            .filter(|&(span, track)| self.tracks[track].1.last().is_some_and(|top| top.span == span && top.to >= to));
        if let Some((_, track)) = inside {
            return track;
        }
        self.free.pop_first().unwrap_or_else(|| {
            let number = self.tracks.len();
            self.tracks.push((Track { task, number, slices: Vec::new() }, Vec::new()));
            number
        })
    }

    fn put(&mut self, track: usize, span: usize, from: Dur, to: Dur) {
        let (Track { slices, .. }, running) = &mut self.tracks[track];
        if let Some(below) = running.last() {
            self.ends.remove(&(below.to, track));
        }
        let slice = Slice { span, from, to, depth: running.len() };
        slices.push(slice);
        running.push(slice);
        self.ends.insert((to, track));
    }
}

/// The task of spans for which the log names none.
const BOOT_TASK: u32 = 1;

/// Tracks for spans in the order of [`Boot::spans`]; `last` is the end of those that never returned.
fn tracks(spans: &[Span], last: Dur) -> Vec<Track> {
    let mut tasks: BTreeMap<u32, TaskTracks> = BTreeMap::new();
    let mut lane_of: HashMap<usize, usize> = HashMap::new();
    for (i, span) in spans.iter().enumerate() {
        let id = span.task.unwrap_or(BOOT_TASK);
        let task = tasks.entry(id).or_default();
        let to = span.end.unwrap_or(last).max(span.start);
        task.advance(span.start);
        let parent = span.parent.and_then(|p| Some((p, *lane_of.get(&p)?)));
        let track = task.track_for(id, parent, to);
        task.put(track, i, span.start, to);
        lane_of.insert(i, track);
    }
    tasks.into_values().flat_map(|t| t.tracks).map(|(track, _)| track).collect()
}

impl Boot {
    /// The tracks, sorted by task and number; each span is on exactly one.
    pub fn tracks(&self) -> Vec<Track> {
        tracks(self.spans(), self.last_time())
    }

    /// The last time in the log: when its last record was stored or transmitted.
    pub fn last_time(&self) -> Dur {
        let times = (0..self.records.len()).map(|i| self.timeline.place(i));
        times.filter_map(|p| p.stored.max(p.transmitted.map(|p| p.end))).max().unwrap_or(Dur::ZERO)
    }
}

#[cfg(test)]
mod tests;
