// SPDX-License-Identifier: MIT OR Apache-2.0
//! A prediction, its assumptions and its requirements.
use super::change::Change;
use crate::remedy::SystemChange;
use bootline_capture::units::Interval;

/// Something that a prediction takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// A stable short name: `line-speed`, `levels`, `printer-thread-contention`.
    pub name: &'static str,
    /// Text, with figures; it may contain text from the log: escape it like a record.
    pub text: String,
}

/// The boot under a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The change.
    pub change: Change,
    /// Title of the change: `115200 baud`.
    pub title: String,
    /// Time from the kernel's first byte to init; if the line stays silent, from where that byte is in the captured
    /// boot.
    pub time_to_init: Interval,
    /// From the same instant until the last record before init has arrived; none if nothing is printed.
    pub log_complete: Option<Interval>,
    /// Time to init of the baseline minus this one. Negative if the change makes it worse.
    pub saved: Interval,
    /// Shift of the first byte compared with the baseline; positive if the console starts later.
    pub first_byte_shift: Interval,
    /// Total bytes on the line, before init and after.
    pub bytes: u64,
    /// What the change costs its user.
    pub price: String,
    /// Assumptions of the prediction.
    pub assumptions: Vec<Assumption>,
    /// What it needs: the changes to the system, all of them together.
    pub needs: Vec<SystemChange>,
}

/// Why nothing can be predicted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredictionError {
    /// No kernel record, or no end.
    #[error("the log does not show where init starts")]
    NoEnd,
    /// No times at all.
    #[error("the log has neither kernel timestamps nor arrival times")]
    NoTimes,
    /// No serial console in the log or on its command line.
    #[error("the log shows no serial console")]
    NoConsole,
    /// The line's speed is unknown.
    #[error("the speed of console `{console}` is unknown")]
    NoSpeed {
        /// `ttyS0`
        console: String,
    },
    /// The change would print records that the captured console did not print, and the log lacks them.
    #[error("records of level {level} and up were not printed, so what they would cost is unknown")]
    NotPrinted {
        /// The console's log level in the baseline.
        level: u8,
    },
    /// The version's behaviour is not in the table.
    #[error("bootline does not know how kernel {0} prints")]
    UnknownKernel(String),
}
