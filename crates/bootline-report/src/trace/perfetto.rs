// SPDX-License-Identifier: MIT OR Apache-2.0
//! Perfetto's own format: a `Trace` of packets (protos/perfetto/trace/perfetto_trace.proto).
//!
//! | trace | packet |
//! | --- | --- |
//! | boot | `TrackDescriptor` without a parent; a packet sequence of its own, whose first packet clears the incremental state |
//! | track | `TrackDescriptor` below its parent's; lanes of one thing have a merge key in common, others are never merged |
//! | counter | `TrackDescriptor` with a `CounterDescriptor` |
//! | slice, instant, counter's value | `TrackEvent` of `TYPE_SLICE_BEGIN`, `_SLICE_END`, `_INSTANT`, `_COUNTER` |
//! | flow | `flow_ids` of the slice that it leaves, `terminating_flow_ids` of that which it reaches |
//! | names of events, categories, annotations | interned where they come again; a record's text as it is |
//! | start of the capture | `ClockSnapshot` of BOOTTIME and REALTIME |
//!
//! No processes and threads: below a process the UI (v52) puts threads first and sorts the rest by name, whatever order is
//! asked for; below a plain track it keeps the order.
//!
//! Field numbers are checked against the published definitions by `tests/export.rs`.
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use super::boot_trace::trace;
use super::perfetto_field as field;
use super::perfetto_field::value::*;
use super::protobuf::Message;
use super::sink::{Argument, SliceInfo, TraceSink, TrackDescriptor, TrackId, TrackKind};
use super::traced_boot::{TraceOrigin, TracedBoot, boot_name, nanos};
use crate::emitter::{BootEmitter, ReportedBoot};
use bootline_boot::{Boot, Clock};
use bootline_capture::units::Dur;

/// Number of track uuids and flow ids reserved for each boot, so that those of two boots never collide.
const UUIDS: u64 = 1 << 32;

/// Writes boots into one trace, piece by piece.
#[derive(Debug, Default)]
pub struct Perfetto {
    origin: TraceOrigin,
    boots: u64,
}

impl Perfetto {
    /// An empty trace: zero bytes.
    pub fn new() -> Perfetto {
        Perfetto::default()
    }
}

impl BootEmitter for Perfetto {
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        let ReportedBoot { boot, findings, label } = *reported;
        let traced = TracedBoot::new(boot, findings);
        let zero = self.origin.zero(&traced);
        let first = self.boots == 0;
        self.boots += 1;
        let mut sequence = Sequence {
            id: self.boots,
            zero,
            base: self.boots * UUIDS,
            categories: HashMap::new(),
            names: HashMap::new(),
            times: BTreeSet::new(),
            annotations: HashMap::new(),
            out,
            result: Ok(()),
        };
        sequence.open(&boot_name(boot, label), started(boot).filter(|_| first), self.origin.shift());
        trace(&traced, zero, &mut sequence);
        sequence.result
    }
}

/// The time of day at which the capture began.
fn started(boot: &Boot) -> Option<u64> {
    let unix = boot.header.as_ref().filter(|_| boot.timeline.clock == Clock::Arrival)?.started_unix_ns?;
    u64::try_from(unix).ok()
}

/// The packets of one boot.
struct Sequence<'o> {
    id: u64,
    zero: Dur,
    base: u64,
    categories: HashMap<String, u64>,
    names: HashMap<String, u64>,
    /// Counters of seconds.
    times: BTreeSet<TrackId>,
    annotations: HashMap<&'static str, u64>,
    out: &'o mut dyn Write,
    /// The first error; nothing is written after it.
    result: io::Result<()>,
}

/// Longer names, and those that don't come again, aren't interned.
const LONGEST_INTERNED: usize = 64;
/// Names kept; a log may hold a million different ones.
const MOST_INTERNED: usize = 10_000;

/// Names that this packet brings for the first time.
#[derive(Default)]
struct Fresh<'a> {
    category: Option<(u64, &'a str)>,
    name: Option<(u64, &'a str)>,
    annotations: Vec<(u64, &'static str)>,
}

impl Sequence<'_> {
    fn packet(&mut self, flags: u64, fill: impl FnOnce(&mut Message)) {
        let id = self.id;
        let mut trace = Message::default();
        trace.message(field::trace::PACKET, |packet| {
            packet.uint(field::packet::SEQUENCE_ID, id).uint(field::packet::SEQUENCE_FLAGS, flags);
            fill(packet);
        });
        if self.result.is_ok() {
            self.result = self.out.write_all(trace.bytes());
        }
    }

    fn uuid(&self, track: TrackId) -> u64 {
        self.base + 1 + track.0
    }

    /// The packets that tell how the others are to be read.
    fn open(&mut self, name: &str, started: Option<u64>, shift: Dur) {
        let (id, base) = (self.id, self.base);
        self.packet(STATE_CLEARED, |packet| {
            packet.uint(field::packet::FIRST_ON_SEQUENCE, 1);
            packet.message(field::packet::DEFAULTS, |d| _ = d.uint(field::defaults::CLOCK_ID, CLOCK_BOOTTIME));
        });
        if let Some(unix) = started {
            let clocks = [(CLOCK_BOOTTIME, nanos(shift, Dur::ZERO)), (CLOCK_REALTIME, unix)];
            self.packet(NEEDS_STATE, |packet| {
                packet.message(field::packet::CLOCK_SNAPSHOT, |snapshot| {
                    for (clock, at) in clocks {
                        snapshot.message(field::snapshot::CLOCKS, |c| {
                            c.uint(field::snapshot::CLOCK_ID, clock).uint(field::snapshot::TIMESTAMP, at);
                        });
                    }
                    snapshot.uint(field::snapshot::PRIMARY, CLOCK_BOOTTIME);
                });
            });
        }
        self.packet(NEEDS_STATE, |packet| {
            packet.message(field::packet::TRACK_DESCRIPTOR, |track| {
                track.uint(field::track::UUID, base).text(field::track::NAME, name);
                track.uint(field::track::CHILD_ORDERING, ORDER_EXPLICIT).uint(field::track::ORDER_RANK, id);
                track.uint(field::track::MERGE, MERGE_NONE);
            });
        });
    }

    fn event(&mut self, kind: u64, on: TrackId, at: Dur, what: Option<&SliceInfo<'_>>, value: Option<i64>) {
        let (track, at) = (self.uuid(on), nanos(self.zero, at));
        let mut event = Message::default();
        event.uint(field::event::TYPE, kind).uint(field::event::TRACK, track);
        let mut fresh = Fresh::default();
        if let Some(what) = what {
            for start in &what.flows_out {
                event.fixed64(field::event::FLOW_IDS, self.base + start.id.0);
            }
            if let Some(id) = what.flow_in {
                event.fixed64(field::event::TERMINATING_FLOW_IDS, self.base + id.0);
            }
            let (iid, is_fresh) = intern(&mut self.categories, &what.category);
            event.uint(field::event::CATEGORY_IIDS, iid);
            fresh.category = is_fresh.then_some((iid, &*what.category));
            // A record's text is its own.
            let common = what.name.len() <= LONGEST_INTERNED && what.args.first().is_none_or(|a| a.0 != "record");
            if common && (self.names.len() < MOST_INTERNED || self.names.contains_key(&*what.name)) {
                let (iid, is_fresh) = intern(&mut self.names, &what.name);
                event.uint(field::event::NAME_IID, iid);
                fresh.name = is_fresh.then_some((iid, &*what.name));
            } else {
                event.text(field::event::NAME, &what.name);
            }
            for (name, value) in &what.args {
                let next = self.annotations.len() as u64 + 1;
                let iid = *self.annotations.entry(name).or_insert_with(|| {
                    fresh.annotations.push((next, name));
                    next
                });
                event.message(field::event::ANNOTATIONS, |a| {
                    a.uint(field::annotation::NAME_IID, iid);
                    match value {
                        Argument::Text(text) => a.text(field::annotation::TEXT, text),
                        Argument::Int(n) => a.int(field::annotation::INT, *n),
                        Argument::Seconds(d) => a.int(field::annotation::INT, d.as_nanos()),
                        Argument::Bool(yes) => a.uint(field::annotation::BOOL, u64::from(*yes)),
                    };
                });
            }
        }
        match value {
            // The UI writes 55 000 000 000 ns as `55G ns`, and 55 s as `55 s`.
            Some(value) if self.times.contains(&on) => {
                _ = event.double(field::event::COUNTER_DOUBLE, Dur::from_nanos(value).as_secs_f64());
            }
            Some(value) => _ = event.int(field::event::COUNTER_VALUE, value),
            None => {}
        }
        self.packet(NEEDS_STATE, |packet| {
            packet.uint(field::packet::TIMESTAMP, at);
            fresh.write(packet);
            packet.bytes_field(field::packet::TRACK_EVENT, event.bytes());
        });
    }
}

impl Fresh<'_> {
    fn write(&self, packet: &mut Message) {
        let mut interned = Message::default();
        let mut put = |list: u32, (iid, name): (u64, &str)| {
            interned.message(list, |m| _ = m.uint(field::interned::IID, iid).text(field::interned::NAME, name));
        };
        self.category.into_iter().for_each(|c| put(field::interned::CATEGORIES, c));
        self.name.into_iter().for_each(|n| put(field::interned::EVENT_NAMES, n));
        self.annotations.iter().for_each(|a| put(field::interned::ANNOTATION_NAMES, *a));
        if !interned.bytes().is_empty() {
            packet.bytes_field(field::packet::INTERNED_DATA, interned.bytes());
        }
    }
}

/// The number of a name, from 1, and whether it is new.
fn intern(known: &mut HashMap<String, u64>, name: &str) -> (u64, bool) {
    if let Some(iid) = known.get(name) {
        return (*iid, false);
    }
    let iid = known.len() as u64 + 1;
    known.insert(name.to_owned(), iid);
    (iid, true)
}

impl TraceSink for Sequence<'_> {
    fn track(&mut self, track: TrackDescriptor<'_>) {
        let uuid = self.uuid(track.id);
        if track.kind == TrackKind::Time {
            self.times.insert(track.id);
        }
        let parent = track.parent.map_or(self.base, |p| self.uuid(p));
        self.packet(NEEDS_STATE, |packet| {
            packet.message(field::packet::TRACK_DESCRIPTOR, |m| {
                m.uint(field::track::UUID, uuid).uint(field::track::PARENT, parent);
                m.int(field::track::ORDER_RANK, track.id.0 as i64);
                m.text(field::track::NAME, &track.name).text(field::track::DESCRIPTION, track.about);
                match track.tracks_of {
                    Some(key) => m.uint(field::track::MERGE, MERGE_BY_KEY).text(field::track::MERGE_KEY, key),
                    None => m.uint(field::track::MERGE, MERGE_NONE),
                };
                m.uint(field::track::CHILD_ORDERING, ORDER_EXPLICIT);
                match track.kind {
                    TrackKind::Bytes => m.message(field::track::COUNTER, |c| {
                        c.text(field::counter::UNIT_NAME, "bytes").text(field::counter::SHARED_AXIS, "bytes");
                    }),
                    TrackKind::Time => m.message(field::track::COUNTER, |c| _ = c.text(field::counter::UNIT_NAME, "s")),
                    TrackKind::Plain => m,
                };
            });
        });
    }

    fn begin(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        self.event(SLICE_BEGIN, on, at, Some(what), None);
    }
    fn end(&mut self, on: TrackId, at: Dur) {
        self.event(SLICE_END, on, at, None, None);
    }
    fn instant(&mut self, on: TrackId, at: Dur, what: &SliceInfo<'_>) {
        self.event(INSTANT, on, at, Some(what), None);
    }
    fn count(&mut self, on: TrackId, at: Dur, value: i64) {
        self.event(COUNTER, on, at, None, Some(value));
    }
}
