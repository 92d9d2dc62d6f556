// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the files that describe boots: logs in any known format, compressed or in archives, collections of one machine,
//! bootcharts, and other sources of the same boot. One boot at a time is in memory.
//!
//! What a file holds is never an error of this crate alone: [`unusable`] words what is wrong with it, and the boots before
//! it are given all the same.
mod boots;
mod chart_archive;
pub mod collection;
mod exit;
mod failure;
mod kernel_log;
mod log_file;
mod memory;
mod open_input;
pub mod source_file;
mod tar_writer;
pub mod unusable;
pub mod whole_boot;

pub use boots::{AnalysedBoot, AnalysedBoots, BootReader, Boots, only_boot, only_boot_with_levels, only_records};
pub use exit::Exit;
pub use failure::Failure;
pub use kernel_log::KernelLog;
pub use log_file::{LogFile, stdin_once};
pub use memory::keep_freed_memory;
pub use open_input::OpenInput;
pub use tar_writer::TarEmitter;
pub use whole_boot::WholeBoot;
