// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a disk was asked for, how long it was busy, and how late its answers were.
use bootline_capture::units::{Dur, HostTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::nbd::Operation;
use super::pace::{Slot, WAKE};
use crate::line::{Lateness, LatenessSummary};

/// What a guest asked its storage for until it had booted and its application was seen, on all of its disks. QEMU itself reads one or
/// two sectors of a disk when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageUse {
    /// When the counting ended.
    #[schemars(with = "i64")]
    pub until_ns: HostTime,
    /// Number of reads.
    pub reads: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Number of writes.
    pub writes: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Number of flushes of a disk's cache after a write.
    pub flushes: u64,
    /// Time for which the storage was busy.
    #[schemars(with = "i64")]
    pub busy_ns: Dur,
    /// By how much the disks' threads were late in total, for each answer beyond the 0.05 ms that a wake-up takes and the schedule
    /// allows for: their own delays, without those of QEMU.
    #[schemars(with = "i64")]
    pub late_ns: Dur,
    /// How late each answer was, with that.
    pub lateness: LatenessSummary,
    /// Whether these threads ran ahead of ordinary work (SCHED_FIFO), which the host has to allow.
    pub sched_fifo: bool,
}

/// Adds up operations, in constant memory.
#[derive(Clone, Debug, Default)]
pub(super) struct DiskUsage {
    summed: StorageUse,
    lateness: Lateness,
}

impl DiskUsage {
    /// A thread serves a disk, ahead of ordinary work or not.
    pub fn served(&mut self, ahead: bool) {
        self.summed.sched_fifo = ahead;
    }

    pub fn add(&mut self, operation: Operation, slot: Slot, late: Dur) {
        let (count, bytes) = match operation {
            Operation::Read { length } => (&mut self.summed.reads, Some((&mut self.summed.bytes_read, length))),
            Operation::Write { length } => (&mut self.summed.writes, Some((&mut self.summed.bytes_written, length))),
            Operation::Flush => (&mut self.summed.flushes, None),
        };
        *count += 1;
        if let Some((sum, length)) = bytes {
            *sum += u64::from(length);
        }
        self.summed.busy_ns += slot.due - slot.begin;
        self.summed.late_ns += (late - WAKE).max_zero();
        self.lateness.add(late);
    }

    pub fn summary(&self, until_ns: HostTime) -> StorageUse {
        StorageUse { until_ns, lateness: self.lateness.summary(), ..self.summed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_up_is_not_late_and_what_exceeds_it_is() {
        let at = |us| HostTime::ORIGIN + Dur::from_micros(us);
        let mut usage = DiskUsage::default();
        for late in [-20, 40, 50, 80] {
            usage.add(Operation::Flush, Slot { begin: at(0), due: at(500) }, Dur::from_micros(late));
        }
        let used = usage.summary(at(9));
        assert_eq!((used.late_ns, used.lateness.max_ns), (Dur::from_micros(30), Dur::from_micros(80)));
        assert_eq!((used.flushes, used.busy_ns, used.until_ns), (4, Dur::from_micros(2_000), at(9)));
    }
}
