// SPDX-License-Identifier: MIT OR Apache-2.0
//! How figures are written in a finding's text.
use super::case::Case;
use bootline_boot::{Clock, SerialLine, SpeedSource};
use bootline_capture::units::{Baud, Dur, LineRate};

/// `27.300 s`; below 10 ms in microseconds, because milliseconds would be too coarse.
pub(super) fn seconds(d: Dur) -> String {
    if d == Dur::ZERO {
        "0 s".to_owned()
    } else if d.abs() < Dur::from_millis(10) {
        format!("{} us", d.as_nanos() / 1_000)
    } else {
        format!("{:.3} s", d.as_secs_f64())
    }
}

/// `12 %`
pub(super) fn percent(part: Dur, whole: Dur) -> String {
    if whole <= Dur::ZERO {
        return "0 %".to_owned();
    }
    format!("{:.0} %", 100.0 * part.as_secs_f64() / whole.as_secs_f64())
}

/// The clock of a case's times, with its preposition.
pub(super) fn clock(case: &Case<'_>) -> &'static str {
    match case.boot.timeline.clock {
        Clock::Arrival => "by arrival times",
        Clock::Kernel => "by the kernel's clock",
        Clock::None => "without any clock",
    }
}

/// Speed of a line at its declared baud.
pub(super) fn declared_rate(line: &SerialLine) -> Option<(Baud, LineRate)> {
    let baud = line.console.declared_baud?;
    Some((baud, LineRate::of(baud, line.console.frame)))
}

/// Speed of a line and its source: `960 B/s (measured by arrival times; 9600 baud declared)`.
pub(super) fn speed(line: &SerialLine) -> String {
    let Some(speed) = line.speed else { return "an unknown number of bytes per second".to_owned() };
    let rate = speed.rate.bytes_per_s();
    let known = match speed.source {
        SpeedSource::Arrival => "measured by arrival times",
        SpeedSource::Stamps => "measured by the kernel's stamps",
        SpeedSource::Header => "as the capture states",
        SpeedSource::Declared => "as declared; nothing in the log confirms it",
    };
    let declared = match declared_rate(line) {
        _ if speed.source == SpeedSource::Declared => String::new(),
        Some((baud, d)) if speed.low.bytes_per_s() > d.bytes_per_s() * 1.1 => {
            format!("; faster than the declared {baud} baud: an emulated line")
        }
        Some((baud, _)) => format!("; {baud} baud declared"),
        None => String::new(),
    };
    format!("{rate:.0} B/s ({known}{declared})")
}

/// A faster speed to suggest; none if the line already runs at a UART's usual maximum.
pub(super) fn faster(line: &SerialLine) -> Option<Baud> {
    let now = line.speed?.rate.bytes_per_s();
    let wanted = [115_200, 921_600].into_iter().filter_map(Baud::new);
    let rate = |b: Baud| LineRate::of(b, line.console.frame).bytes_per_s();
    let declared = line.console.declared_baud.map_or(0, Baud::get);
    wanted.into_iter().find(|b| b.get() > declared && rate(*b) > now * 1.5)
}
