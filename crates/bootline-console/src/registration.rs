// SPDX-License-Identifier: MIT OR Apache-2.0
//! Consoles that register and unregister. Read from kernel/printk/printk.c and nbcon.c of 6.12 and 7.2: register_console,
//! unregister_console, get_init_console_seq.
use super::console_set::ConsoleSet;
use super::engine_state::{ConsoleState, Engine};
use super::printing::{Printing, RegistrationFlush};
use super::workload::ConsoleId;

impl Engine<'_> {
    /// register_console()
    pub fn register(&mut self, id: usize, ConsoleId(c): ConsoleId) {
        let Some(setup) = self.setup.consoles.get(c).copied() else { return self.finish(id) };
        // A console that replaces a boot console continues where that one was (get_init_console_seq). The record being
        // printed counts, and its bytes are on the same line.
        let stands = |c: &ConsoleState| c.emission.map_or(c.seq, |e| e.record + 1);
        let there = self.consoles.iter().filter(|c| c.registered);
        let transmitted = there.clone().map(stands).max();
        let line_free = there.map(|c| c.line_free).max();
        if self.boot_console() {
            self.consoles[c].line_free = line_free.unwrap_or_default();
        }
        self.consoles[c].seq = if setup.replay { 0 } else { transmitted.unwrap_or(self.log.len()) };
        self.consoles[c].registered = true;
        self.note_registered();
        let by_thread = setup.behaviour.registration == RegistrationFlush::ByThread && self.threads_print();
        match setup.behaviour.printing {
            p if p.is_legacy_thread() => self.finish(id),
            Printing::Nbcon if self.boot_console() => self.lock_by_task(id),
            Printing::Nbcon if by_thread => self.finish(id),
            Printing::Nbcon => self.atomic_flush(id, ConsoleSet::of(c)),
            _ => self.lock_by_task(id),
        }
    }

    /// unregister_console(): the record being printed is finished (its printer holds the lock); no other follows.
    pub fn unregister(&mut self, id: usize, ConsoleId(c): ConsoleId) {
        if let Some(console) = self.consoles.get_mut(c) {
            console.registered = false;
        }
        self.note_registered();
        self.finish(id);
    }
}
