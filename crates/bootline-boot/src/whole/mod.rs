// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot, from power-on to the application, rebuilt from all sources.
//!
//! The console's records give the axis; every other source has a clock of its own and is placed on that axis by what both saw
//! ([`Alignment`]). What two sources say differently is named and not used. Decision 0013 says why.
mod alignment;
mod application;
mod application_search;
mod boot_source;
mod bootchart_place;
mod daemon_message;
mod daemon_message_search;
mod dependencies_known;
mod held_back;
mod init_executed;
mod initramfs;
mod journal_match;
mod journal_times;
mod kernels_boot;
mod loader_timer;
mod process;
mod rebuild;
mod resource_use;
mod stage;
mod stage_start;
mod systemd_clock;
mod tile;
mod trace_place;
mod traced;
mod unit;
mod unit_join;
mod unit_names;
mod whole_boot;

pub use alignment::{AT_ONCE, AlignedBy, Alignment};
pub use application::{Application, Reached};
pub use application_search::AppMarker;
pub use boot_source::{BootSource, SourceContent, SourceRefusal, SourceUse};
pub use daemon_message::DaemonMessage;
pub use dependencies_known::DependenciesKnown;
pub use init_executed::{ExecutedBy, InitExecuted};
pub use process::{Process, ProcessBy};
pub(super) use rebuild::rebuild;
pub use resource_use::{DiskUse, ResourceUse};
pub use stage::{Stage, StageEvidence, StageName, WholeEnd, WholeOrigin};
pub use traced::{InitcallOfTrace, MarkKind, MarkOfTrace};
pub use unit::{Unit, UnitTimesBy};
pub use whole_boot::WholeBoot;

#[cfg(test)]
mod application_tests;
#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod fpdt_tests;
#[cfg(test)]
mod recorder_tests;
#[cfg(test)]
mod tests;
