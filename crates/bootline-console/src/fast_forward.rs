// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run whose times alone are asked for, through the stretches in which hardly anything can happen: one task works and prints,
//! and either prints itself what it stored, or one kthread does.
//!
//! A boot has hundreds of such operations between two that concern anything else. What happens in them, and in which order
//! at the same instant, is what [`Engine::step`] would do; a test compares the two.
use super::console_set::ConsoleSet;
use super::engine_state::{ConsoleState, Emission, Engine, PrintJob, Printer, Task, TaskState};
use super::printing::{DriverWait, Printing};
use super::processors;
use super::workload::{Message, Op};
use bootline_capture::units::Dur;

/// Who prints during such a stretch.
#[derive(Clone, Copy)]
enum Stretch {
    /// The task itself, to this console if there is one.
    Alone(Option<usize>),
    /// This kthread, to this console.
    BesideThread(Printer, usize),
}

/// Work beyond this many nanoseconds is not exact in an f64.
const EXACT: i64 = 1 << 53;

impl Engine<'_> {
    /// Goes on to the next operation or event that needs [`Engine::step`]; it may be the first.
    pub fn fast_forward(&mut self) {
        match self.stretch() {
            Some(Stretch::Alone(console)) => self.run_alone(console),
            Some(Stretch::BesideThread(thread, console)) => self.run_beside_thread(thread, console),
            None => {}
        }
    }

    fn stretch(&self) -> Option<Stretch> {
        let [task] = self.tasks.as_slice() else { return None };
        let is_idle = self.consoles.iter().all(|c| c.user_waiting == 0 && c.debt <= 0.0);
        let is_contended = self.legacy_thread_queued || !self.lock.queue.is_empty() || self.lock.spinner.is_some();
        if !is_idle || is_contended || self.cpus == 0 {
            return None;
        }
        let (writers, atomic) = (self.by_writers(), self.by_atomic_writes());
        let threads = if self.threads_print() { self.by_threads() } else { ConsoleSet::default() };
        let printing = || self.consoles.iter().enumerate().filter_map(|(c, console)| Some((c, console.emission?)));
        if threads.is_empty() {
            let works = matches!(task.state, TaskState::Ready | TaskState::Working(_));
            if !works || self.lock.held || printing().next().is_some() {
                return None;
            }
            return match (writers.iter().next(), atomic.iter().next()) {
                (None, None) => Some(Stretch::Alone(None)),
                (Some(c), None) if writers == ConsoleSet::of(c) => Some(Stretch::Alone(Some(c))),
                (None, Some(c)) if atomic == ConsoleSet::of(c) => Some(Stretch::Alone(Some(c))),
                _ => None,
            };
        }
        let c = threads.iter().next()?;
        let of_legacy = self.by_legacy_thread().has(c);
        let thread = if of_legacy { Printer::LegacyThread } else { Printer::NbconThread(c) };
        let runs = matches!(task.state, TaskState::Ready | TaskState::Working(_) | TaskState::Done);
        let is_only = threads == ConsoleSet::of(c) && writers.is_empty() && atomic.is_empty();
        if !runs || !is_only || self.gives_way(c, thread) {
            return None;
        }
        // A console that has been unregistered may still print its last record.
        let prints = printing().all(|(other, e)| other == c && e.by == thread);
        let busy = self.consoles[c].emission.is_some();
        let legacy = self.legacy_thread.is_some();
        let nbcon =
            self.nbcon_threads.iter().enumerate().all(|(n, job)| job.is_some() == (!of_legacy && n == c && busy));
        let agrees = legacy == (of_legacy && busy) && self.lock.held == legacy && nbcon;
        (prints && agrees).then_some(Stretch::BesideThread(thread, c))
    }

    /// Nobody else prints: the task has a CPU, and its operations follow one another.
    fn run_alone(&mut self, console: Option<usize>) {
        let ops = &self.workload.tasks[0];
        let mut next = self.tasks[0].next;
        if let TaskState::Working(left) = self.tasks[0].state {
            if left >= EXACT as f64 {
                return;
            }
            self.now += Dur::from_nanos(processors::whole_nanos(left));
            next += 1;
        }
        while let Some(op) = ops.get(next) {
            match *op {
                Op::Work(d) if d.as_nanos() < EXACT => self.now += d.max_zero(),
                Op::Sleep(d) => self.now += d.max_zero(),
                Op::Print(message) => {
                    self.log.push(message);
                    if let Some(c) = console {
                        self.print_pending(c);
                    }
                }
                Op::Mark(mark) => self.outcome.marks.push((mark, self.now)),
                _ => break,
            }
            next += 1;
        }
        self.tasks[0].next = next;
        self.tasks[0].state = TaskState::Ready;
    }

    /// The task prints all that its console lacks, and waits for it.
    fn print_pending(&mut self, c: usize) {
        while let Some(record) = self.pending(c) {
            let start = self.now.max(self.consoles[c].line_free);
            let end = start + self.time_for(c, self.log[record].bytes);
            let console = &mut self.consoles[c];
            (console.line_free, console.seq, console.user_next) = (end, record + 1, true);
            self.last_transmitted = self.last_transmitted.max(Some(end));
            self.now = end;
        }
    }

    /// The task works or is done, and a kthread prints to one console.
    ///
    /// The kthread is busy from the first record that finds the line idle until the line has drained. How many records that are
    /// changes nothing for the task, so only the task's operations are events here. Most of a prediction's time is spent in this
    /// loop.
    fn run_beside_thread(&mut self, thread: Printer, c: usize) {
        let ops = &self.workload.tasks[0];
        let behaviour = self.setup.consoles[c].behaviour;
        let idle = processors::speed_of_one(self, false);
        let busy = processors::speed_of_one(self, behaviour.driver != DriverWait::Sleeps);
        let mut now = self.now;
        let mut next = self.tasks[0].next;
        let mut backlog = self.backlog(c, now);
        let state = match self.tasks[0].state {
            TaskState::Done => {
                now = if backlog.is_empty { now } else { now.max(backlog.drained) };
                TaskState::Done
            }
            TaskState::Working(left) => {
                now = backlog.worked(now, left, busy, idle);
                next += 1;
                TaskState::Ready
            }
            _ => TaskState::Ready,
        };
        while state == TaskState::Ready {
            match ops.get(next) {
                Some(Op::Work(d)) => now = backlog.worked(now, d.max_zero().as_nanos() as f64, busy, idle),
                Some(Op::Print(message)) => {
                    let record = self.log.len();
                    self.log.push(*message);
                    if message.level < self.setup.loglevel {
                        backlog.add(record, now, self.time_for(c, message.bytes));
                    }
                }
                Some(Op::Mark(mark)) => self.outcome.marks.push((*mark, now)),
                _ => break,
            }
            next += 1;
        }
        self.now = now;
        self.tasks[0] = Task { next, state };
        self.put_back(thread, c, backlog);
    }

    /// What a console lacks of all that is stored.
    fn backlog(&mut self, c: usize, now: Dur) -> Backlog {
        let ConsoleState { seq, emission, line_free, .. } = self.consoles[c];
        let mut backlog = match emission {
            Some(e) => Backlog::of(e),
            None => Backlog::empty(line_free),
        };
        for record in emission.map_or(seq, |e| e.record + 1)..self.log.len() {
            let Message { level, bytes } = self.log[record];
            if level < self.setup.loglevel {
                backlog.add(record, now, self.time_for(c, bytes));
            }
        }
        backlog
    }

    /// Puts back what the kthread has printed by now, and what it prints.
    fn put_back(&mut self, thread: Printer, c: usize, backlog: Backlog) {
        let once = self.prints_once(thread, c);
        let mut transmitted = backlog.earlier;
        let (mut seq, mut emission) = (self.log.len(), None);
        if backlog.is_drained(self.now) {
            transmitted = if backlog.is_empty { transmitted } else { Some(backlog.drained) };
        } else {
            let mut start = backlog.start;
            for record in backlog.first..self.log.len() {
                let Message { level, bytes } = self.log[record];
                if level >= self.setup.loglevel {
                    continue;
                }
                let end = start + self.time_for(c, bytes);
                if end > self.now {
                    // What finds the line idle is printed after all that the task does at that instant; so is the next record of a
                    // kthread that gives up the lock after each.
                    let is_first = record == backlog.first;
                    let waits = start >= self.now && !(is_first && backlog.is_begun) && (is_first || once);
                    (seq, emission) = (record, (!waits).then_some(Emission { record, start, end, by: thread }));
                    break;
                }
                (start, transmitted) = (end, Some(end));
            }
        }
        self.last_transmitted = self.last_transmitted.max(transmitted);
        let console = &mut self.consoles[c];
        console.user_next |= transmitted.is_some();
        console.line_free = emission.map(|e| e.end).or(transmitted).unwrap_or(console.line_free);
        (console.seq, console.emission) = (seq, emission);
        self.set_job(thread, c);
    }

    /// Whether a kthread gives up the console lock after each record.
    fn prints_once(&self, thread: Printer, c: usize) -> bool {
        thread == Printer::LegacyThread && self.setup.consoles[c].behaviour.printing == Printing::ThreadPerRecord
    }

    /// The kthread's job, by whether it prints.
    fn set_job(&mut self, thread: Printer, c: usize) {
        let n = self.consoles.len();
        let once = self.prints_once(thread, c);
        let is_legacy = thread == Printer::LegacyThread;
        let next_console = if once { c + 1 } else { (c + 1) % n };
        let job = PrintJob { consoles: ConsoleSet::of(c), next_console, locked: is_legacy, once };
        let job = self.consoles[c].emission.is_some().then_some(job);
        if is_legacy {
            self.lock.held = job.is_some();
            self.legacy_thread = job;
        } else {
            self.nbcon_threads[c] = job;
        }
    }

    /// Time that a console's line takes for a record, from a table where records of that length have been met.
    fn time_for(&mut self, c: usize, bytes: u32) -> Dur {
        let length = bytes as usize;
        if length >= LENGTHS {
            return self.setup.consoles[c].uart.time_for(bytes);
        }
        if self.times.is_empty() {
            self.times.resize(self.consoles.len() * LENGTHS, None);
        }
        let uart = &self.setup.consoles[c].uart;
        *self.times[c * LENGTHS + length].get_or_insert_with(|| uart.time_for(bytes))
    }
}

/// What is stored and not yet transmitted, as one kthread prints it: without a pause from the first record to the last.
struct Backlog {
    /// The first of its records, and when its first byte is on the line.
    first: usize,
    start: Dur,
    /// When the line has carried all of it; while it is empty, when the line is free.
    drained: Dur,
    is_empty: bool,
    /// Whether the first record was being printed before the stretch.
    is_begun: bool,
    /// When the line had carried the backlog before this one.
    earlier: Option<Dur>,
}

impl Backlog {
    fn of(e: Emission) -> Backlog {
        Backlog { first: e.record, start: e.start, drained: e.end, is_empty: false, is_begun: true, earlier: None }
    }

    fn empty(line_free: Dur) -> Backlog {
        Backlog { first: 0, start: line_free, drained: line_free, is_empty: true, is_begun: false, earlier: None }
    }

    fn is_drained(&self, now: Dur) -> bool {
        self.is_empty || self.drained <= now
    }

    /// A record is stored, which takes the line so long.
    #[inline]
    fn add(&mut self, record: usize, now: Dur, time: Dur) {
        if self.is_drained(now) {
            self.earlier = if self.is_empty { self.earlier } else { Some(self.drained) };
            (self.first, self.start) = (record, now.max(self.drained));
            (self.drained, self.is_empty, self.is_begun) = (self.start, false, false);
        }
        self.drained += time;
    }

    /// When work is done that is begun now: at one speed while the kthread prints, at another while it has nothing to print.
    #[inline]
    fn worked(&self, now: Dur, left: f64, busy: f64, idle: f64) -> Dur {
        if self.is_drained(now) {
            return now + Dur::from_nanos(processors::nanos_for(left, idle));
        }
        let end = now + Dur::from_nanos(processors::nanos_for(left, busy));
        if end <= self.drained {
            return end;
        }
        let left = left - (self.drained - now).as_nanos() as f64 * busy;
        self.drained + Dur::from_nanos(if left < 0.5 { 0 } else { processors::nanos_for(left, idle) })
    }
}

/// Lengths of records, in bytes, that the table of times has: nearly all are shorter.
const LENGTHS: usize = 160;
