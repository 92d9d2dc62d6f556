// SPDX-License-Identifier: MIT OR Apache-2.0
//! An experiment: arms that differ in what is asked, booted in turn, and what their runs say.
//!
//! ```text
//! NAME.toml ─▶ Experiment ─▶ Plan (rounds in random order) ─▶ runs in a folder ─▶ Outcome (medians, verdicts)
//! ```
mod bench_record;
mod differences;
mod evaluate;
mod file;
mod file_error;
mod images;
mod matrix;
mod metric;
mod outcome;
mod plan;
mod raw;
mod results;
mod runner;
mod turn;

pub use evaluate::{Analyst, evaluate};
pub use file::{Arm, Claim, Experiment, Image, Published, Quick};
pub use file_error::{Fault, FileError};
pub use images::{Booted, ImageError, images};
pub use metric::Metric;
pub use outcome::{
    ArmOutcome, ClaimOutcome, Measured, Outcome, Predicted, Quantity, RESULT_SCHEMA, RunOutcome, TwoGroups,
};
pub use plan::{Choice, NoSuchArm, Plan, Run};
pub use results::{Results, ResultsError, State};
pub use runner::{Booter, Ended, RunError, Status, carry_out};
pub use turn::take_turn;
