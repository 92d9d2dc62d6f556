// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of a unit's first activation, as the manager reported them to the journal.
use std::collections::HashMap;

use bootline_capture::units::MonotonicTime;
use bootline_records::source::ManagerState;
use bootline_records::{UnitEvent, UnitEventKind};

/// A unit's first activation, as the manager reported it.
#[derive(Clone, Copy, Default)]
pub(super) struct JournalTimes {
    pub starting: Option<MonotonicTime>,
    pub ended: Option<(MonotonicTime, UnitEventKind)>,
}

impl JournalTimes {
    /// The units that events name, in order, and the first events of each.
    ///
    /// What systemd did in the initramfs is left out: the root file system's unit of the same name is another.
    pub fn of<'e>(
        events: impl Iterator<Item = &'e UnitEvent> + Clone,
        manager: Option<&ManagerState>,
    ) -> (Vec<&'e str>, Vec<JournalTimes>) {
        let mut positions: HashMap<&str, usize> = HashMap::new();
        let (mut names, mut times) = (Vec::new(), Vec::new());
        let root = initramfs_end(events.clone(), manager);
        for event in events.filter(|e| root.is_none_or(|root| e.at > root)) {
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

    fn take(&mut self, event: &UnitEvent) {
        match event.kind {
            UnitEventKind::Starting => _ = self.starting.get_or_insert(event.at),
            kind => _ = self.ended.get_or_insert((event.at, kind)),
        }
    }
}

/// When systemd's initramfs ended; none without one.
fn initramfs_end<'e>(
    mut events: impl Iterator<Item = &'e UnitEvent>,
    manager: Option<&ManagerState>,
) -> Option<MonotonicTime> {
    match manager.filter(|m| m.user_space.is_some()) {
        Some(manager) => manager.initrd.and(manager.user_space),
        None => events.find(|e| e.unit == "initrd-switch-root.service").map(|e| e.at),
    }
}
