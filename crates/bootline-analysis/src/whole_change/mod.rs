// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot under a change: units that are not started, wait for less or take less, a stage that is shorter, another
//! number of processors, and, together with these, another console ([`crate::predict`]).
//!
//! Three steps. `replay` starts the units again, each as long after the last unit that it waited for as it did. `processor_load`
//! says how much of a shortened wait other work would fill. `compute` makes an interval of the two. An application that is started
//! before systemd is a case of its own (`fastinit`).
mod compute;
mod fastinit;
mod processor_load;
mod replay;
mod setting;
mod whole_prediction;
mod wording;

pub use compute::predict_whole;
pub use setting::{AnySetting, Length, WHOLE_KEYS, WholeSetting};
pub use whole_prediction::{WholeChange, WholeContradiction, WholePrediction, WholePredictionError};

#[cfg(test)]
mod tests;
