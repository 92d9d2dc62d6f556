// SPDX-License-Identifier: MIT OR Apache-2.0
//! The speed that a log itself shows: bytes per time.

use bootline_capture::units::{Dur, KernelTime, LineRate};
use bootline_records::{Arrival, RUNNER_LATENESS, Record, RecordSet};

/// Source of a line's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedSource {
    /// Bytes against arrival times.
    Arrival,
    /// Bytes against the kernel's stamps, while each writer waited for the line.
    Stamps,
    /// The capture's header states the true rate.
    Header,
    /// Declared on the command line; nothing in the log confirms it.
    Declared,
}

/// The speed of a boot's serial line, in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSpeed {
    /// Best estimate.
    pub rate: LineRate,
    /// Lower bound.
    pub low: LineRate,
    /// Upper bound.
    pub high: LineRate,
    /// Source of the estimate.
    pub source: SpeedSource,
    /// Number of samples (records or time ranges).
    pub samples: usize,
}

/// One observation: bytes and the time that they took.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    bytes: f64,
    seconds: f64,
    /// Position of the first record.
    pub from: usize,
    /// Position after the last record whose bytes count.
    pub to: usize,
}

impl Sample {
    /// Bytes per second.
    pub fn rate(self) -> f64 {
        self.bytes / self.seconds
    }

    /// Number of bytes.
    pub fn bytes(self) -> f64 {
        self.bytes
    }
}

/// What arrival times show of a line: bytes inside records where each byte was stamped, else between the stamps of
/// lines.
pub(super) struct ArrivalSamples {
    /// In log order.
    list: Vec<Sample>,
    fewest: usize,
    quantiles: [f64; 3],
}

impl ArrivalSamples {
    pub fn of(records: &RecordSet) -> Option<ArrivalSamples> {
        if !records.has_arrivals() {
            return None;
        }
        let inside = ArrivalSamples { list: inside_records(records), fewest: 3, quantiles: [0.25, 0.5, 0.75] };
        // A line's bytes are transmitted by the next line's stamp, so the speed is the upper plateau.
        let between = || ArrivalSamples { list: between_lines(records), fewest: 4, quantiles: [0.6, 0.8, 0.95] };
        Some(inside).filter(ArrivalSamples::is_enough).or_else(|| Some(between()).filter(ArrivalSamples::is_enough))
    }

    fn is_enough(&self) -> bool {
        self.list.len() >= self.fewest
    }

    /// Those within a range of positions.
    pub fn within(&self, from: usize, to: usize) -> ArrivalSamples {
        let list = self.list.iter().copied().filter(|s| s.from >= from && s.to <= to).collect();
        ArrivalSamples { list, ..*self }
    }

    /// The speed that they show.
    pub fn speed(&self) -> Option<LineSpeed> {
        self.is_enough().then(|| quantiles(self.list.clone(), self.quantiles, SpeedSource::Arrival)).flatten()
    }

    pub fn list(&self) -> &[Sample] {
        &self.list
    }
}

/// A record's bytes follow one another on the line, so the time from its first to its last shows the line's speed.
/// Records too short for the reader's uncertainty are joined with the next one, if the line was not idle between them.
fn inside_records(records: &RecordSet) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut open: Option<(usize, Record<'_>, u64)> = None;
    let mut previous_last = None;
    for (i, r) in records.iter().enumerate() {
        let Some(a) = r.arrival else { continue };
        if a.last <= a.first {
            continue;
        }
        // A pause of more than two bytes at this record's own pace ends a sample.
        let pace = (a.last - a.first) / i64::from(r.line_bytes.max(2) - 1);
        let rested = previous_last.is_none_or(|last| a.first - last > pace * 2 + Dur::from_micros(20));
        let (from, start, bytes) = match open {
            Some((from, start, bytes)) if !rested => (from, start, bytes + u64::from(r.line_bytes)),
            _ => (i, r, u64::from(r.line_bytes)),
        };
        previous_last = Some(a.last);
        let span = a.last - start.arrival.map_or(a.first, |s| s.first);
        if bytes >= 64 && span > (a.uncertainty + Dur::from_micros(30)) * 40 || bytes >= 4096 {
            samples.push(Sample { bytes: (bytes - 1) as f64, seconds: span.as_secs_f64(), from, to: i + 1 });
            open = None;
        } else {
            open = Some((from, start, bytes));
        }
    }
    samples.retain(|s| s.seconds > 0.0);
    samples
}

/// For logs in which only whole lines have stamps (minicom, grabserial): windows of lines.
fn between_lines(records: &RecordSet) -> Vec<Sample> {
    // What a job's log or a logger stamps passed through a busy program first: it shows nothing of a line.
    let fine = |a: &Arrival| a.uncertainty < RUNNER_LATENESS;
    let lines: Vec<_> = records
        .iter()
        .enumerate()
        .filter_map(|(i, r)| r.arrival.filter(fine).map(|a| (a.first, a.uncertainty, u64::from(r.line_bytes), i)))
        .collect();
    let mut samples = Vec::new();
    let mut from = 0;
    let mut bytes = 0;
    for i in 1..lines.len() {
        bytes += lines[i - 1].2;
        let span = lines[i].0 - lines[from].0;
        if bytes >= 600 && span > lines[i].1 * 20 {
            samples.push(Sample {
                bytes: bytes as f64,
                seconds: span.as_secs_f64(),
                from: lines[from].3,
                to: lines[i].3,
            });
            from = i;
            bytes = 0;
        }
    }
    samples
}

/// From the kernel's stamps, for a console whose writers wait: no record can follow sooner than the transmit time of
/// the one before, and most follow right then. So the rates `len / dt` cluster just below the line's rate.
pub(super) fn from_stamps(
    records: &RecordSet,
    after: usize,
    until: usize,
    reaches_line: impl Fn(&Record<'_>) -> bool,
) -> Option<LineSpeed> {
    if counts_jiffies(records) {
        return None;
    }
    let mut samples: Vec<Sample> = Vec::new();
    // Bytes of the record before, if they may be a sample, and its stamp.
    let mut before: Option<(Option<u32>, KernelTime)> = None;
    for i in after..until.min(records.len()) {
        let r = records.get(i)?;
        let Some(stamp) = r.stamp else { continue };
        if let Some((Some(bytes), stored)) = before {
            let dt = (stamp - stored).as_secs_f64();
            if dt > 20e-6 {
                samples.push(Sample { bytes: f64::from(bytes), seconds: dt, from: i, to: i });
            }
        }
        before = Some((Some(r.line_bytes).filter(|bytes| *bytes >= 30 && reaches_line(&r)), stamp));
    }
    // Logarithmic bins of 4 %; the cluster is the fullest pair of neighbours.
    const STEP: f64 = 0.04;
    let bin_of: Vec<i32> = samples.iter().map(|s| (s.rate().ln() / STEP).floor() as i32).collect();
    let (first, last) = (*bin_of.iter().min()?, *bin_of.iter().max()?);
    // One bin more, so that the last one has a neighbour, too.
    let mut bins = vec![0_usize; (last - first) as usize + 2];
    for bin in &bin_of {
        bins[(bin - first) as usize] += 1;
    }
    let pair = |bin: &i32| bins[(bin - first) as usize] + bins[(bin - first) as usize + 1];
    let crowd = (first..=last).filter(|bin| bins[(bin - first) as usize] > 0).max_by_key(pair)?;
    // If writers do not wait, the rates spread over decades, and no two neighbours contain a quarter of them.
    let count = pair(&crowd);
    if count < 8 || count * 4 < samples.len() {
        return None;
    }
    // Work between two records only lowers a sample: the line's rate is at the cluster's upper edge.
    let near = |bin: i32| (crowd..=crowd + 3).contains(&bin);
    let crowded: Vec<Sample> = samples.into_iter().zip(bin_of).filter(|(_, bin)| near(*bin)).map(|(s, _)| s).collect();
    quantiles(crowded, [0.2, 0.9, 1.0], SpeedSource::Stamps)
}

/// Whether the kernel's clock only counts jiffies, of which one is as long as a record on the line.
pub(super) fn counts_jiffies(records: &RecordSet) -> bool {
    let later = records.iter().filter_map(|r| r.stamp).map(|s| s.as_nanos()).filter(|nanos| *nanos > 0);
    let (all, whole) = later.fold((0, 0), |(all, whole), n| (all + 1, whole + usize::from(n % 1_000_000 == 0)));
    whole * 2 > all
}

/// Byte-weighted quantiles of the samples' rates as low, best, high.
fn quantiles(mut samples: Vec<Sample>, at: [f64; 3], source: SpeedSource) -> Option<LineSpeed> {
    samples.retain(|s| s.rate().is_finite() && s.rate() > 0.0);
    samples.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    let total: f64 = samples.iter().map(|s| s.bytes).sum();
    let quantile = |q: f64| {
        let mut sum = 0.0;
        let found = samples.iter().find(|s| {
            sum += s.bytes;
            sum >= q * total
        });
        found.or(samples.last()).and_then(|s| LineRate::from_bytes_per_s(s.rate()))
    };
    Some(LineSpeed {
        low: quantile(at[0])?,
        rate: quantile(at[1])?,
        high: quantile(at[2])?,
        source,
        samples: samples.len(),
    })
}
