// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-core: from the bytes of a console to where a boot's time went.
//!
//! Pure: bytes in, values out. It reads no file, asks no clock, starts no process and prints nothing; `clippy.toml`
//! beside this crate enforces that. The modules stack in one direction, guarded by `tests/layering.rs`:
//!
//! ```text
//! units < capture < records < boot < predict < rules < report
//!           console (knows no log) ──┘ < compare ──────────┘
//!         < statistics (knows no boot) ────┘
//! ```
pub mod boot;
pub mod capture;
pub mod chain;
pub mod compare;
pub mod console;
pub mod predict;
pub mod records;
pub mod report;
pub mod rules;
pub mod statistics;
pub mod units;
