// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace shows of the kernel, on the boot's axis.
use bootline_capture::units::Dur;

/// An initcall that a trace shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitcallOfTrace {
    /// The function. From a file: escape it like a record.
    pub name: String,
    /// The module it is in, if it is in one.
    pub module: Option<String>,
    /// Its level, if the trace shows it.
    pub level: Option<String>,
    /// The task that ran it.
    pub task: u32,
    /// When it began, on the axis.
    pub start: Dur,
    /// When it returned; none where the trace does not show that.
    pub end: Option<Dur>,
    /// What it returned.
    pub returned: Option<i32>,
    /// Whether the log shows it, too: then it is among [`crate::Boot::spans`].
    pub in_log: bool,
}

impl InitcallOfTrace {
    /// How long it took, if that is known.
    pub fn length(&self) -> Option<Dur> {
        self.end.map(|end| end - self.start)
    }
}

/// A moment that a trace shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkOfTrace {
    /// When, on the axis.
    pub at: Dur,
    /// The task that caused it.
    pub task: u32,
    /// What it is.
    pub kind: MarkKind,
    /// The module's name, or the marker's text. Escape it like a record.
    pub text: String,
}

/// What a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A module was loaded.
    Module,
    /// Something wrote this into the trace.
    Marker,
}
