// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the user states beyond the log.
use super::cmdline::ConsoleArg;
use super::timeline::Clock;

/// What the user states beyond the log.
#[derive(Clone, Debug, Default)]
pub struct BootOptions {
    /// Text that marks the end of the boot (a login prompt, a service's line) instead of init's start.
    pub marker: Option<String>,
    /// The serial console and its speed, where the log lacks them; wins over the log's command line.
    pub console: Option<ConsoleArg>,
    /// Processors, where the log lacks them; wins over what it says.
    pub cpus: Option<u32>,
    /// The clock that the axis is to run on; otherwise the one with the most information in the log.
    pub clock: Option<Clock>,
}
