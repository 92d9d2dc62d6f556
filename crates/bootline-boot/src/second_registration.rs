// SPDX-License-Identifier: MIT OR Apache-2.0
//! A console that registers for a port that is not there, and again once its driver has found the port.
//!
//! The 8250 registers its console for the legacy port that `console=ttyS0` names (univ8250_console_init) before any bus
//! has been looked at. Where the UART is another one (a PCI or ACPI device), that console prints into the void, as fast as the
//! CPU can. When the driver finds the port, uart_remove_one_port() unregisters the console ("console [ttyS0] disabled"), and
//! uart_configure_port() registers it again. CON_PRINTBUFFER is still set, because no boot console was there to clear
//! it (register_console() in kernel/printk/printk.c, 2.6 to 7.2), so all of the log is printed, and the boot waits
//! for it. Records of other tasks end up in that wait, because they take the console over while it prints
//! (console_trylock_spinning(), 4.15).
use super::console::{RegisteredConsole, SerialConsole};
use super::refuted_speed::is_refuted;
use bootline_capture::units::LineRate;
use bootline_records::{Record, RecordId, RecordOrigin, RecordSet};

/// The registration that printed the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SecondRegistration {
    /// The record that announces the console as enabled.
    pub enabled: RecordId,
    /// Position of that record.
    pub enabled_index: usize,
    /// Position of the port's own record, stored just before the log is printed.
    pub flushed_from: usize,
}

/// The console's second registration, if the stamps after the first one refute that it printed to the line.
pub(super) fn second_registration(
    records: &RecordSet,
    consoles: &[RegisteredConsole],
    serial: Option<&SerialConsole>,
    reaches_line: impl Fn(&Record<'_>) -> bool,
) -> Option<SecondRegistration> {
    let serial = serial.filter(|s| s.printing.writer_waits())?;
    let rate = LineRate::of(serial.declared_baud?, serial.frame);
    let mut own = consoles.iter().filter(|c| !c.boot && c.name == serial.name);
    let (first, again) = (own.next()?, own.next()?);
    let disabled = records.index_of(first.disabled?)?;
    let after_boot_console = consoles.iter().any(|c| c.boot && c.enabled_index < again.enabled_index);
    if after_boot_console || !(first.enabled_index..again.enabled_index).contains(&disabled) {
        return None;
    }
    let of_kernel = |i: &usize| records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel);
    let printed = (first.enabled_index..=disabled).filter(of_kernel).filter_map(|i| records.get(i));
    if !is_refuted(printed.filter(|r| reaches_line(r)), rate) {
        return None;
    }
    let port = format!("{} at ", serial.name);
    let reported = (disabled..again.enabled_index).rev().filter(of_kernel);
    let mut reported = reported.filter(|&i| records.get(i).is_some_and(|r| r.text.contains(&port)));
    Some(SecondRegistration {
        enabled: again.enabled,
        enabled_index: again.enabled_index,
        flushed_from: reported.next().unwrap_or(again.enabled_index),
    })
}
