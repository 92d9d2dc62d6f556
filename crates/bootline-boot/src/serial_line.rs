// SPDX-License-Identifier: MIT OR Apache-2.0
//! The serial line of a boot: its speed, what it transmitted, and what that cost.

use super::console::SerialConsole;
use super::console_start::ConsoleStart;
use super::initcall_debug;
use super::milestone;
use super::refuted_speed::{arrived_too_soon, is_refuted};
use super::speed::{self, ArrivalSamples, LineSpeed, SpeedSource};
use super::speed_change::SpeedChange;
use super::timeline::Timeline;
use super::wait::{ConsoleWait, WaitCause};
use bootline_capture::Header;
use bootline_capture::units::{Dur, Interval, LineRate};
use bootline_records::{Record, RecordId, RecordOrigin, RecordSet};

/// The serial line of a boot.
#[derive(Clone, Debug)]
pub struct SerialLine {
    /// The console on it.
    pub console: SerialConsole,
    /// Its speed, measured or declared; where it changed, the one that most of the kernel's bytes had.
    pub speed: Option<LineSpeed>,
    /// The change of its speed; none if arrival times show none.
    pub speed_change: Option<SpeedChange>,
    /// Bytes transmitted up to the boot's end.
    pub bytes_before_end: u64,
    /// Bytes of the whole log.
    pub bytes: u64,
    /// What the console cost the boot's critical path.
    pub cost: Interval,
    /// How long the line was busy in parallel with the boot, fed by a kthread. In-tree drivers spin on the transmitter,
    /// so the kthread occupies a CPU for as long.
    pub printed_in_parallel: Dur,
    /// The flush at registration.
    pub flush: Option<Flush>,
    /// How long after the boot's end its own record arrived (asynchronous consoles).
    pub lag_at_end: Option<Dur>,
    /// When the whole log was transmitted, on the axis.
    pub drained: Option<Dur>,
}

/// The flush of the ring buffer when the console registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flush {
    /// The registration's record.
    pub record: RecordId,
    /// The record after it.
    pub next: Option<RecordId>,
    /// Bytes stored before.
    pub bytes: u64,
    /// How long the boot waited for them.
    pub waited: Interval,
}

/// Whether a record was printed. A record that arrived was. In a kernel's own log the level decides; without levels,
/// the texts of `initcall_debug` are known to be KERN_DEBUG, and with `quiet` almost nothing is printed. `limit` is the console's log
/// level.
pub(super) fn reaches_line(r: &Record<'_>, limit: u8) -> bool {
    if r.arrival.is_some() {
        return true;
    }
    match r.level {
        Some(level) => level.0 < limit,
        None => limit >= 7 && (limit > 7 || !initcall_debug::is_debug_level(r.text)),
    }
}

#[allow(clippy::too_many_arguments, reason = "one caller; each argument is a step's result")]
pub(super) fn speed(
    records: &RecordSet,
    samples: Option<&ArrivalSamples>,
    change: Option<&SpeedChange>,
    header: Option<&Header>,
    serial: Option<&SerialConsole>,
    console_start: Option<ConsoleStart>,
    until: usize,
    reaches_line: impl Fn(&Record<'_>) -> bool,
) -> Option<LineSpeed> {
    let exactly = |rate, source| LineSpeed { rate, low: rate, high: rate, source, samples: 0 };
    if records.has_arrivals() {
        let measured = samples.and_then(|samples| match change {
            Some(change) => Some(change.main_speed(samples, records, until)),
            None => samples.speed(),
        });
        let stated = header.and_then(|h| h.line_bytes_per_s).map(|r| exactly(r, SpeedSource::Header));
        if measured.is_some() || stated.is_some() {
            return measured.or(stated);
        }
    }
    let serial = serial?;
    // Stamps show the line's speed only if the writer waits for it.
    let waits = serial.printing.writer_waits();
    let from = console_start.map_or(0, |o| o.index + 1);
    // Records that should not have reached the line show its speed only where they confirm what was declared.
    let confirms = |speed: &LineSpeed| {
        let declared = serial.declared_baud.map(|b| LineRate::of(b, serial.frame).bytes_per_s());
        declared.is_some_and(|declared| (speed.rate.bytes_per_s() / declared - 1.0).abs() < 0.1)
    };
    let fitted = || {
        let of_printed = speed::from_stamps(records, from, until, &reaches_line);
        // Where all were printed, a second look would find the same.
        let has_others = || (from..until).filter_map(|i| records.get(i)).any(|r| !reaches_line(&r));
        let of_all = || has_others().then(|| speed::from_stamps(records, from, until, |_| true)).flatten();
        of_printed.or_else(|| of_all().filter(confirms))
    };
    let of_kernel = |from| (from..until).filter_map(|i| records.get(i)).filter(|r| r.source == RecordOrigin::Kernel);
    let by_stamps = |rate| waits && is_refuted(of_kernel(from).filter(|r| reaches_line(r)), rate);
    let refuted = |rate| !serial.is_stated && (by_stamps(rate) || arrived_too_soon(of_kernel(0), rate));
    let rate = || serial.declared_baud.map(|b| LineRate::of(b, serial.frame)).filter(|rate| !refuted(*rate));
    let declared = || rate().map(|rate| exactly(rate, SpeedSource::Declared));
    waits.then(fitted).flatten().or_else(declared)
}

/// How long the line was busy between the start of threaded printing and the boot's end.
fn printed_in_parallel(timeline: &Timeline, records: usize, console_start: ConsoleStart, end: Option<usize>) -> Dur {
    // A kthread that sleeps takes nothing from the boot.
    if console_start.offloaded_from <= console_start.kthreads_from {
        return Dur::ZERO;
    }
    let from = timeline.stored(console_start.kthreads_from);
    let to = end.map(|e| e.min(console_start.offloaded_from)).and_then(|e| timeline.stored(e));
    let (Some(from), Some(to)) = (from, to.or_else(|| timeline.stored(records.checked_sub(1)?))) else {
        return Dur::ZERO;
    };
    timeline.line_busy(from, to)
}

/// The waits, plus what a printer kthread takes from the boot: with one CPU all of its time, with several anything from
/// nothing to that.
fn total_cost(
    waits: &[ConsoleWait],
    console_start: Option<ConsoleStart>,
    in_parallel: Dur,
    cpus: Option<u32>,
) -> Interval {
    let own = |w: &&ConsoleWait| console_start.is_none_or(|o| o.writer_waits(w.index));
    let sum = |waits: &mut dyn Iterator<Item = &ConsoleWait>| waits.fold(Interval::default(), |sum, w| sum + w.time);
    let own_waits = sum(&mut waits.iter().filter(own));
    let lock_waits = sum(&mut waits.iter().filter(|w| !own(w)));
    let in_parallel = in_parallel.max(lock_waits.high());
    let best = if cpus == Some(1) { in_parallel } else { lock_waits.best() };
    own_waits + Interval::new(lock_waits.low(), best, in_parallel)
}

#[allow(clippy::too_many_arguments, reason = "one caller; each argument is a step's result")]
pub(super) fn describe(
    records: &RecordSet,
    timeline: &Timeline,
    waits: &[ConsoleWait],
    console: SerialConsole,
    speed: Option<LineSpeed>,
    speed_change: Option<SpeedChange>,
    console_start: Option<ConsoleStart>,
    end: Option<usize>,
    cpus: Option<u32>,
) -> SerialLine {
    let first_kernel = records.iter().position(|r| r.source == RecordOrigin::Kernel).unwrap_or(0);
    let transmitted = |i: usize| timeline.place(i).transmitted;
    let (mut bytes, mut bytes_before_end) = (0, 0);
    let end_stored = end.and_then(|e| timeline.stored(e));
    let mut drained = None;
    for (i, r) in records.iter().enumerate().skip(first_kernel) {
        let Some(p) = transmitted(i) else { continue };
        bytes += u64::from(r.line_bytes);
        drained = drained.max(Some(p.end));
        if end.is_none_or(|e| i <= e)
            && end_stored
                .is_none_or(|t| p.end <= t || Some(i) == end && console_start.is_none_or(|o| o.writer_waits(i)))
        {
            bytes_before_end += u64::from(r.line_bytes);
        }
    }
    let in_parallel = console_start.map_or(Dur::ZERO, |o| printed_in_parallel(timeline, records.len(), o, end));
    let total = total_cost(waits, console_start, in_parallel, cpus);
    let cost = match speed.map(|s| (s.source, s)) {
        // Nothing in the log confirms the speed: the line may have cost nothing.
        Some((SpeedSource::Declared, _)) | None => Interval::new(Dur::ZERO, total.best(), total.high()),
        // What is modelled from a fitted speed is as uncertain as the fit, which may include work that always follows a
        // record.
        Some((SpeedSource::Stamps, s)) => {
            let share = |other: LineRate| s.rate.bytes_per_s() / other.bytes_per_s();
            Interval::new(total.low().scale(share(s.high) * 0.9), total.best(), total.high().scale(share(s.low)))
        }
        Some(_) => total,
    };
    // A coarse clock makes each wait uncertain by its step; together they can't exceed the boot.
    let started = timeline.stored(first_kernel);
    let cost = match started.zip(end_stored).filter(|_| timeline.resolution > Dur::ZERO) {
        Some((started, ended)) => {
            let most = (ended - started).max_zero() + timeline.resolution;
            Interval::new(cost.low().min(most), cost.best().min(most), cost.high().min(most))
        }
        None => cost,
    };
    // A replay is not a flush: nobody waited for it.
    let flush = console_start.filter(|o| !o.is_offloaded(o.index)).map(|ConsoleStart { index: open, .. }| {
        let waited = waits.iter().find(|w| w.cause == WaitCause::Flush).map_or(Interval::default(), |w| w.time);
        let before = records.iter().enumerate().take(open + 1).filter(|(_, r)| r.source == RecordOrigin::Kernel);
        Flush {
            record: milestone::id_at(records, open),
            next: (open + 1..records.len())
                .find_map(|i| records.get(i).filter(|r| r.source == RecordOrigin::Kernel))
                .map(|r| r.id),
            bytes: before.filter(|(i, _)| transmitted(*i).is_some()).map(|(_, r)| u64::from(r.line_bytes)).sum(),
            waited,
        }
    });
    SerialLine {
        lag_at_end: end.and_then(|e| Some((transmitted(e)?.end - timeline.stored(e)?).max_zero())),
        console,
        speed,
        speed_change,
        printed_in_parallel: in_parallel,
        bytes_before_end,
        bytes,
        cost,
        flush,
        drained,
    }
}
