// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot that becomes a trace, and where its axis lies in it.
use crate::boot_label::BootLabel;
use crate::critical_chain::DecidingChain;
use crate::escape::escaped;
use crate::explain::title;
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, Clock, WholeBoot};
use bootline_capture::units::Dur;

/// Where a boot's axis lies in a trace of several: the time of its zero. Nothing in a trace has a time below zero, so the first boot
/// moves all of them by what it begins too early. A later one that begins earlier still, by a source that knows its firmware, is moved
/// further, alone: what came before it has been written.
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
        let zero = zero + *self.shift.get_or_insert_with(|| (-(zero + traced.first)).max_zero());
        zero.max(-traced.first)
    }

    /// How far all times were moved.
    pub fn shift(&self) -> Dur {
        self.shift.unwrap_or_default()
    }
}

/// What a trace shows.
pub(super) struct TracedBoot<'b> {
    pub boot: &'b Boot,
    pub findings: &'b [Finding],
    /// What decided when it reached its end.
    pub deciding: DecidingChain,
    /// When the first of it happens, on the axis.
    pub first: Dur,
    /// When the last that a source shows happens: where something goes on, its slice ends there.
    pub last: Dur,
}

impl<'b> TracedBoot<'b> {
    pub fn new(boot: &'b Boot, findings: &'b [Finding]) -> TracedBoot<'b> {
        let deciding = DecidingChain::of(boot);
        let records = (0..boot.records.len()).map(|i| boot.timeline.place(i));
        let records = records.filter_map(|p| p.stored.into_iter().chain(p.transmitted.map(|p| p.start)).min());
        let of_log = records
            .chain(boot.spans().iter().map(|s| s.start))
            .chain(boot.phases.iter().map(|p| p.start))
            .chain(boot.services.iter().filter_map(|s| s.start.or(s.end)))
            .chain(boot.marks.iter().map(|m| m.at))
            .chain(deciding.shown(boot).map(|shown| shown.chain.start))
            .chain(findings.iter().flat_map(|f| &f.time_ranges).map(|range| range.from));
        let first = of_log.chain(whole_boot_times(&boot.whole)).min().unwrap_or_default();
        let last = whole_boot_times(&boot.whole).chain([boot.last_time()]).max().unwrap_or_default();
        TracedBoot { boot, findings, deciding, first, last }
    }
}

/// All times of a whole boot that a trace shows, in no order.
fn whole_boot_times(whole: &WholeBoot) -> impl Iterator<Item = Dur> + '_ {
    let stages = whole.stages.iter().flat_map(|s| [Some(s.start), Some(s.end)]);
    let application = whole.application.iter().flat_map(|a| [a.start, Some(a.at)]);
    let units = whole.units.iter().flat_map(|u| [u.activating, u.up]);
    let processes = whole.processes.iter().flat_map(|p| [p.start, p.end]);
    let initcalls = whole.traced_initcalls.iter().flat_map(|c| [Some(c.start), c.end]);
    let marks = whole.trace_marks.iter().map(|m| Some(m.at));
    stages.chain(application).chain(units).chain(processes).chain(initcalls).chain(marks).flatten()
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
