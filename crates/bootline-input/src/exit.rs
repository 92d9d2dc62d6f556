// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exit status. Scripts depend on it: a number never changes its meaning.
use std::process::ExitCode;

/// An exit status; the greatest of several is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit(u8);

impl Exit {
    /// Success, and the answer can be trusted.
    pub const FINE: Exit = Exit(0);
    /// A gate failed, or a claim or a prediction is refuted.
    pub const GATE: Exit = Exit(1);
    /// A usage error. clap exits with the same number.
    pub const USAGE: Exit = Exit(2);
    /// An input can't be read, contains no boot, or is so incomplete that its figures can't be trusted. Whatever could
    /// be read was shown.
    pub const INPUT: Exit = Exit(3);
    /// The lab or a port failed: QEMU, a serial device, a kernel that can't be fetched.
    pub const LAB: Exit = Exit(4);
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}
