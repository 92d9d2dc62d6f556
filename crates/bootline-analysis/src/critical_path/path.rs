// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical path of one boot, and what ran in parallel with it.

use super::segment::Segment;
use bootline_boot::{SpanKind, TimeOrigin};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The critical path of one boot.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// Start on the boot's axis: power-on if the capture notes it, else the zero of the kernel's clock, else the first
    /// record.
    pub start: Dur,
    /// What the start is.
    pub since: TimeOrigin,
    /// The boot's end: init's start, or the marker.
    pub end: Dur,
    /// What the path is derived from.
    pub basis: PathBasis,
    /// Segments in order; each begins where the one before ends.
    pub segments: Vec<Segment>,
    /// What ran in parallel with it, by start.
    pub non_critical: Vec<NonCriticalSpan>,
}

/// What a critical path is derived from: how much the log shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathBasis {
    /// Initcalls, probes, async calls and the waits for them.
    AsyncCalls,
    /// Initcalls and probes. What init's task waited for is in the initcall that waited.
    Initcalls,
    /// Only records: between two of them nothing distinguishes work from waiting.
    Records,
}

/// A span that is not critical: it could take less time without effect, and longer by its slack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonCriticalSpan {
    /// What it is.
    pub kind: SpanKind,
    /// The function or the device.
    pub name: String,
    /// Its start on the boot's axis.
    pub start: Dur,
    /// Its end.
    pub end: Dur,
    /// By how much it could end later without effect.
    pub slack: Dur,
    /// Its record.
    pub record: RecordId,
}

impl CriticalPath {
    /// Length of the whole path.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }

    /// Waits for the console within the path.
    pub fn console(&self) -> Dur {
        self.segments.iter().map(|s| s.console).sum()
    }
}
