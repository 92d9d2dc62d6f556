// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the guest is told, and what it reports.
use bootline_capture::units::{Dur, HostTime};

/// A command to the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuestCommand {
    /// The lab's init: send what is new.
    Dump,
    /// The lab's init: print this many lines.
    Lines(u32),
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
