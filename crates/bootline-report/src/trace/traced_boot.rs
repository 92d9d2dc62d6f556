// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot that becomes a trace, and where its axis lies in it.
use crate::boot_label::BootLabel;
use crate::escape::escaped;
use crate::explain::title;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, Clock};
use bootline_capture::units::Dur;

/// Where a boot's axis lies in a trace of several: the time of its zero. None of them has a time below zero, so the first
/// boot moves all of them by what it begins too early.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TraceOrigin {
    shift: Option<Dur>,
}

impl TraceOrigin {
    /// The trace's time of this boot's zero.
    pub fn zero(&mut self, traced: &TracedBoot<'_>) -> Dur {
        let zero = match traced.boot.timeline.clock {
            Clock::Arrival => traced.boot.timeline.zero.since_origin(),
            Clock::Kernel | Clock::None => Dur::ZERO,
        };
        zero + *self.shift.get_or_insert_with(|| (-(zero + traced.first)).max_zero())
    }

    /// How far all times were moved.
    pub fn shift(&self) -> Dur {
        self.shift.unwrap_or_default()
    }
}

/// What a trace tells of.
pub(super) struct TracedBoot<'b> {
    pub boot: &'b Boot,
    pub findings: &'b [Finding],
    pub critical_path: Option<CriticalPath>,
    /// When the first of it happens.
    pub first: Dur,
}

impl<'b> TracedBoot<'b> {
    pub fn new(boot: &'b Boot, findings: &'b [Finding]) -> TracedBoot<'b> {
        let critical_path = CriticalPath::of(boot);
        let records = (0..boot.records.len()).map(|i| boot.timeline.place(i));
        let records = records.filter_map(|p| p.stored.into_iter().chain(p.transmitted.map(|p| p.start)).min());
        let times = records
            .chain(boot.spans().iter().map(|s| s.start))
            .chain(boot.phases.iter().map(|p| p.start))
            .chain(boot.marks.iter().map(|m| m.at))
            .chain(critical_path.as_ref().map(|c| c.start));
        let first = times.min().unwrap_or_default();
        TracedBoot { boot, findings, critical_path, first }
    }
}

/// A trace's time: never below zero.
pub(super) fn nanos(zero: Dur, at: Dur) -> u64 {
    u64::try_from((zero + at).as_nanos()).unwrap_or(0)
}

/// The boot's name in a trace: a viewer has little room for it, so the input's folders are left out.
pub(super) fn boot_name(boot: &Boot, source: &BootLabel) -> String {
    let file = source.input.rsplit('/').next().unwrap_or(&source.input);
    escaped(&title(boot, &BootLabel { input: file.to_owned(), ..source.clone() })).into_owned()
}
