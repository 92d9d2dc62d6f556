// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot's kernel records as `dmesg` prints them, `[    1.234567] text`, but by the boot's own axis.
//!
//! Tools that read a kernel's log take its stamps for time. A kernel's clock may stand still while it prints; by arrival the
//! stamps are those of a clock that doesn't. Who logged a record is left out, as `dmesg` does; a record of several lines has
//! its stamp before each.
use std::io::{self, Write};

use super::emitter::{BootEmitter, ReportedBoot};
use super::escape::escaped;
use bootline_records::RecordOrigin;

/// Boots as `dmesg` prints them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dmesg;

impl BootEmitter for Dmesg {
    /// Writes all of the boot's kernel records that have a time, in the log's order.
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        let boot = reported.boot;
        for (i, record) in boot.records.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel) {
            let Some(stored) = boot.timeline.stored(i) else { continue };
            let us = stored.max_zero().as_nanos().unsigned_abs() / 1_000;
            for line in record.text.split('\n') {
                writeln!(out, "[{:>5}.{:06}] {}", us / 1_000_000, us % 1_000_000, escaped(line))?;
            }
        }
        Ok(())
    }
}
