// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs of many records, each made to ask one step of the analysis the most: the time must grow with their number, not
//! with its square. Only ratios of processor time are compared: they depend neither on the machine nor on its load.
#![allow(clippy::disallowed_macros, reason = "a test may say what it measured")]
use std::fmt::Write;
use std::time::Duration;

use bootline_analysis::rules::findings;
use bootline_boot::{Boot, BootOptions, BootRecords};
use rustix::time::{ClockId, clock_gettime};

const RECORDS: usize = 60_000;
/// So many fewer are compared with them. The larger, the farther apart linear and quadratic growth: on a busy machine a record of the
/// many, which fit into no cache, took three times as long as one of the few.
const FACTOR: usize = 16;

/// What this thread has spent on a processor.
fn processor_time() -> Duration {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), spent.tv_nsec.unsigned_abs() as u32)
}

/// The processor time that the analysis of so many records takes. `body` gets the number of each record, and of how
/// many, and gives its stamp in microseconds and its text.
fn time_for(records: usize, body: &impl Fn(usize, usize) -> (usize, String)) -> Duration {
    let mut log = String::from(
        "[    0.000000] Linux version 6.1.0 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: console=ttyS0,115200 \
         initcall_debug loglevel=10\n[    1.000000] printk: console [ttyS0] enabled\n",
    );
    for i in 0..records {
        let (us, text) = body(i, records);
        let us = us + 1_000_000;
        writeln!(log, "[{:5}.{:06}] {text}", us / 1_000_000, us % 1_000_000).unwrap();
    }
    let begin = processor_time();
    let mut boots = 0;
    for found in BootRecords::all(log.as_bytes()) {
        let boot = Boot::analyse(found, &BootOptions::default());
        assert!(boot.records.len() >= records);
        findings(&boot);
        boots += 1;
    }
    assert_eq!(boots, 1);
    processor_time() - begin
}

/// What grows with the number takes [`FACTOR`] times as long, or a little more; what grows with the square, [`FACTOR`]
/// times that. The bound is between the two.
fn check(what: &str, body: impl Fn(usize, usize) -> (usize, String)) {
    // The quickest of some, in turn: what other work leaves of the caches counts least then, and for both alike.
    let pairs = (0..4).map(|_| (time_for(RECORDS / FACTOR, &body), time_for(RECORDS, &body)));
    let (few, many) = pairs.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).expect("four pairs");
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    eprintln!("{what}: {few:?}, {FACTOR} times as many records {many:?}: {ratio:.1} times");
    let most = (FACTOR as f64).powf(1.5);
    assert!(ratio < most, "{what}: {FACTOR} times as many records took {ratio:.1} times as long");
}

#[test]
fn probes_longer_than_the_log() {
    check("long probes", |i, _| (i * 4_000, format!("probe of dev{i} returned 0 after 99999999 usecs")));
}

#[test]
fn deferred_probes_one_after_the_other() {
    check("deferred probes", |i, _| (i * 4_000, format!("probe of dev{i} returned -517 after 2000 usecs")));
}

#[test]
fn initcalls_inside_one_another() {
    check("nested initcalls", |i, records| {
        let half = records / 2;
        let text = match i < half {
            true => format!("calling  f{i}_init+0x0/0x10 @ 1"),
            false => format!("initcall f{}_init+0x0/0x10 returned 0 after 5 usecs", records - 1 - i),
        };
        (i * 4_000, text)
    });
}

#[test]
fn consoles_without_end() {
    check("consoles", |i, records| {
        let state = if i < records / 2 { "enabled" } else { "disabled" };
        (i * 4_000, format!("console [a{i}] {state}"))
    });
}

#[test]
fn everything_at_one_moment() {
    check("one moment", |i, _| {
        (0, format!("probe of dev returned {} after 10 usecs", if i % 2 == 0 { -517 } else { 0 }))
    });
}

#[test]
fn silences_that_many_rules_explain() {
    check("explained silences", |i, _| {
        let text = match i % 6 {
            0 => format!("acme-i2c {i}: controller timed out"),
            1 => format!("ACPI: \\_SB_.A{i}: New power resource"),
            2 => format!("EXT4-fs (a{}): INFO: recovery required on readonly filesystem", i / 6),
            3 => format!("EXT4-fs (a{}): recovery complete", i / 6),
            4 => "raid6: neonx8   gen()  1112 MB/s".to_owned(),
            _ => format!("acme-mmc {i}: deferred probe timeout, ignoring dependency"),
        };
        (i * 1_100_000, text)
    });
}
