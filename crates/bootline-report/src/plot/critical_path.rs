// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical path as bars, and the slack of what ran in parallel with it.
use std::collections::HashMap;

use bootline_analysis::critical_path::{CriticalPath, PathBasis, Segment, SegmentKind};
use bootline_boot::{Boot, TimeOrigin};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The path, segment by segment, without gap.
#[derive(Clone, Debug)]
pub(super) struct DrawnPath {
    pub basis: PathBasis,
    pub since: TimeOrigin,
    pub start: Dur,
    pub end: Dur,
    pub segments: Vec<DrawnSegment>,
    /// For each span off the critical path, how much later it could end without effect.
    pub slack: Vec<Option<Dur>>,
}

#[derive(Clone, Debug)]
pub(super) struct DrawnSegment {
    pub kind: &'static str,
    /// The full title: `waited for async async_run_entry_fn (0000:00:1f.2)`.
    pub title: String,
    /// Short label for a bar: the function or the device.
    pub label: String,
    pub start: Dur,
    pub end: Dur,
    pub console: Dur,
    pub max_saving: Dur,
    pub first: Option<usize>,
    pub last: Option<usize>,
    /// Probes and calls inside it.
    pub nested: usize,
}

/// What to draw of a boot's critical path.
pub(super) fn critical_path(boot: &Boot, critical_path: &CriticalPath) -> DrawnPath {
    let slack: HashMap<RecordId, Dur> = critical_path.non_critical.iter().map(|b| (b.record, b.slack)).collect();
    let drawn = |s: &Segment| DrawnSegment {
        kind: kind(&s.kind),
        title: s.kind.title(),
        label: label(s),
        start: s.start,
        end: s.end,
        console: s.console,
        max_saving: s.max_saving,
        first: s.first.and_then(|id| boot.records.index_of(id)),
        last: s.last.and_then(|id| boot.records.index_of(id)),
        nested: s.nested.len(),
    };
    DrawnPath {
        basis: critical_path.basis,
        since: critical_path.since,
        start: critical_path.start,
        end: critical_path.end,
        segments: critical_path.segments.iter().map(drawn).collect(),
        slack: boot.spans().iter().map(|s| slack.get(&s.first).copied()).collect(),
    }
}

/// The kind, which determines a bar's colour.
fn kind(kind: &SegmentKind) -> &'static str {
    match kind {
        SegmentKind::Initcall { .. } => "initcall",
        SegmentKind::AsyncCall { .. }
        | SegmentKind::AsyncWait
        | SegmentKind::Initramfs
        | SegmentKind::DeferredProbes => "async",
        SegmentKind::RootWait { .. } | SegmentKind::DeferredTimeout { .. } => "root",
        SegmentKind::ConsoleFlush => "flush",
        SegmentKind::Silence => "silence",
        SegmentKind::BeforeKernel | SegmentKind::Phase { .. } | SegmentKind::Service { .. } => "phase",
    }
}

fn label(s: &Segment) -> String {
    match &s.kind {
        SegmentKind::BeforeKernel => "before the kernel".to_owned(),
        SegmentKind::Initcall { name } => name.clone(),
        SegmentKind::AsyncCall { name, device } => device.clone().unwrap_or_else(|| name.clone()),
        SegmentKind::AsyncWait => "async".to_owned(),
        SegmentKind::Initramfs => "initramfs".to_owned(),
        SegmentKind::DeferredProbes => "deferred probes".to_owned(),
        SegmentKind::DeferredTimeout { device } => {
            device.clone().unwrap_or_else(|| "deferred probe timeout".to_owned())
        }
        SegmentKind::RootWait { .. } => "root's device".to_owned(),
        SegmentKind::ConsoleFlush => "flush".to_owned(),
        SegmentKind::Silence => "silence".to_owned(),
        SegmentKind::Phase { name } => name.title().to_owned(),
        SegmentKind::Service { name } => name.clone(),
    }
}
