// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a boot does, apart from its consoles: tasks that work, print and take the console lock.
use bootline_capture::units::Dur;

/// A task of a workload, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub usize);

/// A console of the setup, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsoleId(pub usize);

/// One record that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Bytes on the line, prefix and CR LF included: at least 1.
    pub bytes: u32,
    /// Level: 0 (emergency) to 7 (debug).
    pub level: u8,
}

/// One thing that a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Computes: needs a CPU for this time.
    Work(Dur),
    /// Waits for a device or a timer: needs no CPU.
    Sleep(Dur),
    /// printk().
    Print(Message),
    /// register_console().
    Register(ConsoleId),
    /// unregister_console(), as a boot console's at the hand-over.
    Unregister(ConsoleId),
    /// printk_set_kthreads_ready().
    ThreadsReady,
    /// console_lock(), the given work, console_unlock(): fbmem, tty registration, the open of /dev/console.
    LockConsole(Dur),
    /// Waits until another task has done all its operations.
    Join(TaskId),
    /// User space writes this many bytes to the console's tty: queued, and sent by the port's interrupt.
    UserWrite(ConsoleId, u32),
    /// The other CPUs come up (smp_init): until then there is one, with or without kthreads.
    ProcessorsUp,
    /// The kernel's clock stops losing ticks (clocksource: Switched to clocksource tsc).
    ClockStable,
    /// A WARN: nbcon consoles print all that is waiting before it goes on.
    Warn(Message),
    /// panic(): the consoles print everything stored, all other CPUs stop.
    Panic(Message),
    /// Power-off or reboot: the printer kthreads are stopped and everything stored is printed.
    PowerOff,
    /// Notes the time.
    Mark(u32),
}

/// What runs at the same time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Task 0 is init's (`swapper`, `kernel_init`).
    pub tasks: Vec<Vec<Op>>,
}

impl Workload {
    /// Whether it begins with one CPU. A workload without this operation has all CPUs from its start.
    pub fn brings_processors_up(&self) -> bool {
        self.tasks.iter().flatten().any(|op| *op == Op::ProcessorsUp)
    }
}
