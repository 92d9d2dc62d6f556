// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the task that calls printk prints before it goes on. Read from kernel/printk/printk.c and nbcon.c of 6.12 and 7.2:
//! vprintk_emit, console_trylock_spinning, nbcon_atomic_flush_pending, nbcon_cpu_emergency_exit.
use super::console_set::ConsoleSet;
use super::engine_state::{ConsoleLock, Engine, PrintJob, Printer, TaskState};
use super::printing::Printing;

impl Engine<'_> {
    /// The end of printk(): what the writer itself prints before it goes on.
    pub fn print_by_writer(&mut self, id: usize) {
        if !self.by_writers().is_empty() {
            if !self.lock.held {
                self.lock.held = true;
                return self.print_locked(id);
            }
            // The owner prints for others; one of them may wait to take over (console_trylock_spinning).
            let owner_prints = self.consoles.iter().any(|c| matches!(c.emission, Some(e) if self.is_locked_task(e.by)));
            if owner_prints && self.lock.spinner.is_none() {
                self.lock.spinner = Some(id);
                self.tasks[id].state = TaskState::Spinning;
                return;
            }
        }
        let consoles = self.by_atomic_writes();
        self.atomic_flush(id, consoles);
    }

    pub fn is_locked_task(&self, by: Printer) -> bool {
        matches!(by, Printer::Task(t) if matches!(&self.tasks[t].state, TaskState::Printing(job) if job.locked))
    }

    /// WARN: nbcon consoles print everything stored now (nbcon_cpu_emergency_exit).
    pub fn print_in_emergency(&mut self, id: usize) {
        if self.boot_console() || !self.by_writers().is_empty() {
            return self.print_by_writer(id);
        }
        let consoles = self.consoles_where(|p| p == Printing::Nbcon);
        self.take_over(consoles);
        self.atomic_flush(id, consoles);
    }

    /// panic(): all consoles, whoever held them.
    pub fn flush_everything(&mut self, id: usize) {
        let consoles = self.consoles_where(|_| true);
        self.take_over(consoles);
        self.lock = ConsoleLock::default();
        self.atomic_flush(id, consoles);
    }

    /// Power-off: the last task flushes nbcon consoles; a legacy console's kthread just ends, with its backlog.
    pub fn flush_nbcon(&mut self, id: usize) {
        let consoles = self.consoles_where(|p| p == Printing::Nbcon || p.writer_waits());
        self.take_over(consoles);
        self.lock = ConsoleLock::default();
        self.atomic_flush(id, consoles);
    }

    /// Prints everything stored to these consoles. If another writer is already printing, it also prints this one's
    /// record.
    pub fn atomic_flush(&mut self, id: usize, consoles: ConsoleSet) {
        let consoles = consoles.iter().filter(|&c| self.consoles[c].emission.is_none()).collect();
        let job = PrintJob { consoles, next_console: 0, locked: false, once: false };
        self.begin(Printer::Task(id), job);
    }

    /// Interrupts what kthreads and other writers are printing there; the next printer prints those records again from
    /// the start.
    fn take_over(&mut self, consoles: ConsoleSet) {
        for c in consoles.iter() {
            if let Some(mut e) = self.consoles[c].emission.take() {
                e.end = self.now.max(e.start);
                self.finish_transmission(c, e, true);
                self.consoles[c].line_free = self.now;
                match e.by {
                    Printer::NbconThread(n) => self.nbcon_threads[n] = None,
                    Printer::LegacyThread => self.legacy_thread = None,
                    Printer::Task(t) if self.tasks[t].state != TaskState::Done => self.finish(t),
                    Printer::Task(_) => {}
                }
            }
        }
    }

    /// Only one task continues: all others are stopped where they are, and kthreads no longer print.
    pub fn stop_all_but(&mut self, id: usize) {
        self.threads_stopped = true;
        for other in (0..self.tasks.len()).filter(|&t| t != id) {
            self.tasks[other].state = TaskState::Done;
        }
    }
}
