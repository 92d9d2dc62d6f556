// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole line over real channels: order, conservation and ratios, never milliseconds.
use std::io::Write;
use std::thread;

use bootline_capture::units::{Baud, Dur, Frame};

use super::*;

/// Sends `bytes` one by one through a line, as QEMU does; returns the line's account and what came out.
fn carry(transport: Transport, baud: u32, bytes: &[u8]) -> (LineUsageSummary, Vec<u8>) {
    let pacer = Pacer::new(Baud::new(baud).unwrap(), Frame::default());
    let Channel { reader, writer } = transport.open(pacer.slots()).unwrap();
    let clock = RunClock::start();
    let mut usage = LineUsage::default();
    let mut got = Vec::new();
    let end = thread::scope(|scope| {
        scope.spawn(move || {
            let mut out = std::fs::File::from(writer);
            for b in bytes {
                out.write_all(&[*b]).unwrap();
            }
        });
        read_line(&reader, transport, clock, pacer, &mut |takes| {
            for take in takes {
                assert!(take.due <= take.at);
                usage.add(&take);
                got.extend(take.bytes);
            }
            true
        })
    });
    assert!(end.error.is_none(), "{:?}", end.error);
    (usage.summary(end.lateness.summary()), got)
}

#[test]
fn every_character_comes_through_in_order_and_no_faster_than_the_line() {
    let bytes: Vec<u8> = (0..2000u32).map(|i| (i % 251) as u8).collect();
    for transport in [Transport::Pipe, Transport::Socket] {
        for (baud, n) in [(9_600, 300), (115_200, 2000), (921_600, 2000)] {
            let (usage, got) = carry(transport, baud, &bytes[..n]);
            assert_eq!(got, &bytes[..n]);
            assert_eq!(usage.bytes, n as u64);
            let ideal = Dur::from_nanos(n as i64 * 10 * 1_000_000_000 / i64::from(baud));
            assert!(usage.busy_ns + usage.idle_ns >= ideal, "{transport:?} {baud}: {usage:?}");
        }
    }
}
