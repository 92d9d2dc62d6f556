// SPDX-License-Identifier: MIT OR Apache-2.0
//! The speed of an asynchronous serial line.
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Dur;

/// Symbols per second of a serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baud(NonZeroU32);

impl Baud {
    /// `None` for zero.
    pub fn new(baud: u32) -> Option<Baud> {
        NonZeroU32::new(baud).map(Baud)
    }
    /// In symbols per second.
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Baud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The parity bit of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parity {
    /// No parity bit.
    #[default]
    None,
    /// Even.
    Even,
    /// Odd.
    Odd,
}

/// How a byte is framed: a start bit, data bits, an optional parity bit, stop bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// 5 to 8.
    pub data_bits: u8,
    /// The parity bit.
    pub parity: Parity,
    /// 1 or 2.
    pub stop_bits: u8,
}

impl Default for Frame {
    /// 8n1, the kernel's default (`console=ttyS0,115200` means `115200n8`).
    fn default() -> Frame {
        Frame { data_bits: 8, parity: Parity::None, stop_bits: 1 }
    }
}

impl Frame {
    /// Symbols on the line for one byte, the start bit included: 10 for 8n1.
    pub fn bits(self) -> u32 {
        1 + u32::from(self.data_bits) + u32::from(self.parity != Parity::None) + u32::from(self.stop_bits)
    }
}

impl fmt::Display for Frame {
    /// `8n1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parity = match self.parity {
            Parity::None => 'n',
            Parity::Even => 'e',
            Parity::Odd => 'o',
        };
        write!(f, "{}{}{}", self.data_bits, parity, self.stop_bits)
    }
}

impl FromStr for Frame {
    type Err = String;
    fn from_str(s: &str) -> Result<Frame, String> {
        let wrong = || format!("`{s}` is not a frame like 8n1, 7e1 or 8n2");
        let [data, parity, stop] = *s.as_bytes() else { return Err(wrong()) };
        let parity = match parity.to_ascii_lowercase() {
            b'n' => Parity::None,
            b'e' => Parity::Even,
            b'o' => Parity::Odd,
            _ => return Err(wrong()),
        };
        if !(b'5'..=b'8').contains(&data) || !(b'1'..=b'2').contains(&stop) {
            return Err(wrong());
        }
        Ok(Frame { data_bits: data - b'0', parity, stop_bits: stop - b'0' })
    }
}

/// The time that bytes occupy the line: neither of the two clocks, but a property of the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransmitTime(Dur);

impl TransmitTime {
    /// As a plain duration, to be compared with what a clock measured.
    pub fn as_dur(self) -> Dur {
        self.0
    }
}

/// Bytes per second that a line transmits, exactly (baud / bits per frame) or as fitted from a log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineRate(f64);

impl LineRate {
    /// The rate that a baud and a frame give: 9600 8n1 carries 960 bytes a second.
    pub fn of(baud: Baud, frame: Frame) -> LineRate {
        LineRate(f64::from(baud.get()) / f64::from(frame.bits()))
    }
    /// From bytes a second; `None` unless finite and positive.
    pub fn from_bytes_per_s(rate: f64) -> Option<LineRate> {
        (rate.is_finite() && rate > 0.0).then_some(LineRate(rate))
    }
    /// Bytes a second.
    pub fn bytes_per_s(self) -> f64 {
        self.0
    }
    /// How long so many bytes occupy the line.
    pub fn time_for(self, bytes: u64) -> TransmitTime {
        TransmitTime(Dur::from_secs_f64(bytes as f64 / self.0))
    }
    /// How many bytes fit into a duration.
    pub fn bytes_in(self, d: Dur) -> f64 {
        d.as_secs_f64() * self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_seeds_arithmetic() {
        // 14518 bytes at 960 B/s: 15.122 s (seed 1).
        let rate = LineRate::of(Baud::new(9600).unwrap(), Frame::default());
        let t = rate.time_for(14518).as_dur().as_secs_f64();
        assert!((t - 15.122).abs() < 0.001, "{t}");
    }

    #[test]
    fn frames_read_and_write() {
        for (text, bits) in [("8n1", 10), ("7e1", 10), ("8o2", 12), ("5n1", 7)] {
            let frame: Frame = text.parse().unwrap();
            assert_eq!((frame.to_string().as_str(), frame.bits()), (text, bits));
        }
        for bad in ["", "9n1", "8x1", "8n3", "8n10", "n81"] {
            assert!(bad.parse::<Frame>().is_err(), "{bad}");
        }
    }
}
