// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who prints: the rules of the console lock, of the printing threads and of nbcon consoles.
//!
//! Read from kernel/printk/printk.c and nbcon.c of 6.12 and 7.2: vprintk_emit, console_trylock_spinning,
//! console_flush_all, console_flush_one_record, console_unlock, legacy_kthread_func, nbcon_kthread_func,
//! nbcon_atomic_flush_pending, register_console, printk_get_console_flush_type.
use std::collections::VecDeque;

use super::behaviour::{DriverWait, RegistrationFlush};
use super::console_set::ConsoleSet;
use super::engine::{ConsoleState, Emission, Engine, TaskState};
use super::printing::Printing;
use super::simulation_outcome::UserOutput;
use super::workload::{ConsoleId, Op, TaskId};

/// Who prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printer {
    /// A task, within its printk() or console_unlock().
    Task(usize),
    /// The thread of all legacy consoles.
    LegacyThread,
    /// The thread of one nbcon console.
    NbconThread(usize),
}

/// What is to be printed before the printer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrintJob {
    /// On which consoles, each in turn.
    consoles: ConsoleSet,
    /// Whose turn is next.
    next_console: usize,
    /// Under the console lock, which is given up at the end.
    locked: bool,
    /// One record on each console, not all that there is.
    once: bool,
}

/// The console lock (a semaphore: first come, first served).
#[derive(Clone, Debug, Default)]
pub(super) struct ConsoleLock {
    pub held: bool,
    queue: VecDeque<Printer>,
    /// A task that spins for the owner's hand-over.
    spinner: Option<usize>,
}

impl Engine<'_> {
    /// A boot console makes every writer print to all consoles, nbcon ones too (printk_get_console_flush_type).
    fn boot_console(&self) -> bool {
        self.setup.consoles.iter().zip(&self.consoles).any(|(s, c)| s.boot && c.registered)
    }

    fn threads_print(&self) -> bool {
        self.threads_ready && !self.threads_stopped
    }

    fn consoles_where(&self, wanted: impl Fn(Printing) -> bool) -> ConsoleSet {
        let printing = |i: usize| self.setup.consoles[i].behaviour.printing;
        (0..self.consoles.len()).filter(|&i| self.consoles[i].registered && wanted(printing(i))).collect()
    }

    /// The consoles that a writer prints to under the console lock.
    fn by_writers(&self) -> ConsoleSet {
        let boot = self.boot_console();
        self.consoles_where(|p| p.writer_waits() || p == Printing::Nbcon && boot)
    }

    fn by_legacy_thread(&self) -> ConsoleSet {
        self.consoles_where(Printing::is_legacy_thread)
    }

    /// nbcon consoles that are printed by whoever writes, since no thread can.
    fn by_atomic_writes(&self) -> ConsoleSet {
        if self.threads_print() || self.boot_console() {
            return ConsoleSet::default();
        }
        self.consoles_where(|p| p == Printing::Nbcon)
    }

    /// The next record for a console, those skipped that its level keeps away.
    fn pending(&mut self, c: usize) -> Option<usize> {
        let loglevel = self.setup.loglevel;
        let seq = &mut self.consoles[c].seq;
        while self.log.get(*seq).is_some_and(|message| message.level >= loglevel) {
            *seq += 1;
        }
        (*seq < self.log.len()).then_some(*seq)
    }

    // --- writers ---

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

    fn is_locked_task(&self, by: Printer) -> bool {
        matches!(by, Printer::Task(t) if matches!(&self.tasks[t].state, TaskState::Printing(job) if job.locked))
    }

    /// WARN: consoles with threads of their own print all of it now (nbcon_cpu_emergency_exit).
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

    /// Power-off: nbcon consoles are flushed by the last task; a legacy console's thread just ends with its backlog.
    pub fn flush_nbcon(&mut self, id: usize) {
        let consoles = self.consoles_where(|p| p == Printing::Nbcon || p.writer_waits());
        self.take_over(consoles);
        self.lock = ConsoleLock::default();
        self.atomic_flush(id, consoles);
    }

    /// Prints all that is waiting there. Where another writer prints already, it prints this one's record too.
    fn atomic_flush(&mut self, id: usize, consoles: ConsoleSet) {
        let consoles = consoles.iter().filter(|&c| self.consoles[c].emission.is_none()).collect();
        let job = PrintJob { consoles, next_console: 0, locked: false, once: false };
        self.begin(Printer::Task(id), job);
    }

    /// Cuts off what threads and others print there; whoever comes prints those records again from their starts.
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

    /// Only one task goes on: all others are stopped where they are, and threads print no more.
    pub fn stop_all_but(&mut self, id: usize) {
        self.threads_stopped = true;
        for other in (0..self.tasks.len()).filter(|&t| t != id) {
            self.tasks[other].state = TaskState::Done;
        }
    }

    // --- registration ---

    /// register_console()
    pub fn register(&mut self, id: usize, ConsoleId(c): ConsoleId) {
        let Some(setup) = self.setup.consoles.get(c).copied() else { return self.finish(id) };
        // A console that takes over from a boot console goes on where that one stood (get_init_console_seq).
        // Its record in hand counts, and its bytes are on the same line.
        let stands = |c: &ConsoleState| c.emission.map_or(c.seq, |e| e.record + 1);
        let there = self.consoles.iter().filter(|c| c.registered);
        let transmitted = there.clone().map(stands).max();
        let line_free = there.map(|c| c.line_free).max();
        if self.boot_console() {
            self.consoles[c].line_free = line_free.unwrap_or_default();
        }
        self.consoles[c].seq = if setup.replay { 0 } else { transmitted.unwrap_or(self.log.len()) };
        self.consoles[c].registered = true;
        let by_thread = setup.behaviour.registration == RegistrationFlush::ByThread && self.threads_print();
        match setup.behaviour.printing {
            p if p.is_legacy_thread() => self.finish(id),
            Printing::Nbcon if self.boot_console() => self.lock_by_task(id),
            Printing::Nbcon if by_thread => self.finish(id),
            Printing::Nbcon => self.atomic_flush(id, ConsoleSet::of(c)),
            _ => self.lock_by_task(id),
        }
    }

    /// unregister_console(): a record in hand is finished (its printer holds the lock), nothing more comes.
    pub fn unregister(&mut self, id: usize, ConsoleId(c): ConsoleId) {
        if let Some(console) = self.consoles.get_mut(c) {
            console.registered = false;
        }
        self.finish(id);
    }

    // --- the console lock ---

    /// console_lock()
    pub fn lock_by_task(&mut self, id: usize) {
        if self.lock.held {
            self.lock.queue.push_back(Printer::Task(id));
            self.tasks[id].state = TaskState::Queued(self.now);
        } else {
            self.lock.held = true;
            self.hold(id);
        }
    }

    fn hold(&mut self, id: usize) {
        let hold = match self.workload.tasks[id].get(self.tasks[id].next) {
            Some(Op::LockConsole(hold)) => hold.max_zero().as_nanos() as f64,
            // A registration does next to nothing under the lock before its flush.
            _ => return self.print_locked(id),
        };
        self.tasks[id].state = TaskState::Holding(hold);
    }

    /// What a task that has the lock prints before it gives it up: a writer, a spinner that took over, console_unlock().
    pub fn print_locked(&mut self, id: usize) {
        let job = PrintJob { consoles: self.by_writers(), next_console: 0, locked: true, once: false };
        self.begin(Printer::Task(id), job);
    }

    fn release_lock(&mut self) {
        match self.lock.queue.pop_front() {
            Some(Printer::Task(id)) => {
                if let TaskState::Queued(since) = self.tasks[id].state {
                    self.outcome.lock_waits.push((TaskId(id), self.tasks[id].next, self.now - since));
                }
                self.hold(id);
            }
            Some(_) => {
                self.legacy_thread_queued = false;
                self.begin_legacy_thread();
            }
            None => self.lock.held = false,
        }
    }

    // --- threads ---

    /// Threads that have something to print start. Whether one did.
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
        for c in self.consoles_where(|p| p == Printing::Nbcon).iter() {
            if self.nbcon_threads[c].is_none() && self.consoles[c].emission.is_none() && self.pending(c).is_some() {
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

    fn begin_legacy_thread(&mut self) {
        let consoles = self.by_legacy_thread();
        let per_record = |c: usize| self.setup.consoles[c].behaviour.printing == Printing::ThreadPerRecord;
        let once = consoles.iter().any(per_record);
        self.begin(Printer::LegacyThread, PrintJob { consoles, next_console: 0, locked: true, once });
    }

    // --- printing itself ---

    fn begin(&mut self, actor: Printer, job: PrintJob) {
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

    fn end_job(&mut self, actor: Printer, locked: bool) {
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

    /// Whether a record goes out with interrupts off.
    pub fn interrupts_off(&self, c: usize, by: Printer) -> bool {
        let setup = &self.setup.consoles[c];
        match by {
            // printk_safe_enter_irqsave around con->write in console_emit_next_record; an atomic write likewise.
            Printer::Task(_) => true,
            _ => setup.behaviour.driver == DriverWait::SpinsIrqsOff,
        }
    }

    // --- user space on the same line ---

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
    fn interleave(&mut self, c: usize) {
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
        self.outcome.user.push(UserOutput { console: ConsoleId(c), start, end, bytes });
    }
}

/// What the port's interrupt puts into the transmitter at once (serial8250_tx_chars: tx_loadsz of a 16550A).
const FIFO: u32 = 16;
