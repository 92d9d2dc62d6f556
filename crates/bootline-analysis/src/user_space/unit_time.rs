// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting separated from working, for each unit.
use super::ordering;
use bootline_boot::{Boot, DependenciesKnown};
use bootline_capture::units::Dur;

/// Where a unit's time went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitTime {
    /// Position of the unit in the boot.
    pub unit: usize,
    /// From when systemd had loaded the units until the last unit that it waited for was up; none without ordering.
    pub dependencies: Option<Dur>,
    /// From then until it began to start: it waited for systemd itself, for the processor, or for what starts it on demand.
    pub queue: Option<Dur>,
    /// The unit that was up last of those that it waited for.
    pub released_by: Option<usize>,
    /// From its start until it was up.
    pub activation: Option<Dur>,
    /// Of the activation, the processor time of its own processes at most; none where it is not counted.
    pub processor: Option<Dur>,
}

impl UnitTime {
    /// Of the activation, at least this was waiting: for the processor, a disk, a device, a timer, another process.
    pub fn waited(&self) -> Option<Dur> {
        Some(self.activation? - self.processor?)
    }
}

/// Where the time of each unit went, in the boot's order.
pub fn unit_times(boot: &Boot) -> Vec<UnitTime> {
    (0..boot.whole.units.len()).map(|i| unit_time(boot, i)).collect()
}

pub(super) fn unit_time(boot: &Boot, position: usize) -> UnitTime {
    let unit = &boot.whole.units[position];
    let released = ordering::released_by(boot, unit);
    let first = ordering::first_moment(boot);
    let released_at =
        released.map(|(_, up)| up).or(first.filter(|_| boot.whole.dependencies == DependenciesKnown::All));
    let activation = unit.activation();
    UnitTime {
        unit: position,
        dependencies: released.zip(first).map(|((_, up), first)| (up - first).max_zero()),
        queue: released_at.zip(unit.activating).map(|(at, begins)| (begins - at).max_zero()),
        released_by: released.map(|(i, _)| i),
        activation,
        processor: unit.cpu.zip(activation).map(|(cpu, length)| cpu.min(length)),
    }
}
