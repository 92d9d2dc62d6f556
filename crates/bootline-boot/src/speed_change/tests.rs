// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::{Boot, BootOptions, BootRecords};
use bootline_capture::units::HostTime;
use bootline_records::{Arrival, ByteRange, Record};
use std::fmt::Write;

/// A log with minicom's stamps of whole milliseconds.
#[derive(Default)]
struct Log {
    text: String,
    now: f64,
    lines: usize,
}

impl Log {
    /// Lines of 45 to 84 bytes, sent at a speed, with an idle time after each.
    fn lines(mut self, baud: f64, lines: usize, idle: impl Fn(usize) -> f64) -> Log {
        for i in 0..lines {
            let text = format!("[    {}.{:06}] acme {i} {}", self.now as u64, 0, "x".repeat(20 + i * 17 % 40));
            let ms = (self.now * 1000.0) as u64;
            let (minute, second, ms) = (ms / 60_000, ms / 1000 % 60, ms % 1000);
            writeln!(self.text, "[2026-05-06 10:{minute:02}:{second:02}.{ms:03}] {text}").unwrap();
            self.now += (text.len() + 2) as f64 * 10.0 / baud + idle(i);
            self.lines += 1;
        }
        self
    }

    fn change(&self) -> Option<SpeedChange> {
        let records = BootRecords::all(self.text.as_bytes()).swap_remove(0).records;
        assert_eq!(records.len(), self.lines);
        find(&records, &ArrivalSamples::of(&records)?, Frame::default())
    }
}

/// From, to, and the position of the first line at the new speed, to within two lines.
fn check(log: &Log, from: u32, to: u32, index: usize) {
    let change = log.change().unwrap_or_else(|| panic!("{from} to {to} at {index}: nothing found\n{}", log.text));
    assert_eq!((change.from.get(), change.to.get()), (from, to));
    assert!(change.index.abs_diff(index) <= 2, "{} for {index}", change.index);
    let near = |rate: LineRate, baud: u32| (rate.bytes_per_s() * 10.0 / f64::from(baud) - 1.0).abs() < 0.06;
    assert!(near(change.before, from) && near(change.after, to), "{change:?}");
}

fn busy(_: usize) -> f64 {
    0.0
}

#[test]
fn a_line_that_is_made_slower_or_faster() {
    for (from, to) in [(115_200, 9_600), (9_600, 115_200), (38_400, 115_200), (57_600, 38_400), (4_800, 9_600)] {
        let log = Log::default().lines(f64::from(from), 120, busy).lines(f64::from(to), 90, busy);
        check(&log, from, to, 120);
    }
}

/// The faster part may be idle most of the time: bytes that the slower speed can't transmit are enough.
#[test]
fn work_at_the_faster_speed_hides_nothing() {
    let work = |i: usize| if i % 40 < 15 { 0.03 } else { 0.0 };
    let log = Log::default().lines(115_200.0, 200, work).lines(9_600.0, 90, busy);
    check(&log, 115_200, 9_600, 200);
}

#[test]
fn what_is_no_change() {
    let none = |log: Log| assert_eq!(log.change(), None, "{}", log.text);
    // One speed.
    none(Log::default().lines(115_200.0, 300, busy));
    none(Log::default().lines(9_600.0, 100, busy));
    // The line is idle between lines: by chance, and at regular intervals of 66 bytes' time at 9600 baud.
    none(Log::default().lines(115_200.0, 150, busy).lines(115_200.0, 150, |i| 0.001 * (i * 37 % 90) as f64));
    let regular = |i: usize| 0.0685 - (34 + i * 17 % 40) as f64 / 11_520.0;
    none(Log::default().lines(115_200.0, 150, busy).lines(115_200.0, 150, regular));
    // A few lines show nothing.
    none(Log::default().lines(115_200.0, 120, busy).lines(9_600.0, 20, busy));
    // A port with slow registers: no standard speed.
    none(Log::default().lines(115_200.0, 120, busy).lines(25_000.0, 90, busy));
}

/// Where only lines have stamps, the last byte is transmitted a line's bytes later, at the speed of that time.
#[test]
fn waits_are_priced_by_the_speed_of_their_time() {
    let log = Log::default().lines(115_200.0, 120, busy).lines(9_600.0, 90, busy);
    let boot = |baud: u32| {
        let arrived = "[2026-05-06 10:00:00.000] [    0.000000]";
        let text = format!(
            "{arrived} Linux version 6.12.40 (gcc) #1 SMP Mon\n{arrived} Kernel command line: console=ttyS0,{baud}\n{}",
            log.text
        );
        Boot::analyse(BootRecords::all(text.as_bytes()).swap_remove(0), &BootOptions::default())
    };
    // The kernel did not set the port to 38400 baud: something else makes it slow.
    assert_eq!(boot(38_400).line.unwrap().speed_change, None);
    let boot = boot(115_200);
    let took = |i: usize| {
        let span = boot.timeline.place(i).transmitted.unwrap();
        let bytes = f64::from(boot.records.get(i).unwrap().line_bytes);
        bytes / (span.end - span.start).as_secs_f64()
    };
    assert!((took(60) / 11_520.0 - 1.0).abs() < 0.06, "{}", took(60));
    assert!((took(180) / 960.0 - 1.0).abs() < 0.06, "{}", took(180));
}

/// A capture stamps each byte: the pauses between log lines count for nothing.
#[test]
fn a_capture_of_a_line_with_pauses() {
    let capture = |bauds: [f64; 2]| {
        let mut records = RecordSet::new();
        let mut now = HostTime::from_nanos(0);
        for i in 0..120u32 {
            let byte = Dur::from_secs_f64(10.0 / bauds[usize::from(i >= 70)]);
            let bytes = 70 + i * 17 % 30;
            let arrival = Arrival { first: now + byte, last: now + byte * i64::from(bytes), uncertainty: Dur::ZERO };
            now = arrival.last + Dur::from_millis(i64::from(i * 37 % 90));
            records.push(&Record {
                id: RecordId(i),
                bytes: ByteRange { start: 0, end: u64::from(bytes) },
                source: RecordOrigin::Kernel,
                level: None,
                stamp: None,
                caller: None,
                arrival: Some(arrival),
                line_bytes: bytes,
                text: "acme",
            });
        }
        find(&records, &ArrivalSamples::of(&records).unwrap(), Frame::default())
    };
    let found = |bauds| capture(bauds).map(|c| (c.from.get(), c.to.get(), c.index));
    assert_eq!(found([115_200.0, 9_600.0]), Some((115_200, 9_600, 70)));
    assert_eq!(found([38_400.0, 115_200.0]), Some((38_400, 115_200, 70)));
    assert_eq!(found([115_200.0, 115_200.0]), None);
    // An emulated line has any speed.
    assert_eq!(found([5_000_000.0, 9_600.0]), None);
}
