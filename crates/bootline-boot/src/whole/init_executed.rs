// SPDX-License-Identifier: MIT OR Apache-2.0
//! The execution of the root file system's init.
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// When the root file system's init was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitExecuted {
    /// On the axis.
    pub at: Dur,
    /// The record that shows it.
    pub record: RecordId,
    /// Whose record that is.
    pub by: ExecutedBy,
}

/// Whose record shows that init was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutedBy {
    /// The kernel's: init is systemd, where a source shows that there is one.
    Kernel,
    /// That of fastinit, which becomes systemd later.
    Fastinit,
}
