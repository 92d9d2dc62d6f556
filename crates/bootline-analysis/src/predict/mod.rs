// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boot under a changed setup: an interval, and the assumptions that it rests on.
//!
//! A boot is read as a course of work between records, what it waited for the console taken out (`course.rs`); the
//! course is run on a setup of `console` (`scenario.rs`), today's or a changed one; the model's error on today's boot
//! widens what it says of another.
mod boot_workload;
mod change;
mod compute;
mod kernel;
mod levels;
mod message_bytes;
mod module;
mod prediction;
mod rate;
mod record_waits;
mod scenario;
mod setting;
mod stall;
mod system_changes;
mod terminal_output;
mod what_if;
mod wording;

pub use change::{Change, ChangeError, Contradiction};
pub use compute::Predictor;
pub(crate) use compute::{Precision, PredictedTimes};
pub use module::module_for;
pub(crate) use module::would_sleep;
pub use prediction::{Assumption, Prediction, PredictionError};
pub use setting::{KEYS, Setting, SettingError};
pub use stall::begins_stall_report;
pub use system_changes::{kernel_with_kthread, remove_parameters, system_changes};
pub use what_if::{baseline, predict, what_if};
pub use wording::OUT_OF_TREE;
pub(crate) use wording::title;
