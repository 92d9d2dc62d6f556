// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gaps: time ranges in which nothing was printed.

use super::clock::runs_from_zero;
use super::milestone::Milestones;
use super::timeline::{Clock, Timeline};
use super::wait::ConsoleWaits;
use bootline_capture::units::Dur;
use bootline_records::{RecordId, RecordOrigin, RecordSet};
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// A gap between two records after the kernel's first: neither the kernel nor user space printed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The record before it.
    pub after: RecordId,
    /// The record that ends it.
    pub before: RecordId,
    /// Start, on the boot's axis.
    pub start: Dur,
    /// Its length.
    pub length: Dur,
    /// Waits for the console within the gap.
    pub console: Dur,
}

impl Gap {
    /// Length without the waits for the console: something worked or slept silently.
    pub fn net(&self) -> Dur {
        (self.length - self.console).max_zero()
    }
}

/// Stamps of one boot go back by no more than this.
const SKEW: Dur = Dur::from_secs(5);

/// Gaps of at least `least` net of the console, longest first; from the kernel's first record up to position `until`.
pub(super) fn gaps(
    records: &RecordSet,
    timeline: &Timeline,
    waits: &ConsoleWaits,
    milestones: &Milestones,
    until: usize,
    least: Dur,
) -> Vec<Gap> {
    let mut found = Vec::new();
    let first = milestones.first_kernel.unwrap_or(0);
    // What a clock shows when it begins to run is no time that passed since.
    let is_fine = timeline.clock == Clock::Kernel && timeline.resolution == Dur::ZERO;
    let begins_anywhere = is_fine && !runs_from_zero(records, milestones);
    // By one step of the clock a difference may be too long.
    let least = least + timeline.resolution;
    let mut before: Option<(RecordId, Dur)> = None;
    for (id, now) in in_time(records, timeline, first..=until) {
        if let Some((after, start)) = before.filter(|(_, start)| now - *start >= least) {
            let gap = Gap { after, before: id, start, length: now - start, console: waits.within(start, now) };
            if gap.net() >= least {
                found.push(gap);
            }
        }
        if begins_anywhere && now == Dur::ZERO {
            before = None;
            continue;
        }
        // CPUs' clocks differ a little (sched_clock before it is stable): what is stamped late began no gap.
        if before.is_none_or(|(_, start)| now >= start || start - now > SKEW) {
            before = Some((id, now));
        }
    }
    found.sort_by_key(|g| std::cmp::Reverse(g.net()));
    found
}

/// The records up to a position that have a time, in log order; but what a program wrote while the line was still
/// transmitting older kernel records comes after all that had been logged by then, and not at all if the last record had.
fn in_time(records: &RecordSet, timeline: &Timeline, range: RangeInclusive<usize>) -> Vec<(RecordId, Dur)> {
    let end = timeline.stored(*range.end());
    let timed = |i: usize| Some((records.get(i)?, timeline.stored(i)?));
    let mut ordered = Vec::with_capacity(records.len());
    // Ascending: on one line they arrive one after the other.
    let mut programs = VecDeque::new();
    for (record, at) in range.filter_map(timed) {
        if record.source != RecordOrigin::Kernel {
            programs.push_back((record.id, at));
            continue;
        }
        let earlier = programs.iter().take_while(|(_, written)| *written <= at).count();
        ordered.extend(programs.drain(..earlier));
        ordered.push((record.id, at));
    }
    ordered.extend(programs.into_iter().filter(|(_, written)| end.is_none_or(|end| *written <= end)));
    ordered
}
