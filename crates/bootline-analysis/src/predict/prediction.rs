// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is predicted.
use super::change::Change;
use crate::remedy::SystemChange;
use bootline_capture::units::Interval;

/// Something that a prediction takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// A stable short name: `line-speed`, `levels`, `printer-thread-contention`.
    pub name: &'static str,
    /// In words, with its figures; it may name what the log names: escape it like a record.
    pub text: String,
}

/// The boot under a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// What is different.
    pub change: Change,
    /// What it is called: `115200 baud`.
    pub title: String,
    /// True time from the kernel's first byte (where the line stays silent: from where it is in the boot at hand) to
    /// init.
    pub time_to_init: Interval,
    /// From the same instant until the last record before init has arrived; none where nothing is printed.
    pub log_complete: Option<Interval>,
    /// Time to init today, less this one's. Negative where the change makes it worse.
    pub saved: Interval,
    /// Where the first byte is, against today: later (positive) under a console that opens later.
    pub first_byte_shift: Interval,
    /// Characters on the line before init is reached or after, in all.
    pub bytes: u64,
    /// What one gives up.
    pub price: String,
    /// What it rests on.
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
    /// Records that today's console doesn't print would be printed, and the log lacks them.
    #[error("records of level {level} and up were not printed, so what they would cost is unknown")]
    NotPrinted {
        /// The console's level today.
        level: u8,
    },
    /// The version's behaviour isn't in the table.
    #[error("how kernel {0} prints is not known")]
    UnknownKernel(String),
}
