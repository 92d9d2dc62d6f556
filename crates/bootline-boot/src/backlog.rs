// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes stored and bytes transmitted, over time.

use super::console_switch::ConsoleSwitch;
use super::timeline::Timeline;
use bootline_capture::units::Dur;
use bootline_records::{RecordOrigin, RecordSet};

/// The state of the line at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BacklogPoint {
    /// Time, on the boot's axis.
    pub at: Dur,
    /// Bytes that the kernel had stored for the console.
    pub stored: u64,
    /// Bytes that the line had transmitted.
    pub transmitted: u64,
}

impl BacklogPoint {
    /// Bytes stored and not yet transmitted.
    pub fn backlog(&self) -> u64 {
        self.stored.saturating_sub(self.transmitted)
    }
}

/// One point for each record stored and each record transmitted.
pub(super) fn backlog(records: &RecordSet, timeline: &Timeline) -> Vec<BacklogPoint> {
    let mut events: Vec<(Dur, bool, u64)> = Vec::new();
    for (i, r) in records.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel) {
        let place = timeline.place(i);
        if let (Some(stored), Some(transmitted)) = (place.stored, place.transmitted) {
            events.push((stored, true, u64::from(r.line_bytes)));
            events.push((transmitted.end.max(stored), false, u64::from(r.line_bytes)));
        }
    }
    // At the same instant, storing comes before transmitting, so that no point shows more transmitted than stored.
    events.sort_by_key(|&(at, is_store, _)| (at, !is_store));
    let (mut stored, mut transmitted) = (0, 0);
    events
        .into_iter()
        .map(|(at, is_store, n)| {
            if is_store {
                stored += n
            } else {
                transmitted += n
            }
            BacklogPoint { at, stored, transmitted }
        })
        .collect()
}

/// The longest time from when a record was stored until it was transmitted, of all that the module's kthread printed.
pub(super) fn longest_age(switch: &ConsoleSwitch, timeline: &Timeline, records: usize) -> Option<Dur> {
    let first = if switch.replayed { 0 } else { switch.from_index };
    let times = (first..switch.ended_index.unwrap_or(records)).map(|i| timeline.place(i));
    times.filter_map(|t| Some((t.transmitted?.end - t.stored?).max_zero())).max()
}
