// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of a workload on a setup.
use super::workload::{ConsoleId, TaskId};
use crate::units::Dur;

/// A record on one console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Which console.
    pub console: ConsoleId,
    /// Which record: its position in `records`.
    pub record: usize,
    /// Its first character began.
    pub start: Dur,
    /// Its last one was through.
    pub end: Dur,
    /// Characters that were lost on the way.
    pub lost: u32,
}

/// A record in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Who wrote it.
    pub task: TaskId,
    /// Position of its operation in that task.
    pub op: usize,
    /// When, in true time.
    pub at: Dur,
    /// When, by the kernel's own clock.
    pub kernel: Dur,
    /// When its writer went on.
    pub returned: Dur,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The log, in the order in which it was stored.
    pub records: Vec<Stored>,
    /// What the consoles carried, in the order of its starts.
    pub carried: Vec<Carried>,
    /// The times of [`super::Op::Mark`], in order.
    pub marks: Vec<(u32, Dur)>,
    /// When each operation of each task ended; none for what a panic or a deadlock cut off.
    pub done: Vec<Vec<Option<Dur>>>,
    /// What tasks waited for the console lock.
    pub lock_waits: Vec<(TaskId, usize, Dur)>,
    /// The longest stretch with interrupts off.
    pub longest_irqs_off: Dur,
}

impl Outcome {
    /// When a mark was passed.
    pub fn mark(&self, id: u32) -> Option<Dur> {
        self.marks.iter().find(|(m, _)| *m == id).map(|(_, at)| *at)
    }

    /// When the first character of any console began.
    pub fn first_byte(&self) -> Option<Dur> {
        self.carried.iter().map(|c| c.start).min()
    }
}
