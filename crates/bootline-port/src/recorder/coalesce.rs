// SPDX-License-Identifier: MIT OR Apache-2.0
//! Joins bytes that arrived one by one into a chunk whose even spacing states their arrivals well enough.
use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime};

const MAX_BYTES: usize = 4096;
const MAX_SPAN: Dur = Dur::from_millis(100);
/// A stamp closer than this is finer than a host that isn't real-time can take it.
const LEAST_TOLERANCE: Dur = Dur::from_micros(200);

/// A byte whose arrival was stated, by its index in the chunk.
#[derive(Clone, Copy, Debug)]
struct Point {
    index: usize,
    at: HostTime,
    /// It may have arrived as early as this.
    earliest: HostTime,
    tolerance: Dur,
}

/// The chunk that grows.
///
/// A chunk states a straight line of time over byte index. Each point narrows the slopes that a line from the first
/// point may have and still pass within the tolerance (a "swinging door"): constant work for each byte.
#[derive(Debug, Default)]
pub(super) struct Pending {
    bytes: Vec<u8>,
    points: Vec<Point>,
    /// Slopes allowed so far, in nanoseconds a byte.
    slopes: Option<(f64, f64)>,
    /// End of what was written before: chunks never overlap in time.
    written_to: Option<HostTime>,
}

impl Pending {
    /// Bytes that may still join.
    pub(super) fn room(&self) -> usize {
        MAX_BYTES - self.bytes.len()
    }

    /// Whether the chunk began too long before `now`.
    pub(super) fn is_stale(&self, now: HostTime) -> bool {
        self.points.first().is_some_and(|first| now - first.at > MAX_SPAN)
    }

    /// Whether `len` more bytes at `time` keep the chunk within its bounds.
    pub(super) fn takes(&self, time: ChunkTime, len: usize) -> bool {
        let Some(first) = self.points.first() else { return true };
        let ends = self.ends(time, len);
        if len > self.room() || ends[1].at - first.at > MAX_SPAN {
            return false;
        }
        // The chunk's line runs from the first point to the new last one; the new first one must fit it as well.
        let slope = slope_to(*first, ends[1]);
        let (low, high) = narrowed(self.slopes, *first, ends[0]);
        low <= slope && slope <= high
    }

    /// Adds bytes; `takes` said that they fit.
    pub(super) fn push(&mut self, time: ChunkTime, bytes: &[u8]) {
        for point in self.ends(time, bytes.len()) {
            if let Some(first) = self.points.first().copied() {
                if point.index > self.points[self.points.len() - 1].index {
                    self.slopes = Some(narrowed(self.slopes, first, point));
                    self.points.push(point);
                }
            } else {
                self.points.push(point);
            }
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The finished chunk.
    pub(super) fn take(&mut self) -> Option<(ChunkTime, Vec<u8>)> {
        let (first, last) = (*self.points.first()?, *self.points.last()?);
        let len = self.bytes.len();
        let line = ChunkTime { first: first.at, span: last.at - first.at, uncertainty: Dur::ZERO };
        // A byte may be stated late, never early: lift the line above its points.
        let lift = self.points.iter().map(|p| p.at - line.at(p.index, len)).max().unwrap_or(Dur::ZERO).max_zero();
        let mut time = ChunkTime { first: line.first + lift, ..line };
        if let Some(end) = self.written_to {
            time.first = time.first.max(end);
        }
        let earliest = self.points.iter().map(|p| time.at(p.index, len) - p.earliest).max();
        time.uncertainty = earliest.unwrap_or(Dur::ZERO).max_zero();
        self.written_to = Some(time.first + time.span);
        self.points.clear();
        self.slopes = None;
        Some((time, std::mem::take(&mut self.bytes)))
    }

    /// First and last of `len` new bytes as points, not before what is there.
    fn ends(&self, time: ChunkTime, len: usize) -> [Point; 2] {
        let latest = self.points.last().map(|p| p.at);
        let uncertainty = time.uncertainty.max_zero();
        let point = |index, at: HostTime| Point {
            index,
            at: latest.map_or(at, |latest| latest.max(at)),
            earliest: at - uncertainty,
            tolerance: uncertainty.max(LEAST_TOLERANCE),
        };
        let start = self.bytes.len();
        [point(start, time.first), point(start + len - 1, time.first + time.span.max_zero())]
    }
}

fn slope_to(first: Point, to: Point) -> f64 {
    let bytes = to.index - first.index;
    if bytes == 0 { 0.0 } else { (to.at - first.at).as_nanos() as f64 / bytes as f64 }
}

fn narrowed(slopes: Option<(f64, f64)>, first: Point, by: Point) -> (f64, f64) {
    let (low, high) = slopes.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let bytes = by.index - first.index;
    if bytes == 0 {
        return (low, high);
    }
    let reach = |d: Dur| (by.at - first.at + d).as_nanos() as f64 / bytes as f64;
    (low.max(reach(-by.tolerance)), high.min(reach(by.tolerance)))
}
