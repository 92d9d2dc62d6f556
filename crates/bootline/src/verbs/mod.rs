// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file a verb: what may be typed, what is made of it, and how it is done.
pub mod capture;
pub mod completions;
pub mod man;
