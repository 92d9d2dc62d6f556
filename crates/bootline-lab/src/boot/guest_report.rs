// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the guest is told, and what it reports.
use bootline_capture::units::{Dur, HostTime};

/// A command to the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GuestCommand {
    /// The lab's init: send what is new.
    Dump,
    /// The lab's init: print this many lines.
    Lines(u32),
    /// A system: run this command and send what it writes.
    Run(String),
    /// The lab's init: power off.
    PowerOff,
    /// The guest does not respond: kill QEMU.
    Kill,
}

/// What init reported about the guest.
#[derive(Clone, Debug, Default)]
pub(super) struct GuestReport {
    pub init_at: Option<HostTime>,
    pub init_guest: Option<Dur>,
    /// How long init took to open the port, from its first instruction to its first message.
    pub port_opening: Option<Dur>,
    /// All modules were tried.
    pub loaded_at: Option<HostTime>,
    /// Init had sent its first complete report.
    pub ready_at: Option<HostTime>,
    pub version: Option<String>,
    pub cmdline: Option<String>,
    pub consoles: Option<String>,
    pub uptime: Option<String>,
    pub console_loglevel: Option<u8>,
    pub kmsg: Vec<u8>,
    pub kmsg_overrun: bool,
    pub modules: Vec<ModuleReport>,
    pub lines: Option<PrintkLinesReport>,
    /// Marks of a system, in the order of their arrival.
    pub marks: Vec<MarkReport>,
    /// Why the root of a system can't be mounted, or its init not be executed.
    pub no_system: Option<i32>,
    pub picture_seen_at: Option<HostTime>,
    pub socket_answered_at: Option<HostTime>,
    /// What the questions were answered.
    pub answers: Vec<Answer>,
}

/// What a system answered to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The file of the run that gets it.
    pub file: &'static str,
    /// When it was asked.
    pub asked: HostTime,
    /// How long the host waited.
    pub took: Dur,
    pub text: Vec<u8>,
}

/// A moment that a program of the guest marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkReport {
    pub name: String,
    pub at: HostTime,
    /// The guest's monotonic clock.
    pub guest: Dur,
    /// The processor time that QEMU had used.
    pub processor: Option<Dur>,
}

/// Init's report on a module; the times are the guest's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModuleReport {
    pub at: HostTime,
    /// 0: it was loaded.
    pub errno: i32,
    pub start: Dur,
    pub end: Dur,
}

/// Init's report on printed lines; the times are the guest's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrintkLinesReport {
    pub count: u32,
    pub start: Dur,
    pub end: Dur,
}
