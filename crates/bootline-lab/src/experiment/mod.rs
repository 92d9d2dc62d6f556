// SPDX-License-Identifier: MIT OR Apache-2.0
//! An experiment: arms that differ in what is tested, booted interleaved, and the evaluation of their runs.
//!
//! ```text
//! NAME.toml ─▶ Experiment ─▶ Plan (rounds in random order) ─▶ runs in a folder ─▶ Outcome (medians, verdicts)
//! ```
mod arm_pattern;
mod bench_record;
mod definition;
mod differences;
mod evaluate;
mod file;
mod file_error;
mod host_lock;
mod images;
mod loader_arm;
mod loaders;
mod matrix;
mod metric;
mod plan;
mod raw;
mod result;
mod results;
mod runner;
mod stall_reports;
mod system_arm;
mod systems;
mod until_decided;

pub use definition::{
    Arm, ArmRoot, ArmSystem, Claim, Comparison, Experiment, Image, Published, PublishedSaving, Quick,
};
pub use evaluate::{Analyst, AnalystError, evaluate};
pub use file_error::{Fault, FileError};
pub use host_lock::lock_host;
pub use images::{ArmKernel, BuiltFrom, ImageError, images};
pub use loaders::{ArmLoaderImage, loaders};
pub use metric::Metric;
pub use plan::{ExperimentPlan, NoSuchArm, PlannedRun, RunSelection};
pub use result::{
    ArmResult, ClaimResult, Measured, MetricValue, Outcome, Predicted, RESULT_SCHEMA, RunGroups, RunResult,
};
pub use results::{ExperimentState, ResultsDir, ResultsError};
pub use runner::{Booter, ExperimentEnd, ExperimentStatus, RunError, carry_out};
pub use systems::{ArmImages, ArmSystemImage, systems};
pub use until_decided::until_decided;
