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
use super::work_left::WorkLeft;
use super::workload::Op;
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
        self.finish_flush();
        match self.stretch() {
            Some(Stretch::Alone(console)) => self.run_alone(console),
            Some(Stretch::BesideThread(thread, console)) => self.run_beside_thread(thread, console),
            None => {}
        }
    }

    /// The only task flushes one console, as at its registration. Nothing else happens until the flush ends.
    fn finish_flush(&mut self) {
        let [Task { state: TaskState::Printing(job), .. }] = *self.tasks.as_slice() else { return };
        let (c, e) = {
            let mut all = self.emissions();
            let (Some(only), None) = (all.next(), all.next()) else { return };
            only
        };
        let is_alone = self.is_uncontended() && self.printing_threads().is_empty() && e.by == Printer::Task(0);
        if !is_alone || job.once || job.consoles != ConsoleSet::of(c) || !self.consoles[c].registered {
            return;
        }
        self.now = e.end;
        self.consoles[c].emission = None;
        self.transmitted(c, e.record, e.end);
        self.print_pending(c);
        self.end_job(e.by, job.locked);
    }

    /// Whether no task or kthread waits for the console lock or a CPU, and no user bytes for the line.
    fn is_uncontended(&self) -> bool {
        let is_idle = self.consoles.iter().all(|c| c.user_waiting == 0 && c.debt <= 0.0);
        let is_contended = self.legacy_thread_queued || !self.lock.queue.is_empty() || self.lock.spinner.is_some();
        is_idle && !is_contended && self.cpus > 0
    }

    /// What is on the lines, by console.
    fn emissions(&self) -> impl Iterator<Item = (usize, Emission)> + '_ {
        self.consoles.iter().enumerate().filter_map(|(c, console)| Some((c, console.emission?)))
    }

    /// The consoles that kthreads currently print to.
    fn printing_threads(&self) -> ConsoleSet {
        if self.threads_print() { self.by_threads() } else { ConsoleSet::default() }
    }

    fn stretch(&self) -> Option<Stretch> {
        let [task] = self.tasks.as_slice() else { return None };
        if !self.is_uncontended() {
            return None;
        }
        let (writers, atomic) = (self.by_writers(), self.by_atomic_writes());
        let threads = self.printing_threads();
        if threads.is_empty() {
            let works = matches!(task.state, TaskState::Ready | TaskState::Working(_));
            if !works || self.lock.held || self.emissions().next().is_some() {
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
        let prints = self.emissions().all(|(other, e)| other == c && e.by == thread);
        let busy = self.consoles[c].emission.is_some();
        let legacy = self.legacy_thread.is_some();
        let nbcon =
            self.nbcon_threads.iter().enumerate().all(|(n, job)| job.is_some() == (!of_legacy && n == c && busy));
        let agrees = legacy == (of_legacy && busy) && self.lock.held == legacy && nbcon;
        // Consoles may have registered since the job began.
        let is_own = |job: PrintJob| job.consoles == ConsoleSet::of(c) && job.once == self.prints_once(thread, c);
        (prints && agrees && self.legacy_thread.is_none_or(is_own)).then_some(Stretch::BesideThread(thread, c))
    }

    /// Nobody else prints: the task has a CPU, and its operations follow one another.
    fn run_alone(&mut self, console: Option<usize>) {
        let ops = &self.workload.tasks[0];
        let mut next = self.tasks[0].next;
        if let TaskState::Working(work) = self.tasks[0].state {
            let Some(end) = work.at_speed(self.now, 1.0).end() else { return };
            self.now = end;
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
                // The lock is free: holding it only takes time. Its release prints what was stored while the kthread of a console
                // that was unregistered still held it.
                Op::LockConsole(d) if d.as_nanos() < EXACT => {
                    self.now += d.max_zero();
                    if let Some(c) = console.filter(|c| self.by_writers().has(*c)) {
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
            self.transmitted(c, record, end);
            self.now = end;
        }
    }

    /// A record has been printed by the task.
    fn transmitted(&mut self, c: usize, record: usize, end: Dur) {
        let console = &mut self.consoles[c];
        (console.line_free, console.seq, console.user_next) = (end, record + 1, true);
        self.last_transmitted = self.last_transmitted.max(Some(end));
    }

    /// The task works or is done, and a kthread prints to one console.
    ///
    /// Where one record follows the other on the line, nothing changes for the task: its operations are the events here. Most of a
    /// prediction's time is spent in this loop.
    fn run_beside_thread(&mut self, thread: Printer, c: usize) {
        let ops = &self.workload.tasks[0];
        let behaviour = self.setup.consoles[c].behaviour;
        let once = self.prints_once(thread, c);
        let idle = processors::speed_of_one(self, false);
        let busy = processors::speed_of_one(self, behaviour.driver != DriverWait::Sleeps);
        let ConsoleState { seq, emission, line_free, .. } = self.consoles[c];
        let mut line = Line { seq, emission, free: line_free, transmitted: None };
        let mut next = self.tasks[0].next;
        let mut state = TaskState::Ready;
        let mut work = match self.tasks[0].state {
            TaskState::Working(work) => Some(work),
            TaskState::Done => {
                self.now = self.drain(c, &mut line, thread);
                state = TaskState::Done;
                None
            }
            _ => None,
        };
        while state == TaskState::Ready {
            if let Some(work) = work.take() {
                match self.work_beside(c, &mut line, thread, work, [busy, idle], once) {
                    Some(end) => self.now = end,
                    None => {
                        state = TaskState::Working(work);
                        break;
                    }
                }
            } else {
                match ops.get(next) {
                    Some(Op::Work(d)) => {
                        work = Some(WorkLeft::all_of(*d));
                        continue;
                    }
                    Some(Op::Print(message)) => self.log.push(*message),
                    // Even a hold of zero needs a CPU to run.
                    Some(Op::LockConsole(d)) if d.max_zero() == Dur::ZERO && busy.min(idle) > 0.0 => {
                        self.lock_beside(c, &mut line, thread, once)
                    }
                    Some(Op::Mark(mark)) => self.outcome.marks.push((*mark, self.now)),
                    _ => break,
                }
            }
            next += 1;
        }
        self.tasks[0] = Task { next, state };
        self.last_transmitted = self.last_transmitted.max(line.transmitted);
        let console = &mut self.consoles[c];
        console.user_next |= line.transmitted.is_some();
        (console.seq, console.emission) = (line.seq, line.emission);
        console.line_free = line.emission.map_or(line.free, |e| e.end);
        self.set_job(thread, c);
    }

    /// When work is done: at one speed while the kthread prints, at the other when it has nothing to print. None if that can't be
    /// told; nothing is changed then.
    #[inline]
    fn work_beside(
        &mut self,
        c: usize,
        line: &mut Line,
        thread: Printer,
        work: WorkLeft,
        [busy, idle]: [f64; 2],
        once: bool,
    ) -> Option<Dur> {
        if busy <= 0.0 || idle <= 0.0 {
            return None;
        }
        if line.emission.is_none() {
            self.begin_next(c, line, self.now.max(line.free), thread);
        }
        if line.emission.is_none() {
            return work.at_speed(self.now, idle).end();
        }
        let work = work.at_speed(self.now, busy);
        let end = work.end()?;
        while let Some(e) = line.emission.filter(|e| e.end <= end) {
            line.end(e);
            // One that gives up the lock after each record begins again only after the task.
            if once && e.end == end {
                return Some(end);
            }
            self.begin_next(c, line, e.end, thread);
        }
        let is_drained = line.emission.is_none() && line.free < end;
        if is_drained { work.at_speed(line.free, idle).end() } else { Some(end) }
    }

    /// The task takes the console lock and releases it, so that the kthread can start. The kthread of legacy consoles holds the lock
    /// while it prints.
    fn lock_beside(&mut self, c: usize, line: &mut Line, thread: Printer, once: bool) {
        if let (Some(e), Printer::LegacyThread) = (line.emission, thread) {
            if once {
                line.end(e);
                self.now = e.end;
            } else {
                self.now = self.drain(c, line, thread);
            }
        }
        if line.emission.is_none() {
            self.begin_next(c, line, self.now.max(line.free), thread);
        }
    }

    /// When the kthread has printed all that there is; nothing else happens until then.
    fn drain(&mut self, c: usize, line: &mut Line, thread: Printer) -> Dur {
        if line.emission.is_none() {
            self.begin_next(c, line, self.now.max(line.free), thread);
        }
        let mut drained = self.now;
        while let Some(e) = line.emission {
            line.end(e);
            drained = e.end;
            self.begin_next(c, line, e.end, thread);
        }
        drained
    }

    /// The kthread begins with the next record that the console lacks, from `start` on the line, if there is one.
    #[inline]
    fn begin_next(&mut self, c: usize, line: &mut Line, start: Dur, by: Printer) {
        let suppressed = self.log[line.seq..].iter().take_while(|message| message.level >= self.setup.loglevel).count();
        line.seq += suppressed;
        if let Some(bytes) = self.log.get(line.seq).map(|message| message.bytes) {
            line.emission = Some(Emission { record: line.seq, start, end: start + self.time_for(c, bytes), by });
        }
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
    #[inline]
    fn time_for(&mut self, c: usize, bytes: u32) -> Dur {
        let length = bytes as usize;
        match self.times.get(c * LENGTHS + length) {
            Some(Some(known)) if length < LENGTHS => *known,
            _ => self.new_time_for(c, bytes),
        }
    }

    #[cold]
    fn new_time_for(&mut self, c: usize, bytes: u32) -> Dur {
        let time = self.setup.consoles[c].uart.time_for(bytes);
        let length = bytes as usize;
        if length < LENGTHS {
            self.times.resize(self.consoles.len() * LENGTHS, None);
            self.times[c * LENGTHS + length] = Some(time);
        }
        time
    }
}

/// A console's line while one kthread prints to it: what changes at each record.
struct Line {
    /// The next record to print, or the one that is printed.
    seq: usize,
    emission: Option<Emission>,
    /// Until when the line carries what was printed before.
    free: Dur,
    /// When the last record was transmitted, if one was.
    transmitted: Option<Dur>,
}

impl Line {
    /// A record has been transmitted.
    #[inline]
    fn end(&mut self, e: Emission) {
        (self.seq, self.emission) = (e.record + 1, None);
        (self.free, self.transmitted) = (e.end, Some(e.end));
    }
}

/// Lengths of records, in bytes, that the table of times has: nearly all are shorter.
const LENGTHS: usize = 160;
