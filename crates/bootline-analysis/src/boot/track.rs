// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lanes: where each span is drawn, so that on one lane spans either follow or enclose one another.
//!
//! A trace viewer reads one lane as one thread's stack: what begins last ends first. A boot isn't so kind. Async probes
//! overlap the initcalls and each other, and without CONFIG_PRINTK_CALLER the log does not show which task ran them. So each
//! task gets a lane, and what would partly overlap on it goes to a further lane of that task. A span is put inside
//! another only where that is its parent: being there at the same time is no reason.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Boot;
use super::initcall::Span;
use bootline_capture::units::Dur;

/// The spans of one task that can be drawn one upon the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The task that ran them: 1 (the boot's own, `kernel_init`) where the log does not say.
    pub task: u32,
    /// Which of that task's lanes, from 0. A task does one thing at a time; a second lane shows that the log lumps tasks.
    pub number: usize,
    /// Its spans by start, an enclosing one before those inside it.
    pub slices: Vec<Slice>,
}

/// One span on its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The span's position in the boot's list.
    pub span: usize,
    /// Its start on the boot's axis.
    pub from: Dur,
    /// Its end, never before its start. One that never returned lasts for as long as the log.
    pub to: Dur,
    /// How many bars of this lane enclose it.
    pub depth: usize,
}

/// One end of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceEdge {
    /// The bar begins.
    Begin(Slice),
    /// The bar ends: always the one that began last of those that haven't ended.
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
    /// `task 1`, `task 77`; a task's further lanes are numbered from 2.
    pub fn title(&self) -> String {
        match self.number {
            0 => format!("task {}", self.task),
            n => format!("task {}, lane {}", self.task, n + 1),
        }
    }

    /// Begins and ends in order of time, those of one instant in an order that nests.
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

/// A task's lanes while they are filled.
#[derive(Default)]
struct TaskTracks {
    tracks: Vec<(Track, Vec<Slice>)>,
    /// Lanes on which nothing runs.
    free: BTreeSet<usize>,
    /// The ends of what runs on top of the others: when, and on which lane.
    ends: BTreeSet<(Dur, usize)>,
}

impl TaskTracks {
    /// Ends what ends no later than `now`.
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

    /// A lane on which a bar of that parent and end has room.
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

/// Lanes for spans in the order of [`Boot::spans`]; `last` is where those end that never returned.
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
    /// Where each span is drawn: each exactly once, the lanes by task and number.
    pub fn tracks(&self) -> Vec<Track> {
        tracks(&self.spans, self.last_time())
    }

    /// The last time in the log: when its last record was stored or transmitted.
    pub fn last_time(&self) -> Dur {
        let times = (0..self.records.len()).map(|i| self.timeline.place(i));
        times.filter_map(|p| p.stored.max(p.transmitted.map(|p| p.end))).max().unwrap_or(Dur::ZERO)
    }
}

#[cfg(test)]
mod tests;
