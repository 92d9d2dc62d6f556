// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot under a change: units or init scripts that are not started, wait for less or take less, a stage that is shorter,
//! another number of processors, and, together with these, another console ([`crate::predict`]).
//!
//! Of units, three steps. `replay` starts the units again, each as long after the last unit that it waited for as it did. `processor_load`
//! says how much of a shortened wait other work would fill. `compute` makes an interval of the two. An application that is started
//! before systemd is a case of its own (`fastinit`), and so are scripts that run one after the other (`scripts`).
mod compute;
mod fastinit;
mod processor_load;
mod replay;
mod scripts;
mod setting;
mod whole_prediction;
mod wording;

pub use compute::{FindingCosts, predict_whole};
pub use setting::{AnySetting, Length, WHOLE_KEYS, WholeSetting};
pub use whole_prediction::{WholeChange, WholeContradiction, WholePrediction, WholePredictionError};
pub(crate) use wording::FASTINIT_PRICE;

#[cfg(test)]
mod script_tests;
#[cfg(test)]
mod tests;
