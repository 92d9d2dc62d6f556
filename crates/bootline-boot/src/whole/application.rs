// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application: what a boot is for.
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The application, once it was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Application {
    /// The unit's name, the mark's, the text of the record or marker, or the process's name and arguments. Escape it like a record.
    pub name: String,
    /// Position of its unit; none for a mark, and for a record of which no unit was named.
    pub unit: Option<usize>,
    /// Position of its process in [`crate::WholeBoot::processes`]; none where none matches, or for a unit or a mark.
    pub process: Option<usize>,
    /// When its unit began to start, or its process started; none where nothing shows that.
    pub start: Option<Dur>,
    /// When it was reached.
    pub at: Dur,
    /// How it is known to be reached.
    pub reached: Reached,
    /// The record that shows it, if it is one of this boot's.
    pub record: Option<RecordId>,
    /// Position of the mark that shows it, if one does.
    pub mark: Option<usize>,
}

/// How an application is known to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Its unit was up.
    UnitUp,
    /// Its program was executed: its unit, of Type=simple, was up as soon as there was a process.
    Executed,
    /// A line was printed, or a marker written.
    Line,
    /// The board showed a mark.
    Mark,
    /// Its process started, which is all that is known.
    ProcessStart,
}
