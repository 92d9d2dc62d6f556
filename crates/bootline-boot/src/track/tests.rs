// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use crate::{BootOptions, BootRecords};
use bootline_capture::units::KernelTime;
use bootline_records::{ByteRange, Caller, Record, RecordId, RecordOrigin};

/// A boot from messages: (kernel time in microseconds, the task that printed, text).
fn boot(messages: &[(i64, Option<u32>, String)]) -> Boot {
    let mut input = BootRecords::default();
    for (n, (at, task, text)) in messages.iter().enumerate() {
        input.records.push(&Record {
            id: RecordId(n as u32),
            bytes: ByteRange::default(),
            source: RecordOrigin::Kernel,
            level: None,
            stamp: Some(KernelTime::from_nanos(at * 1_000)),
            caller: task.map(Caller::Task),
            arrival: None,
            line_bytes: 40,
            text,
        });
    }
    Boot::analyse(input, &BootOptions::default())
}

fn calling(at: i64, name: &str, task: u32) -> (i64, Option<u32>, String) {
    (at, None, format!("calling  {name}+0x0/0x10 @ {task}"))
}

fn returned(at: i64, name: &str) -> (i64, Option<u32>, String) {
    (at, None, format!("initcall {name}+0x0/0x10 returned 0 after 1 usecs"))
}

fn probe(at: i64, device: &str, took: i64, task: Option<u32>) -> (i64, Option<u32>, String) {
    (at, task, format!("probe of {device} returned 0 after {took} usecs"))
}

/// Each lane's title and its edges: `+name` where a span begins, `-name` where it ends.
fn drawn(boot: &Boot) -> Vec<(String, String)> {
    let name = |slice: &Slice| boot.spans()[slice.span].name.as_str();
    let edge = |e: &SliceEdge| match e {
        SliceEdge::Begin(slice) => format!("+{}", name(slice)),
        SliceEdge::End(slice) => format!("-{}", name(slice)),
    };
    boot.tracks().iter().map(|l| (l.title(), l.edges().iter().map(edge).collect::<Vec<_>>().join(" "))).collect()
}

#[track_caller]
fn check(messages: &[(i64, Option<u32>, String)], want: &[(&str, &str)]) {
    let got = drawn(&boot(messages));
    assert_eq!(got.iter().map(|(t, e)| (t.as_str(), e.as_str())).collect::<Vec<_>>(), want);
}

#[test]
fn what_one_task_does_is_one_lane() {
    let log =
        [calling(0, "a", 1), probe(50, "dev", 30, None), returned(100, "a"), calling(100, "b", 1), returned(200, "b")];
    check(&log, &[("task 1", "+a +dev -dev -a +b -b")]);
}

#[test]
fn tasks_have_lanes_of_their_own() {
    let log = [calling(0, "a", 1), calling(10, "3_scan", 77), returned(100, "a"), returned(150, "3_scan")];
    check(&log, &[("task 1", "+a -a"), ("task 77", "+scan -scan")]);
}

#[test]
fn what_partly_overlaps_goes_to_a_further_lane() {
    // The probe begins inside a and ends inside b: another task's, but the log doesn't say so.
    let log = [
        calling(0, "a", 1),
        returned(100, "a"),
        calling(110, "b", 1),
        probe(150, "late", 90, None),
        probe(160, "own", 20, None),
        returned(200, "b"),
    ];
    check(&log, &[("task 1", "+a -a +b +own -own -b"), ("task 1, lane 2", "+late -late")]);
}

#[test]
fn one_that_never_returns_lasts_to_the_end() {
    let log = [calling(0, "a", 1), calling(10, "inner", 1), returned(20, "inner"), (90, None, "panic".to_owned())];
    let boot = boot(&log);
    assert_eq!(drawn(&boot), [("task 1".to_owned(), "+a +inner -inner -a".to_owned())]);
    assert_eq!(boot.tracks()[0].slices[0].to, Dur::from_micros(90));
}

fn message() -> impl Strategy<Value = (i64, Option<u32>, String)> {
    let name = (0..6u32).prop_map(|n| format!("f{n}"));
    let task = prop_oneof![Just(None), (1..4u32).prop_map(Some)];
    let one = (0..4u32, name, task, 0..200i64).prop_map(|(kind, name, task, took)| match kind {
        0 => calling(0, &name, task.unwrap_or(1)),
        1 => calling(0, &format!("7_{name}"), task.unwrap_or(9)),
        2 => returned(0, &name),
        _ => probe(0, &name, took, task),
    });
    // A clock that stands still, and now and then one that goes back.
    (one, prop_oneof![9 => 0..50i64, 1 => -80..0i64]).prop_map(|((_, task, text), step)| (step, task, text))
}

proptest! {
    #[test]
    fn lanes_nest_and_lose_nothing(steps in proptest::collection::vec(message(), 1..120)) {
        let mut now = 0;
        let messages: Vec<_> = steps.into_iter().map(|(step, task, text)| {
            now = (now + step).max(0);
            (now, task, text)
        }).collect();
        let boot = boot(&messages);
        let tracks = boot.tracks();
        // Each span is drawn once, where the boot has it.
        let mut drawn: Vec<usize> = tracks.iter().flat_map(|l| &l.slices).map(|b| b.span).collect();
        drawn.sort_unstable();
        prop_assert_eq!(drawn, (0..boot.spans().len()).collect::<Vec<_>>());
        for track in &tracks {
            let mut running = Vec::new();
            let mut before = Dur::from_nanos(i64::MIN);
            for edge in track.edges() {
                prop_assert!(edge.at() >= before, "{track:?}");
                before = edge.at();
                match edge {
                    SliceEdge::Begin(slice) => {
                        let span = &boot.spans()[slice.span];
                        prop_assert!(slice.to >= slice.from && slice.from == span.start);
                        prop_assert_eq!(span.task.unwrap_or(1), track.task);
                        prop_assert_eq!(slice.depth, running.len());
                        // Only a parent's bar is drawn upon.
                        if let Some(Slice { span: below, .. }) = running.last() {
                            prop_assert_eq!(span.parent, Some(*below));
                        }
                        running.push(slice);
                    }
                    SliceEdge::End(slice) => prop_assert_eq!(running.pop(), Some(slice)),
                }
            }
            prop_assert!(running.is_empty());
        }
        // What returned is as long as the boot says it was.
        let sum = |lengths: &mut dyn Iterator<Item = Dur>| lengths.sum::<Dur>();
        let of_bars = sum(&mut tracks.iter().flat_map(|l| &l.slices).filter(|b| boot.spans()[b.span].end.is_some()).map(|b| b.to - b.from));
        let of_spans = sum(&mut boot.spans().iter().filter(|s| s.end.is_some()).map(|s| s.gross().max_zero()));
        prop_assert_eq!(of_bars, of_spans);
    }
}
