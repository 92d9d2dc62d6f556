// SPDX-License-Identifier: MIT OR Apache-2.0
//! The segments of the critical path, and what was not critical.
use schemars::JsonSchema;
use serde::Serialize;

use super::{Id, PhaseName, RootWaitBy, SpanKind, id};
use bootline_analysis::critical_path as domain;

/// A segment of the critical path.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Segment<'b> {
    #[serde(flatten)]
    kind: SegmentKind<'b>,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// Waits for the console within it.
    console_ns: i64,
    /// How much shorter the boot would be without this segment, at most.
    max_saving_ns: i64,
    /// Its first record.
    first: Option<Id>,
    /// Its last record.
    last: Option<Id>,
    /// What ran inside it.
    nested: Vec<Nested<'b>>,
}

/// What the boot waited for.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum SegmentKind<'b> {
    /// Before the kernel's first record.
    BeforeKernel,
    /// An initcall.
    Initcall {
        /// The function.
        name: &'b str,
    },
    /// An asynchronous call that the boot's own task waited for.
    AsyncCall {
        /// The function.
        name: &'b str,
        /// The device that it probes.
        device: Option<&'b str>,
    },
    /// A wait for asynchronous calls that the log does not name.
    AsyncWait,
    /// Unpacking the initramfs.
    Initramfs,
    /// Deferred probes.
    DeferredProbes,
    /// The timeout of deferred probes.
    DeferredTimeout {
        /// A device that was waited for.
        device: Option<&'b str>,
    },
    /// A wait for the root file system's device.
    RootWait {
        /// Which mechanism waits.
        by: RootWaitBy,
    },
    /// The flush of what was stored before the console registered.
    ConsoleFlush,
    /// Silence between two records.
    Silence,
    /// A phase without a better explanation.
    Phase {
        /// Which phase.
        name: PhaseName,
    },
    /// A service in user space.
    Service {
        /// Its unit.
        name: &'b str,
    },
}

/// A span inside a segment.
#[derive(Serialize, JsonSchema)]
struct Nested<'b> {
    /// Kind of span.
    kind: SpanKind,
    /// The device or the function.
    name: &'b str,
    /// Whether it was a probe that was deferred.
    deferred: bool,
    /// Length, including waits for the console.
    length_ns: i64,
    /// Waits for the console within it.
    console_ns: i64,
    /// Its first record.
    record: Id,
}

/// A span that ran in parallel with the critical path.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NonCritical<'b> {
    /// Kind of span.
    kind: SpanKind,
    /// The device or the function.
    name: &'b str,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// How much later it could end without effect on the boot.
    slack_ns: i64,
    /// Its first record.
    record: Id,
}

impl<'b> From<&'b domain::Segment> for Segment<'b> {
    fn from(s: &'b domain::Segment) -> Segment<'b> {
        Segment {
            kind: (&s.kind).into(),
            start_ns: s.start.as_nanos(),
            end_ns: s.end.as_nanos(),
            console_ns: s.console.as_nanos(),
            max_saving_ns: s.max_saving.as_nanos(),
            first: id(s.first),
            last: id(s.last),
            nested: s.nested.iter().map(Nested::from).collect(),
        }
    }
}

impl<'b> From<&'b domain::SegmentKind> for SegmentKind<'b> {
    fn from(kind: &'b domain::SegmentKind) -> SegmentKind<'b> {
        match kind {
            domain::SegmentKind::BeforeKernel => SegmentKind::BeforeKernel,
            domain::SegmentKind::Initcall { name } => SegmentKind::Initcall { name },
            domain::SegmentKind::AsyncCall { name, device } => {
                SegmentKind::AsyncCall { name, device: device.as_deref() }
            }
            domain::SegmentKind::AsyncWait => SegmentKind::AsyncWait,
            domain::SegmentKind::Initramfs => SegmentKind::Initramfs,
            domain::SegmentKind::DeferredProbes => SegmentKind::DeferredProbes,
            domain::SegmentKind::DeferredTimeout { device } => {
                SegmentKind::DeferredTimeout { device: device.as_deref() }
            }
            domain::SegmentKind::RootWait { by } => SegmentKind::RootWait { by: (*by).into() },
            domain::SegmentKind::ConsoleFlush => SegmentKind::ConsoleFlush,
            domain::SegmentKind::Silence => SegmentKind::Silence,
            domain::SegmentKind::Phase { name } => SegmentKind::Phase { name: (*name).into() },
            domain::SegmentKind::Service { name } => SegmentKind::Service { name },
        }
    }
}

impl<'b> From<&'b domain::NestedSpan> for Nested<'b> {
    fn from(s: &'b domain::NestedSpan) -> Nested<'b> {
        Nested {
            kind: s.kind.into(),
            name: &s.name,
            deferred: s.deferred,
            length_ns: s.length.as_nanos(),
            console_ns: s.console.as_nanos(),
            record: s.record.0,
        }
    }
}

impl<'b> From<&'b domain::NonCriticalSpan> for NonCritical<'b> {
    fn from(s: &'b domain::NonCriticalSpan) -> NonCritical<'b> {
        NonCritical {
            kind: s.kind.into(),
            name: &s.name,
            start_ns: s.start.as_nanos(),
            end_ns: s.end.as_nanos(),
            slack_ns: s.slack.as_nanos(),
            record: s.record.0,
        }
    }
}
