// SPDX-License-Identifier: MIT OR Apache-2.0
//! A range of a boot's time axis.
use bootline_capture::units::Dur;

/// A range of the boot's time axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// Start, on the boot's axis.
    pub from: Dur,
    /// End, on the boot's axis.
    pub to: Dur,
}

impl TimeRange {
    /// From start to end.
    pub fn length(&self) -> Dur {
        self.to - self.from
    }

    /// Whether another lies within it.
    pub(crate) fn contains(&self, other: TimeRange) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// The time ranges in order, overlapping ones merged.
pub(crate) fn apart(time_ranges: &[TimeRange]) -> Vec<TimeRange> {
    let mut sorted: Vec<TimeRange> = time_ranges.iter().copied().filter(|s| s.to > s.from).collect();
    sorted.sort_unstable_by_key(|s| s.from);
    sorted.dedup_by(|s, before| {
        let joins = s.from <= before.to;
        if joins {
            before.to = before.to.max(s.to);
        }
        joins
    });
    sorted
}
