// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of a workload on a setup.
use super::workload::{ConsoleId, TaskId};
use bootline_capture::units::Dur;

/// A record on one console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmittedRecord {
    /// Which console.
    pub console: ConsoleId,
    /// Position of the record in `records`.
    pub record: usize,
    /// When transmission of its first byte began.
    pub start: Dur,
    /// When its last byte was transmitted.
    pub end: Dur,
    /// Cut off before its last byte: a context of higher priority took the console over, and prints it again.
    pub truncated: bool,
}

/// User space's bytes between the kernel's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserOutput {
    /// On which console's line.
    pub console: ConsoleId,
    /// The first one began.
    pub start: Dur,
    /// The last one was through.
    pub end: Dur,
    /// How many.
    pub bytes: u32,
}

/// A record in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The task that stored it.
    pub task: TaskId,
    /// Position of its operation in that task.
    pub op: usize,
    /// When, in true time.
    pub at: Dur,
    /// When, by the kernel's own clock.
    pub kernel: Dur,
    /// When its writer continued.
    pub returned: Dur,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationOutcome {
    /// The log, in the order in which it was stored.
    pub records: Vec<StoredRecord>,
    /// What the consoles transmitted, sorted by start.
    pub transmitted: Vec<TransmittedRecord>,
    /// What user space sent.
    pub user: Vec<UserOutput>,
    /// The times of [`super::Op::Mark`], in order.
    pub marks: Vec<(u32, Dur)>,
    /// When each operation of each task ended; none for what a panic or a deadlock cut off.
    pub done: Vec<Vec<Option<Dur>>>,
    /// Waits for the console lock: the task, its operation, the length.
    pub lock_waits: Vec<(TaskId, usize, Dur)>,
    /// Time that the kernel's clock lost.
    pub clock_lost: Dur,
    /// The longest time with interrupts off.
    pub longest_irqs_off: Dur,
}

/// The times of a run, without what led to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationTimes {
    /// The times of [`super::Op::Mark`], in order.
    pub marks: Vec<(u32, Dur)>,
    /// When the last byte of all records was through; none if none was transmitted.
    pub last_transmitted: Option<Dur>,
}

impl SimulationTimes {
    /// When a mark was passed.
    pub fn mark(&self, id: u32) -> Option<Dur> {
        self.marks.iter().find(|(m, _)| *m == id).map(|(_, at)| *at)
    }
}

impl SimulationOutcome {
    /// When a mark was passed.
    pub fn mark(&self, id: u32) -> Option<Dur> {
        self.marks.iter().find(|(m, _)| *m == id).map(|(_, at)| *at)
    }

    /// When the first byte of any console began.
    pub fn first_byte(&self) -> Option<Dur> {
        self.transmitted.iter().map(|c| c.start).min()
    }
}
