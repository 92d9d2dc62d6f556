// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change of the line's speed while the log is printed: by a program (stty, a getty that tries one speed after the
//! other), or where a boot loader and a kernel are set to different speeds.
//!
//! Only arrival times show it. A line never transmits faster than its speed, so the faster part is proven by bytes that
//! the slower speed could not have transmitted. The slower part may also be an idle line: it counts only where each log
//! line took as long as its bytes take at a standard baud. Of several changes, the one with the most bytes is found.
use super::console::SerialConsole;
use super::speed::{ArrivalSamples, LineSpeed, Sample, SpeedSource};
use bootline_capture::units::{Baud, Dur, Frame, LineRate};
use bootline_records::{RecordId, RecordOrigin, RecordSet};

/// A change of a line's speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedChange {
    /// Standard baud before the change.
    pub from: Baud,
    /// Standard baud from the change on.
    pub to: Baud,
    /// Measured speed before the change.
    pub before: LineRate,
    /// Measured speed from the change on.
    pub after: LineRate,
    /// The first record at the new speed.
    pub record: RecordId,
    /// Position of that record.
    pub index: usize,
}

/// Speeds that ports are set to. Below them, output at regular intervals looks like a slow line.
const BAUDS: [u32; 11] = [2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_500_000];

/// A busy line's rate, as a share of its nominal one: printk and the UART's driver take some of the time, and stamps of
/// whole milliseconds err in both directions.
const BUSY: std::ops::Range<f64> = 0.88..1.05;

/// A rate above this share of a speed is not transmitted at that speed.
const TOO_FAST: f64 = 1.15;

/// Of this many samples, one may be too fast: its stamps were read late, or it contains the change.
const MISPLACED: usize = 10;

/// Records that a boot console prints at a registration: that the real one is enabled, and that it is disabled itself.
const BOOT_CONSOLES_LAST: usize = 3;

impl SpeedChange {
    /// The measured speed at the record at a position.
    pub fn rate_at(&self, index: usize) -> LineRate {
        if index < self.index { self.before } else { self.after }
    }

    /// Whether the line was slower from the change on.
    pub fn is_slower(&self) -> bool {
        self.to < self.from
    }

    /// Whether it is the start of the kernel's console, whose registration is the record at this position: the last
    /// records of a boot console still have the old speed.
    pub fn is_console_start(&self, registered: usize) -> bool {
        self.index <= registered + BOOT_CONSOLES_LAST
    }

    /// Whether the line has the speed to which the kernel's console set it, as far as the log shows that. A port with
    /// slow registers, to which programs write faster than the kernel, has not.
    pub(super) fn agrees_with(&self, console: &SerialConsole, first_kernel: Option<usize>) -> bool {
        let (Some(declared), Some(registered)) = (console.declared_baud, console.enabled_index.or(first_kernel)) else {
            return true;
        };
        declared == if self.is_console_start(registered) { self.to } else { self.from }
    }

    /// The boot's one speed: that at which most of the kernel's bytes up to `until` were transmitted. If some were
    /// transmitted at the other one, its bounds include that.
    pub(super) fn main_speed(&self, samples: &ArrivalSamples, records: &RecordSet, until: usize) -> LineSpeed {
        let bytes = |from: usize, to: usize| -> u64 {
            let printed = (from..to).filter_map(|i| records.get(i)).filter(|r| r.source == RecordOrigin::Kernel);
            printed.map(|r| u64::from(r.line_bytes)).sum()
        };
        let until = until.min(records.len());
        let (before, after) = (bytes(0, self.index.min(until)), bytes(self.index.min(until), until));
        let (range, rate, other, rest) = match after >= before {
            true => (self.index..records.len(), self.after, self.before, before),
            false => (0..self.index, self.before, self.after, after),
        };
        let exactly = LineSpeed { rate, low: rate, high: rate, source: SpeedSource::Arrival, samples: 0 };
        let speed = samples.within(range.start, range.end).speed().unwrap_or(exactly);
        let is_lower = other.bytes_per_s() < rate.bytes_per_s();
        LineSpeed {
            low: if rest > 0 && is_lower { other } else { speed.low },
            high: if rest > 0 && !is_lower { other } else { speed.high },
            ..speed
        }
    }
}

/// The change of the line's speed that a log's arrival times show.
pub(super) fn find(records: &RecordSet, samples: &ArrivalSamples, frame: Frame) -> Option<SpeedChange> {
    let bauds = || BAUDS.into_iter().filter_map(Baud::new);
    let found = bauds().flat_map(|slow| [true, false].map(|slower| Split::best(samples.list(), slow, frame, slower)));
    let best = found.flatten().filter(|s| s.is_busy(records)).max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
    let index = best.first_changed(records)?;
    let (slow, fast) = (mean(best.slow_part(), best.nominal)?, mean(best.fast_part(), LineRate::of(best.fast, frame))?);
    let in_order = |slow, fast| if best.slower { (fast, slow) } else { (slow, fast) };
    let (before, after) = in_order(slow, fast);
    let (from, to) = if best.slower { (best.fast, best.slow) } else { (best.slow, best.fast) };
    Some(SpeedChange { from, to, before, after, record: records.get(index)?.id, index })
}

/// Samples divided into those at a faster and those at a slower speed.
struct Split<'s> {
    samples: &'s [Sample],
    /// Position of the first sample of the second part.
    at: usize,
    /// The second part is the slower one.
    slower: bool,
    slow: Baud,
    fast: Baud,
    /// Speed of the slow baud.
    nominal: LineRate,
    /// Bytes that agree with both speeds.
    bytes: f64,
}

impl<'s> Split<'s> {
    /// The best split with this baud as the slower one, if it is good enough.
    fn best(samples: &'s [Sample], slow: Baud, frame: Frame, slower: bool) -> Option<Split<'s>> {
        let nominal = LineRate::of(slow, frame);
        // Gain of a sample in the slow part, and in the fast one.
        let slow_gain = |s: &Sample| match share_of(s, nominal) {
            share if BUSY.contains(&share) => s.bytes(),
            share if share > TOO_FAST => -3.0 * s.bytes(),
            _ => 0.0,
        };
        let fast_gain = |s: &Sample| if share_of(s, nominal) > TOO_FAST { s.bytes() } else { 0.0 };
        // Gain of a sample in the second part, and in the first one.
        let gains = |s: &Sample| if slower { (slow_gain(s), fast_gain(s)) } else { (fast_gain(s), slow_gain(s)) };
        let mut gain: f64 = samples.iter().map(|s| gains(s).0).sum();
        let (mut at, mut most) = (0, gain);
        for (i, s) in samples.iter().enumerate() {
            let (second, first) = gains(s);
            gain += first - second;
            if gain > most {
                (at, most) = (i + 1, gain);
            }
        }
        let mut split = Split { samples, at, slower, slow, fast: slow, nominal, bytes: most };
        if !fits(split.slow_part(), nominal, 5, 0.6) {
            return None;
        }
        let fast = BAUDS.into_iter().rev().filter(|b| *b > slow.get()).filter_map(Baud::new);
        split.fast = fast.into_iter().find(|b| fits(split.fast_part(), LineRate::of(*b, frame), 4, 0.2))?;
        Some(split)
    }

    fn part(&self, second: bool) -> &'s [Sample] {
        let (first_part, second_part) = self.samples.split_at(self.at);
        if second { second_part } else { first_part }
    }

    fn slow_part(&self) -> &'s [Sample] {
        self.part(self.slower)
    }

    fn fast_part(&self) -> &'s [Sample] {
        self.part(!self.slower)
    }

    /// Whether the slow part's log lines each took as long as their bytes: output at regular intervals does not.
    fn is_busy(&self, records: &RecordSet) -> bool {
        let lines = busy(self.slow_part(), self.nominal).flat_map(|s| s.from..s.to);
        let lines: Vec<(f64, f64)> =
            lines.filter_map(|i| took(records, i)).map(|(bytes, took)| (bytes, took.as_secs_f64())).collect();
        let rate = self.nominal.bytes_per_s();
        let usual = median(lines.iter().map(|(_, took)| *took));
        let by_bytes = median(lines.iter().map(|(bytes, took)| (took - bytes / rate).abs()));
        let by_interval = median(lines.iter().map(|(_, took)| (took - usual.unwrap_or_default()).abs()));
        by_bytes.zip(by_interval).is_some_and(|(by_bytes, by_interval)| by_bytes * 2.0 < by_interval)
    }

    /// Position of the first record at the new speed: near the split, the samples contain both.
    fn first_changed(&self, records: &RecordSet) -> Option<usize> {
        let (first, second) = self.samples.split_at(self.at);
        let range = first.last()?.from..second.first()?.to;
        let is_fast = |i: &usize| {
            took(records, *i)
                .is_some_and(|(bytes, took)| took < self.nominal.time_for(bytes as u64).as_dur().scale(0.75))
        };
        match self.slower {
            true => Some(range.clone().rev().find(is_fast).map_or(range.start, |i| i + 1)),
            false => Some(range.clone().find(is_fast).unwrap_or(range.end)),
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Shorter log lines show little of a speed.
const SHORTEST: u32 = 24;

/// Bytes of a log line, and the time from its first to its last one, or to the next line's first where only lines have
/// stamps. None for lines that are too short for their stamps.
fn took(records: &RecordSet, index: usize) -> Option<(f64, Dur)> {
    let r = records.get(index).filter(|r| r.line_bytes >= SHORTEST)?;
    let a = r.arrival?;
    let (bytes, took) = match a.last > a.first {
        true => (r.line_bytes - 1, a.last - a.first),
        false => (r.line_bytes, records.get(index + 1)?.arrival?.first - a.first),
    };
    Some((f64::from(bytes), took))
}

/// A sample's rate as a share of a nominal speed.
fn share_of(sample: &Sample, nominal: LineRate) -> f64 {
    sample.rate() / nominal.bytes_per_s()
}

/// The samples of a busy line with this nominal speed.
fn busy(samples: &[Sample], nominal: LineRate) -> impl Iterator<Item = &Sample> {
    samples.iter().filter(move |s| BUSY.contains(&share_of(s, nominal)))
}

/// Whether enough of these samples are those of a busy line of this speed, and almost none are faster.
fn fits(samples: &[Sample], nominal: LineRate, fewest: usize, least_share: f64) -> bool {
    let busy_bytes: f64 = busy(samples, nominal).map(|s| s.bytes()).sum();
    let all_bytes: f64 = samples.iter().map(|s| s.bytes()).sum();
    let too_fast = samples.iter().filter(|s| share_of(s, nominal) > TOO_FAST).count();
    busy(samples, nominal).count() >= fewest
        && busy_bytes >= all_bytes * least_share
        && too_fast <= samples.len().div_ceil(MISPLACED)
}

/// The mean speed of the samples of a busy line with this nominal speed.
fn mean(samples: &[Sample], nominal: LineRate) -> Option<LineRate> {
    let bytes: f64 = busy(samples, nominal).map(|s| s.bytes()).sum();
    LineRate::from_bytes_per_s(bytes / busy(samples, nominal).map(|s| s.bytes() / s.rate()).sum::<f64>())
}

#[cfg(test)]
mod tests;
