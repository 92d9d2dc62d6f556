// SPDX-License-Identifier: MIT OR Apache-2.0
//! The segments of a critical path: what each was spent on.
use bootline_boot::{PhaseName, RootWaitBy, SpanKind};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// What the boot was doing in a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Firmware, boot loader, the kernel's decompression: before its clock's zero.
    BeforeKernel,
    /// An initcall of init's task.
    Initcall {
        /// The function.
        name: String,
    },
    /// An async call that init's task waited for.
    AsyncCall {
        /// The function.
        name: String,
        /// The device, if the call probes one.
        device: Option<String>,
    },
    /// A wait for async calls that the log does not show.
    AsyncWait,
    /// Init's task waited for the initramfs, which an async call unpacks.
    Initramfs,
    /// Init's task waited for the worker that retries deferred probes (`deferred_probe_initcall`).
    DeferredProbes,
    /// The boot waited for the timeout of a deferred probe whose supplier never appeared (`deferred_probe_timeout=`).
    DeferredTimeout {
        /// The device that the kernel names first.
        device: Option<String>,
    },
    /// The wait for the root device.
    RootWait {
        /// Which mechanism waited.
        by: RootWaitBy,
    },
    /// The flush of what was stored before the console registered.
    ConsoleFlush,
    /// A gap between two records: work or waiting, the log does not show which.
    Silence,
    /// Several records of a phase, close together.
    Phase {
        /// Which.
        name: PhaseName,
    },
    /// In user space: the service that came up last before the next segment, by time; the log does not show which unit
    /// was ordered after which.
    Service {
        /// The unit.
        name: String,
    },
}

impl SegmentKind {
    /// Title of the segment, for display.
    pub fn title(&self) -> String {
        match self {
            SegmentKind::BeforeKernel => "firmware, boot loader, decompression: before the kernel's clock".to_owned(),
            SegmentKind::Initcall { name } => format!("initcall {name}"),
            SegmentKind::AsyncCall { name, device: Some(device) } => format!("waited for async {name} ({device})"),
            SegmentKind::AsyncCall { name, device: None } => format!("waited for async {name}"),
            SegmentKind::AsyncWait => "waited for async calls that the log doesn't show".to_owned(),
            SegmentKind::Initramfs => "waited for the initramfs to be unpacked".to_owned(),
            SegmentKind::DeferredProbes => "waited for deferred probes".to_owned(),
            SegmentKind::DeferredTimeout { device: Some(device) } => {
                format!("waited for the deferred probe timeout ({device})")
            }
            SegmentKind::DeferredTimeout { device: None } => "waited for the deferred probe timeout".to_owned(),
            SegmentKind::RootWait { .. } => "waited for the root device".to_owned(),
            SegmentKind::ConsoleFlush => "flush at registration".to_owned(),
            SegmentKind::Silence => "gap between two records".to_owned(),
            SegmentKind::Phase { name } => name.title().to_owned(),
            SegmentKind::Service { name } => format!("service {name}"),
        }
    }
}

/// A segment of the critical path.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// What the boot was doing.
    pub kind: SegmentKind,
    /// Its start on the boot's axis.
    pub start: Dur,
    /// Its end.
    pub end: Dur,
    /// Waits for the console within it.
    pub console: Dur,
    /// How much sooner the boot would end without it (its waits for the console remain), as far as the log shows.
    pub max_saving: Dur,
    /// The first record in it, or the one before it.
    pub first: Option<RecordId>,
    /// The last record in it, or the one after it.
    pub last: Option<RecordId>,
    /// Probes and calls inside it, by start.
    pub nested: Vec<NestedSpan>,
}

impl Segment {
    /// Length, from start to end.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }

    /// Length without the waits for the console.
    pub fn net(&self) -> Dur {
        (self.length() - self.console).max_zero()
    }
}

/// Something that ran inside a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedSpan {
    /// What it is.
    pub kind: SpanKind,
    /// The device or the function.
    pub name: String,
    /// Whether it was a deferred probe.
    pub deferred: bool,
    /// Length, including waits for the console.
    pub length: Dur,
    /// Waits for the console within it.
    pub console: Dur,
    /// Its record.
    pub record: RecordId,
}
