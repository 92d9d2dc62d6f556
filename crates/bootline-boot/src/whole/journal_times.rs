// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of a unit's first activation, as the manager reported them to the journal.
use std::collections::HashMap;

use bootline_capture::units::MonotonicTime;
use bootline_records::{UnitEvent, UnitEventKind};

/// A unit's first activation, as the manager reported it.
#[derive(Clone, Copy, Default)]
pub(super) struct JournalTimes {
    pub starting: Option<MonotonicTime>,
    pub ended: Option<(MonotonicTime, UnitEventKind)>,
}

impl JournalTimes {
    /// The units that events name, in order, and the first events of each.
    pub fn of<'e>(events: impl Iterator<Item = &'e UnitEvent>) -> (Vec<&'e str>, Vec<JournalTimes>) {
        let mut positions: HashMap<&str, usize> = HashMap::new();
        let (mut names, mut times) = (Vec::new(), Vec::new());
        for event in events {
            let at = *positions.entry(&event.unit).or_insert_with(|| {
                names.push(event.unit.as_str());
                times.push(JournalTimes::default());
                names.len() - 1
            });
            times[at].take(event);
        }
        (names, times)
    }

    /// The first that the manager said of it.
    pub fn first(&self) -> Option<MonotonicTime> {
        self.starting.or(self.ended.map(|(at, _)| at))
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &UnitEvent) {
        match event.kind {
            UnitEventKind::Starting => _ = self.starting.get_or_insert(event.at),
            kind => _ = self.ended.get_or_insert((event.at, kind)),
        }
    }
}
