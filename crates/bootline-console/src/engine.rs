// SPDX-License-Identifier: MIT OR Apache-2.0
//! The discrete-event engine: what every task, kthread and console does from event to event.
//!
//! Time is continuous. Between two events each CPU's share is constant, so work shrinks linearly, and a record on a
//! console needs the line and no lock. Who prints, for whom, and who waits is in `printer.rs`, `console_lock.rs` and
//! `registration.rs`.
use super::engine_state::{ConsoleLock, ConsoleState, Emission, Engine, RegisteredConsoles, Task, TaskState};
use super::processors;
use super::simulation_outcome::{SimulationOutcome, SimulationTimes, StoredRecord, TransmittedRecord};
use super::simulation_setup::{KernelClock, SimulationSetup};
use super::work_left::{self, WorkLeft};
use super::workload::{ConsoleId, Message, Op, TaskId, Workload};
use bootline_capture::units::Dur;

/// Runs a workload on a setup.
pub fn simulate(workload: &Workload, setup: &SimulationSetup) -> SimulationOutcome {
    let mut engine = Engine::new(workload, setup, true);
    while engine.step() {}
    engine.outcome
}

/// Runs a workload on a setup, for its times alone: the same times, much sooner.
pub fn simulate_times(workload: &Workload, setup: &SimulationSetup) -> SimulationTimes {
    let mut engine = Engine::new(workload, setup, false);
    loop {
        engine.fast_forward();
        if !engine.step() {
            return SimulationTimes { marks: engine.outcome.marks, last_transmitted: engine.last_transmitted };
        }
    }
}

impl<'a> Engine<'a> {
    fn new(workload: &'a Workload, setup: &'a SimulationSetup, is_detailed: bool) -> Engine<'a> {
        let not_done = |ops: &Vec<Op>| vec![None; if is_detailed { ops.len() } else { 0 }];
        let console = ConsoleState {
            registered: false,
            seq: 0,
            emission: None,
            user_waiting: 0,
            user_next: true,
            line_free: Dur::ZERO,
            debt: 0.0,
        };
        Engine {
            workload,
            setup,
            now: Dur::ZERO,
            log: Vec::with_capacity(if is_detailed { 0 } else { workload.tasks.first().map_or(0, Vec::len) / 2 }),
            tasks: workload.tasks.iter().map(|_| Task { next: 0, state: TaskState::Ready }).collect(),
            consoles: vec![console; setup.consoles.len()],
            lock: ConsoleLock::default(),
            threads_ready: false,
            threads_stopped: false,
            legacy_thread: None,
            legacy_thread_queued: false,
            nbcon_threads: vec![None; setup.consoles.len()],
            clock_stable: false,
            cpus: if workload.brings_processors_up() { 1 } else { setup.cpus },
            registered: RegisteredConsoles::default(),
            is_detailed,
            times: Vec::new(),
            last_transmitted: None,
            outcome: SimulationOutcome {
                done: workload.tasks.iter().map(not_done).collect(),
                ..SimulationOutcome::default()
            },
        }
    }

    /// Does all that can be done at this instant, then goes to the next event. False when there is none.
    fn step(&mut self) -> bool {
        loop {
            let mut moved = false;
            for id in 0..self.tasks.len() {
                while self.tasks[id].state == TaskState::Ready {
                    self.start(id);
                    moved = true;
                }
            }
            moved |= self.wake_threads();
            moved |= self.send_user_bytes();
            if !moved {
                break;
            }
        }
        let speed = processors::speed(self);
        for task in &mut self.tasks {
            if let TaskState::Working(work) = &mut task.state {
                *work = work.at_speed(self.now, speed);
            }
        }
        let Some(next) = self.next_event(speed) else { return false };
        self.advance(next, speed);
        true
    }

    fn next_event(&self, speed: f64) -> Option<Dur> {
        let after = |left: f64| self.now + Dur::from_nanos(work_left::nanos_for(left, speed));
        let tasks = self.tasks.iter().filter_map(|t| match t.state {
            TaskState::Working(work) => work.end(),
            TaskState::Holding(left) if speed > 0.0 => Some(after(left)),
            TaskState::Sleeping(until) => Some(until),
            _ => None,
        });
        let lines = self.consoles.iter().filter_map(|c| match c.emission {
            Some(e) => Some(e.end),
            None => (c.user_waiting > 0 && c.line_free > self.now).then_some(c.line_free),
        });
        let debts = self.consoles.iter().filter(|c| c.debt > 0.0 && speed > 0.0).map(|c| after(c.debt));
        tasks.chain(lines).chain(debts).min()
    }

    fn advance(&mut self, to: Dur, speed: f64) {
        let done = (to - self.now).as_nanos() as f64 * speed;
        self.now = to;
        for id in 0..self.tasks.len() {
            match &mut self.tasks[id].state {
                TaskState::Working(work) if work.end().is_some_and(|end| end <= to) => self.finish(id),
                TaskState::Holding(left) => {
                    *left -= done;
                    if *left < 0.5 {
                        self.print_locked(id);
                    }
                }
                TaskState::Sleeping(until) if *until <= to => self.finish(id),
                _ => {}
            }
        }
        for c in 0..self.consoles.len() {
            let debt = &mut self.consoles[c].debt;
            *debt = if *debt - done < 0.5 { 0.0 } else { *debt - done };
            if let Some(e) = self.consoles[c].emission.filter(|e| e.end <= to) {
                self.emitted(c, e);
            }
        }
    }

    /// The task's operation has ended.
    pub fn finish(&mut self, id: usize) {
        let op = self.tasks[id].next;
        self.tasks[id].next += 1;
        self.tasks[id].state = TaskState::Ready;
        if !self.is_detailed {
            return;
        }
        self.outcome.done[id][op] = Some(self.now);
        if let Some(Op::Print(_) | Op::Warn(_) | Op::Panic(_)) = self.workload.tasks[id].get(op) {
            if let Some(r) = self.outcome.records.iter_mut().rev().find(|r| r.task.0 == id && r.op == op) {
                r.returned = self.now;
            }
        }
    }

    fn start(&mut self, id: usize) {
        let op = match self.workload.tasks[id].get(self.tasks[id].next) {
            Some(op) => *op,
            None => {
                self.tasks[id].state = TaskState::Done;
                self.joined(id);
                return;
            }
        };
        match op {
            Op::Work(d) => self.tasks[id].state = TaskState::Working(WorkLeft::all_of(d)),
            Op::Sleep(d) => self.tasks[id].state = TaskState::Sleeping(self.now + d.max_zero()),
            Op::Print(m) => {
                self.store(id, m);
                self.print_by_writer(id);
            }
            Op::Warn(m) => {
                self.store(id, m);
                self.print_in_emergency(id);
            }
            Op::Panic(m) => {
                self.store(id, m);
                self.stop_all_but(id);
                self.flush_everything(id);
            }
            Op::PowerOff => {
                self.stop_all_but(id);
                self.flush_nbcon(id);
            }
            Op::Register(c) => self.register(id, c),
            Op::Unregister(c) => self.unregister(id, c),
            Op::ThreadsReady => {
                self.threads_ready = true;
                self.finish(id);
            }
            Op::LockConsole(_) => self.lock_by_task(id),
            Op::Join(other) => match self.tasks.get(other.0).map(|t| &t.state) {
                Some(TaskState::Done) | None => self.finish(id),
                Some(_) => self.tasks[id].state = TaskState::Joining(other),
            },
            Op::UserWrite(c, bytes) => {
                if let Some(c) = self.consoles.get_mut(c.0) {
                    c.user_waiting = c.user_waiting.saturating_add(bytes);
                }
                self.finish(id);
            }
            Op::ProcessorsUp => {
                self.cpus = self.setup.cpus;
                self.finish(id);
            }
            Op::ClockStable => {
                self.clock_stable = true;
                self.finish(id);
            }
            Op::Mark(mark) => {
                self.outcome.marks.push((mark, self.now));
                self.finish(id);
            }
        }
    }

    fn store(&mut self, id: usize, message: Message) {
        self.log.push(message);
        if !self.is_detailed {
            return;
        }
        self.outcome.records.push(StoredRecord {
            task: TaskId(id),
            op: self.tasks[id].next,
            at: self.now,
            kernel: self.now - self.outcome.clock_lost,
            returned: self.now,
        });
    }

    fn joined(&mut self, id: usize) {
        for other in 0..self.tasks.len() {
            if self.tasks[other].state == TaskState::Joining(TaskId(id)) {
                self.finish(other);
            }
        }
    }

    /// A record is through.
    fn emitted(&mut self, c: usize, e: Emission) {
        self.consoles[c].emission = None;
        self.consoles[c].seq = e.record + 1;
        self.consoles[c].user_next = true;
        self.finish_transmission(c, e, false);
        if self.gives_way(c, e.by) {
            self.consoles[c].debt = processors::debt(e.end - e.start);
            return self.nbcon_threads[c] = None;
        }
        self.emission_ended(e.by);
    }

    /// Notes what the line carried, and what it did to the clock.
    pub fn finish_transmission(&mut self, c: usize, e: Emission, truncated: bool) {
        self.last_transmitted = self.last_transmitted.max(Some(e.end));
        if !self.is_detailed {
            return;
        }
        self.outcome.transmitted.push(TransmittedRecord {
            console: ConsoleId(c),
            record: e.record,
            start: e.start,
            end: e.end,
            truncated,
        });
        if self.interrupts_off(c, e.by) {
            let stretch = e.end - e.start;
            self.outcome.longest_irqs_off = self.outcome.longest_irqs_off.max(stretch);
            if let (KernelClock::LosesTicks(tick), false) = (self.setup.clock, self.clock_stable) {
                self.outcome.clock_lost += (stretch - tick).max_zero();
            }
        }
    }
}
