// SPDX-License-Identifier: MIT OR Apache-2.0
//! The phases of a boot, from the first byte to the requested end.
//!
//! Phases tile the time: each begins where the one before it ends. So a phase is defined by its beginning, a landmark.
//! A landmark that the log lacks, or shows at an impossible time, is ignored, and the phases on both sides of it are
//! one.
use serde::{Deserialize, Serialize};

use super::console_start::ConsoleStart;
use super::end::{follows, is_init_banner};
use super::milestone::{Milestones, id_at};
use super::timeline::Timeline;
use super::wait::ConsoleWaits;
use bootline_capture::units::{Dur, HostTime, KernelTime};
use bootline_records::{RecordId, RecordOrigin, RecordSet};

/// A part of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// Firmware and boot loader: text before the kernel's first record.
    BeforeKernel,
    /// The kernel's stamps still read 0.000000: its clock does not run yet.
    Dark,
    /// The kernel, if the log does not show when its console registered: nothing separates its initcalls from what came
    /// before.
    Kernel,
    /// The kernel, until its console registers.
    KernelToConsole,
    /// From the console's registration to the last initcall (until the wait for the root file system).
    Initcalls,
    /// Until the root file system is available and unused memory is freed.
    RootFs,
    /// From there to the start of init.
    ToInit,
    /// User space, to the end of the log.
    UserSpace,
}

impl PhaseName {
    /// All of them, in order.
    pub const ALL: [PhaseName; 8] = [
        PhaseName::BeforeKernel,
        PhaseName::Dark,
        PhaseName::Kernel,
        PhaseName::KernelToConsole,
        PhaseName::Initcalls,
        PhaseName::RootFs,
        PhaseName::ToInit,
        PhaseName::UserSpace,
    ];

    /// Name of the phase in files and options.
    pub fn word(self) -> &'static str {
        match self {
            PhaseName::BeforeKernel => "before-kernel",
            PhaseName::Dark => "dark",
            PhaseName::Kernel => "kernel",
            PhaseName::KernelToConsole => "kernel-to-console",
            PhaseName::Initcalls => "initcalls",
            PhaseName::RootFs => "root-fs",
            PhaseName::ToInit => "to-init",
            PhaseName::UserSpace => "user-space",
        }
    }

    /// Title of the phase, for display.
    pub fn title(self) -> &'static str {
        match self {
            PhaseName::BeforeKernel => "before the kernel",
            PhaseName::Dark => "dark phase (stamps at 0)",
            PhaseName::Kernel => "kernel",
            PhaseName::KernelToConsole => "kernel to console",
            PhaseName::Initcalls => "initcalls",
            PhaseName::RootFs => "root file system",
            PhaseName::ToInit => "to init",
            PhaseName::UserSpace => "user space (logged)",
        }
    }
}

/// One phase, on the axis and on both clocks where they are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// Which.
    pub name: PhaseName,
    /// Start on the boot's axis.
    pub start: Dur,
    /// End on the boot's axis.
    pub end: Dur,
    /// Waits for the console within the phase.
    pub console: Dur,
    /// Kernel time at its start and end.
    pub kernel: Option<(KernelTime, KernelTime)>,
    /// Arrival of its first and last record.
    pub arrival: Option<(HostTime, HostTime)>,
    /// Its first record.
    pub first: RecordId,
    /// Its last record (the one that ends it).
    pub last: RecordId,
}

impl Phase {
    /// Length of the phase.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }
}

/// Where a phase begins.
#[derive(Clone, Copy)]
struct Landmark {
    name: PhaseName,
    /// Position of the record that shows it.
    index: usize,
    at: Dur,
}

/// The phases of a boot, by start; `console` is the position of the registration of the serial console, if the log has
/// it.
pub(super) fn phases(
    records: &RecordSet,
    timeline: &Timeline,
    waits: &ConsoleWaits,
    m: &Milestones,
    console_start: Option<ConsoleStart>,
    console: Option<usize>,
) -> Vec<Phase> {
    let landmarks = landmarks(records, timeline, m, console_start, console);
    let stored = (0..records.len()).filter_map(|i| timeline.stored(i));
    let Some(last) = stored.max().filter(|_| !landmarks.is_empty()) else { return Vec::new() };
    let stamp = |i: usize| records.get(i).filter(|r| r.source == RecordOrigin::Kernel).and_then(|r| r.stamp);
    let arrival = |i: usize| records.get(i).and_then(|r| r.arrival).map(|a| a.first);
    let phase = |(n, from): (usize, &Landmark)| {
        let next = landmarks.get(n + 1);
        let (to, end) = next.map_or((records.len() - 1, last.max(from.at)), |l| (l.index, l.at));
        // The zero of the axis is that of the kernel's clock.
        let begins = if from.at == Dur::ZERO { Some(KernelTime::ORIGIN) } else { stamp(from.index) };
        Phase {
            name: from.name,
            start: from.at,
            end,
            console: waits.within(from.at, end),
            kernel: begins.zip(stamp(to)),
            arrival: arrival(from.index).zip(arrival(to)),
            first: id_at(records, from.index.min(to)),
            last: id_at(records, from.index.max(to)),
        }
    };
    landmarks.iter().enumerate().map(phase).collect()
}

/// In order of time.
fn landmarks(
    records: &RecordSet,
    timeline: &Timeline,
    m: &Milestones,
    console_start: Option<ConsoleStart>,
    console: Option<usize>,
) -> Vec<Landmark> {
    let Some(first_kernel) = m.first_kernel else { return Vec::new() };
    // A record without a time lies between two that have one.
    let at = |i: usize| {
        let next = || (i..records.len()).find_map(|j| timeline.stored(j));
        timeline.stored(i).or_else(next).or_else(|| (0..i).rev().find_map(|j| timeline.stored(j)))
    };
    let mark = |name, index| Some(Landmark { name, index, at: at(index)? });
    // After a quiet console init's own output may be the first.
    let init = m.kernel_end().or_else(|| records.iter().position(|r| is_init_banner(&r)));
    let starts = |i: usize| follows(&records.get(i)?, timeline.place(i), console_start, i).or_else(|| at(i));
    let user_space = init.and_then(|index| Some(Landmark { name: PhaseName::UserSpace, index, at: starts(index)? }));
    // From the last one backwards: a landmark at or after the time of a later one did not begin a phase.
    let mut found: Vec<Landmark> = user_space.into_iter().collect();
    let mut add = |landmark: Option<Landmark>| {
        let before = |l: &Landmark| found.last().is_none_or(|next| (l.at, l.index) < (next.at, next.index));
        let landmark = landmark.filter(before);
        found.extend(landmark);
        landmark.is_some()
    };
    add(m.freeing_unused.and_then(|i| mark(PhaseName::ToInit, i)));
    add(m.last_initcall.filter(|i| initcalls_end_with(*i, records, m)).and_then(|i| mark(PhaseName::RootFs, i)));
    // Without initcall_debug the end of the initcalls is not logged; "Freeing unused" is the next landmark.
    let registered = add(console.and_then(|i| mark(PhaseName::Initcalls, i)));
    let kernel = if registered { PhaseName::KernelToConsole } else { PhaseName::Kernel };
    // A quiet console, which prints only late, does not show the dark phase; nor does a log without stamps.
    let is_dark = records.get(first_kernel).and_then(|r| r.stamp).is_some_and(|s| s.as_nanos() == 0);
    if is_dark {
        add(m.first_stamped.and_then(|i| mark(kernel, i)));
    }
    let name = if is_dark { PhaseName::Dark } else { kernel };
    // Its position in the log is no bound: a quiet kernel's first message may be its last.
    let index = found.last().map_or(first_kernel, |l| l.index.min(first_kernel));
    let start = found.last().map_or(at(first_kernel), |l| Some(l.at)).map(|next| Landmark {
        name,
        index,
        at: next.min(Dur::ZERO),
    });
    found.extend(start.filter(|s| found.last().is_none_or(|l| s.at < l.at)));
    // Firmware and boot loader come before the kernel's start, the zero of the axis.
    let firmware = (0..first_kernel).filter_map(|i| timeline.stored(i)).min();
    let firmware = firmware.map(|at| Landmark { name: PhaseName::BeforeKernel, index: 0, at });
    found.extend(firmware.filter(|f| found.last().is_none_or(|l| f.at < l.at)));
    found.reverse();
    found
}

/// Whether the initcall that returned last was really the last one, and not only the last in a truncated log.
fn initcalls_end_with(last: usize, records: &RecordSet, m: &Milestones) -> bool {
    let no_root = |i: usize| records.get(i).is_some_and(|r| r.text.contains("Unable to mount root"));
    match m.kernel_end() {
        Some(end) => last < end,
        None => m.root.is_some_and(|root| last < root) || m.panic.is_some_and(no_root),
    }
}

#[cfg(test)]
mod tests;
