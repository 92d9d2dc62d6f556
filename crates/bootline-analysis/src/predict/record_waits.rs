// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a kthread that prints with interrupts off for whole records takes from a boot on another CPU.
//!
//! Such a boot waits for the ends of some records. Their number depends on the boot's work more than on the machine's speed. While the
//! kthread prints, the work is also slower. How many records the boot waits for per second follows from how long its work takes.
use super::boot_workload::ParallelTime;
use bootline_console::{Contention, speed_with_busy_printer};

/// Records that a boot waits for, in QEMU, if the kthread prints from the moment it is ready until init.
const RECORDS_PER_BOOT: f64 = 33.0;
/// Extra seconds per second of work while the kthread prints, in addition to these waits.
const BY_SPINNING: f64 = 0.75;
/// Average length of a record on the line with its stamp, in bytes.
const RECORD_BYTES: f64 = 64.0;
/// How many times smaller or greater the delay of a second of work may be.
const SPREAD: f64 = 3.0;
/// A boot with less work than this, in seconds, is assumed to wait for fewer records: the fastest that was measured had 0.5.
const MIN_WORK: f64 = 0.3;

/// Records that a boot waits for per second of its work while such a kthread prints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RecordWaits {
    per_s: f64,
}

impl RecordWaits {
    /// For the work of a boot that ran at this speed while its own kthread, if it has one, printed.
    pub fn of_work(time: ParallelTime, speed: f64) -> RecordWaits {
        RecordWaits::per_work(time.alone.as_secs_f64() + time.with_kthread.as_secs_f64() * speed)
    }

    /// For the work of a boot whose own kthread prints in this way, on a line of this speed.
    pub fn of_delayed_work(time: ParallelTime, bytes_per_s: f64) -> RecordWaits {
        let (alone, printed) = (time.alone.as_secs_f64(), time.with_kthread.as_secs_f64());
        let stretch = 1.0 + BY_SPINNING;
        let waits = RECORDS_PER_BOOT * RECORD_BYTES / bytes_per_s;
        // The positive solution of work = alone + printed / (stretch + waits / work). If the kthread printed all the time, and for no
        // longer than these waits, there is none: MIN_WORK.
        let b = waits - alone * stretch - printed;
        let root = (b * b + 4.0 * stretch * alone * waits).sqrt();
        let least = alone + printed * (1.0 - most_taken());
        RecordWaits::per_work(((root - b) / (2.0 * stretch)).max(least))
    }

    fn per_work(work: f64) -> RecordWaits {
        RecordWaits { per_s: RECORDS_PER_BOOT / work.max(MIN_WORK) }
    }

    /// The share of its speed that the boot loses while the kthread prints: minimum, best estimate, maximum.
    pub fn taken(self, bytes_per_s: f64) -> [f64; 3] {
        let delay = BY_SPINNING + self.per_s * RECORD_BYTES / bytes_per_s;
        [1.0 / SPREAD, 1.0, SPREAD].map(|factor| (1.0 - 1.0 / (1.0 + delay * factor)).min(most_taken()))
    }
}

/// What the boot would lose on the kthread's own CPU.
fn most_taken() -> f64 {
    1.0 - speed_with_busy_printer(1, Contention::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bootline_capture::units::Dur;

    fn time(alone: f64, printed: f64) -> ParallelTime {
        ParallelTime { alone: Dur::from_secs_f64(alone), with_kthread: Dur::from_secs_f64(printed) }
    }

    /// How long a boot of `work` seconds takes if the kthread prints for a part of that work.
    fn lasts(work: f64, part: f64, bytes_per_s: f64) -> ParallelTime {
        let lost = RecordWaits::per_work(work).taken(bytes_per_s)[1];
        time(work * (1.0 - part), work * part / (1.0 - lost))
    }

    #[test]
    fn the_work_of_a_delayed_boot_is_found_again() {
        for bytes_per_s in [30.0, 240.0, 960.0, 11_520.0] {
            for work in [0.4, 1.0, 10.0] {
                for part in [0.0, 0.3, 1.0] {
                    let found = RecordWaits::of_delayed_work(lasts(work, part, bytes_per_s), bytes_per_s);
                    let expected = RecordWaits::per_work(work);
                    let right = (found.per_s / expected.per_s - 1.0).abs() < 1e-6;
                    assert!(right, "{work} {part} {bytes_per_s}: {found:?}, not {expected:?}");
                }
            }
        }
    }

    /// 33 records of 64 bytes, whatever the machine.
    #[test]
    fn another_line_costs_a_slow_machine_as_much_as_a_fast_one() {
        for work in [0.5, 2.0] {
            let waits = RecordWaits::of_delayed_work(lasts(work, 1.0, 960.0), 960.0);
            let takes = |bytes_per_s| work / (1.0 - waits.taken(bytes_per_s)[1]);
            let more = takes(960.0) - takes(11_520.0);
            assert!((more - 2.017).abs() < 0.001, "{work}: {more}");
        }
    }

    #[test]
    fn what_the_boots_own_kthread_took_is_no_work() {
        let per_s = |speed| RecordWaits::of_work(time(1.0, 2.0), speed).per_s;
        assert_eq!([per_s(1.0), per_s(0.5), per_s(0.0)], [11.0, 16.5, 33.0]);
    }

    #[test]
    fn a_boot_that_is_shorter_than_its_waits_has_a_limit() {
        for (alone, printed) in [(0.0, 0.0), (1e-9, 1e-9), (0.0, 1.0)] {
            for bytes_per_s in [120.0, 960.0] {
                let waits = RecordWaits::of_delayed_work(time(alone, printed), bytes_per_s);
                assert_eq!(waits.per_s, RECORDS_PER_BOOT / MIN_WORK, "{alone} {printed} {bytes_per_s}");
            }
        }
    }

    #[test]
    fn a_slower_line_takes_more_but_no_more_than_the_same_cpu() {
        let taken = |baud: f64| RecordWaits::per_work(1.0).taken(baud / 10.0);
        for (slow, fast) in [(1.0, 300.0), (300.0, 9_600.0), (9_600.0, 115_200.0), (115_200.0, 4_000_000.0)] {
            let (slow, fast) = (taken(slow), taken(fast));
            assert!(slow.iter().zip(fast).all(|(s, f)| *s >= f), "{slow:?} {fast:?}");
            assert!(slow.is_sorted() && slow[2] < 0.99 && fast[0] > 0.0, "{slow:?} {fast:?}");
        }
    }
}
