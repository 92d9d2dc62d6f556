// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rate at which a driver transmits: the line's, less the pauses between bytes.
use bootline_boot::{Boot, LineSpeed, SpeedSource, WaitCause};
use bootline_capture::units::{Baud, Dur, Frame, LineRate};
use bootline_records::RecordOrigin;

/// The share of a line's nominal rate that drivers reach: minimum, best estimate, maximum. Measured on the lab's paced
/// lines by the flushes of all corpus boots, 9600 to 921600 baud.
const REACHED: [f64; 3] = [0.96, 0.99, 1.0];

/// The baseline's slowest, likeliest and fastest rate.
pub(super) fn baseline(boot: &Boot, speed: LineSpeed) -> [LineRate; 3] {
    match (speed.source, kept_busy(boot)) {
        (SpeedSource::Arrival | SpeedSource::Header, Some(best)) => {
            [best.min(speed.low.bytes_per_s()), best, best.max(speed.high.bytes_per_s())].map(|r| rate(r, speed.rate))
        }
        (SpeedSource::Declared | SpeedSource::Header, None) | (SpeedSource::Declared, _) => nominal(speed.rate),
        (SpeedSource::Arrival | SpeedSource::Stamps, _) => [speed.low, speed.rate, speed.high],
    }
}

/// The rates of a line at another speed: the driver reaches the same share as in the baseline, if the log shows it.
pub(super) fn changed(boot: &Boot, baud: Baud, frame: Frame) -> [LineRate; 3] {
    let line = LineRate::of(baud, frame);
    let speed = boot.line.as_ref().and_then(|l| l.speed);
    let share = speed.and_then(|s| Some(kept_busy(boot)? / s.high.bytes_per_s())).filter(|s| (0.9..=1.0).contains(s));
    let [low, usual, high] = REACHED;
    let best = share.unwrap_or(usual);
    [low.min(best), best, high].map(|s| rate(line.bytes_per_s() * s, line))
}

/// The rates of a line with another frame.
pub(super) fn reframed(rates: [LineRate; 3], from: Frame, to: Frame) -> [LineRate; 3] {
    let factor = f64::from(from.bits()) / f64::from(to.bits());
    rates.map(|r| rate(r.bytes_per_s() * factor, r))
}

fn nominal(line: LineRate) -> [LineRate; 3] {
    REACHED.map(|share| rate(line.bytes_per_s() * share, line))
}

fn rate(bytes_per_s: f64, or: LineRate) -> LineRate {
    LineRate::from_bytes_per_s(bytes_per_s).unwrap_or(or)
}

/// Bytes per second while there was something to print: from the end of one record to the end of the next if that one
/// was already waiting, and from when a record was stored if its writer waited for it.
fn kept_busy(boot: &Boot) -> Option<f64> {
    let (mut bytes, mut time) = (0u64, Dur::ZERO);
    let mut before: Option<Dur> = None;
    let own = |i: usize| boot.waits.binary_search_by_key(&i, |w| w.index).ok().map(|w| boot.waits[w]);
    for i in 0..boot.end_index() {
        let Some(r) = boot.records.get(i).filter(|r| r.source == RecordOrigin::Kernel && r.arrival.is_some()) else {
            continue;
        };
        let place = boot.timeline.place(i);
        let (Some(stored), Some(transmitted)) = (place.stored, place.transmitted) else { continue };
        if let Some(free) = before.filter(|free| stored < *free) {
            bytes += u64::from(r.line_bytes);
            time += transmitted.end - free;
        } else if let Some(wait) = own(i).filter(|w| w.cause == WaitCause::OwnRecord && w.time.best() > Dur::ZERO) {
            bytes += u64::from(r.line_bytes);
            time += wait.time.best();
        }
        before = Some(transmitted.end);
    }
    (bytes > 2000 && time > Dur::ZERO).then(|| bytes as f64 / time.as_secs_f64())
}
