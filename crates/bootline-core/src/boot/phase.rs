// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a boot, from the first byte to the end of what was asked for.
use serde::{Deserialize, Serialize};

use super::milestone::{Milestones, id_at};
use super::timeline::Timeline;
use super::wait::Waits;
use crate::records::{RecordId, RecordSet, Source};
use crate::units::{Dur, HostTime, KernelTime};

/// A part of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// Firmware and boot loader: text before the kernel's first record.
    BeforeKernel,
    /// The kernel's stamps still read 0.000000: its clock does not run yet.
    Dark,
    /// The kernel, until its console takes over.
    KernelToConsole,
    /// From the console's registration to the last initcall (to where root is waited for).
    Initcalls,
    /// Until the root file system is there and unused memory is freed.
    RootFs,
    /// From there to the start of init.
    ToInit,
    /// User space, to the end of the log.
    UserSpace,
}

impl PhaseName {
    /// All of them, in order.
    pub const ALL: [PhaseName; 7] = [
        PhaseName::BeforeKernel,
        PhaseName::Dark,
        PhaseName::KernelToConsole,
        PhaseName::Initcalls,
        PhaseName::RootFs,
        PhaseName::ToInit,
        PhaseName::UserSpace,
    ];

    /// The word by which files and options know it.
    pub fn word(self) -> &'static str {
        match self {
            PhaseName::BeforeKernel => "before-kernel",
            PhaseName::Dark => "dark",
            PhaseName::KernelToConsole => "kernel-to-console",
            PhaseName::Initcalls => "initcalls",
            PhaseName::RootFs => "root-fs",
            PhaseName::ToInit => "to-init",
            PhaseName::UserSpace => "user-space",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            PhaseName::BeforeKernel => "before the kernel",
            PhaseName::Dark => "dark phase (stamps at 0)",
            PhaseName::KernelToConsole => "kernel until its console",
            PhaseName::Initcalls => "initcalls",
            PhaseName::RootFs => "root file system",
            PhaseName::ToInit => "to init",
            PhaseName::UserSpace => "user space (logged)",
        }
    }
}

/// One phase, on the axis and on both clocks where they are known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Which.
    pub name: PhaseName,
    /// Start on the boot's axis.
    #[serde(rename = "start_ns")]
    pub start: Dur,
    /// End on the boot's axis.
    #[serde(rename = "end_ns")]
    pub end: Dur,
    /// Of it, waits for the console.
    #[serde(rename = "console_ns")]
    pub console: Dur,
    /// Kernel time at its start and end.
    #[serde(rename = "kernel_ns")]
    pub kernel: Option<(KernelTime, KernelTime)>,
    /// Arrival of its first and last record.
    #[serde(rename = "arrival_ns")]
    pub arrival: Option<(HostTime, HostTime)>,
    /// Its first record.
    pub first: RecordId,
    /// Its last record (the one that ends it).
    pub last: RecordId,
}

impl Phase {
    /// In length.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }
}

pub(super) fn phases(
    records: &RecordSet,
    timeline: &Timeline,
    waits: &Waits,
    m: &Milestones,
    console: Option<usize>,
) -> Vec<Phase> {
    let Some(first_kernel) = m.first_kernel else { return Vec::new() };
    let last = records.len() - 1;
    let mut cuts: Vec<(PhaseName, usize)> = Vec::new();
    // What came first may be user space's: a log that was held back and replayed comes behind it.
    let kernel_started = timeline.stored(first_kernel).unwrap_or_default();
    if first_kernel > 0 && timeline.stored(0).is_none_or(|t| t <= kernel_started) {
        cuts.push((PhaseName::BeforeKernel, 0));
    }
    // A console that comes to speak late (quiet) shows nothing of the dark phase.
    let dark = records.get(first_kernel).and_then(|r| r.stamp).is_none_or(|s| s.as_nanos() == 0);
    cuts.push((if dark { PhaseName::Dark } else { PhaseName::KernelToConsole }, first_kernel));
    // A console that registers while the stamps still read zero leaves no such phase.
    if let Some(i) = m.first_stamped.filter(|i| *i > first_kernel && console.is_none_or(|c| *i < c)) {
        cuts.push((PhaseName::KernelToConsole, i));
    }
    // Initcalls end where init/main.c goes on to the root file system. Without initcall_debug its end isn't logged; the
    // root's own record or "Freeing unused" is the next landmark.
    let initcalls = console.filter(|c| *c > first_kernel);
    if let Some(i) = initcalls {
        cuts.push((PhaseName::Initcalls, i));
    }
    if let Some(i) = m.last_initcall.filter(|i| m.kernel_end().is_none_or(|e| *i < e)) {
        cuts.push((PhaseName::RootFs, i));
    }
    if let Some(i) = m.freeing_unused {
        cuts.push((PhaseName::ToInit, i));
    }
    if let Some(i) = m.init {
        cuts.push((PhaseName::UserSpace, i));
    }
    let ascending = cuts.windows(2).all(|w| w[0].1 <= w[1].1);
    if !ascending {
        cuts.sort_by_key(|c| c.1);
    }
    let at = |i: usize| (0..=i).rev().find_map(|j| timeline.stored(j));
    let mut phases = Vec::new();
    for (n, &(name, from)) in cuts.iter().enumerate() {
        let to = cuts.get(n + 1).map_or(last, |c| c.1);
        // Firmware has arrival times only; the kernel's own start is the axis' zero.
        let start = if from == first_kernel { at(from).map(|t| t.min(Dur::ZERO)) } else { at(from) };
        let end = if name == PhaseName::BeforeKernel {
            at(to).map(|t| t.min(Dur::ZERO))
        } else {
            (to..records.len()).find_map(|j| timeline.stored(j)).or_else(|| at(to))
        };
        let (Some(start), Some(end)) = (start, end) else { continue };
        let stamp = |i: usize| records.get(i).filter(|r| r.source == Source::Kernel).and_then(|r| r.stamp);
        let arrival = |i: usize| records.get(i).and_then(|r| r.arrival);
        phases.push(Phase {
            name,
            start,
            end: end.max(start),
            console: waits.within(start, end),
            kernel: stamp(from).zip(stamp(to)),
            arrival: arrival(from).map(|a| a.first).zip(arrival(to).map(|a| a.first)),
            first: id_at(records, from),
            last: id_at(records, to),
        });
    }
    phases
}
