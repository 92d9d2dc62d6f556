// SPDX-License-Identifier: MIT OR Apache-2.0
//! The consoles of a boot.
use schemars::JsonSchema;
use serde::Serialize;

use super::{ConsoleKind, Id, id};

/// A console that registered.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RegisteredConsole<'b> {
    /// `tty0`
    name: &'b str,
    /// Whether it is a boot console.
    boot: bool,
    /// The framework it uses.
    kind: ConsoleKind,
    /// The record of its registration.
    enabled: Id,
    /// The record of its end.
    disabled: Option<Id>,
}

impl<'b> From<&'b bootline_boot::RegisteredConsole> for RegisteredConsole<'b> {
    fn from(c: &'b bootline_boot::RegisteredConsole) -> RegisteredConsole<'b> {
        RegisteredConsole {
            name: &c.name,
            boot: c.boot,
            kind: c.framework.into(),
            enabled: c.enabled.0,
            disabled: id(c.disabled),
        }
    }
}

/// A module took the console over at run time: its kthread prints, and no task waits.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConsoleSwitch<'b> {
    /// `nbcon_8250` or `console_relay`
    module: &'static str,
    /// `ttyS0`
    console: &'b str,
    /// Whether the kthread sleeps while the port's FIFO drains. Otherwise it spins, and takes a CPU.
    sleeps: bool,
    /// The module's own record.
    record: Id,
    /// The first record that its kthread transmitted, apart from a replay.
    from: Id,
    /// Whether the records stored before were transmitted only then.
    replayed: bool,
    /// Number of records that were transmitted twice.
    repeated: usize,
    /// The longest time from storing a record to transmitting it, of all that the kthread transmitted.
    lag_ns: Option<i64>,
    /// The record that announces that the driver's own console is back.
    ended: Option<Id>,
}

impl<'b> From<&'b bootline_boot::ConsoleSwitch> for ConsoleSwitch<'b> {
    fn from(s: &'b bootline_boot::ConsoleSwitch) -> ConsoleSwitch<'b> {
        ConsoleSwitch {
            module: s.module.name(),
            console: &s.console,
            sleeps: s.sleeps,
            record: s.record.0,
            from: s.from.0,
            replayed: s.replayed,
            repeated: s.repeated,
            lag_ns: s.backlog_age.map(|l| l.as_nanos()),
            ended: id(s.ended),
        }
    }
}
