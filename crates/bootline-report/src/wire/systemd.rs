// SPDX-License-Identifier: MIT OR Apache-2.0
//! What systemd, its units and its daemons say, without loss: what `export` has besides `explain` and `blame`.
use schemars::JsonSchema;
use serde::Serialize;

use super::pair::Pair;
use super::record_id::{Id, id};
use super::whole::SystemUnit;
use super::words::DependenciesKnown;
use bootline_analysis::user_space::UnitTime;
use bootline_boot::{self as domain, Boot};

/// A unit with its dependencies.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExportedUnit<'b> {
    #[serde(flatten)]
    unit: SystemUnit<'b>,
    /// Of its activation, the processor time of its own processes at most.
    processor_ns: Option<i64>,
    /// When its program was executed, on the axis.
    executed_ns: Option<i64>,
    /// Bytes that its processes read from disks, up to when the source was taken.
    bytes_read: Option<u64>,
    /// `oneshot`, `notify`, ...
    service_type: Option<&'b str>,
    /// Whether what it writes goes to the console, too.
    writes_to_console: bool,
    /// The units that it needs.
    requires: Vec<&'b str>,
    /// The units that it pulls in.
    wants: Vec<&'b str>,
    /// The units that it starts after.
    after: Vec<&'b str>,
    /// The sockets, timers and paths that start it.
    triggered_by: Vec<&'b str>,
    /// The first record that names it.
    first: Option<Id>,
    /// The record that reports it as up or failed.
    last: Option<Id>,
}

impl<'b> ExportedUnit<'b> {
    pub(crate) fn new(boot: &'b Boot, time: &UnitTime) -> ExportedUnit<'b> {
        let units = &boot.whole.units;
        let unit = &units[time.unit];
        let named = |positions: &[usize]| positions.iter().map(|i| units[*i].name.as_str()).collect();
        ExportedUnit {
            unit: SystemUnit::new(boot, time),
            processor_ns: time.processor.map(|t| t.as_nanos()),
            executed_ns: unit.executed.map(|t| t.as_nanos()),
            bytes_read: unit.bytes_read,
            service_type: unit.service_type.as_deref(),
            writes_to_console: unit.writes_to_console,
            requires: named(&unit.requires),
            wants: named(&unit.wants),
            after: named(&unit.after),
            triggered_by: named(&unit.triggered_by),
            first: id(unit.first),
            last: id(unit.last),
        }
    }
}

/// Moments of systemd in the root file system, on the axis.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SystemdTimes {
    /// When the kernel executed it.
    executed_ns: Option<i64>,
    /// When it started: it had been read and linked.
    start_ns: Option<i64>,
    /// From when to when it ran its generators.
    generators_ns: Option<Pair<i64>>,
    /// When it had loaded the units and queued its first transaction.
    units_loaded_ns: Option<i64>,
    /// When its first transaction was complete.
    finish_ns: Option<i64>,
    /// How much of the units' dependencies the sources show; what they don't show is missing in the units' lists.
    dependencies: DependenciesKnown,
}

impl From<&domain::WholeBoot> for SystemdTimes {
    fn from(whole: &domain::WholeBoot) -> SystemdTimes {
        let is_systemd =
            |init: &domain::InitExecuted| init.by == domain::ExecutedBy::Kernel && whole.manager_start.is_some();
        let executed = whole.init_executed.filter(is_systemd);
        SystemdTimes {
            executed_ns: executed.map(|init| init.at.as_nanos()),
            start_ns: whole.manager_start.map(|t| t.as_nanos()),
            generators_ns: whole.generators.map(|(from, to)| Pair([from, to].map(|t| t.as_nanos()))),
            units_loaded_ns: whole.units_loaded.map(|t| t.as_nanos()),
            finish_ns: whole.manager_finish.map(|t| t.as_nanos()),
            dependencies: whole.dependencies.into(),
        }
    }
}

/// A message of journald or the D-Bus daemon.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DaemonMessage<'b> {
    /// When it was written, on the axis.
    at_ns: i64,
    /// The message, with the daemon's name.
    text: &'b str,
    /// The record; null where only a journal given with the log has it.
    record: Option<Id>,
}

impl<'b> From<&'b domain::DaemonMessage> for DaemonMessage<'b> {
    fn from(m: &'b domain::DaemonMessage) -> DaemonMessage<'b> {
        DaemonMessage { at_ns: m.at.as_nanos(), text: &m.text, record: id(m.record) }
    }
}
