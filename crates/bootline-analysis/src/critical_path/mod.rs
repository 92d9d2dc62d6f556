// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical path to the boot's end: segments without gap or overlap, from the earliest known moment to init's start (or
//! the marker).
//!
//! Two steps. `init_task` gives for every moment what init's own task was doing, from `initcall_debug` where the log has it,
//! else from its phases and silences. `path_search` goes back from the end: where init's task waited for an async call, the
//! path goes through that call, and what init's task did meanwhile is not critical: it has slack.
mod boot_task;
mod init_task;
mod named_interval;
mod path;
mod path_search;
mod segment;

pub use path::{CriticalPath, NonCriticalSpan, PathBasis};
pub use segment::{NestedSpan, Segment, SegmentKind};

#[cfg(test)]
mod tests;
