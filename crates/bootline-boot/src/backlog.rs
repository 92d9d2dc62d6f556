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
    let mut points = Vec::with_capacity(2 * records.len());
    each_point(records, timeline, |point| points.push(point));
    points
}

/// The largest backlog, in bytes.
pub(super) fn peak(records: &RecordSet, timeline: &Timeline) -> u64 {
    let mut peak = 0;
    each_point(records, timeline, |point| peak = peak.max(point.backlog()));
    peak
}

fn each_point(records: &RecordSet, timeline: &Timeline, mut each: impl FnMut(BacklogPoint)) {
    // Each of the two is nearly in order by itself.
    let (mut stores, mut transmissions) = (Vec::with_capacity(records.len()), Vec::with_capacity(records.len()));
    for (i, r) in records.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel) {
        let place = timeline.place(i);
        if let (Some(stored), Some(transmitted)) = (place.stored, place.transmitted) {
            stores.push((stored, u64::from(r.line_bytes)));
            transmissions.push((transmitted.end.max(stored), u64::from(r.line_bytes)));
        }
    }
    stores.sort_by_key(|(at, _)| *at);
    transmissions.sort_by_key(|(at, _)| *at);
    let (mut stores, mut transmissions) = (stores.into_iter().peekable(), transmissions.into_iter());
    let (mut stored, mut transmitted) = (0, 0);
    let mut next = transmissions.next();
    loop {
        // At the same instant, storing comes before transmitting, so that no point shows more transmitted than stored.
        let is_before = |(at, _): &(Dur, u64)| next.is_none_or(|(end, _)| *at <= end);
        let at = if let Some((at, bytes)) = stores.next_if(is_before) {
            stored += bytes;
            at
        } else if let Some((at, bytes)) = next {
            transmitted += bytes;
            next = transmissions.next();
            at
        } else {
            return;
        };
        each(BacklogPoint { at, stored, transmitted });
    }
}

/// The longest time from when a record was stored until it was transmitted, of all that the module's kthread printed.
pub(super) fn longest_age(switch: &ConsoleSwitch, timeline: &Timeline, records: usize) -> Option<Dur> {
    let first = if switch.replayed { 0 } else { switch.from_index };
    let times = (first..switch.ended_index.unwrap_or(records)).map(|i| timeline.place(i));
    times.filter_map(|t| Some((t.transmitted?.end - t.stored?).max_zero())).max()
}

#[cfg(test)]
mod tests {
    use crate::{Boot, BootOptions, BootRecords};

    #[test]
    fn the_peak_is_the_highest_point() {
        let mut log = "[    0.000000] Linux version 6.12.1 (gcc) #1 SMP PREEMPT_RT Mon\n\
                       [    0.000000] Kernel command line: console=ttyS0,9600\n\
                       [    0.500000] printk: legacy console [ttyS0] enabled\n"
            .to_owned();
        // Some together, some after a pause.
        for n in 0..60 {
            log += &format!(
                "[    {}.{:06}] a record that takes the line fifty milliseconds\n",
                1 + n / 20,
                n % 20 * 1_000
            );
        }
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
        let points = boot.backlog();
        assert!(points.windows(2).all(|two| two[0].at <= two[1].at && two[0].stored <= two[1].stored));
        assert!(points.iter().all(|point| point.transmitted <= point.stored));
        let highest = points.iter().map(|point| point.backlog()).max();
        assert!(highest.is_some_and(|bytes| bytes > 1_000 && bytes == boot.backlog_peak()), "{highest:?}");
    }
}
