// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the programs for people share: the two output streams, a progress line, signals that end a program cleanly.
mod interruption;
mod progress;
mod terminal;

pub use interruption::{cancel_on_signals, or_interrupted};
pub use progress::ProgressLine;
pub use terminal::{ColorChoice, Terminal};
