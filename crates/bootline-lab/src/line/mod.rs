// SPDX-License-Identifier: MIT OR Apache-2.0
//! A serial line of true speed. QEMU's UARTs send as fast as the other end reads, so the reader sets the pace.
mod account;
mod clock;
mod lateness;
mod pace;
mod priority;
mod reader;
mod transport;

pub(crate) use account::Account;
pub use account::LineAccount;
pub use clock::RunClock;
pub use lateness::LatenessSummary;
pub(crate) use pace::{MAX_DEFICIT, Pacer};
pub use priority::RealTime;
pub(crate) use priority::{prefer, raise};
pub(crate) use reader::{ReaderEnd, Take, read_line};
pub(crate) use transport::Channel;
pub use transport::Transport;

/// The slowest line that the lab plays.
pub const MIN_BAUD: u32 = 300;
/// The fastest.
pub const MAX_BAUD: u32 = 4_000_000;

#[cfg(test)]
mod tests;
