// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-analysis: from a boot to where its time went, and what would save some of it.
//!
//! Pure: boots in, values out. It reads no file and no clock, starts no process and prints nothing; `clippy.toml` at
//! the root of the workspace enforces that. The modules stack in one direction:
//!
//! ```text
//! remedy < predict < rules
//! origin < rules
//! critical_path < boot_chain
//! user_space < boot_chain, rules
//! predict, user_space, init_scripts, rule_id < whole_change < rules < predictions
//! compare
//! ```
pub mod boot_chain;
pub mod compare;
pub mod critical_path;
mod init_scripts;
pub mod origin;
pub mod predict;
pub mod predictions;
pub mod remedy;
mod rule_id;
pub mod rules;
mod suggestion;
mod time_range;
pub mod user_space;
pub mod whole_change;
