// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a log does not say of its boot: board, build, lab, job, foreign figures. It comes from options, from a file next to the log,
//! from the log's path, or, of a LAVA job, from the log.
mod boot_metadata;
mod build_info;
mod foreign_measure;
mod instant;
mod lava_log;
mod path_pattern;
mod sidecar;

pub use boot_metadata::Metadata;
pub use build_info::BuildInfo;
pub use foreign_measure::Measure;
pub use lava_log::LavaResults;
pub use path_pattern::{PathPattern, PatternError};
pub use sidecar::{Sidecar, SidecarError, is_sidecar};
