// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder of Perfetto's traces by nothing but the published field numbers, strict: what they don't know is a fault.
use std::collections::{BTreeMap, HashMap};

use super::Told;

/// (message, field's number) to (name, wire type, type of a message).
type Table = HashMap<(String, u64), (String, String, String)>;

fn table() -> Table {
    let lines = include_str!("perfetto.fields").lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let mut column = line.split('\t').map(str::to_owned);
            let mut next = || column.next().unwrap_or_default();
            ((next(), next().parse().unwrap()), (next(), next(), next()))
        })
        .collect()
}

#[derive(Debug)]
enum Field {
    Number(u64),
    Fixed(u64),
    Text(String),
    Message(Message),
}

#[derive(Debug, Default)]
struct Message {
    fields: Vec<(String, Field)>,
}

impl Message {
    fn all(&self, name: &'static str) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |f| f.0 == name).map(|f| &f.1)
    }
    fn messages(&self, name: &'static str) -> impl Iterator<Item = &Message> {
        self.all(name).map(move |f| match f {
            Field::Message(m) => m,
            other => panic!("{name} is {other:?}"),
        })
    }
    fn message(&self, name: &'static str) -> Option<&Message> {
        let found = self.all(name).last()?;
        match found {
            Field::Message(m) => Some(m),
            other => panic!("{name} is {other:?}"),
        }
    }
    fn number(&self, name: &'static str) -> Option<u64> {
        self.all(name).last().map(|f| match f {
            Field::Number(n) => *n,
            other => panic!("{name} is {other:?}"),
        })
    }
    fn text(&self, name: &'static str) -> Option<&str> {
        self.all(name).last().map(|f| match f {
            Field::Text(t) => t.as_str(),
            other => panic!("{name} is {other:?}"),
        })
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a varint is cut off");
        *bytes = rest;
        value |= u64::from(first & 127) << shift;
        if *first < 128 {
            return value;
        }
    }
    panic!("a varint without an end");
}

fn decode(table: &Table, message: &str, mut bytes: &[u8]) -> Message {
    let mut decoded = Message::default();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (name, wire, inner) =
            table.get(&(message.to_owned(), key >> 3)).unwrap_or_else(|| panic!("{message} has no field {}", key >> 3));
        let field = match (key & 7, wire.as_str()) {
            (0, "varint") => Field::Number(varint(&mut bytes)),
            (1, "fixed64") => {
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Fixed(u64::from_le_bytes(value.try_into().unwrap()))
            }
            (2, "string" | "message") => {
                let length = varint(&mut bytes) as usize;
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                match wire.as_str() {
                    "string" => Field::Text(String::from_utf8(value.to_vec()).expect("a string is UTF-8")),
                    _ => Field::Message(decode(table, inner, value)),
                }
            }
            (number, _) => panic!("{message}.{name} is a {wire}, encoded as {number}"),
        };
        decoded.fields.push((name.clone(), field));
    }
    decoded
}

/// What a sequence has told so far.
#[derive(Default)]
struct Sequence {
    cleared: bool,
    pid: u64,
    categories: HashMap<u64, String>,
    names: HashMap<u64, String>,
    annotations: HashMap<u64, String>,
    tracks: HashMap<u64, String>,
    counters: HashMap<u64, String>,
    running: BTreeMap<u64, Vec<(u64, String)>>,
    last: HashMap<u64, u64>,
}

/// The trace, checked for all that its format demands.
pub fn told(bytes: &[u8]) -> Told {
    let trace = decode(&table(), "Trace", bytes);
    let mut told = Told::default();
    let mut sequences: BTreeMap<u64, Sequence> = BTreeMap::new();
    let mut uuids: HashMap<u64, u64> = HashMap::new();
    for packet in trace.messages("packet") {
        let id = packet.number("trusted_packet_sequence_id").expect("a packet without a sequence");
        let sequence = sequences.entry(id).or_default();
        let flags = packet.number("sequence_flags").unwrap_or(0);
        assert_eq!(flags, if sequence.cleared { 2 } else { 1 }, "the first packet clears, the others need the state");
        if flags == 1 {
            assert_eq!(packet.number("first_packet_on_sequence"), Some(1));
            let clock = packet.message("trace_packet_defaults").and_then(|d| d.number("timestamp_clock_id"));
            assert_eq!(clock, Some(6), "BOOTTIME");
        }
        sequence.cleared = true;
        if let Some(data) = packet.message("interned_data") {
            let lists = [
                ("event_categories", &mut sequence.categories),
                ("event_names", &mut sequence.names),
                ("debug_annotation_names", &mut sequence.annotations),
            ];
            for (list, known) in lists {
                for m in data.messages(list) {
                    let (iid, name) = (m.number("iid").unwrap(), m.text("name").unwrap());
                    assert!(iid > 0, "0 means none");
                    assert_eq!(known.insert(iid, name.to_owned()), None, "{list} {iid} twice");
                }
            }
        }
        if let Some(track) = packet.message("track_descriptor") {
            let uuid = track.number("uuid").unwrap();
            assert_eq!(uuids.insert(uuid, id), None, "a uuid twice");
            let name = track.text("name").unwrap().to_owned();
            assert!(!name.is_empty());
            // What its children are shown by is their rank.
            assert_eq!(track.number("child_ordering"), Some(3));
            let rank = track.number("sibling_order_rank").expect("a place among its siblings");
            let Some(parent) = track.number("parent_uuid") else {
                assert_eq!(sequence.tracks.len(), 0, "the boot comes first");
                sequence.pid = rank;
                continue;
            };
            assert_eq!(uuids.get(&parent), Some(&id), "a parent of another boot, or of none");
            assert!(track.text("description").is_some_and(|d| !d.is_empty()));
            if let Some(counter) = track.message("counter") {
                sequence.counters.insert(uuid, counter.text("unit_name").unwrap().to_owned());
            }
            sequence.tracks.insert(uuid, name);
        }
        if let Some(event) = packet.message("track_event") {
            sequence.event(packet.number("timestamp").expect("an event without a time"), event, &mut told);
        }
    }
    assert!(sequences.values().all(|s| s.running.values().all(Vec::is_empty)), "something never ends");
    told
}

impl Sequence {
    fn event(&mut self, at: u64, event: &Message, told: &mut Told) {
        let uuid = event.number("track_uuid").unwrap();
        let track = (self.pid, self.tracks.get(&uuid).expect("an event on no track").clone());
        assert!(self.last.insert(uuid, at).is_none_or(|before| before <= at), "time goes back on {track:?}");
        for annotation in event.messages("debug_annotations") {
            assert!(self.annotations.contains_key(&annotation.number("name_iid").unwrap()));
            assert_eq!(annotation.fields.len(), 2, "a name and one value");
        }
        let name = || match event.number("name_iid") {
            Some(iid) => self.names.get(&iid).expect("a name that was never told").clone(),
            None => event.text("name").expect("no name").to_owned(),
        };
        let is_counter = self.counters.contains_key(&uuid);
        let kind = event.number("type").unwrap();
        assert_eq!(is_counter, kind == 4, "{track:?}");
        if kind == 1 || kind == 3 {
            let categories: Vec<u64> = event
                .all("category_iids")
                .map(|f| match f {
                    Field::Number(n) => *n,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!(categories.len() == 1 && self.categories.contains_key(&categories[0]));
        }
        match kind {
            1 => {
                let name = name();
                for (list, leaves) in [("flow_ids", true), ("terminating_flow_ids", false)] {
                    for id in event.all(list) {
                        let Field::Fixed(id) = id else { panic!("{id:?}") };
                        told.flow(*id, leaves, (track.clone(), at, name.clone()));
                    }
                }
                self.running.entry(uuid).or_default().push((at, name));
            }
            2 => {
                let (from, name) = self.running.get_mut(&uuid).and_then(Vec::pop).expect("an end of nothing");
                told.slices.entry(track).or_default().push((from, at - from, name));
            }
            3 => told.instants.entry(track).or_default().push((at, name())),
            4 => {
                let value = match event.all("double_counter_value").next() {
                    Some(Field::Fixed(bits)) => (f64::from_bits(*bits) * 1e9).round() as i64,
                    Some(other) => panic!("{other:?}"),
                    None => event.number("counter_value").unwrap() as i64,
                };
                assert_eq!(self.counters[&uuid] == "s", event.all("counter_value").next().is_none());
                told.counts.entry(track).or_default().push((at, value));
            }
            other => panic!("type {other}"),
        }
    }
}
