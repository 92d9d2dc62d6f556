// SPDX-License-Identifier: MIT OR Apache-2.0
//! A time with its unit, its bounds and its clock.
use bootline_boot::Clock;
use bootline_capture::units::{Dur, Interval};

/// A duration, for display. Measured ones have six decimals; an estimate has as many as its interval supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeValue {
    /// The duration.
    pub value: Interval,
    /// Its clock; none if the text around it names the clock.
    pub clock: Option<ClockName>,
}

/// A clock, as readers know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockName {
    /// The host's: when bytes arrived.
    Arrival,
    /// The kernel's stamps.
    Kernel,
}

impl ClockName {
    /// The clock of a boot's axis.
    pub fn of_axis(clock: Clock) -> Option<ClockName> {
        match clock {
            Clock::Arrival => Some(ClockName::Arrival),
            Clock::Kernel => Some(ClockName::Kernel),
            Clock::None => None,
        }
    }

    /// `arrival clock`
    pub fn title(self) -> &'static str {
        match self {
            ClockName::Arrival => "arrival clock",
            ClockName::Kernel => "kernel clock",
        }
    }
}

/// Bounds closer than this would only repeat the value.
const NOISE: Dur = Dur::from_micros(50);

/// An interval narrower than this is shown to the microsecond.
const FINE: Dur = Dur::from_millis(2);

impl TimeValue {
    /// Known exactly.
    pub fn exact(d: Dur) -> TimeValue {
        TimeValue::estimate(Interval::exact(d))
    }

    /// Known between bounds.
    pub fn estimate(value: Interval) -> TimeValue {
        TimeValue { value, clock: None }
    }

    /// Names the clock with the figure.
    pub fn by(self, clock: Option<ClockName>) -> TimeValue {
        TimeValue { clock, ..self }
    }

    /// The likeliest value alone: `15.122 s`.
    pub fn short(&self) -> String {
        format!("{} s", self.seconds(self.value.best()))
    }

    /// The bounds alone: `14.900..15.300 s`; none for one as good as exact.
    pub fn bounds(&self) -> Option<String> {
        let (low, high) = (self.value.low(), self.value.high());
        (high - low > NOISE).then(|| format!("{}..{} s", self.seconds(low), self.seconds(high)))
    }

    /// All of it: `15.122 s (14.900..15.300 s, arrival clock)`.
    pub fn full(&self) -> String {
        let clock = self.clock.map(|c| c.title().to_owned());
        let more: Vec<String> = self.bounds().into_iter().chain(clock).collect();
        if more.is_empty() { self.short() } else { format!("{} ({})", self.short(), more.join(", ")) }
    }

    fn seconds(&self, d: Dur) -> String {
        let width = self.value.high() - self.value.low();
        if width < FINE { d.to_string() } else { in_millis(d) }
    }
}

/// Seconds with three decimals.
pub(super) fn in_millis(d: Dur) -> String {
    let sign = if d < Dur::ZERO { "-" } else { "" };
    let ms = (d.as_nanos().unsigned_abs() + 500_000) / 1_000_000;
    format!("{sign}{}.{:03}", ms / 1_000, ms % 1_000)
}

/// `+0.170 s`, with as many decimals as the size deserves.
pub(super) fn signed(d: Dur) -> String {
    let sign = if d < Dur::ZERO { "-" } else { "+" };
    let size = d.abs();
    let digits = if size < Dur::from_millis(10) { size.to_string() } else { in_millis(size) };
    format!("{sign}{digits}\u{a0}s")
}

/// `88 %` (with a blank that doesn't break), of a positive whole.
pub(super) fn share(part: Dur, whole: Dur) -> Option<String> {
    (whole > Dur::ZERO && part >= Dur::ZERO).then(|| {
        let percent = part.as_secs_f64() / whole.as_secs_f64() * 100.0;
        if percent < 0.95 && part > Dur::ZERO { format!("{percent:.1}\u{a0}%") } else { format!("{percent:.0}\u{a0}%") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_follows_the_interval() {
        let check = |a, b, c, want: &str| {
            let value = Interval::new(Dur::from_micros(a), Dur::from_micros(b), Dur::from_micros(c));
            assert_eq!(TimeValue::estimate(value).by(Some(ClockName::Arrival)).full(), want);
        };
        check(28_412_345, 28_412_345, 28_412_345, "28.412345 s (arrival clock)");
        check(14_900_000, 15_122_400, 15_300_000, "15.122 s (14.900..15.300 s, arrival clock)");
        check(1_000, 1_500, 2_000, "0.001500 s (0.001000..0.002000 s, arrival clock)");
        check(-2_100, -100, 0, "-0.000 s (-0.002..0.000 s, arrival clock)");
        check(1_000, 1_001, 1_002, "0.001001 s (arrival clock)");
        assert_eq!(TimeValue::exact(Dur::from_millis(5)).full(), "0.005000 s");
    }
}
