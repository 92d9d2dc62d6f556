// SPDX-License-Identifier: MIT OR Apache-2.0
//! The port: what a character costs on the wire and at the registers.
use crate::units::{Dur, LineRate};

/// A serial port as its console driver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uart {
    /// The line.
    pub rate: LineRate,
}

impl Uart {
    /// A line whose registers cost nothing.
    pub fn ideal(rate: LineRate) -> Uart {
        Uart { rate }
    }

    /// How long the driver needs for a record of so many characters.
    pub fn time_for(&self, chars: u32) -> Dur {
        self.rate.time_for(u64::from(chars)).as_dur()
    }
}
