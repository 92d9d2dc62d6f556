// SPDX-License-Identifier: MIT OR Apache-2.0
//! What journald and the D-Bus daemon say of work that others waited for. Both write to the journal alone, unless it is forwarded to
//! the console.
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// A message of journald or the D-Bus daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonMessage {
    /// The message, with the daemon's name. Escape it like a record.
    pub text: String,
    /// When it was written, on the axis.
    pub at: Dur,
    /// The record, if the log has it; none where only a journal given with the log does.
    pub record: Option<RecordId>,
}
