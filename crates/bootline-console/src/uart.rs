// SPDX-License-Identifier: MIT OR Apache-2.0
//! The port: what a record costs on the line and at the registers.
//!
//! Read from drivers/tty/serial/8250/8250_port.c: `wait_for_lsr`, `wait_for_xmitr`, `serial8250_console_putchar`,
//! `serial8250_console_fifo_write`, `serial8250_console_write` (6.1.176, 6.12.107, 7.2.13). The driver saves and clears
//! IER, writes, waits until both the holding and the shift register are empty, and restores IER. It waits by reading LSR
//! and `udelay(1)`. While the shift register sends a byte the next one waits in the holding register, so that the
//! polls of one byte overlap with the transmission of another.
use super::driver::TxTimeout;
use bootline_capture::units::{Dur, LineRate};

/// How the driver hands bytes to the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitMode {
    /// As fast as the line takes them; nothing else costs. Near enough for a driver that fills a FIFO as long as it has
    /// room (PL011, imx, sifive).
    Ideal,
    /// An 8250, one at a time, each after LSR's THRE.
    Polled,
    /// An 8250, so many at a time, each burst after the FIFO has run empty.
    Fifo {
        /// Of the transmitter's FIFO: 16 for a 16550A.
        depth: u32,
    },
}

/// What an access to a register takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Usually.
    pub access: Dur,
    /// Now and then, instead.
    pub slow: Dur,
    /// One in so many; none are slow at 0.
    pub slow_every: u32,
}

impl Registers {
    /// On average, in nanoseconds.
    fn mean(self) -> f64 {
        let [access, slow] = [self.access, self.slow].map(|d| d.max_zero().as_nanos() as f64);
        let share = if self.slow_every == 0 { 0.0 } else { 1.0 / f64::from(self.slow_every) };
        access + (slow - access).max(0.0) * share
    }
}

/// A serial port as its console driver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uart {
    /// The line.
    pub rate: LineRate,
    /// How it is written to.
    pub transmit_mode: TransmitMode,
    /// What its registers cost.
    pub registers: Registers,
    /// How long after its transmitter is empty the port reports it: nothing in a real one, long in one that firmware
    /// emulates.
    pub status_lag: Dur,
    /// Polls after which the driver overwrites a byte; none: it waits forever.
    pub max_polls: Option<u32>,
}

/// What a record came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitCost {
    /// From the driver's first access to its last.
    pub time: Dur,
    /// Registers read, nearly all of them LSR.
    pub reads: u64,
    /// Bytes that the line carried.
    pub sent: u32,
    /// Bytes that were overwritten in the transmitter.
    pub lost: u32,
}

/// `udelay(1)` between two polls.
const BETWEEN_POLLS: f64 = 1000.0;

impl Uart {
    /// A line whose registers cost nothing.
    pub fn ideal(rate: LineRate) -> Uart {
        Uart {
            rate,
            transmit_mode: TransmitMode::Ideal,
            registers: Registers::default(),
            status_lag: Dur::ZERO,
            max_polls: None,
        }
    }

    /// With the driver's time-out. `declared` is the speed given to the kernel, which QEMU's line need not have.
    ///
    /// The driver counts polls and takes each for a microsecond; slow registers stretch the time-out.
    pub fn tx_timeout(self, tx_timeout: TxTimeout, declared: LineRate) -> Uart {
        let max_polls = match tx_timeout {
            TxTimeout::TenMs => Some(10_000),
            TxTimeout::TwoFrames => Some((2e6 / declared.bytes_per_s()) as u32),
            TxTimeout::Never => None,
        };
        Uart { max_polls, ..self }
    }

    /// Time that the driver needs for a record of this many bytes.
    pub fn time_for(&self, bytes: u32) -> Dur {
        self.transmit_cost(bytes).time
    }

    /// Cost of a record of this many bytes.
    pub fn transmit_cost(&self, bytes: u32) -> TransmitCost {
        match self.transmit_mode {
            TransmitMode::Ideal => {
                let time = self.rate.time_for(u64::from(bytes)).as_dur();
                TransmitCost { time, reads: 0, sent: bytes, lost: 0 }
            }
            _ if bytes == 0 => TransmitCost { time: Dur::ZERO, reads: 0, sent: 0, lost: 0 },
            TransmitMode::Polled => self.polled(bytes, 1),
            TransmitMode::Fifo { depth } => self.polled(bytes, depth.max(1)),
        }
    }

    /// In bursts of `depth`. Nanoseconds as f64: a record has up to 2^32 bytes.
    fn polled(&self, bytes: u32, depth: u32) -> TransmitCost {
        let access = self.registers.mean();
        let frame = 1e9 / self.rate.bytes_per_s();
        let poll = access + BETWEEN_POLLS;
        // When the port becomes ready between two polls is unknown: half a poll late on average; at least one read.
        let late = access.max(poll / 2.0);
        let seen = self.status_lag.max_zero().as_nanos() as f64 + late;
        let patience = self.max_polls.map_or(f64::INFINITY, |n| f64::from(n) * poll);

        let bursts = bytes.div_ceil(depth);
        let last = f64::from(bytes - (bursts - 1) * depth);
        let waits = f64::from(bursts - 1);
        let depth = f64::from(depth);
        // A burst ends when the line or the writing ends, whichever takes longer. Its last byte leaves the
        // holding register one frame earlier, and until that one is sent the next burst's first write costs nothing.
        let each = frame.max(access);
        let ready = (depth * each).max((depth - 1.0) * each + seen + access);
        // After the time-out (`fifo_wait_for_lsr`: once for each byte of a burst) it writes anyway.
        let period = ready.min(depth * (patience + access));
        // The trailing wait: `fifo_wait_for_lsr` for a burst's bytes, then LSR_BOTH_EMPTY with one time-out.
        let rounds = if depth > 1.0 { last + 1.0 } else { 1.0 };
        let end = (last * each + seen).min(rounds * patience + last * access);

        // IER read, cleared and restored; the first write.
        let time = 4.0 * access + waits * period + end;
        let waited = waits * (period - depth * access - late).max(0.0) + (end - last * access - late).max(0.0);
        // Each wait reads LSR once at least: one before each burst, and those after the last.
        let least = f64::from(bursts) + if depth > 1.0 { 2.0 } else { 1.0 };
        let reads = 1.0 + least + waited / poll;
        // What the line took until the last write, what the FIFO then held, and the shift register's one.
        let room = depth.max(2.0) + (waits * period / frame).floor();
        let sent = if period < ready { room.min(f64::from(bytes)) as u32 } else { bytes };
        TransmitCost { time: Dur::from_nanos(time.round() as i64), reads: reads as u64, sent, lost: bytes - sent }
    }
}

#[cfg(test)]
mod tests;
