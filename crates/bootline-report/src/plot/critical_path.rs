// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical path as bars, or the chain through the whole boot where there is more to it, and the slack of what ran in parallel.
use std::collections::HashMap;

use crate::critical_chain::{DecidingChain, ShownChain};
use bootline_analysis::boot_chain::{BootLink, LinkKind};
use bootline_analysis::critical_path::{PathBasis, Segment, SegmentKind};
use bootline_boot::{Boot, WholeOrigin};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The path, segment by segment, without gap.
#[derive(Clone, Debug)]
pub(super) struct DrawnPath {
    pub basis: PathBasis,
    pub since: WholeOrigin,
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
    /// None where it is not known.
    pub console: Option<Dur>,
    /// None where nothing shows it.
    pub max_saving: Option<Dur>,
    pub first: Option<usize>,
    pub last: Option<usize>,
    /// Probes and calls inside it.
    pub nested: usize,
}

/// What to draw of a boot's critical path; none where the log does not reach an end.
pub(super) fn critical_path(boot: &Boot, deciding: &DecidingChain) -> Option<DrawnPath> {
    let (path, shown) = deciding.path().zip(deciding.shown(boot))?;
    let slack: HashMap<RecordId, Dur> = path.non_critical.iter().map(|b| (b.record, b.slack)).collect();
    let chain = shown.chain;
    Some(DrawnPath {
        basis: path.basis,
        since: chain.since,
        start: chain.start,
        end: chain.end,
        // A target takes no time: there is nothing to draw.
        segments: chain.links.iter().filter(|l| l.length() > Dur::ZERO).map(|l| drawn(&shown, l)).collect(),
        slack: boot.spans().iter().map(|s| slack.get(&s.first).copied()).collect(),
    })
}

fn drawn(shown: &ShownChain<'_, '_>, link: &BootLink) -> DrawnSegment {
    let index = |id: RecordId| shown.boot.records.index_of(id);
    let (first, last) = shown.records(link);
    let segment = shown.segment(link);
    DrawnSegment {
        kind: segment.map_or_else(|| kind_of_link(link.kind), |s| kind(&s.kind)),
        title: shown.title(link),
        label: segment.map_or_else(|| label_of_link(shown, link), label),
        start: link.start,
        end: link.end,
        console: link.console,
        max_saving: link.max_saving,
        first: first.and_then(index),
        last: last.and_then(index),
        nested: segment.map_or(0, |s| s.nested.len()),
    }
}

/// The kind of a link that is no segment.
fn kind_of_link(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Unit { .. }
        | LinkKind::Application { .. }
        | LinkKind::ApplicationExecution
        | LinkKind::ApplicationProgram => "unit",
        LinkKind::Queue { .. } => "queue",
        LinkKind::Segment { .. }
        | LinkKind::Stage(_)
        | LinkKind::ManagerLoad
        | LinkKind::ManagerStart
        | LinkKind::ManagerSetUp
        | LinkKind::Generators
        | LinkKind::UnitsLoad
        | LinkKind::AfterUnits => "stage",
    }
}

/// Of a queue there is nothing to say in short: its title names the unit that waits.
fn label_of_link(shown: &ShownChain<'_, '_>, link: &BootLink) -> String {
    match link.kind {
        LinkKind::Queue { .. } | LinkKind::AfterUnits => String::new(),
        _ => shown.title(link),
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
