// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine's state at one instant: tasks, kthreads, consoles, the console lock.
use std::collections::VecDeque;

use super::console_set::ConsoleSet;
use super::simulation_outcome::SimulationOutcome;
use super::simulation_setup::SimulationSetup;
use super::work_left::WorkLeft;
use super::workload::{Message, TaskId, Workload};
use bootline_capture::units::Dur;

/// What a task is at.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TaskState {
    /// Ready to start its next operation.
    Ready,
    /// Computes.
    Working(WorkLeft),
    /// Holds the console lock and computes; console_unlock() follows.
    Holding(f64),
    /// Waits without using a CPU.
    Sleeping(Dur),
    /// Prints, as its job says.
    Printing(PrintJob),
    /// Spins for the console's owner to hand over (console_trylock_spinning).
    Spinning,
    /// Queues for the console lock, since then.
    Queued(Dur),
    /// Waits for another task.
    Joining(TaskId),
    /// Has nothing left to do, or never will.
    Done,
}

/// One task's course.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub next: usize,
    pub state: TaskState,
}

/// What is on a console's line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Emission {
    pub record: usize,
    pub start: Dur,
    pub end: Dur,
    pub by: Printer,
}

/// One console's course.
#[derive(Clone, Debug)]
pub(super) struct ConsoleState {
    pub registered: bool,
    /// The next record to print.
    pub seq: usize,
    pub emission: Option<Emission>,
    /// User space's bytes that wait, and whether they come next.
    pub user_waiting: u32,
    pub user_next: bool,
    /// Until when the line carries what was given to it.
    pub line_free: Dur,
    /// CPU time, in nanoseconds, that a working task gets before a kthread of the lowest priority prints the next record, unless a
    /// CPU is free.
    pub debt: f64,
}

/// All tasks, kthreads and consoles at one instant.
pub(super) struct Engine<'a> {
    pub workload: &'a Workload,
    pub setup: &'a SimulationSetup,
    pub now: Dur,
    /// What was printed, in order.
    pub log: Vec<Message>,
    pub tasks: Vec<Task>,
    pub consoles: Vec<ConsoleState>,
    pub lock: ConsoleLock,
    /// `printk_set_kthreads_ready` has run.
    pub threads_ready: bool,
    /// Panic or power-off: kthreads no longer print.
    pub threads_stopped: bool,
    /// The kthread of the legacy consoles (PREEMPT_RT), while it prints or queues.
    pub legacy_thread: Option<PrintJob>,
    pub legacy_thread_queued: bool,
    /// The kthreads of the nbcon consoles.
    pub nbcon_threads: Vec<Option<PrintJob>>,
    /// The clock loses no more ticks.
    pub clock_stable: bool,
    /// CPUs that are running.
    pub cpus: u32,
    /// The registered consoles, by who prints to them; kept up by [`Engine::note_registered`].
    pub registered: RegisteredConsoles,
    /// Whether the outcome has all details; else only the marks and the end of the last transmission.
    pub is_detailed: bool,
    /// Times of records by console and length, as far as they were computed: see [`Engine::time_for`].
    pub times: Vec<Option<Dur>>,
    /// When the last byte of what was transmitted so far was, or will be, through.
    pub last_transmitted: Option<Dur>,
    pub outcome: SimulationOutcome,
}

/// The registered consoles, by who prints to them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RegisteredConsoles {
    /// Whether one of them is a boot console.
    pub boot: bool,
    /// To which writers print under the console lock.
    pub by_writers: ConsoleSet,
    /// To which the kthread of the legacy consoles prints.
    pub by_legacy_thread: ConsoleSet,
    /// The nbcon consoles.
    pub nbcon: ConsoleSet,
}

/// Who prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printer {
    /// A task, within its printk() or console_unlock().
    Task(usize),
    /// The kthread of all legacy consoles.
    LegacyThread,
    /// The kthread of one nbcon console.
    NbconThread(usize),
}

/// What to print before the printer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrintJob {
    /// On which consoles, each in turn.
    pub consoles: ConsoleSet,
    /// Whose turn is next.
    pub next_console: usize,
    /// Under the console lock, which is given up at the end.
    pub locked: bool,
    /// One record on each console, not all that there is.
    pub once: bool,
}

/// The console lock (a semaphore: first come, first served).
#[derive(Clone, Debug, Default)]
pub(super) struct ConsoleLock {
    pub held: bool,
    pub queue: VecDeque<Printer>,
    /// A task that spins for the owner's hand-over.
    pub spinner: Option<usize>,
}
