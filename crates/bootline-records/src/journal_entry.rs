// SPDX-License-Identifier: MIT OR Apache-2.0
//! An entry of the systemd journal, from whatever form it was printed in, to a record.
//!
//! Source: systemd.journal-fields(7). Entries whose transport is `kernel` are the kernel's, with the stamp that the kernel
//! gave them. Others become [`RecordOrigin::Other`]: stamped with CLOCK_MONOTONIC, which starts with the kernel's clock and
//! differs from it by milliseconds; they were not on the wire.
use super::boot_announcement::begins_kernel_log;
use super::kmsg::console_len;
use super::output::{RecordEmitter, RecordHead};
use super::unit_event::UnitFields;
use super::{Arrival, ByteRange, Level, ProblemKind, RecordOrigin, Sink};
use bootline_capture::units::{Dur, KernelTime};

/// The fields that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JournalEntry {
    pub is_kernel: bool,
    /// `_SOURCE_MONOTONIC_TIMESTAMP`, else `__MONOTONIC_TIMESTAMP`, in microseconds; `Err` where it is no time.
    pub micros: Option<Result<i64, ()>>,
    pub level: Option<Level>,
    /// `SYSLOG_IDENTIFIER`.
    pub identifier: Option<Vec<u8>>,
    pub message: Vec<u8>,
    /// What says that it is about a unit.
    pub unit: UnitFields,
}

/// A microsecond count, as the journal prints it.
pub(super) fn micros(text: &str) -> Result<i64, ()> {
    let us: i64 = text.trim().parse().map_err(|_| ())?;
    if us.checked_mul(1_000).is_some() { Ok(us) } else { Err(()) }
}

/// A syslog priority from 0 to 7.
pub(super) fn level(text: &str) -> Option<Level> {
    text.trim().parse().ok().filter(|p| *p <= 7).map(Level)
}

impl JournalEntry {
    /// Gives the entry as a record.
    pub fn give<S: Sink>(
        &self,
        range: ByteRange,
        arrival: Option<Arrival>,
        receipt: &mut ReceiptTimes,
        out: &mut RecordEmitter<'_, S>,
    ) {
        if let Some(event) = self.unit.event() {
            out.sink.unit_event(event);
        }
        let stamp = self.micros.and_then(Result::ok).map(|us| KernelTime::from_nanos(us * 1_000));
        if self.micros == Some(Err(())) {
            out.problem(ProblemKind::StampOverflow, range, "a stamp that is no time");
        }
        let mut head = RecordHead {
            source: if self.is_kernel { RecordOrigin::Kernel } else { RecordOrigin::Other },
            level: self.level,
            stamp,
            caller: None,
        };
        if self.is_kernel {
            head.stamp = receipt.stored(stamp, &self.message, range, out);
        }
        match (self.is_kernel, &self.identifier) {
            // As the short format shows them: what systemd says is not what avahi says.
            (false, Some(unit)) => {
                let named = [unit, b": ".as_slice(), &self.message].concat();
                out.record(head, range, arrival, 0, &named);
            }
            (false, None) => out.record(head, range, arrival, 0, &self.message),
            (true, _) => out.record(head, range, arrival, console_len(&head, &self.message), &self.message),
        }
    }
}

/// Tells the kernel's own stamps from the times at which the journal read its records.
///
/// Older versions of `journalctl -o short-monotonic` print the time of receipt. What the kernel logged before journald
/// started was received in one go: its first record, stored at zero, has the time of that start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceiptTimes {
    /// When the first record was received, if that isn't when it was stored.
    from: Option<KernelTime>,
}

/// No kernel's clock shows as much when it prints its banner.
const LATEST_BANNER: Dur = Dur::from_millis(100);

/// What was received within this time of the banner was received with it.
const READING: Dur = Dur::from_secs(1);

impl ReceiptTimes {
    /// When a kernel record was stored, as far as its time shows it.
    pub fn stored<S: Sink>(
        &mut self,
        stamp: Option<KernelTime>,
        text: &[u8],
        range: ByteRange,
        out: &mut RecordEmitter<'_, S>,
    ) -> Option<KernelTime> {
        let now = stamp?;
        let is_known = self.from.is_some_and(|from| from <= now && now < from + READING);
        if !is_known && (text.starts_with(b"Linux version ") || begins_kernel_log(text)) {
            self.from = (now.since_origin() > LATEST_BANNER).then_some(now);
            if self.from.is_some() {
                let detail = format!(
                    "the journal's times are those of receipt: it read what the kernel had logged before at {now} s"
                );
                out.problem(ProblemKind::ReceiptTimes, range, &detail);
            }
        }
        match self.from {
            Some(from) if now < from + READING => None,
            _ => Some(now),
        }
    }
}
