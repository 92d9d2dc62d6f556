// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who prints what is stored, and how a printer goes from record to record.
//!
//! Read from kernel/printk/printk.c and nbcon.c of 6.12 and 7.2: console_flush_all, console_flush_one_record,
//! printk_get_console_flush_type. Writers are in `writer.rs`, kthreads in `printer_kthread.rs`, the console lock in
//! `console_lock.rs`.
use super::console_set::ConsoleSet;
use super::engine_state::{Emission, Engine, PrintJob, Printer, RegisteredConsoles, TaskState};
use super::printing::{DriverWait, Printing, ThreadPriority};

impl Engine<'_> {
    /// A boot console makes every writer print to all consoles, nbcon ones too (printk_get_console_flush_type).
    pub fn boot_console(&self) -> bool {
        self.registered.boot
    }

    /// Notes that a console has registered or unregistered.
    pub fn note_registered(&mut self) {
        let boot = self.setup.consoles.iter().zip(&self.consoles).any(|(s, c)| s.boot && c.registered);
        self.registered = RegisteredConsoles {
            boot,
            by_writers: self.consoles_where(|p| p.writer_waits() || p == Printing::Nbcon && boot),
            by_legacy_thread: self.consoles_where(Printing::is_legacy_thread),
            nbcon: self.consoles_where(|p| p == Printing::Nbcon),
        };
    }

    pub fn threads_print(&self) -> bool {
        self.threads_ready && !self.threads_stopped
    }

    pub fn consoles_where(&self, wanted: impl Fn(Printing) -> bool) -> ConsoleSet {
        let printing = |i: usize| self.setup.consoles[i].behaviour.printing;
        (0..self.consoles.len()).filter(|&i| self.consoles[i].registered && wanted(printing(i))).collect()
    }

    /// The consoles that a writer prints to under the console lock.
    pub fn by_writers(&self) -> ConsoleSet {
        self.registered.by_writers
    }

    pub fn by_legacy_thread(&self) -> ConsoleSet {
        self.registered.by_legacy_thread
    }

    /// The consoles that kthreads print to.
    pub fn by_threads(&self) -> ConsoleSet {
        let nbcon = if self.boot_console() { ConsoleSet::default() } else { self.registered.nbcon };
        self.registered.by_legacy_thread.iter().chain(nbcon.iter()).collect()
    }

    /// nbcon consoles that writers print to, because no kthread can.
    pub fn by_atomic_writes(&self) -> ConsoleSet {
        if self.threads_print() || self.boot_console() {
            return ConsoleSet::default();
        }
        self.registered.nbcon
    }

    /// The next record for a console, skipping those that its log level suppresses.
    pub fn pending(&mut self, c: usize) -> Option<usize> {
        let loglevel = self.setup.loglevel;
        let seq = &mut self.consoles[c].seq;
        while self.log.get(*seq).is_some_and(|message| message.level >= loglevel) {
            *seq += 1;
        }
        (*seq < self.log.len()).then_some(*seq)
    }

    pub fn begin(&mut self, actor: Printer, job: PrintJob) {
        match actor {
            Printer::Task(id) => self.tasks[id].state = TaskState::Printing(job),
            Printer::LegacyThread => self.legacy_thread = Some(job),
            Printer::NbconThread(c) => self.nbcon_threads[c] = Some(job),
        }
        self.print_next(actor);
    }

    fn job_of(&mut self, actor: Printer) -> Option<&mut PrintJob> {
        match actor {
            Printer::Task(id) => match &mut self.tasks[id].state {
                TaskState::Printing(job) => Some(job),
                _ => None,
            },
            Printer::LegacyThread => self.legacy_thread.as_mut(),
            Printer::NbconThread(c) => self.nbcon_threads[c].as_mut(),
        }
    }

    /// Puts the printer's next record on a line, or ends its job.
    fn print_next(&mut self, actor: Printer) {
        let Some(job) = self.job_of(actor).copied() else { return };
        let n = self.consoles.len();
        for next_console in job.next_console..if job.once { n } else { job.next_console + n } {
            let c = next_console % n;
            if !job.consoles.has(c) || !self.consoles[c].registered || self.consoles[c].emission.is_some() {
                continue;
            }
            let Some(record) = self.pending(c) else { continue };
            if let Some(job) = self.job_of(actor) {
                job.next_console = if job.once { next_console + 1 } else { (next_console + 1) % n };
            }
            return self.emit(c, record, actor);
        }
        self.end_job(actor, job.locked);
    }

    fn emit(&mut self, c: usize, record: usize, by: Printer) {
        let uart = self.setup.consoles[c].uart;
        if self.consoles[c].user_next {
            self.interleave(c);
        }
        let start = self.now.max(self.consoles[c].line_free);
        let end = start + uart.time_for(self.log[record].bytes);
        let console = &mut self.consoles[c];
        console.line_free = end;
        console.emission = Some(Emission { record, start, end, by });
    }

    pub fn end_job(&mut self, actor: Printer, locked: bool) {
        match actor {
            Printer::Task(id) => self.finish(id),
            Printer::LegacyThread => self.legacy_thread = None,
            Printer::NbconThread(c) => self.nbcon_threads[c] = None,
        }
        if locked {
            // Somebody who spun for a hand-over gets it with the lock.
            match self.lock.spinner.take() {
                Some(spinner) => self.print_locked(spinner),
                None => self.release_lock(),
            }
        }
    }

    /// A record of this printer is through: a spinning writer takes over, or it goes on.
    pub fn emission_ended(&mut self, by: Printer) {
        if let (Printer::Task(id), true) = (by, self.is_locked_task(by)) {
            if let Some(spinner) = self.lock.spinner.take() {
                self.finish(id);
                return self.print_locked(spinner);
            }
        }
        self.print_next(by);
    }

    /// Whether a printer lets the boot go first after each record.
    pub fn gives_way(&self, c: usize, by: Printer) -> bool {
        by == Printer::NbconThread(c) && self.setup.consoles[c].behaviour.thread == ThreadPriority::Lowest
    }

    /// Whether a record goes out with interrupts off.
    pub fn interrupts_off(&self, c: usize, by: Printer) -> bool {
        let setup = &self.setup.consoles[c];
        match by {
            // printk_safe_enter_irqsave around con->write in console_emit_next_record; an atomic write likewise.
            Printer::Task(_) => true,
            _ => setup.behaviour.driver == DriverWait::SpinsIrqsOff,
        }
    }
}
