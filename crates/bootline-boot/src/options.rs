// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user states in addition to the log.
use super::cmdline::ConsoleArg;
use super::timeline::Clock;

/// What the user states in addition to the log.
#[derive(Clone, Debug, Default)]
pub struct BootOptions {
    /// Text that marks the end of the boot (a login prompt, a service's line) instead of init's start.
    pub marker: Option<String>,
    /// The serial console and its speed, if the log lacks them; overrides the log's command line.
    pub console: Option<ConsoleArg>,
    /// Number of CPUs, if the log lacks it; overrides the log.
    pub cpus: Option<u32>,
    /// The clock of the axis; otherwise the one with the most information in the log.
    pub clock: Option<Clock>,
}
