// SPDX-License-Identifier: MIT OR Apache-2.0
//! What user space writes to the same line.
use super::engine_state::Engine;
use super::simulation_outcome::UserOutput;
use super::workload::ConsoleId;

impl Engine<'_> {
    /// Sends bytes of user space on lines that the kernel does not use now. Returns whether any were sent.
    pub fn send_user_bytes(&mut self) -> bool {
        let mut sent = false;
        for c in 0..self.consoles.len() {
            let console = &self.consoles[c];
            if console.user_waiting > 0 && console.emission.is_none() && console.line_free <= self.now {
                self.interleave(c);
                sent = true;
            }
        }
        sent
    }

    /// One FIFO of user space's bytes.
    pub fn interleave(&mut self, c: usize) {
        let console = &mut self.consoles[c];
        let bytes = console.user_waiting.min(FIFO);
        if bytes == 0 {
            return;
        }
        let start = self.now.max(console.line_free);
        let end = start + self.setup.consoles[c].uart.time_for(bytes);
        console.user_waiting -= bytes;
        console.user_next = false;
        console.line_free = end;
        if !self.is_detailed {
            return;
        }
        self.outcome.user.push(UserOutput { console: ConsoleId(c), start, end, bytes });
    }
}

/// What the port's interrupt puts into the transmitter at once (serial8250_tx_chars: tx_loadsz of a 16550A).
const FIFO: u32 = 16;
