// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a boot, for display.
use bootline_capture::units::Dur;

/// How far a boot has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootPhase {
    /// The kernel boots.
    Booting,
    /// Init runs; the line still transmits what the kernel has stored.
    Draining,
    /// A system runs; its marks are awaited.
    UserSpace,
    /// The system is asked for its own account of the boot.
    Asking,
    /// Init prints the requested lines.
    Printing,
    /// The guest powers off.
    PoweringOff,
}

/// A moment of a boot.
#[derive(Clone, Copy, Debug)]
pub struct BootProgress<'a> {
    /// Time since QEMU was started.
    pub elapsed: Dur,
    /// How far it has come.
    pub phase: BootPhase,
    /// Bytes transmitted so far.
    pub bytes: u64,
    /// The last whole line of the console, control characters escaped.
    pub last_line: &'a str,
}
