// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a boot is getting on, for whoever watches.
use bootline_capture::units::Dur;

/// How far a boot has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootPhase {
    /// The kernel boots.
    Booting,
    /// Init has spoken; the line still carries what the kernel has stored.
    Draining,
    /// Init prints the lines that were asked for.
    Printing,
    /// The guest switches itself off.
    PoweringOff,
}

/// A moment of a boot.
#[derive(Clone, Copy, Debug)]
pub struct BootProgress<'a> {
    /// Since QEMU was started.
    pub elapsed: Dur,
    /// How far it has come.
    pub phase: BootPhase,
    /// Characters that the line has carried.
    pub bytes: u64,
    /// The last whole line of the console, control characters escaped.
    pub last_line: &'a str,
}
