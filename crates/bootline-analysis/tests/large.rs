// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs of many records, each made to ask one step of the analysis the most: the time must grow with their number, not
//! with its square. The limit is several times what a debug build needs on a loaded machine, and far below the square's.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the test takes the time")]
use std::fmt::Write;
use std::time::{Duration, Instant};

use bootline_analysis::boot::{Boot, BootOptions, Splitter};
use bootline_analysis::records::Decoder;
use bootline_analysis::rules::findings;

const RECORDS: usize = 60_000;
const LIMIT: Duration = Duration::from_secs(30);

/// `body` gets the number of each record and gives its stamp in microseconds and its text.
fn check(what: &str, body: impl Fn(usize) -> (usize, String)) {
    let mut log = String::from(
        "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: console=ttyS0,115200 \
         initcall_debug loglevel=10\n[    1.000000] printk: console [ttyS0] enabled\n",
    );
    for i in 0..RECORDS {
        let (us, text) = body(i);
        let us = us + 1_000_000;
        writeln!(log, "[{:5}.{:06}] {text}", us / 1_000_000, us % 1_000_000).unwrap();
    }
    let begin = Instant::now();
    let mut boots = 0;
    let mut splitter = Splitter::new(|b| {
        let boot = Boot::analyse(b, &BootOptions::default());
        assert!(boot.records.len() >= RECORDS);
        findings(&boot);
        boots += 1;
    });
    let mut decoder = Decoder::new(None);
    decoder.push(log.as_bytes(), &mut splitter);
    decoder.finish(&mut splitter);
    splitter.finish();
    assert_eq!(boots, 1);
    assert!(begin.elapsed() < LIMIT, "{what}: {RECORDS} records took {:?}", begin.elapsed());
}

#[test]
fn probes_longer_than_the_log() {
    check("long probes", |i| (i * 4_000, format!("probe of dev{i} returned 0 after 99999999 usecs")));
}

#[test]
fn deferred_probes_one_after_the_other() {
    check("deferred probes", |i| (i * 4_000, format!("probe of dev{i} returned -517 after 2000 usecs")));
}

#[test]
fn initcalls_inside_one_another() {
    check("nested initcalls", |i| {
        let half = RECORDS / 2;
        let text = match i < half {
            true => format!("calling  f{i}_init+0x0/0x10 @ 1"),
            false => format!("initcall f{}_init+0x0/0x10 returned 0 after 5 usecs", RECORDS - 1 - i),
        };
        (i * 4_000, text)
    });
}

#[test]
fn consoles_without_end() {
    check("consoles", |i| {
        let state = if i < RECORDS / 2 { "enabled" } else { "disabled" };
        (i * 4_000, format!("console [a{i}] {state}"))
    });
}

#[test]
fn everything_at_one_moment() {
    check("one moment", |i| (0, format!("probe of dev returned {} after 10 usecs", if i % 2 == 0 { -517 } else { 0 })));
}
