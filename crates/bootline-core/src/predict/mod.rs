// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boot under a changed setup: an interval, and the assumptions that it rests on.
mod change;
mod prediction;

pub use change::{Change, KEYS, Setting, SettingError};
pub use prediction::{Assumption, Need, Prediction, Refusal};
