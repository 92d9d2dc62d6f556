// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step of an initramfs, and how long a line took.
use super::state::ServiceState;
use bootline_capture::units::{Dur, LineRate};
use bootline_records::RecordId;

/// A step of an initramfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub name: String,
    /// When it began; none if nothing shows that.
    pub start: Option<Dur>,
    /// When it ended; none if it did not.
    pub end: Option<Dur>,
    pub state: ServiceState,
    /// The record that shows its begin, and that which shows its end.
    pub first: RecordId,
    pub last: Option<RecordId>,
}

/// When a line arrived, and how long it is.
#[derive(Clone, Copy)]
pub(super) struct LineTimes {
    pub first: Dur,
    pub last: Dur,
    pub bytes: u32,
    pub id: RecordId,
}

/// A line that takes no longer than this beyond its own transmission was written at once.
const LEAST: Dur = Dur::from_millis(10);

impl LineTimes {
    /// Whether the line took just its own time: it was written at once, or held back until its writer had ended.
    pub fn is_at_once(&self, rate: Option<LineRate>) -> bool {
        let own = rate.map_or(Dur::ZERO, |rate| rate.time_for(u64::from(self.bytes)).as_dur());
        self.last - self.first <= own.scale(1.5) + LEAST
    }
}
