// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a boot gives of itself as a trace, piece by piece, and who takes it.
use std::borrow::Cow;

use crate::escape::escaped;
use bootline_capture::units::{Dur, Interval};

/// Takes a boot's trace.
pub(super) trait TraceSink {
    /// A track, before anything happens on it.
    fn track(&mut self, track: TrackDescriptor<'_>);
    /// A slice begins.
    fn begin(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>);
    /// The slice that began last ends.
    fn end(&mut self, on: TrackId, at: Dur);
    /// Something without a length.
    fn instant(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>);
    /// A counter has this value from now on.
    fn count(&mut self, on: TrackId, at: Dur, value: i64);
}

/// A track's number in its boot, from 0 in the order in which they are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrackId(pub u64);

/// A row of the trace.
#[derive(Clone, Debug)]
pub(super) struct TrackDescriptor<'a> {
    pub id: TrackId,
    /// The track below which it is shown; the boot's own where there is none.
    pub parent: Option<TrackId>,
    pub name: Cow<'a, str>,
    pub kind: TrackKind,
    /// What is on it, for who meets it for the first time.
    pub about: &'static str,
    /// What all tracks of one thing have in common: some viewers show them as one track.
    pub tracks_of: Option<&'a str>,
}

/// What is on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackKind {
    /// Slices and instants.
    Plain,
    /// A number of characters over time.
    Bytes,
    /// A length of time over time.
    Time,
}

/// A flow's number in its boot, from 0. A flow is an arrow from one slice to another that begins no sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowId(pub u64);

/// Where a flow leaves a slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowStart {
    pub id: FlowId,
    /// Within the slice.
    pub at: Dur,
}

/// What a slice or an instant is.
pub(super) struct SliceInfo<'a> {
    pub name: Cow<'a, str>,
    pub category: Cow<'static, str>,
    pub args: Vec<(&'static str, Argument<'a>)>,
    /// The flow that ends where the slice begins.
    pub flow_in: Option<FlowId>,
    /// The flows that leave the slice, by their times.
    pub flows_out: Vec<FlowStart>,
}

impl<'a> SliceInfo<'a> {
    pub fn new(name: impl Into<Cow<'a, str>>, category: impl Into<Cow<'static, str>>) -> SliceInfo<'a> {
        SliceInfo {
            name: name.into(),
            category: category.into(),
            args: Vec::new(),
            flow_in: None,
            flows_out: Vec::new(),
        }
    }

    pub fn arg(mut self, name: &'static str, value: impl Into<Argument<'a>>) -> SliceInfo<'a> {
        self.args.push((name, value.into()));
        self
    }

    pub fn known(self, name: &'static str, value: Option<impl Into<Argument<'a>>>) -> SliceInfo<'a> {
        match value {
            Some(value) => self.arg(name, value),
            None => self,
        }
    }

    pub fn interval(self, names: [&'static str; 3], value: Interval) -> SliceInfo<'a> {
        self.arg(names[0], value.best()).arg(names[1], value.low()).arg(names[2], value.high())
    }
}

/// What is noted beside a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument<'a> {
    /// Words; of a log, escaped.
    Text(Cow<'a, str>),
    /// A number; of nanoseconds where the name ends in `_ns`.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// A length of time, shown in seconds.
    Seconds(Dur),
}

impl<'a> From<&'a str> for Argument<'a> {
    fn from(text: &'a str) -> Self {
        Argument::Text(escaped(text))
    }
}
impl From<String> for Argument<'_> {
    fn from(text: String) -> Self {
        Argument::Text(Cow::Owned(escaped(&text).into_owned()))
    }
}
impl From<Dur> for Argument<'_> {
    fn from(d: Dur) -> Self {
        Argument::Int(d.as_nanos())
    }
}
impl From<u32> for Argument<'_> {
    fn from(n: u32) -> Self {
        Argument::Int(i64::from(n))
    }
}
impl From<i32> for Argument<'_> {
    fn from(n: i32) -> Self {
        Argument::Int(i64::from(n))
    }
}
impl From<bool> for Argument<'_> {
    fn from(yes: bool) -> Self {
        Argument::Bool(yes)
    }
}
