// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clocks and the durations between their instants. An instant of one clock can't be subtracted from an instant of
//! another; only the timeline of a boot relates them.
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// A span of time in nanoseconds; may be negative (a clock that jumped back).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Dur(i64);

impl Dur {
    /// No time at all.
    pub const ZERO: Dur = Dur(0);

    /// From nanoseconds.
    pub const fn from_nanos(ns: i64) -> Dur {
        Dur(ns)
    }
    /// From microseconds; saturates.
    pub const fn from_micros(us: i64) -> Dur {
        Dur(us.saturating_mul(1_000))
    }
    /// From milliseconds; saturates.
    pub const fn from_millis(ms: i64) -> Dur {
        Dur(ms.saturating_mul(1_000_000))
    }
    /// From whole seconds; saturates.
    pub const fn from_secs(s: i64) -> Dur {
        Dur(s.saturating_mul(1_000_000_000))
    }
    /// From seconds as people write them; saturates, NaN becomes zero.
    pub fn from_secs_f64(s: f64) -> Dur {
        Dur(rounded(s * 1e9))
    }
    /// In nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }
    /// In seconds, for display and for statistics.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The magnitude.
    pub const fn abs(self) -> Dur {
        Dur(self.0.saturating_abs())
    }
    /// This, or zero when it is negative.
    pub fn max_zero(self) -> Dur {
        Dur(self.0.max(0))
    }
    /// Scaled by a factor (a share, a ratio); saturates.
    pub fn scale(self, factor: f64) -> Dur {
        Dur(rounded(self.0 as f64 * factor))
    }
}

/// To the nearest whole number, halves away from zero, as `f64::round`; that is a call on processors as old as those that
/// this is compiled for, and the simulations round twice a record.
#[inline]
fn rounded(number: f64) -> i64 {
    let whole = number as i64;
    // Exact: below 2^53 by the format, and above it there is no rest.
    let rest = number - whole as f64;
    whole.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

impl fmt::Display for Dur {
    /// Seconds with six decimals, without a unit: `27.300125`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let us = (self.0.unsigned_abs() + 500) / 1_000;
        write!(f, "{sign}{}.{:06}", us / 1_000_000, us % 1_000_000)
    }
}

impl Add for Dur {
    type Output = Dur;
    fn add(self, other: Dur) -> Dur {
        Dur(self.0.saturating_add(other.0))
    }
}
impl AddAssign for Dur {
    fn add_assign(&mut self, other: Dur) {
        *self = *self + other;
    }
}
impl Sub for Dur {
    type Output = Dur;
    fn sub(self, other: Dur) -> Dur {
        Dur(self.0.saturating_sub(other.0))
    }
}
impl SubAssign for Dur {
    fn sub_assign(&mut self, other: Dur) {
        *self = *self - other;
    }
}
impl Neg for Dur {
    type Output = Dur;
    fn neg(self) -> Dur {
        Dur(self.0.saturating_neg())
    }
}
impl Mul<i64> for Dur {
    type Output = Dur;
    fn mul(self, n: i64) -> Dur {
        Dur(self.0.saturating_mul(n))
    }
}
impl Div<i64> for Dur {
    type Output = Dur;
    fn div(self, n: i64) -> Dur {
        Dur(self.0 / n)
    }
}
impl std::iter::Sum for Dur {
    fn sum<I: Iterator<Item = Dur>>(iter: I) -> Dur {
        iter.fold(Dur::ZERO, Add::add)
    }
}

macro_rules! instant {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// The clock's origin.
            pub const ORIGIN: $name = $name(0);

            /// From nanoseconds since the clock's origin.
            pub const fn from_nanos(ns: i64) -> $name {
                $name(ns)
            }
            /// In nanoseconds since the clock's origin.
            pub const fn as_nanos(self) -> i64 {
                self.0
            }
            /// The time since the clock's origin.
            pub const fn since_origin(self) -> Dur {
                Dur(self.0)
            }
        }

        impl Sub for $name {
            type Output = Dur;
            fn sub(self, earlier: $name) -> Dur {
                Dur(self.0.saturating_sub(earlier.0))
            }
        }
        impl Add<Dur> for $name {
            type Output = $name;
            fn add(self, d: Dur) -> $name {
                $name(self.0.saturating_add(d.0))
            }
        }
        impl Sub<Dur> for $name {
            type Output = $name;
            fn sub(self, d: Dur) -> $name {
                $name(self.0.saturating_sub(d.0))
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.since_origin().fmt(f)
            }
        }
    };
}

instant! {
    /// An instant of the host that received the bytes: nanoseconds since the capture's clock origin (its start).
    HostTime
}
instant! {
    /// An instant of the kernel's own clock, as printed in a record's prefix: nanoseconds since that clock's zero.
    KernelTime
}
instant! {
    /// An instant of the booted system's CLOCK_MONOTONIC, by which systemd stamps its units: nanoseconds since that clock's zero,
    /// which lies within milliseconds of the kernel clock's.
    MonotonicTime
}
instant! {
    /// An instant of a boot loader's or firmware's own timer: nanoseconds since that timer's zero, the reset or soon after it.
    LoaderTime
}
instant! {
    /// An instant of the booted system's /proc/uptime, CLOCK_BOOTTIME: nanoseconds since that clock's zero, which lies within
    /// milliseconds of the kernel clock's. The file shows hundredths of a second.
    UptimeTime
}
instant! {
    /// An instant of the clock that stamps ftrace's events (`trace_clock`): nanoseconds since that clock's zero. Where that is
    /// depends on which clock was chosen.
    TraceTime
}

#[cfg(test)]
mod tests {
    use super::rounded;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rounds_as_the_standard_library(number in prop_oneof![any::<f64>(), -1e18..1e18, -3.0..3.0f64, (-9i64..9).prop_map(|n| n as f64 / 2.0)]) {
            prop_assert_eq!(rounded(number), number.round() as i64, "{}", number);
        }
    }
}
