// SPDX-License-Identifier: MIT OR Apache-2.0
//! When each record was stored and when it was transmitted, on one axis.
//!
//! Two clocks disagree: the kernel's stamps say when printk stored a record, if that clock ran; the host's clock shows
//! when its bytes arrived. Here they are aligned record by record, because the kernel's clock may lose time (x86,
//! before its clocksource is the TSC, loses the ticks that fall into console output with interrupts off).
//!
//! The zero of the axis is the zero of the kernel's clock if the log shows it, else the first record.
use serde::{Deserialize, Serialize};

use super::console_start::ConsoleStart;
use super::resolution;
use super::speed::LineSpeed;
use super::speed_change::SpeedChange;
use bootline_capture::units::{Dur, HostTime, KernelTime, LineRate};
use bootline_records::{Arrival, Record, RecordOrigin, RecordSet};

/// Which clock the axis runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The host's: arrival times.
    Arrival,
    /// The kernel's stamps; nothing checks them.
    Kernel,
    /// The log contains no times.
    None,
}

/// When a record was transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitSpan {
    /// Start of the first byte.
    pub start: Dur,
    /// End of the last byte.
    pub end: Dur,
}

/// One record on the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordTimes {
    /// When it was stored; none for a record without any time.
    pub stored: Option<Dur>,
    /// Error of `stored`.
    pub error: Dur,
    /// When it was transmitted: measured, or modelled from the line's speed on the kernel's clock.
    pub transmitted: Option<TransmitSpan>,
}

/// The aligned times of a boot's records.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The axis' clock.
    pub clock: Clock,
    places: Vec<RecordTimes>,
    /// Host time of the axis' zero, on the arrival clock.
    pub zero: HostTime,
    /// Real time that the kernel's clock lost between the console's registration and the last record, if both clocks
    /// are known.
    pub kernel_clock_lost: Dur,
    /// Time of the first byte on the line.
    pub first_byte: Option<Dur>,
    /// The least difference that the axis' clock shows; zero where it is finer than any gap that counts.
    pub resolution: Dur,
}

impl Timeline {
    /// The times of the record at a position.
    pub fn place(&self, index: usize) -> RecordTimes {
        self.places.get(index).copied().unwrap_or_default()
    }

    /// When the record at a position was stored.
    pub fn stored(&self, index: usize) -> Option<Dur> {
        self.place(index).stored
    }

    /// How long the line was busy with records within a time range.
    pub fn line_busy(&self, from: Dur, to: Dur) -> Dur {
        let spans = self.places.iter().filter_map(|p| p.transmitted);
        spans.map(|s| (s.end.min(to) - s.start.max(from)).max_zero()).sum()
    }

    /// A host time on the axis.
    pub fn on_axis(&self, t: HostTime) -> Dur {
        t - self.zero
    }
}

/// What the alignment needs to know.
pub(super) struct AlignmentInput<'a> {
    pub records: &'a RecordSet,
    /// The console start; none if the log does not show it.
    pub console_start: Option<ConsoleStart>,
    pub speed: Option<LineSpeed>,
    /// The change of that speed, if there is one.
    pub speed_change: Option<SpeedChange>,
    /// Whether the record goes over the line (its level is below the console's).
    pub reaches_line: &'a dyn Fn(&Record<'_>) -> bool,
    /// The requested clock.
    pub clock: Option<Clock>,
    /// The step of the kernel's stamps; zero where it is finer than any gap that counts.
    pub stamp_resolution: Dur,
}

impl AlignmentInput<'_> {
    /// The line's speed at the record at a position.
    fn rate_at(&self, index: usize) -> Option<LineRate> {
        self.speed_change.map(|c| c.rate_at(index)).or(self.speed.map(|s| s.rate))
    }

    /// The transmit time of one byte of that record.
    fn character_at(&self, index: usize) -> Option<Dur> {
        self.rate_at(index).map(|rate| rate.time_for(1).as_dur())
    }
}

pub(super) fn align(input: &AlignmentInput<'_>) -> Timeline {
    match choose_clock(input) {
        Clock::Arrival => by_arrival(input),
        Clock::Kernel => by_stamps(input),
        Clock::None => Timeline {
            clock: Clock::None,
            places: vec![RecordTimes::default(); input.records.len()],
            zero: HostTime::ORIGIN,
            kernel_clock_lost: Dur::ZERO,
            first_byte: None,
            resolution: Dur::ZERO,
        },
    }
}

fn choose_clock(input: &AlignmentInput<'_>) -> Clock {
    let (mut kernel, mut arrived, mut stamped, mut coarse) = (0usize, 0usize, 0usize, 0usize);
    for r in input.records.iter() {
        kernel += usize::from(r.source == RecordOrigin::Kernel);
        arrived += usize::from(r.arrival.is_some());
        stamped += usize::from(r.stamp.is_some());
        coarse += usize::from(r.arrival.is_some_and(|a| a.uncertainty >= resolution::COARSE));
    }
    if let Some(asked) = input.clock {
        let known = match asked {
            Clock::Arrival => arrived > 0,
            Clock::Kernel => stamped > 0,
            Clock::None => true,
        };
        return if known { asked } else { Clock::None };
    }
    // Records that were suppressed by their known level (`boot::join_levels`) cannot arrive. They are omitted only if
    // the console start itself arrived: after a quiet console there is nothing to align by.
    let opened = || input.console_start.and_then(|o| input.records.get(o.index)).is_some_and(|r| r.arrival.is_some());
    let awaited = |opened: bool| input.records.iter().filter(|r| !opened || (input.reaches_line)(r)).count();
    let has_arrival = arrived > 0 && arrived * 2 > awaited(opened());
    // Whole seconds on the host's side show less than the kernel's stamps.
    let is_coarse = coarse * 2 > arrived;
    if has_arrival && (stamped == 0 || !is_coarse && arrival_is_plausible(input)) {
        Clock::Arrival
    } else if stamped > 0 && kernel > 0 {
        Clock::Kernel
    } else if has_arrival {
        Clock::Arrival
    } else {
        Clock::None
    }
}

/// A log that was piped from a file has arrival times, but not those of a boot: what took ten seconds by the kernel's
/// stamps cannot have arrived within one.
fn arrival_is_plausible(input: &AlignmentInput<'_>) -> bool {
    let from = input.console_start.map_or(0, |o| o.index);
    let both = |r: Record<'_>| Some((r.stamp?, r.arrival?.last));
    let first = (from..input.records.len()).find_map(|i| both(input.records.get(i)?));
    let last = (from..input.records.len()).rev().find_map(|i| both(input.records.get(i)?));
    let first_arrival = input.records.iter().find_map(|r| r.arrival).map(|a| a.first);
    let (Some((k0, _)), Some((k1, a1)), Some(a0)) = (first, last, first_arrival) else { return true };
    let (kernel, arrival) = (k1 - k0, a1 - a0);
    kernel < Dur::from_millis(500) || arrival.scale(2.0) >= kernel
}

/// The shortest pause that shows that the line was idle. `character` is the transmit time of one byte, as far as it is known.
pub(super) fn rest(character: Option<Dur>, uncertainty: Dur) -> Dur {
    character.unwrap_or(Dur::from_micros(100)) * 3 + Dur::from_millis(2) + uncertainty
}

/// When a record's last byte was transmitted. If only the log line has a stamp, that is its beginning, and the serial
/// line is busy for the transmit time of its bytes.
fn transmitted_at(input: &AlignmentInput<'_>, index: usize, r: &Record<'_>, a: Arrival) -> HostTime {
    let only_a_stamp = input.rate_at(index).filter(|_| a.last <= a.first);
    a.last + only_a_stamp.map_or(Dur::ZERO, |rate| rate.time_for(u64::from(r.line_bytes)).as_dur())
}

/// Error of an unchecked kernel clock, as a share.
const UNCHECKED_DRIFT: f64 = 0.01;

fn console_start_or(input: &AlignmentInput<'_>, first: Option<usize>) -> ConsoleStart {
    input.console_start.unwrap_or(ConsoleStart::of_kernel(
        first.unwrap_or(0),
        usize::MAX,
        bootline_console::Printing::Unknown,
    ))
}

fn by_arrival(input: &AlignmentInput<'_>) -> Timeline {
    let records = input.records;
    let n = records.len();
    let character = |i: usize| input.character_at(i).unwrap_or_default();
    let first_kernel = records.iter().position(|r| r.source == RecordOrigin::Kernel && r.arrival.is_some());
    let first_byte = first_kernel.and_then(|i| Some(records.get(i)?.arrival?.first - character(i)));
    let first_byte = first_byte.or_else(|| records.iter().find_map(|r| r.arrival).map(|a| a.first)).unwrap_or_default();
    let console_start = console_start_or(input, first_kernel);
    let open = console_start.index;
    let open_stamp = records.get(open).and_then(|r| r.stamp).unwrap_or(KernelTime::ORIGIN);
    // Records of the flush at registration were stored before it; the registration's own record was stored at its
    // start.
    let open_offset = first_byte.since_origin() - open_stamp.since_origin();
    let zero = HostTime::ORIGIN + open_offset;

    let offsets = Offsets::measure(input, console_start, open_offset);
    let mut places = vec![RecordTimes::default(); n];
    for (i, r) in records.iter().enumerate() {
        let place = &mut places[i];
        if let Some(a) = r.arrival {
            place.transmitted = Some(TransmitSpan {
                start: a.first - character(i) - zero,
                end: transmitted_at(input, i, &r, a) - zero,
            });
            place.error = a.uncertainty;
            if i <= open && console_start.is_offloaded(i) {
                // In a replay the two clocks can be aligned only where its kthread woke up.
                place.error += console_start.error;
            }
        }
        place.stored = match (r.source, r.stamp, r.arrival) {
            (RecordOrigin::Kernel, Some(k), _) if i <= open => Some(k.since_origin()),
            (RecordOrigin::Kernel, Some(k), Some(a)) if !console_start.writer_waits(i) => {
                let (offset, error) = offsets.at(i);
                place.error += error;
                Some((k.since_origin() + offset).min(a.first.since_origin()) - open_offset)
            }
            (RecordOrigin::Kernel, Some(k), None) => Some(k.since_origin() + offsets.at(i).0 - open_offset),
            (_, _, Some(a)) => Some(a.first - character(i) - zero),
            (_, _, None) => None,
        };
    }
    let lost = offsets.last - open_offset;
    Timeline {
        clock: Clock::Arrival,
        places,
        zero,
        kernel_clock_lost: if stamps_count(records) > 1 { lost } else { Dur::ZERO },
        first_byte: Some(first_byte - zero),
        resolution: resolution::of_arrival(records),
    }
}

fn stamps_count(records: &RecordSet) -> usize {
    records.iter().filter(|r| r.stamp.is_some()).count()
}

/// How far the host's clock is ahead of the kernel's at each record: bounds and the best guess.
///
/// A record cannot arrive before it is stored, so each lag bounds the offset from above; and because a kernel clock
/// loses time and never gains it, so does every later lag. A record that finds the line idle was stored just then:
/// there the offset is known. Between two such records it is interpolated over kernel time.
struct Offsets {
    best: Vec<Dur>,
    error: Vec<Dur>,
    last: Dur,
}

impl Offsets {
    fn at(&self, i: usize) -> (Dur, Dur) {
        (self.best[i], self.error[i])
    }

    fn measure(input: &AlignmentInput<'_>, console_start: ConsoleStart, open_offset: Dur) -> Offsets {
        let records = input.records;
        let n = records.len();
        let open = console_start.index;
        let lag = |r: &Record<'_>| Some(r.arrival?.first.since_origin() - r.stamp?.since_origin());
        // Upper bounds: the least lag from here on.
        let mut upper = vec![Dur::from_nanos(i64::MAX / 4); n];
        let mut least = Dur::from_nanos(i64::MAX / 4);
        for i in (0..n).rev() {
            if i > open {
                if let Some(l) = records.get(i).as_ref().and_then(lag) {
                    least = least.min(l);
                }
            }
            upper[i] = least;
        }
        // Anchors: (kernel time, offset) where it is known.
        let mut anchors: Vec<(usize, KernelTime, Dur)> = Vec::new();
        let open_stamp = records.get(open).and_then(|r| r.stamp).unwrap_or_default();
        anchors.push((open, open_stamp, open_offset.min(upper.get(open).copied().unwrap_or(open_offset))));
        let mut previous: Option<HostTime> = None;
        let mut last_lag: Option<Dur> = None;
        for (i, r) in records.iter().enumerate() {
            let Some(a) = r.arrival else { continue };
            let rested = previous.is_some_and(|p| a.first - p > rest(input.character_at(i), a.uncertainty));
            previous = Some(transmitted_at(input, i, &r, a));
            if i <= open || r.source != RecordOrigin::Kernel {
                continue;
            }
            if let (Some(k), Some(l)) = (r.stamp, lag(&r)) {
                // A pause with a backlog means that the kthread was starved: there the lag grows instead of shrinking.
                let idle = rested && last_lag.is_none_or(|before| l <= before + Dur::from_millis(3));
                last_lag = Some(l);
                if (idle || console_start.writer_waits(i)) && anchors.last().is_none_or(|(_, before, _)| k >= *before) {
                    anchors.push((i, k, l.min(upper[i])));
                }
            }
        }
        let mut best = vec![open_offset; n];
        let mut error = vec![Dur::ZERO; n];
        let mut next = 0;
        for i in 0..n {
            while next + 1 < anchors.len() && anchors[next + 1].0 <= i {
                next += 1;
            }
            let (at, k0, o0) = anchors[next];
            let k = records.get(i).and_then(|r| r.stamp).unwrap_or(k0);
            error[i] = console_start.error;
            if i <= at {
                best[i] = o0;
                continue;
            }
            match anchors.get(next + 1) {
                Some(&(_, k1, o1)) if k1 > k0 => {
                    let share = ((k - k0).as_secs_f64() / (k1 - k0).as_secs_f64()).clamp(0.0, 1.0);
                    best[i] = (o0 + (o1 - o0).scale(share)).min(upper[i]);
                    error[i] = (o1 - o0).abs().max(console_start.error);
                }
                // After the last anchor nothing shows whether the clock ran true; the lags bound it.
                _ => {
                    best[i] = o0.min(upper[i]);
                    error[i] += (upper[i] - best[i]).min((k - k0).scale(UNCHECKED_DRIFT)).max_zero();
                }
            }
        }
        let last = anchors.last().map_or(open_offset, |a| a.2);
        Offsets { best, error, last }
    }
}

/// Only stamps: the line is modelled from its speed.
fn by_stamps(input: &AlignmentInput<'_>) -> Timeline {
    let records = input.records;
    let mut places: Vec<RecordTimes> = records
        .iter()
        .map(|r| RecordTimes { stored: r.stamp.map(KernelTime::since_origin), ..RecordTimes::default() })
        .collect();
    let mut first_byte = None;
    if let (Some(_), Some(console_start)) = (input.speed, input.console_start) {
        let open = console_start.index;
        let mut free = places[open].stored.unwrap_or_default();
        first_byte = Some(free);
        for i in 0..records.len() {
            let Some(r) = records.get(i) else { break };
            if r.source != RecordOrigin::Kernel || !(input.reaches_line)(&r) {
                continue;
            }
            let Some(stored) = places[i].stored else { continue };
            let transmit = input.rate_at(i).map_or(Dur::ZERO, |rate| rate.time_for(u64::from(r.line_bytes)).as_dur());
            let mut start = free.max(stored);
            let mut end = start + transmit;
            if console_start.writer_waits(i) && i > open {
                // The next record cannot have been stored before this one was transmitted: the stamps take precedence.
                start = stored;
                let next = (i + 1..records.len()).find_map(|j| places[j].stored).unwrap_or(end);
                end = (start + transmit).min(next.max(start));
            }
            places[i].transmitted = Some(TransmitSpan { start, end });
            free = end;
        }
    }
    let resolution = input.stamp_resolution;
    for place in &mut places {
        place.error = resolution;
    }
    let zero = HostTime::ORIGIN;
    Timeline { clock: Clock::Kernel, places, zero, kernel_clock_lost: Dur::ZERO, first_byte, resolution }
}
