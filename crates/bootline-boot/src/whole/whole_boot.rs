// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of a boot from power-on to the application.
use super::application::Application;
use super::boot_source::SourceUse;
use super::daemon_message::DaemonMessage;
use super::dependencies_known::DependenciesKnown;
use super::init_executed::InitExecuted;
use super::process::Process;
use super::resource_use::ResourceUse;
use super::stage::{Stage, WholeEnd, WholeOrigin};
use super::traced::{InitcallOfTrace, MarkOfTrace};
use super::unit::Unit;
use bootline_capture::units::Dur;

/// The whole boot.
#[derive(Clone, Debug, Default)]
pub struct WholeBoot {
    /// Stages without gap or overlap, in order.
    pub stages: Vec<Stage>,
    /// What the first stage begins with; none where nothing has a time.
    pub since: Option<WholeOrigin>,
    /// What the last stage ends with; none where that is the log, which may be cut anywhere.
    pub until: Option<WholeEnd>,
    /// Units of systemd and the scripts of other inits, by start.
    pub units: Vec<Unit>,
    /// How much of the units' dependencies is known.
    pub dependencies: DependenciesKnown,
    /// When the init of the root file system was executed.
    pub init_executed: Option<InitExecuted>,
    /// When systemd, read and linked, started in the root file system.
    pub manager_start: Option<Dur>,
    /// From when to when systemd ran its generators there.
    pub generators: Option<(Dur, Dur)>,
    /// When systemd had loaded the units and queued the first transaction.
    pub units_loaded: Option<Dur>,
    /// When systemd's first transaction was complete.
    pub manager_finish: Option<Dur>,
    /// What journald and the D-Bus daemon say of work that others waited for, by time.
    pub daemon_messages: Vec<DaemonMessage>,
    /// What was given besides the log, in that order.
    pub sources: Vec<SourceUse>,
    /// Processes of user space that a bootchart or a trace shows, by their start.
    pub processes: Vec<Process>,
    /// Initcalls that a trace shows, by their start.
    pub traced_initcalls: Vec<InitcallOfTrace>,
    /// Modules that a trace shows as loaded, and what was written into it, in order of time.
    pub trace_marks: Vec<MarkOfTrace>,
    /// How busy processors and disks were; none without a bootchart.
    pub resource_use: Option<ResourceUse>,
    /// When the application was reached; none where none was named, or it was not reached.
    pub application: Option<Application>,
}

impl WholeBoot {
    /// From the first stage's start to the last one's end.
    pub fn length(&self) -> Option<Dur> {
        Some(self.stages.last()?.end - self.stages.first()?.start)
    }

    /// When the boot ended; none if it did not reach its end.
    pub fn end(&self) -> Option<Dur> {
        self.until.and_then(|_| self.stages.last()).map(|stage| stage.end)
    }

    /// The stages that the boot ends, not the log: of one at its end, the length depends on when the capture was stopped.
    pub fn complete_stages(&self) -> &[Stage] {
        &self.stages[..self.stages.len().saturating_sub(usize::from(self.until.is_none()))]
    }

    /// From the first stage's start until the application was reached.
    pub fn time_to_application(&self) -> Option<Dur> {
        Some(self.application.as_ref()?.at - self.stages.first()?.start)
    }

    /// The unit of this name.
    pub fn unit(&self, name: &str) -> Option<&Unit> {
        self.units.iter().find(|u| u.name == name)
    }
}
