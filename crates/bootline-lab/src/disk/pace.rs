// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedule of a disk of true speed, operation by operation: arithmetic alone, no clock and no file.
use bootline_capture::units::{Dur, HostTime};

use crate::storage::StorageLimits;

/// What an operation takes on its way to the disk and back: QEMU's main loop, a socket, and the threads that wake. A disk on a board
/// has none of it, so an operation begins this much earlier.
const TRANSPORT: Dur = Dur::from_micros(100);

/// What of it a thread takes that wakes when an answer is due, on a host that is not busy: the rest of its lateness is late.
pub(super) const WAKE: Dur = Dur::from_micros(50);

/// How far a disk has read ahead, or has room for what follows, when the next operation of a sequence arrives, in bytes. What a guest
/// takes between two of them is hidden by that, as on real parts; what an emulated controller takes in addition is, too.
const AHEAD: u64 = 128 << 10;

/// The schedule of a disk that does one operation after the other, as eMMC without a command queue, SD cards, USB sticks and NAND do.
/// Each takes as long as its bytes do at the disk's rate, and at least the reciprocal of its operations per second.
#[derive(Clone, Debug)]
pub(super) struct DiskPacer {
    limits: StorageLimits,
    free_at: HostTime,
    /// What would go on with the last operation.
    next: Option<Next>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Next {
    disk: usize,
    writes: bool,
    offset: u64,
}

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The number of the disk on this storage.
    pub disk: usize,
    pub writes: bool,
    pub offset: u64,
    /// 0 for a flush.
    pub bytes: u64,
}

/// When the disk works on an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub begin: HostTime,
    pub due: HostTime,
}

impl DiskPacer {
    /// A disk that is free from the clock's origin on.
    pub fn new(limits: StorageLimits) -> DiskPacer {
        DiskPacer { limits, free_at: HostTime::ORIGIN, next: None }
    }

    /// When an operation arrived that was read at `read`: one that had `waited` on the connection while the last one there was due at
    /// `last_due` has been there since then. A disk with work in its queue does not pause because its server woke late.
    pub fn arrival(read: HostTime, waited: bool, last_due: HostTime) -> HostTime {
        if waited { last_due.min(read) } else { read }
    }

    /// An operation that arrived at `arrived`, after all that were taken before.
    pub fn take(&mut self, arrived: HostTime, access: Access) -> Slot {
        let Access { disk, writes, offset, bytes } = access;
        let begin = self.free_at.max(arrived - TRANSPORT);
        let goes_on = bytes > 0 && self.next == Some(Next { disk, writes, offset });
        let data_begin = if goes_on { self.free_at.max(arrived - TRANSPORT - self.time_for(AHEAD)) } else { begin };
        let one = time(1, self.limits.operations_per_s);
        let due = (begin + one).max(data_begin + self.time_for(bytes));
        self.free_at = due;
        self.next = Some(Next { disk, writes, offset: offset.saturating_add(bytes) });
        Slot { begin: data_begin, due }
    }

    fn time_for(&self, bytes: u64) -> Dur {
        time(bytes, self.limits.bytes_per_s)
    }
}

fn time(amount: u64, per_s: u64) -> Dur {
    let ns = u128::from(amount) * 1_000_000_000 / u128::from(per_s.max(1));
    Dur::from_nanos(i64::try_from(ns).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::storage::StoragePreset;

    fn at(us: i64) -> HostTime {
        HostTime::ORIGIN + Dur::from_micros(us)
    }

    fn read(offset: u64, bytes: u64) -> Access {
        Access { disk: 0, writes: false, offset, bytes }
    }

    /// 1 MB/s and 1000 operations a second.
    fn slow() -> DiskPacer {
        DiskPacer::new(StorageLimits { bytes_per_s: 1_000_000, operations_per_s: 1_000 })
    }

    #[test]
    fn small_operations_take_their_time_and_large_ones_that_of_their_bytes() {
        let mut emmc = DiskPacer::new(StoragePreset::Emmc.limits());
        assert_eq!(emmc.take(at(10_000), read(0, 4096)), Slot { begin: at(9_900), due: at(10_400) });
        // 40 MB/s: a megabyte takes 25 ms. It has waited for the one before.
        assert_eq!(emmc.take(at(10_100), read(1 << 20, 1_000_000)), Slot { begin: at(10_400), due: at(35_400) });
        // A flush has no bytes.
        assert_eq!(emmc.take(at(90_000), read(0, 0)), Slot { begin: at(89_900), due: at(90_400) });
    }

    #[test]
    fn only_what_waited_makes_up_for_a_late_server() {
        let mut disk = slow();
        let first = disk.take(DiskPacer::arrival(at(5_000), false, at(0)), read(0, 512));
        assert_eq!(first.due, at(5_900));
        // The server woke 3 ms late, and finds what has waited.
        let queued = disk.take(DiskPacer::arrival(at(8_900), true, first.due), read(4096, 512));
        assert_eq!(queued, Slot { begin: at(5_900), due: at(6_900) });
        // Then the disk was idle: nothing is made up.
        let later = disk.take(DiskPacer::arrival(at(50_000), false, queued.due), read(0, 512));
        assert_eq!(later, Slot { begin: at(49_900), due: at(50_900) });
    }

    #[test]
    fn a_sequence_goes_on_where_the_disk_has_read_ahead() {
        let mut disk = slow();
        let first = disk.take(at(10_000), read(0, 4_000));
        assert_eq!(first.due, at(13_900));
        // 2 ms later: of its 4 ms, that is gone; of a small one, an operation's time is left.
        assert_eq!(disk.take(at(16_000), read(4_000, 4_000)).due, at(17_900));
        assert_eq!(disk.take(at(20_000), read(8_000, 500)).due, at(20_900));
        // Elsewhere, on another disk, or writing: from the beginning.
        assert_eq!(disk.take(at(30_000), read(9_000, 4_000)).due, at(33_900));
        assert_eq!(disk.take(at(40_000), Access { disk: 1, ..read(13_000, 4_000) }).due, at(43_900));
        assert_eq!(disk.take(at(50_000), Access { disk: 1, writes: true, ..read(17_000, 4_000) }).due, at(53_900));
        // Much later it has read 128 KiB ahead, and no more.
        let last = disk.take(at(9_000_000), Access { disk: 1, writes: true, ..read(21_000, AHEAD + 7_000) });
        assert_eq!(last.due, at(9_000_000 - 100 + 7_000));
    }

    proptest! {
        /// Whatever a guest asks for and when: it never exceeds the limits by more than the allowance at the start.
        #[test]
        fn limits_hold(requests in prop::collection::vec((0i64..300_000, 0u64..300_000, any::<bool>()), 1..200)) {
            for preset in StoragePreset::ALL {
                let limits = preset.limits();
                let mut disk = DiskPacer::new(limits);
                let (mut now, mut bytes, mut last) = (at(1_000), 0, at(0));
                let first = now - TRANSPORT;
                for (pause, size, goes_on) in &requests {
                    now = now + Dur::from_micros(*pause);
                    let slot = disk.take(now, read(if *goes_on { bytes } else { 1 << 50 }, *size));
                    bytes += size;
                    prop_assert!(slot.begin >= last && slot.due > slot.begin);
                    last = slot.due;
                }
                let took = (last - first).as_secs_f64() + 1e-6;
                prop_assert!(bytes as f64 <= took * limits.bytes_per_s as f64);
                prop_assert!(requests.len() as f64 <= took * limits.operations_per_s as f64);
            }
        }
    }
}
