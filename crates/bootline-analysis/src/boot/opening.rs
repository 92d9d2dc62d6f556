// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the line begins to carry the log, and from when on a thread prints.
//!
//! Read from kernel/printk/printk.c and nbcon.c (6.12 to 7.2). A legacy console prints from its registration on. On
//! PREEMPT_RT it never prints from a writer (`force_legacy_kthread`): nothing moves until `printk_set_kthreads_ready`
//! has started the printer thread. An nbcon console is printed by each writer (`nbcon_atomic_flush_pending`) until then.
//! That call is an early_initcall up to 7.1 and a subsys_initcall from 7.2 on.
use super::console::SerialConsole;
use super::kernel::Kernel;
use super::takeover::Takeover;
use crate::records::{Record, RecordSet, Source};
use bootline_capture::units::Dur;
use bootline_console::{Behaviour, Printing, RegistrationFlush, ThreadsReady, newest};

/// How the line comes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Position of the record that was stored when the first character went out, or shortly before.
    pub index: usize,
    /// By how much kernel time that record may miss the moment.
    pub error: Dur,
    /// Writers of records before this position wait for their own characters; behind it a thread prints.
    pub threads_from: usize,
    /// Who waits behind it.
    pub printing: Printing,
    /// Records from here on wait for nobody and take nobody's processor: a module's thread prints them, and sleeps while the
    /// line is busy.
    pub asleep_from: usize,
    /// From here on it is as it was before that.
    pub handed_back: usize,
}

impl Opening {
    /// A console that never changes hands.
    pub(super) fn of_kernel(index: usize, threads_from: usize, printing: Printing) -> Opening {
        let never = usize::MAX;
        Opening { index, error: Dur::ZERO, threads_from, printing, asleep_from: never, handed_back: never }
    }

    /// The same line under a module that took it over.
    fn under(self, takeover: &Takeover) -> Opening {
        let handed_back = takeover.ended_index.unwrap_or(usize::MAX);
        if takeover.replayed {
            // The first character follows the module's word, whatever it is of.
            let (index, printing) = (takeover.index, Printing::Nbcon);
            return Opening { index, error: WAKES, threads_from: 0, printing, asleep_from: 0, handed_back };
        }
        Opening { asleep_from: takeover.from_index, handed_back, ..self }
    }

    /// Whether who stored the record at a position waited for its characters.
    pub fn writer_waits(&self, index: usize) -> bool {
        index < self.threads_from && !self.sleeps(index)
    }

    /// Whether the record at a position was printed by a thread that sleeps.
    pub fn sleeps(&self, index: usize) -> bool {
        (self.asleep_from..self.handed_back).contains(&index)
    }
}

/// How long the module's thread takes from its wake-up to the first character, at most: in the lab's boots less than one
/// millisecond, on a busy processor more.
const WAKES: Dur = Dur::from_millis(5);

pub(super) fn opening(
    records: &RecordSet,
    kernel: &Kernel,
    console: Option<&SerialConsole>,
    registered: Option<usize>,
    takeover: Option<&Takeover>,
) -> Option<Opening> {
    let own = of_kernel(records, kernel, console, registered);
    match takeover {
        Some(t) => Some(own.unwrap_or(Opening::of_kernel(t.index, 0, Printing::Nbcon)).under(t)),
        None => own,
    }
}

/// Of the kernel's own console.
fn of_kernel(
    records: &RecordSet,
    kernel: &Kernel,
    console: Option<&SerialConsole>,
    registered: Option<usize>,
) -> Option<Opening> {
    let printing = console.map_or(Printing::Unknown, |c| c.printing);
    let registered = registered?;
    let waits = Opening::of_kernel(registered, usize::MAX, printing);
    Some(match printing {
        Printing::Synchronous | Printing::Unknown => waits,
        Printing::ThreadWholeFlush | Printing::ThreadPerRecord => match threads_ready(records, kernel, call_of(kernel))
        {
            Some(ready) if ready.index > registered => Opening { printing, ..ready },
            _ => Opening { threads_from: registered, ..waits },
        },
        // While a boot console is there, every writer prints to it (printk_get_console_flush_type); the real one takes over
        // with its registration, and keep_bootcon keeps it for good.
        Printing::Nbcon if !kernel.rt && kernel.command_line.has("keep_bootcon") && behind_boot_console(console) => {
            waits
        }
        Printing::Nbcon if !kernel.rt && behind_boot_console(console) => {
            let own = console.and_then(|c| c.enabled_index).unwrap_or(registered).max(registered);
            let ready = threads_ready(records, kernel, call_of(kernel)).map_or(0, |r| r.index);
            Opening { threads_from: ready.max(own + 1), ..waits }
        }
        Printing::Nbcon => match threads_ready(records, kernel, call_of(kernel)) {
            Some(ready) if ready.index > registered => Opening { threads_from: ready.index, ..waits },
            // The threads run already: from 6.17 on they also carry what was stored before.
            _ if nbcon(kernel).registration == RegistrationFlush::ByThread => {
                Opening { threads_from: registered, ..waits }
            }
            _ => Opening { threads_from: registered + 1, ..waits },
        },
        Printing::RtPatch => Opening { threads_from: registered + 1, ..waits },
    })
}

fn behind_boot_console(console: Option<&SerialConsole>) -> bool {
    console.is_some_and(|c| c.after_boot_console)
}

/// Which initcall the kernel's version makes of it.
fn call_of(kernel: &Kernel) -> ThreadsReady {
    nbcon(kernel).threads_ready
}

/// What the kernel does with an nbcon console; of one that is newer than the table, what the newest does.
fn nbcon(kernel: &Kernel) -> Behaviour {
    Behaviour::of(kernel.series.map(|s| s.min(newest())), kernel.rt, false)
}

/// The record nearest to `printk_set_kthreads_ready`, and how far that call may be from it. Asked for another call than
/// the kernel's own, it is where that call would be.
pub(super) fn threads_ready(records: &RecordSet, kernel: &Kernel, call: ThreadsReady) -> Option<Opening> {
    let find =
        |wanted: &dyn Fn(&str) -> bool| records.iter().position(|r| r.source == Source::Kernel && wanted(r.text));
    let called = find(&|t| t.starts_with("calling  printk_set_kthreads_ready+"));
    if let Some(index) = called.filter(|_| call == call_of(kernel)) {
        return Some(Opening::of_kernel(index, index, Printing::Unknown));
    }
    let late = call == ThreadsReady::SubsysInitcall;
    // Records of initcalls of the level before and of the level itself: the call lies between them.
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
    Some(Opening { error, ..Opening::of_kernel(first, first, Printing::Unknown) })
}
