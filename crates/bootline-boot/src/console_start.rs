// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the line begins to transmit the log, and from when on a kthread prints.
//!
//! Read from kernel/printk/printk.c and nbcon.c (6.12 to 7.2). A legacy console prints from its registration on. On
//! PREEMPT_RT it never prints from a writer (`force_legacy_kthread`): nothing is printed until
//! `printk_set_kthreads_ready` has started the printer kthread. Until then, each writer prints to an nbcon console
//! (`nbcon_atomic_flush_pending`). That call is an early_initcall up to 7.2.12 and a subsys_initcall from 7.2.13 on.
use super::console::SerialConsole;
use super::console_switch::ConsoleSwitch;
use super::kernel::Kernel;
use bootline_capture::units::Dur;
use bootline_console::{
    Behaviour, Driver, DriverBehaviour, Printing, RegistersAt, RegistrationFlush, ThreadsReady, newest,
};
use bootline_records::{Record, RecordOrigin, RecordSet};

/// How and when printing to the line starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleStart {
    /// Position of the record that was stored when the first byte was transmitted, or shortly before.
    pub index: usize,
    /// Error of that time, in kernel time.
    pub error: Dur,
    /// Writers of records before this position wait for their own bytes; from it on a kthread prints.
    pub kthreads_from: usize,
    /// Who waits for the console after that.
    pub printing: Printing,
    /// From this position on, writers do not wait: a module's kthread prints. What CPU time it takes, if any, is not counted.
    pub offloaded_from: usize,
    /// From this position on, printing is as it was before.
    pub offloaded_until: usize,
}

impl ConsoleStart {
    /// A console that is never switched.
    pub(super) fn of_kernel(index: usize, kthreads_from: usize, printing: Printing) -> ConsoleStart {
        let never = usize::MAX;
        ConsoleStart { index, error: Dur::ZERO, kthreads_from, printing, offloaded_from: never, offloaded_until: never }
    }

    /// The same line after a console switch.
    fn under(self, console_switch: &ConsoleSwitch) -> ConsoleStart {
        let offloaded_until = console_switch.ended_index.unwrap_or(usize::MAX);
        if console_switch.replayed {
            // The first byte follows the module's message, whichever record it belongs to.
            let (index, printing) = (console_switch.index, Printing::Nbcon);
            return ConsoleStart {
                index,
                error: WAKES,
                kthreads_from: 0,
                printing,
                offloaded_from: 0,
                offloaded_until,
            };
        }
        ConsoleStart { offloaded_from: console_switch.from_index, offloaded_until, ..self }
    }

    /// Whether the writer of the record at a position waited for its transmission.
    pub fn writer_waits(&self, index: usize) -> bool {
        index < self.kthreads_from && !self.is_offloaded(index)
    }

    /// Whether the record at a position was printed by a module's kthread.
    pub fn is_offloaded(&self, index: usize) -> bool {
        (self.offloaded_from..self.offloaded_until).contains(&index)
    }
}

/// Maximum time from the wake-up of the module's kthread to the first byte: less than one millisecond in the lab's
/// boots, more on a busy CPU.
const WAKES: Dur = Dur::from_millis(5);

pub(super) fn console_start(
    records: &RecordSet,
    kernel: &Kernel,
    console: Option<&SerialConsole>,
    registered: Option<usize>,
    console_switch: Option<&ConsoleSwitch>,
) -> Option<ConsoleStart> {
    let own = of_kernel(records, kernel, console, registered);
    match console_switch {
        Some(t) => Some(own.unwrap_or(ConsoleStart::of_kernel(t.index, 0, Printing::Nbcon)).under(t)),
        None => own,
    }
}

/// The start of the kernel's own console.
fn of_kernel(
    records: &RecordSet,
    kernel: &Kernel,
    console: Option<&SerialConsole>,
    registered: Option<usize>,
) -> Option<ConsoleStart> {
    let printing = console.map_or(Printing::Unknown, |c| c.printing);
    let registered = registered?;
    let waits = ConsoleStart::of_kernel(registered, usize::MAX, printing);
    Some(match printing {
        Printing::Synchronous | Printing::Unknown => waits,
        Printing::ThreadWholeFlush | Printing::ThreadPerRecord => match threads_ready(records, kernel, call_of(kernel))
        {
            Some(ready) if ready.index > registered => ConsoleStart { printing, ..ready },
            _ => ConsoleStart { kthreads_from: registered, ..waits },
        },
        // While a boot console is registered, every writer prints to it (printk_get_console_flush_type); the real one
        // replaces it when it registers, unless keep_bootcon is set.
        Printing::Nbcon if !kernel.rt && kernel.command_line.has("keep_bootcon") && follows_boot_console(console) => {
            waits
        }
        Printing::Nbcon if !kernel.rt && follows_boot_console(console) => {
            let own = console.and_then(|c| c.enabled_index).unwrap_or(registered).max(registered);
            let ready = threads_ready(records, kernel, call_of(kernel)).map_or(0, |r| r.index);
            ConsoleStart { kthreads_from: ready.max(own + 1), ..waits }
        }
        Printing::Nbcon => match threads_ready(records, kernel, call_of(kernel)) {
            Some(ready) if ready.index > registered => ConsoleStart { kthreads_from: ready.index, ..waits },
            // No record shows that they are ready, and the driver can register before.
            None if registers_at(kernel, console).is_some_and(|at| !at.follows(call_of(kernel))) => {
                ConsoleStart { kthreads_from: registered + 1, ..waits }
            }
            // The kthreads run already: from 6.17 on they also print what was stored before.
            _ if nbcon(kernel).registration == RegistrationFlush::ByThread => {
                ConsoleStart { kthreads_from: registered, ..waits }
            }
            _ => ConsoleStart { kthreads_from: registered + 1, ..waits },
        },
        Printing::RtPatch => ConsoleStart { kthreads_from: registered + 1, ..waits },
    })
}

/// The record that was stored last before the registered console began to print.
///
/// Where the kernel says "enabled" only after the flush ([`Kernel::flushes_before_enabled`]), that lies between that record and the
/// one before it.
/// A console that follows a boot console prints nothing that the boot console printed, so nothing is flushed.
pub(super) fn flushed_from(records: &RecordSet, kernel: &Kernel, registered: Option<usize>) -> Option<usize> {
    let registered = registered?;
    if !kernel.flushes_before_enabled() {
        return Some(registered);
    }
    let is_stamped = |r: Record<'_>| r.source == RecordOrigin::Kernel && r.stamp.is_some();
    let before = (0..registered).rev().find(|&i| records.get(i).is_some_and(is_stamped));
    // A driver that is a module registers its console when init runs: what came before it did not wait.
    let is_init =
        |i: &usize| records.get(*i).is_some_and(|r| r.text.starts_with("Run /") || r.text.starts_with("Freeing "));
    let after = (registered + 1..records.len()).find(|&i| records.get(i).is_some_and(is_stamped));
    let stamp = |i: usize| records.get(i).and_then(|r| r.stamp);
    let gap = |from: Option<usize>, to: Option<usize>| Some(stamp(to?)? - stamp(from?)?);
    // The flush is the longer of the two; a vendor's kernel may have the later order.
    let is_before = gap(before, Some(registered)) >= gap(Some(registered), after);
    Some(before.filter(|i| is_before && !is_init(i)).unwrap_or(registered))
}

/// When the console's driver registers it, at the earliest.
pub(super) fn registers_at(kernel: &Kernel, console: Option<&SerialConsole>) -> Option<RegistersAt> {
    let version = kernel.version?.min(newest());
    let stock = DriverBehaviour::of(version, kernel.rt, Driver::of_console(&console?.name), false)?;
    Some(stock.registers)
}

fn follows_boot_console(console: Option<&SerialConsole>) -> bool {
    console.is_some_and(|c| c.after_boot_console)
}

/// The level of that initcall in this kernel version.
fn call_of(kernel: &Kernel) -> ThreadsReady {
    nbcon(kernel).threads_ready
}

/// The behaviour of an nbcon console in this kernel; for one that is newer than the table or unknown, that of the newest.
fn nbcon(kernel: &Kernel) -> Behaviour {
    Behaviour::of(Some(kernel.version.map_or(newest(), |v| v.min(newest()))), kernel.rt, false)
}

/// The record nearest to `printk_set_kthreads_ready`, and how far that call may be from it. For another initcall level
/// than the kernel's own, the position where such a call would be.
pub(super) fn threads_ready(records: &RecordSet, kernel: &Kernel, call: ThreadsReady) -> Option<ConsoleStart> {
    let find =
        |wanted: &dyn Fn(&str) -> bool| records.iter().position(|r| r.source == RecordOrigin::Kernel && wanted(r.text));
    const CALLED: &str = "calling  printk_set_kthreads_ready+";
    let is_call =
        |i: &usize| records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel && r.text.starts_with(CALLED));
    let called = || records.containing(CALLED).find(is_call);
    if let Some(index) = (call == call_of(kernel)).then(called).flatten() {
        return Some(ConsoleStart::of_kernel(index, index, Printing::Unknown));
    }
    let late = call == ThreadsReady::SubsysInitcall;
    // Records of initcalls of the previous level and of this level: the call lies between them.
    let (before, after): (&[&str], &[&str]) = if late {
        (
            &[
                "thermal_sys: Registered",
                "cpuidle: using governor",
                "PCI: Using configuration type",
                "ASID allocator",
                "DMA: preallocated",
            ],
            &[
                "HugeTLB: ",
                "ACPI: Added _OSI",
                "iommu: Default",
                "SCSI subsystem",
                "usbcore: registered",
                "pps_core: ",
                "EDAC MC",
                // Of later levels: what a small kernel logs.
                "clocksource: Switched to clocksource",
                "NET: Registered PF_INET ",
                "Unpacking initramfs",
                "Serial: 8250/16550 driver",
                "workingset: ",
            ],
        )
    } else {
        (
            &["smpboot: CPU0:", "Mount-cache hash", "Mountpoint-cache hash"],
            &["rcu: Hierarchical SRCU", "smp: Bringing up", "Performance Events: "],
        )
    };
    let first = find(&|t| after.iter().any(|p| t.starts_with(p)))?;
    let last = (0..first).rev().find(|&i| records.get(i).is_some_and(|r| before.iter().any(|p| r.text.starts_with(p))));
    let stamp = |i: usize| records.get(i).and_then(|r: Record<'_>| r.stamp);
    let error = last.and_then(|l| Some((stamp(first)? - stamp(l)?).max_zero())).unwrap_or_default();
    Some(ConsoleStart { error, ..ConsoleStart::of_kernel(first, first, Printing::Unknown) })
}
