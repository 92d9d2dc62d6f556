// SPDX-License-Identifier: MIT OR Apache-2.0
//! A console that a module took over at run time (kernel/nbcon_8250/console_switch.c, kernel/console_relay/main.c).
//!
//! After the record that announces it, the module's kthread prints, and nobody waits for it. With `replay=1` it starts at the beginning
//! of the log, so that what `quiet` suppressed arrives late, in log order: those arrival times show when the line was free, not when
//! anything happened.

use super::console::SerialConsole;
use super::kernel::Kernel;
use bootline_capture::units::Dur;
use bootline_console::ConsoleModule;
use bootline_records::{Record, RecordId, RecordOrigin, RecordSet};

/// A console switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleSwitch {
    /// The module.
    pub module: ConsoleModule,
    /// Name of the console: `ttyS0`.
    pub console: String,
    /// Whether the module's kthread sleeps while the port's FIFO drains: nbcon_8250 and, in bursts, console_relay. Otherwise, or once
    /// it has logged that the port does not drain, it spins.
    pub sleeps: bool,
    /// The module's message: "ttyS0 prints through a thread of its own".
    pub record: RecordId,
    /// Its position.
    pub index: usize,
    /// The first record that the kthread printed, apart from a replay.
    pub from: RecordId,
    /// Its position.
    pub from_index: usize,
    /// Whether the records stored before were transmitted only then.
    pub replayed: bool,
    /// Number of records that were transmitted twice.
    pub repeated: usize,
    /// The longest time from when a record was stored until it was transmitted, of all that the kthread printed.
    pub backlog_age: Option<Dur>,
    /// "ttyS0 is the 8250 driver's own console again" (rmmod), if the log contains it.
    pub ended: Option<RecordId>,
    /// Its position.
    pub ended_index: Option<usize>,
}

/// What a module logs when it takes a console over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConsoleSwitchNote<'t> {
    module: ConsoleModule,
    console: &'t str,
    sleeps: bool,
}

/// `nbcon_8250: ttyS0 prints through a thread of its own`.
pub(super) fn console_switch_note(text: &str) -> Option<ConsoleSwitchNote<'_>> {
    // console_relay also states how it prints. Its first version did not, and always called the driver's write.
    let how = [(", in bursts", Some(true)), (", by the driver's write", Some(false))];
    let stated = how.into_iter().find_map(|(how, sleeps)| Some((text.strip_suffix(how)?, sleeps)));
    let (text, sleeps) = stated.unwrap_or((text, None));
    let (module, console) = module_message(text, CONSOLE_SWITCHED)?;
    Some(ConsoleSwitchNote { module, console, sleeps: sleeps.unwrap_or(module == ConsoleModule::Nbcon8250) })
}

/// How a module's message of a console switch ends, apart from how it prints.
pub(super) const CONSOLE_SWITCHED: &str = " prints through a thread of its own";

/// How console_relay's message ends when the port did not drain in its bursts.
const GAVE_UP: &str = " does not drain: lines are printed by the driver's write from now on";

/// `console_relay: ttyAMA0 is the driver's own console again`, `nbcon_8250: ttyS0 is the 8250 driver's own console again`.
fn end_note(text: &str) -> Option<(ConsoleModule, &str)> {
    let suffix = [" is the driver's own console again", " is the 8250 driver's own console again"];
    suffix.iter().find_map(|suffix| module_message(text, suffix))
}

/// What a module logs of a console: the two.
fn module_message<'t>(text: &'t str, suffix: &str) -> Option<(ConsoleModule, &'t str)> {
    // The end first: hardly any text has it.
    let (module, name) = text.strip_suffix(suffix)?.split_once(": ")?;
    let module = ConsoleModule::ALL.into_iter().find(|known| known.name() == module)?;
    let index = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
    (is_number && name.starts_with("tty")).then_some((module, name))
}

/// The first console switch in the log; `registered` is the position where the kernel's own console registered.
pub(super) fn find(
    records: &RecordSet,
    kernel: &Kernel,
    serial: Option<&SerialConsole>,
    registered: Option<usize>,
    repeated: usize,
) -> Option<ConsoleSwitch> {
    let mut said = records.containing(" own").filter_map(|i| Some((i, of_kernel(records, i)?)));
    let (index, record, note) = said.by_ref().find_map(|(i, r)| Some((i, r.id, console_switch_note(r.text)?)))?;
    let ConsoleSwitchNote { module, console: name, sleeps } = note;
    let enabled = format!("console [{name}] enabled");
    let registers = |i: &usize| of_kernel(records, *i).is_some_and(|r| r.text.ends_with(&enabled));
    let from_index = match module {
        // Its console registers first, and the old one is stopped before that.
        ConsoleModule::Nbcon8250 => (registered.map_or(0, |r| r + 1)..index).rev().find(registers).unwrap_or(index),
        ConsoleModule::ConsoleRelay => index,
    };
    let gave_up = records
        .containing(GAVE_UP)
        .any(|i| of_kernel(records, i).and_then(|r| module_message(r.text, GAVE_UP)) == Some((module, name)));
    let ended = said.find(|(_, r)| end_note(r.text) == Some((module, name)));
    Some(ConsoleSwitch {
        module,
        console: name.to_owned(),
        sleeps: sleeps && !gave_up,
        record,
        index,
        from: records.get(from_index).map_or(record, |r| r.id),
        from_index,
        replayed: shows_what_quiet_held_back(records, kernel)
            || serial.is_some_and(|s| s.printing.writer_waits())
                && came_too_soon(records, registered.unwrap_or(0), from_index),
        repeated,
        backlog_age: None,
        ended: ended.map(|(_, r)| r.id),
        ended_index: ended.map(|(i, _)| i),
    })
}

fn of_kernel(records: &RecordSet, i: usize) -> Option<Record<'_>> {
    records.get(i).filter(|r| r.source == RecordOrigin::Kernel)
}

/// The kernel's banner is a KERN_NOTICE: a console with this log level or a lower one does not print it.
const NOTICE: u8 = 5;

/// Whether a quiet console shows records that it cannot have printed when they were stored.
fn shows_what_quiet_held_back(records: &RecordSet, kernel: &Kernel) -> bool {
    let quiet = kernel.command_line_record.is_some() && kernel.command_line.console_loglevel() <= NOTICE;
    let arrived = |id: RecordId| records.by_id(id).is_some_and(|r| r.arrival.is_some());
    quiet && [kernel.banner, kernel.command_line_record].into_iter().flatten().any(arrived)
}

/// Error of two stamps and two arrivals together, in addition to the reader's stated uncertainty.
const READING: Dur = Dur::from_millis(2);

/// Records that arrive closer together than they were stored, by at least this time, are a replay.
const TOO_SOON: Dur = Dur::from_millis(100);

/// Whether records arrived closer together than they were stored. With synchronous printing that is impossible: the
/// kernel's clock may lose time, but never gains any.
fn came_too_soon(records: &RecordSet, registered: usize, until: usize) -> bool {
    let mut too_soon = Dur::ZERO;
    let mut before = None;
    for r in (registered + 1..until).filter_map(|i| of_kernel(records, i)) {
        let (Some(stamp), Some(arrival)) = (r.stamp, r.arrival) else { continue };
        if let Some((stamp_before, arrived_before)) = before.replace((stamp, arrival.first)) {
            let less = (stamp - stamp_before) - (arrival.first - arrived_before);
            too_soon += (less - arrival.uncertainty - READING).max_zero();
        }
    }
    too_soon > TOO_SOON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_words() {
        let check = |text: &str, module, console, sleeps| {
            assert_eq!(console_switch_note(text), Some(ConsoleSwitchNote { module, console, sleeps }), "{text}");
        };
        check("nbcon_8250: ttyS0 prints through a thread of its own", ConsoleModule::Nbcon8250, "ttyS0", true);
        check(
            "console_relay: ttyAMA0 prints through a thread of its own",
            ConsoleModule::ConsoleRelay,
            "ttyAMA0",
            false,
        );
        let how = "console_relay: ttyS1 prints through a thread of its own";
        check(&format!("{how}, in bursts"), ConsoleModule::ConsoleRelay, "ttyS1", true);
        check(&format!("{how}, by the driver's write"), ConsoleModule::ConsoleRelay, "ttyS1", false);
        let again = "console_relay: ttySTM0 is the driver's own console again";
        assert_eq!(end_note(again), Some((ConsoleModule::ConsoleRelay, "ttySTM0")));
        for text in [
            "nbcon_8250: ttyS prints through a thread of its own",
            "nbcon_8250: ttyS0 prints through a thread of its own, in vain",
            "nbcon_8250: \x1b[2J prints through a thread of its own",
            "nbcon_8250: ttyS0 is the 8250 driver's own console again",
            "other: ttyS0 prints through a thread of its own",
            "ttyS0 prints through a thread of its own",
        ] {
            assert_eq!(console_switch_note(text), None, "{text}");
        }
    }
}
