// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the boot waited for the console, record by record.
//!
//! Between two records the boot either works or waits for the console. Where the writer waits for its own bytes, the
//! wait is the transmit time of its record. Where a kthread prints, a wait is recognised by its end: a task that waits
//! for the console lock gets it just when the line has drained, and work does not end just then by chance. With one CPU
//! the boot makes no progress while that kthread spins on the transmitter.
use std::ops::Deref;

use super::console_start::ConsoleStart;
use super::timeline::{Clock, Timeline};
use bootline_capture::units::{Dur, Interval};
use bootline_console::Printing;
use bootline_records::{RecordOrigin, RecordSet};

/// A wait between one record and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleWait {
    /// Position of the record after which the boot waited.
    pub index: usize,
    /// Start of the wait, when the record was stored.
    pub from: Dur,
    /// Length of the wait.
    pub time: Interval,
    /// Cause of the wait.
    pub cause: WaitCause,
}

/// The waits up to the boot's end, sorted by start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsoleWaits {
    list: Vec<ConsoleWait>,
    /// Cumulative sum of the waits before each position, because queries may be as many as records.
    sums: Vec<Dur>,
}

/// Cause of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// Transmission of the writer's own record.
    OwnRecord,
    /// The flush of everything stored before the console registered.
    Flush,
    /// The console lock, held by the printer kthread until the line had drained.
    ConsoleLock,
    /// The only CPU, occupied by a printer kthread that spins while the line is busy.
    Processor,
}

pub(super) fn waits(
    records: &RecordSet,
    timeline: &Timeline,
    console_start: ConsoleStart,
    until: usize,
    cpus: Option<u32>,
) -> ConsoleWaits {
    let open = console_start.index;
    let mut found = Vec::new();
    // Positions of kernel records with a place, from the registration to the end of the boot.
    let placed: Vec<usize> = (open..=until.min(records.len().saturating_sub(1)))
        .filter(|&i| records.get(i).is_some_and(|r| r.source == RecordOrigin::Kernel) && timeline.stored(i).is_some())
        .collect();
    let flush = flush_by_stamps(timeline, console_start, &placed);
    found.extend(flush);
    let flushed = flush.map_or(Dur::from_nanos(i64::MIN), |f| f.from + f.time.best());
    for pair in placed.windows(2) {
        let (i, next) = (pair[0], pair[1]);
        if flush.is_some() && timeline.stored(i).is_some_and(|s| s < flushed) {
            continue;
        }
        let (here, there) = (timeline.place(i), timeline.place(next));
        let (Some(stored), Some(next_stored), Some(transmitted)) = (here.stored, there.stored, here.transmitted) else {
            continue;
        };
        let gap = (next_stored - stored).max_zero();
        let drain = (transmitted.end - stored).max_zero().min(gap);
        let backlog = console_start.writer_waits(i);
        let cause = if i == open { WaitCause::Flush } else { WaitCause::OwnRecord };
        if backlog {
            // Nobody waits for the last bytes in a FIFO; the reader's uncertainty bounds the rest.
            found.push(ConsoleWait { index: i, from: stored, time: Interval::around(drain, here.error), cause });
            continue;
        }
        if console_start.is_offloaded(i) {
            continue;
        }
        let lock_or_flush = if i == open { WaitCause::Flush } else { WaitCause::ConsoleLock };
        // The line is busy until this record is transmitted: first with what was stored before, then with the record.
        let alone = cpus == Some(1) && drain > Dur::ZERO;
        let time = Interval::new(Dur::ZERO, drain, drain);
        let processor = alone.then_some(ConsoleWait { index: i, from: stored, time, cause: WaitCause::Processor });
        let known_taker = || takes_console_lock(records, i, next);
        let lock = || -> Option<(Interval, WaitCause)> {
            // An nbcon console has no lock that other tasks take.
            if console_start.printing == Printing::Nbcon || drain <= Dur::from_millis(20) {
                return None;
            }
            // Printing is asynchronous. Was the line drained when the next record was stored, and only just?
            let tolerance = Dur::from_millis(5) + there.error;
            let rest = next_stored - transmitted.end;
            if rest < -tolerance {
                // The line still had a backlog: only tasks known to take the lock wait, once per call, for one record
                // each.
                let waited = gap > LEAST_LOCK_WAIT && known_taker();
                return waited.then_some((Interval::new(Dur::ZERO, gap, gap), WaitCause::ConsoleLock));
            }
            let just_drained = rest <= tolerance + drain.scale(0.1);
            // With one CPU the boot continues when the line has drained in any case, so the lock must be known to be
            // taken.
            if just_drained && (!alone || i == open || known_taker()) {
                return Some((Interval::new(drain.scale(0.9), drain, gap), lock_or_flush));
            }
            // Work may have gone on while the line drained.
            (!alone).then_some((Interval::new(Dur::ZERO, Dur::ZERO, drain), lock_or_flush))
        };
        let lock = lock().map(|(time, cause)| ConsoleWait { index: i, from: stored, time, cause });
        found.extend(lock.or(processor));
    }
    // After the last record (init's own) nothing was stored, but its writer waited.
    if let Some(wait) =
        placed.last().and_then(|&i| own_wait(timeline, i)).filter(|w| console_start.writer_waits(w.index))
    {
        found.push(wait);
    }
    ConsoleWaits::new(found)
}

/// The flush at a registration that writers wait for, where only stamps are left.
///
/// Other tasks run and store records while the registering one waits, so the record after "enabled" need not be its
/// own. The flush ends with the first record that is not earlier than the transmit time allows, if almost nothing was
/// stored before it.
fn flush_by_stamps(timeline: &Timeline, console_start: ConsoleStart, placed: &[usize]) -> Option<ConsoleWait> {
    if timeline.clock != Clock::Kernel || console_start.kthreads_from <= console_start.index {
        return None;
    }
    let place = timeline.place(console_start.index);
    let (from, end) = (place.stored?, place.transmitted?.end);
    let after = placed.iter().position(|&i| i > console_start.index)?;
    let ends = after
        + placed[after..]
            .iter()
            .position(|&i| timeline.stored(i).is_some_and(|s| s >= from + (end - from).scale(0.9)))?;
    let meanwhile = ends - after;
    if meanwhile == 0 || meanwhile * 10 > console_start.index {
        return None;
    }
    let drain = (end - from).min(timeline.stored(placed[ends])? - from);
    let time = Interval::new(drain.scale(0.9), drain, timeline.stored(placed[ends])? - from);
    Some(ConsoleWait { index: console_start.index, from, time, cause: WaitCause::Flush })
}

/// In a shorter time range, a wait for the lock is not considered.
const LEAST_LOCK_WAIT: Dur = Dur::from_millis(100);

/// Whether something between two records is known to take the console lock (drivers/video/fbdev/core/fbmem.c,
/// drivers/tty/serial/serial_core.c: the port's registration; init/main.c: console_on_rootfs opens /dev/console).
fn takes_console_lock(records: &RecordSet, before: usize, after: usize) -> bool {
    let text = |i: usize| records.get(i).map_or("", |r| r.text);
    let (before, after) = (text(before), text(after));
    let port = (before.contains(" at I/O 0x") || before.contains(" at MMIO 0x")) && before.contains(" is a ");
    // kernel_init frees memory right after the open; x86 frees what was decrypted first.
    let opened = after.starts_with("Freeing unused ") && !before.starts_with("Freeing unused ");
    before.starts_with("calling  fbmem_init") || port || opened
}

fn own_wait(timeline: &Timeline, index: usize) -> Option<ConsoleWait> {
    let place = timeline.place(index);
    let (from, transmitted) = (place.stored?, place.transmitted?);
    let time = Interval::around((transmitted.end - from).max_zero(), place.error);
    Some(ConsoleWait { index, from, time, cause: WaitCause::OwnRecord })
}

impl ConsoleWaits {
    /// The waits without those of one cause.
    pub fn without(&self, cause: WaitCause) -> ConsoleWaits {
        ConsoleWaits::new(self.list.iter().filter(|w| w.cause != cause).copied().collect())
    }

    fn new(list: Vec<ConsoleWait>) -> ConsoleWaits {
        let mut sum = Dur::ZERO;
        let sums = list.iter().map(|w| {
            sum += w.time.best();
            sum
        });
        let sums = std::iter::once(Dur::ZERO).chain(sums).collect();
        ConsoleWaits { list, sums }
    }

    /// The part of the waits that falls between two instants: best estimate.
    pub fn within(&self, from: Dur, to: Dur) -> Dur {
        let end = |w: &ConsoleWait| w.from + w.time.best();
        let first = self.list.partition_point(|w| end(w) <= from);
        let last = self.list.partition_point(|w| w.from < to);
        if last <= first {
            return Dur::ZERO;
        }
        // A wait ends before the next begins, so only the first and the last can extend beyond the time range.
        let before = (from - self.list[first].from).max_zero();
        let after = (end(&self.list[last - 1]) - to).max_zero();
        (self.sums[last] - self.sums[first] - before - after).max_zero()
    }

    /// The same, with bounds.
    pub fn bounds_within(&self, from: Dur, to: Dur) -> Interval {
        let first = self.list.partition_point(|w| w.from + w.time.high() <= from);
        let part = |w: &ConsoleWait, time: Dur| ((w.from + time).min(to) - w.from.max(from)).max_zero();
        self.list[first..].iter().take_while(|w| w.from < to).fold(Interval::default(), |sum, w| {
            sum + Interval::new(part(w, w.time.low()), part(w, w.time.best()), part(w, w.time.high()))
        })
    }
}

impl Deref for ConsoleWaits {
    type Target = [ConsoleWait];
    fn deref(&self) -> &[ConsoleWait] {
        &self.list
    }
}
