// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts that print to one console: what each does between two atomic steps.
//!
//! Read from kernel/printk/nbcon.c of 7.2.13 and 7.3.4: `nbcon_kthread_func`, `nbcon_emit_one`, `nbcon_emit_next_record`,
//! `__nbcon_atomic_flush_pending_con`, `nbcon_atomic_flush_unsafe`, `nbcon_reacquire_nobuf`; the driver from 8250_port.c of
//! 7.3.4, `serial8250_console_write`: a section to silence the port's interrupts, one for each piece of the record, one to
//! put the port in order, for which it takes the console back if it lost it. Left out: the thread's wake-up (it looks at
//! once), records dropped from a full buffer, the words "replaying previous printk message".
use super::search::{Model, Violation};
use super::transmitted::{PARTS, TransmittedBytes};
use crate::nbcon::{AcquireContext, AcquireError, Cpu, NbconState, Prio, WithdrawOutcome};

/// The steps of the state machine; a mutant has another one in some place.
#[derive(Clone, Copy)]
pub(super) struct Machine {
    pub(super) direct: fn(NbconState, &AcquireContext, Option<Cpu>) -> Result<NbconState, AcquireError>,
    pub(super) requested: fn(NbconState, &AcquireContext, Option<Cpu>) -> Result<NbconState, AcquireError>,
    pub(super) hostile: fn(NbconState, &AcquireContext) -> Result<NbconState, AcquireError>,
    pub(super) release: fn(NbconState, &AcquireContext) -> NbconState,
    pub(super) set_unsafe: fn(NbconState, &AcquireContext, bool) -> (NbconState, bool),
}

/// Who takes part, and what may happen.
#[derive(Clone, Copy)]
pub(super) struct SimulationSetup {
    pub(super) machine: Machine,
    /// Records that wait at the start.
    pub(super) backlog: u8,
    /// Each context's priority and processor; the one of a lower position is interrupted by the others on its processor.
    pub(super) contexts: &'static [(Prio, u8)],
    /// How often each waiter may give up before it is served. A waiter whose owner has stopped always may.
    pub(super) timeouts: u8,
    /// Whether a panic stops the other processors wherever they are, or they run on.
    pub(super) stops: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// An emergency or a panic stores its record.
    Start,
    /// The thread looks for something to print.
    Idle,
    /// A flush looks whether there is more.
    More,
    Acquire,
    Request,
    Wait,
    Withdraw(AcquireError),
    Hostile,
    EnterFormat,
    ExitFormat,
    EnterDriver,
    ExitDriver,
    EnterPart(u8),
    Write(u8),
    ExitPart(u8),
    EnterFinal,
    ExitFinal,
    EnterUpdate,
    Update,
    ExitUpdate,
    /// panic() stops the others.
    StopOthers,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Who {
    step: Step,
    /// The record it prints (`ctxt->seq`).
    record: u8,
    /// The buffer is gone (`wctxt->outbuf`).
    lost_buffer: bool,
    reacquires: bool,
    /// Which of a panic's flushes: as usual; as usual with the others stopped; unsafe.
    round: u8,
    timeouts: u8,
    stopped: bool,
}

/// One console, and who prints to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) state: NbconState,
    seq: u8,
    records: u8,
    /// Contexts in an emergency (`nbcon_cpu_emergency_cnt`): the thread keeps off.
    emergencies: u8,
    panic: Option<Cpu>,
    who: [Option<Who>; 3],
    pub(super) wire: TransmittedBytes,
}

impl State {
    /// Whether a whole copy of each record is on the line.
    pub(super) fn all_whole(&self) -> bool {
        (0..self.records).all(|r| self.wire.has(r))
    }
}

impl Who {
    /// Between the entry into an unsafe section and its exit: at the port, or at the buffer.
    fn in_unsafe(&self) -> bool {
        use Step::{ExitDriver, ExitFinal, ExitFormat, ExitPart, ExitUpdate, Update, Write};
        matches!(self.step, ExitFormat | ExitDriver | Write(_) | ExitPart(_) | ExitFinal | Update | ExitUpdate)
    }
}

impl Model for SimulationSetup {
    type State = State;

    fn start(&self) -> State {
        let mut who = [None; 3];
        for (slot, (prio, _)) in who.iter_mut().zip(self.contexts) {
            let step = if *prio == Prio::Normal { Step::Idle } else { Step::Start };
            *slot = Some(Who {
                step,
                record: 0,
                lost_buffer: false,
                reacquires: false,
                round: 0,
                timeouts: self.timeouts,
                stopped: false,
            });
        }
        State {
            state: NbconState::default(),
            seq: 0,
            records: self.backlog,
            emergencies: 0,
            panic: None,
            who,
            wire: TransmittedBytes::default(),
        }
    }

    fn next(&self, state: &State, found: &mut Vec<State>) -> Result<(), Violation> {
        for i in 0..self.contexts.len() {
            if self.runs(state, i) {
                self.step(state, i, found)?;
            }
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), Violation> {
        let inside = state.who.iter().flatten().filter(|w| !w.stopped && w.in_unsafe()).count();
        if inside > 1 && !state.state.unsafe_takeover { Err(Violation::TwoOwners) } else { Ok(()) }
    }

    /// All is printed. Those that a panic stopped, or keeps from a console that it took in an unsafe section, stay where
    /// they are.
    fn check_end(&self, state: &State) -> Result<(), Violation> {
        let kept_off = state.panic.is_some() && state.state.unsafe_takeover;
        let over = |(i, w): (usize, &Who)| match w.step {
            Step::Done | Step::Idle => true,
            _ => w.stopped || self.interrupted(state, i) || kept_off && self.contexts[i].0 != Prio::Panic,
        };
        let over = state.who.iter().enumerate().filter_map(|(i, w)| Some((i, w.as_ref()?))).all(over);
        if !over || state.seq < state.records {
            return Err(Violation::Stuck);
        }
        if !state.all_whole() { Err(Violation::Lost) } else { Ok(()) }
    }
}

impl SimulationSetup {
    /// Whether another context has interrupted this one on its processor; a panic doesn't return.
    fn interrupted(&self, state: &State, i: usize) -> bool {
        (i + 1..self.contexts.len()).any(|j| {
            let step = state.who[j].map_or(Step::Done, |w| w.step);
            let over = step == Step::Done && self.contexts[j].0 != Prio::Panic;
            self.contexts[j].1 == self.contexts[i].1 && step != Step::Start && !over
        })
    }

    fn runs(&self, state: &State, i: usize) -> bool {
        state.who[i].is_some_and(|w| !w.stopped && w.step != Step::Done) && !self.interrupted(state, i)
    }

    fn context(&self, state: &State, i: usize) -> AcquireContext {
        let (prio, cpu) = self.contexts[i];
        let who = state.who[i];
        AcquireContext {
            cpu: Cpu(cpu),
            prio,
            reacquires: who.is_some_and(|w| w.reacquires),
            waits: prio != Prio::Normal,
            may_take_unsafe: prio == Prio::Panic && who.is_some_and(|w| w.round == 2),
        }
    }

    /// Whether who owns the console can still leave it.
    fn owner_runs(&self, state: &State) -> bool {
        (0..self.contexts.len()).any(|i| {
            let owns = self.contexts[i] == (state.state.prio, state.state.cpu.0);
            owns && self.runs(state, i)
        })
    }

    /// What the i-th context's next step leads to; nothing while it has to wait.
    fn step(&self, state: &State, i: usize, found: &mut Vec<State>) -> Result<(), Violation> {
        let Some(mut me) = state.who[i] else { return Ok(()) };
        let mut s = *state;
        let (ctx, machine, panic) = (self.context(state, i), self.machine, state.panic);
        let mut done = |s: State, me: Who, step: Step| {
            let mut s = s;
            s.who[i] = Some(Who { step, ..me });
            found.push(s);
        };
        match me.step {
            Step::Start => {
                // What others print while a panic goes on is dropped (vprintk_emit).
                if ctx.panic_elsewhere(panic) {
                    done(s, me, Step::Done);
                    return Ok(());
                }
                s.records += 1;
                match ctx.prio {
                    Prio::Panic => s.panic = Some(ctx.cpu),
                    _ => s.emergencies += 1,
                }
                done(s, me, Step::More);
            }
            Step::Idle if s.emergencies > 0 || panic.is_some() || s.seq >= s.records => {}
            Step::Idle => done(s, me, Step::Acquire),
            Step::More if s.seq < s.records => done(s, me, Step::Acquire),
            Step::More => self.flushed(s, i, me, found),
            Step::Acquire => match (machine.direct)(s.state, &ctx, panic) {
                Ok(state) => self.acquired(s, i, me, state, found),
                Err(AcquireError::Busy) => match crate::nbcon::request(s.state, &ctx, panic) {
                    // It looks again and again, to no avail as long as nobody else does anything.
                    Err(AcquireError::Busy | AcquireError::Denied) if me.reacquires => {}
                    _ => done(s, me, Step::Request),
                },
                Err(_) if me.reacquires => {}
                Err(_) => self.failed(s, i, me, found),
            },
            Step::Request => match crate::nbcon::request(s.state, &ctx, panic) {
                Ok(state) => done(State { state, ..s }, me, Step::Wait),
                Err(AcquireError::Changed) => done(s, me, Step::Acquire),
                Err(AcquireError::Busy) => done(s, me, Step::Hostile),
                Err(AcquireError::Denied) => self.failed(s, i, me, found),
            },
            Step::Wait => match (machine.requested)(s.state, &ctx, panic) {
                Ok(state) => self.acquired(s, i, me, state, found),
                Err(AcquireError::Busy) if me.timeouts > 0 => {
                    me.timeouts -= 1;
                    done(s, me, Step::Withdraw(AcquireError::Busy));
                }
                Err(AcquireError::Busy) if !self.owner_runs(state) => done(s, me, Step::Withdraw(AcquireError::Busy)),
                Err(AcquireError::Busy) => {}
                Err(why) => done(s, me, Step::Withdraw(why)),
            },
            Step::Withdraw(why) => match (crate::nbcon::withdraw(s.state, &ctx, panic), why) {
                (WithdrawOutcome::Acquired(state), _) => self.acquired(s, i, me, state, found),
                (WithdrawOutcome::Removed(state), AcquireError::Busy) => done(State { state, ..s }, me, Step::Hostile),
                (WithdrawOutcome::Removed(state), _) => self.failed(State { state, ..s }, i, me, found),
                (WithdrawOutcome::Replaced, _) => self.failed(s, i, me, found),
            },
            Step::Hostile => match (machine.hostile)(s.state, &ctx) {
                Ok(state) => self.acquired(s, i, me, state, found),
                Err(_) => self.failed(s, i, me, found),
            },
            Step::Write(part) => {
                if s.state.unsafe_takeover {
                    s.wire.write_in_doubt(ctx.prio == Prio::Panic, me.record, part);
                } else {
                    s.wire.write(i as u8, me.record, part)?;
                }
                done(s, me, Step::ExitPart(part));
            }
            Step::Update => {
                // nbcon_seq_try_update
                if s.seq == me.record {
                    if !s.wire.has(me.record) {
                        return Err(Violation::Lost);
                    }
                    s.seq += 1;
                }
                done(s, me, Step::ExitUpdate);
            }
            Step::StopOthers => {
                for (j, other) in s.who.iter_mut().enumerate() {
                    if let Some(w) = other.as_mut().filter(|_| j != i && self.stops) {
                        w.stopped = true;
                    }
                }
                me.round = 1;
                done(s, me, Step::More);
            }
            Step::Done => {}
            step => {
                let entering = !me.in_unsafe();
                let (state, mine) = (machine.set_unsafe)(s.state, &ctx, entering);
                s.state = state;
                self.section(s, i, Who { step, ..me }, mine, found);
            }
        }
        Ok(())
    }

    /// The entry into an unsafe section, or its exit, that did or didn't leave the context the owner.
    fn section(&self, mut s: State, i: usize, mut me: Who, mine: bool, found: &mut Vec<State>) {
        // The driver goes on to the end of its function; its buffer is gone.
        let in_driver = !matches!(me.step, Step::EnterFormat | Step::ExitFormat | Step::EnterUpdate | Step::ExitUpdate);
        me.lost_buffer |= in_driver && !mine;
        me.step = match (me.step, mine) {
            (Step::EnterFormat, true) => Step::ExitFormat,
            (Step::ExitFormat, true) => Step::EnterDriver,
            (Step::EnterDriver, true) => Step::ExitDriver,
            (Step::ExitDriver, _) => Step::EnterPart(0),
            (Step::EnterPart(part), true) => Step::Write(part),
            (Step::EnterPart(_), false) => Step::EnterFinal,
            (Step::ExitPart(part), _) if part + 1 < PARTS => Step::EnterPart(part + 1),
            (Step::ExitPart(_), _) => Step::EnterFinal,
            (Step::EnterFinal, true) => Step::ExitFinal,
            (Step::EnterFinal, false) => {
                me.reacquires = true;
                Step::Acquire
            }
            (Step::ExitFinal, _) if !me.lost_buffer => Step::EnterUpdate,
            (Step::EnterUpdate, true) => Step::Update,
            (Step::ExitUpdate, true) => {
                s.state = (self.machine.release)(s.state, &self.context(&s, i));
                if self.contexts[i].0 == Prio::Normal { Step::Idle } else { Step::More }
            }
            _ => {
                // nbcon_emit_next_record gives up, and releases what the driver may have taken back.
                if in_driver {
                    s.state = (self.machine.release)(s.state, &self.context(&s, i));
                }
                return self.failed(s, i, Who { lost_buffer: false, reacquires: false, ..me }, found);
            }
        };
        s.who[i] = Some(me);
        found.push(s);
    }

    fn acquired(&self, mut s: State, i: usize, mut me: Who, state: NbconState, found: &mut Vec<State>) {
        s.state = state;
        if me.reacquires {
            (me.reacquires, me.step) = (false, Step::EnterFinal);
        } else {
            (me.record, me.step) = (s.seq, Step::EnterFormat);
        }
        s.who[i] = Some(me);
        found.push(s);
    }

    /// The console wasn't to be had or was lost: whoever has it prints the rest. A reacquire tries on.
    fn failed(&self, mut s: State, i: usize, mut me: Who, found: &mut Vec<State>) {
        if me.reacquires {
            me.step = Step::Acquire;
        } else if self.contexts[i].0 == Prio::Normal {
            me.step = Step::Idle;
        } else {
            return self.flushed(s, i, me, found);
        }
        s.who[i] = Some(me);
        found.push(s);
    }

    /// A flush is over, whatever came of it.
    fn flushed(&self, mut s: State, i: usize, mut me: Who, found: &mut Vec<State>) {
        me.step = match (self.contexts[i].0, me.round) {
            (Prio::Panic, 0) => Step::StopOthers,
            (Prio::Panic, 1) => {
                me.round = 2;
                Step::More
            }
            (Prio::Panic, _) => Step::Done,
            _ => {
                s.emergencies -= 1;
                Step::Done
            }
        };
        s.who[i] = Some(me);
        found.push(s);
    }
}
