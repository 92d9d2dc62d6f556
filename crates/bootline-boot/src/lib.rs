// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-boot: one boot's records on one time axis, divided into phases, spans and gaps, with the waits for the console separated
//! from the work.
//!
//! [`Boot::analyse`] can't fail: what the log does not show stays `None`, and defects of the log are problems.
mod analyse;
mod backlog;
mod banner_alone;
mod boot;
mod boot_records;
mod clock;
mod cmdline;
mod console;
mod console_start;
mod console_switch;
mod end;
mod gap;
mod initcall;
pub mod initcall_debug;
mod initial_jiffies;
mod kernel;
mod levels;
mod listed_console;
mod mark;
mod milestone;
mod options;
mod phase;
mod printed_again;
mod refuted_speed;
mod replay;
mod resolution;
mod root_wait;
mod second_registration;
mod serial_line;
mod service;
mod speed;
mod speed_change;
mod split;
mod terminal_queue;
mod timeline;
mod track;
mod wait;
mod whole;

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

pub use backlog::BacklogPoint;
pub use boot::{Boot, LEAST_GAP};
pub use boot_records::BootRecords;
pub use cmdline::{CommandLine, ConsoleArg, is_serial};
pub use console::{RegisteredConsole, SerialConsole};
pub use console_start::ConsoleStart;
pub use console_switch::ConsoleSwitch;
pub use end::reaches;
pub use end::{BootEnd, EndedBy, NoEnd, TimeOrigin};
pub use gap::Gap;
pub use initcall::{AsyncWait, Span, SpanKind};
pub use kernel::Kernel;
pub use levels::{JoinError, LevelsJoin, join_levels};
pub use listed_console::{ListedConsole, is_listed_as_nbcon};
pub use mark::Mark;
pub use milestone::Milestones;
pub use options::BootOptions;
pub use phase::{Phase, PhaseName};
pub use root_wait::{RootWait, RootWaitBy};
pub use serial_line::{Flush, SerialLine};
pub use service::{Service, ServiceState, status_output};
pub use speed::{LineSpeed, SpeedSource};
pub use speed_change::SpeedChange;
pub use split::{MAX_BEFORE_KERNEL, MAX_RECORDS, MAX_TEXT_BYTES, Splitter};
pub use terminal_queue::TERMINAL_BUFFER;
pub use timeline::{Clock, RecordTimes, Timeline, TransmitSpan};
pub use track::{Slice, SliceEdge, Track};
pub use wait::{ConsoleWait, ConsoleWaits, WaitCause};
pub use whole::{
    AT_ONCE, AlignedBy, Alignment, AppMarker, Application, BootSource, DaemonMessage, DependenciesKnown, DiskUse,
    ExecutedBy, InitExecuted, InitcallOfTrace, MarkKind, MarkOfTrace, Process, ProcessBy, Reached, ResourceUse,
    SourceContent, SourceRefusal, SourceUse, Stage, StageEvidence, StageName, Unit, UnitTimesBy, WholeBoot, WholeEnd,
    WholeOrigin,
};
