// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot's lines as grabserial writes them with `-t`: `[1.234567 0.012345] line`.
//!
//! The first number is when the line's first character came, in seconds since the first character of all, the second how
//! long after the line before; grabserial's `"[%4.6f %2.6f] "`. By the kernel's clock the stamp stands in for the arrival. The
//! line is the record as its console printed it: prefix, caller, text. A record of several lines has each on its own.
use std::io::{self, Write};

use super::emitter::{BootEmitter, ReportedBoot};
use super::escape::escaped;
use bootline_boot::Clock;
use bootline_capture::units::Dur;
use bootline_records::{Caller, Record, RecordOrigin};

/// Writes boots one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grabserial {
    zero: Option<Dur>,
    last: Option<Dur>,
}

impl BootEmitter for Grabserial {
    /// Writes all of the boot's records that have a time by its axis's clock.
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        let boot = reported.boot;
        for record in boot.records.iter() {
            let time = match boot.timeline.clock {
                Clock::Arrival => record.arrival.map(|a| a.first.since_origin()),
                Clock::Kernel => record.stamp.map(|s| s.since_origin()),
                Clock::None => None,
            };
            let Some(time) = time else { continue };
            // Stamps have a zero of their own.
            let first = if boot.timeline.clock == Clock::Arrival { time } else { Dur::ZERO };
            let time = time - *self.zero.get_or_insert(first);
            for line in record.text.split('\n') {
                let delta = (time - self.last.unwrap_or(time)).max_zero();
                self.last = Some(time);
                writeln!(out, "[{time} {delta}] {}{}", prefix(&record), escaped(line))?;
            }
        }
        Ok(())
    }
}

/// As kernel/printk/printk.c prints it: `[    0.123456][    T1] `.
fn prefix(record: &Record<'_>) -> String {
    let Some(stamp) = record.stamp.filter(|_| record.source == RecordOrigin::Kernel) else { return String::new() };
    let us = stamp.as_nanos().unsigned_abs() / 1_000;
    let caller = match record.caller {
        Some(Caller::Task(n)) => format!("[{:>6}]", format!("T{n}")),
        Some(Caller::Cpu(n)) => format!("[{:>6}]", format!("C{n}")),
        None => String::new(),
    };
    format!("[{:>5}.{:06}]{caller} ", us / 1_000_000, us % 1_000_000)
}
