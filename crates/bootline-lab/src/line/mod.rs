// SPDX-License-Identifier: MIT OR Apache-2.0
//! A serial line of true speed. QEMU's UARTs send as fast as the other end reads, so the reader sets the pace.
mod clock;
mod lateness;
mod pace;
mod priority;
mod reader;
mod transport;
mod usage;
mod wait;

pub use clock::RunClock;
pub(crate) use lateness::Lateness;
pub use lateness::LatenessSummary;
pub(crate) use pace::{MAX_DEFICIT, Pacer};
pub use priority::RealTime;
pub(crate) use priority::{Priority, prefer, raise, wake_sharply};
pub(crate) use reader::{LineRead, ReaderEnd, read_line, wait_readable};
pub(crate) use transport::Channel;
pub use transport::Transport;
pub(crate) use usage::LineUsage;
pub use usage::LineUsageSummary;
pub(crate) use wait::{NAME as WAIT_LIBRARY, library as wait_library};

/// The slowest line that the lab can pace, in baud.
pub const MIN_BAUD: u32 = 300;
/// The fastest line that the lab can pace, in baud.
pub const MAX_BAUD: u32 = 4_000_000;

#[cfg(test)]
mod tests;
