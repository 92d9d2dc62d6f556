// SPDX-License-Identifier: MIT OR Apache-2.0
//! Durations, the clocks, the speed of a line. Integer nanoseconds throughout; seconds only for display.
mod clock;
mod interval;
mod line;

pub use clock::{Dur, HostTime, KernelTime, LoaderTime, MonotonicTime, TraceTime, UptimeTime};
pub use interval::Interval;
pub use line::{Baud, Frame, LineRate, Parity, TransmitTime};
