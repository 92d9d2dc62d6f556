// SPDX-License-Identifier: MIT OR Apache-2.0
//! The printer kthreads. Read from kernel/printk/printk.c and nbcon.c of 6.12 and 7.2: legacy_kthread_func,
//! nbcon_kthread_func.
use super::console_set::ConsoleSet;
use super::engine_state::{Engine, PrintJob, Printer};
use super::printing::Printing;
use super::processors;

impl Engine<'_> {
    /// Starts kthreads that have something to print; returns whether any did.
    pub fn wake_threads(&mut self) -> bool {
        if !self.threads_print() {
            return false;
        }
        let mut woke = false;
        if self.legacy_thread.is_none() && !self.legacy_thread_queued && self.any_pending(self.by_legacy_thread()) {
            woke = true;
            if self.lock.held {
                self.legacy_thread_queued = true;
                self.lock.queue.push_back(Printer::LegacyThread);
            } else {
                self.lock.held = true;
                self.begin_legacy_thread();
            }
        }
        if self.boot_console() {
            return woke;
        }
        for c in self.registered.nbcon.iter() {
            let is_idle = self.nbcon_threads[c].is_none() && self.consoles[c].emission.is_none();
            let goes_first = self.consoles[c].debt <= 0.0 || processors::is_one_free(self);
            if is_idle && goes_first && self.pending(c).is_some() {
                woke = true;
                let job = PrintJob { consoles: ConsoleSet::of(c), next_console: 0, locked: false, once: false };
                self.begin(Printer::NbconThread(c), job);
            }
        }
        woke
    }

    fn any_pending(&mut self, consoles: ConsoleSet) -> bool {
        consoles.iter().any(|c| self.pending(c).is_some())
    }

    pub fn begin_legacy_thread(&mut self) {
        let consoles = self.by_legacy_thread();
        let per_record = |c: usize| self.setup.consoles[c].behaviour.printing == Printing::ThreadPerRecord;
        let once = consoles.iter().any(per_record);
        self.begin(Printer::LegacyThread, PrintJob { consoles, next_console: 0, locked: true, once });
    }
}
