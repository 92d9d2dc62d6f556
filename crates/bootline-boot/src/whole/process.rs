// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process of user space, as a bootchart or a trace shows it.
use bootline_capture::units::Dur;

/// A process, or one program that it executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's number, if it is known.
    pub parent: Option<u32>,
    /// Its name or, of a trace, the path of the program. Escape it like a record.
    pub name: String,
    /// Its program and arguments.
    pub args: Option<String>,
    /// When it started, on the axis; none for one that ran before the recorder.
    pub start: Option<Dur>,
    /// By how much the start may be off, to either side.
    pub start_error: Dur,
    /// When it ended, or the first moment at which it was not there any more; none where it still ran, or nothing shows that.
    pub end: Option<Dur>,
    /// Processor time that it used; by a trace, that of its main thread.
    pub cpu: Option<Dur>,
    /// Time for which it waited for block devices; by a trace, that is not known.
    pub io_wait: Option<Dur>,
    /// What shows it.
    pub by: ProcessBy,
}

/// What shows a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessBy {
    /// A bootchart's samples.
    Bootchart,
    /// The events of a trace.
    Trace,
}

impl Process {
    /// The name without the folders of a program's path.
    pub fn path_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// From its start to its end, if both are known.
    pub fn length(&self) -> Option<Dur> {
        self.start.zip(self.end).map(|(from, to)| to - from)
    }
}

/// By their start; those without one first: they ran before.
pub(super) fn sort(processes: &mut [Process]) {
    processes.sort_by_key(|process| (process.start, process.pid));
}
