// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-analysis: from the records of a log to where a boot's time went, and what would save some of it.
//!
//! Pure: records in, values out. It reads no file and no clock, starts no process and prints nothing; `clippy.toml` at
//! the root of the workspace enforces that. The modules stack in one direction:
//!
//! ```text
//! remedy < predict < rules
//! boot < predict
//!      < origin < rules
//!      < critical_path
//!      < compare
//! ```
pub mod boot;
pub mod compare;
pub mod critical_path;
pub mod origin;
pub mod predict;
pub mod remedy;
pub mod rules;
