// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who waits for the serial line when the kernel prints. `behaviour.tsv` lists which version does what.
use serde::Deserialize;

/// How printk and a serial console work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Printing {
    /// The writer waits until its record is transmitted (`vprintk_emit` → `console_unlock`, all versions, not RT).
    Synchronous,
    /// PREEMPT_RT, a legacy console: the printer kthread holds the console lock until the backlog is transmitted
    /// (`legacy_kthread_func`, 6.12 to 6.18): tasks that take the lock wait for the whole backlog.
    ThreadWholeFlush,
    /// The same kthread, one record per lock (`console_flush_one_record`, from 6.19): tasks that take the lock wait for
    /// about one record.
    ThreadPerRecord,
    /// An nbcon console with its own kthread (`nbcon_kthread_func`, from 6.12): nobody waits for the console lock, but
    /// a driver that spins on the line occupies a CPU.
    Nbcon,
    /// PREEMPT_RT as an out-of-tree patch (before 6.12): kthreads of several designs.
    RtPatch,
    /// The log does not show enough, or the version is unknown.
    Unknown,
}

impl Printing {
    /// Whether the writer of a record waits for the serial line once kthreads print.
    pub fn writer_waits(self) -> bool {
        matches!(self, Printing::Synchronous | Printing::Unknown)
    }

    /// Whether one kthread prints to all legacy consoles, under the console lock.
    pub fn is_legacy_thread(self) -> bool {
        matches!(self, Printing::ThreadWholeFlush | Printing::ThreadPerRecord | Printing::RtPatch)
    }
}

/// When `printk_set_kthreads_ready` runs: no kthread prints before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadsReady {
    /// There is no printer kthread for this console.
    Never,
    /// An early_initcall (6.12 to 7.1).
    EarlyInitcall,
    /// A subsys_initcall (from 7.2.13 on).
    SubsysInitcall,
}

/// What happens to the records that are there when a console registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegistrationFlush {
    /// The registering task prints them all.
    Synchronous,
    /// The console's kthread does, if it can run by then; else the registering task.
    ByThread,
}

/// How a kthread that prints shares the CPUs with the boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadPriority {
    /// Nice -20: printk's own kthreads (nbcon_kthread_create and printk_start_threads, `sched_set_normal(.., -20)`).
    #[default]
    Highest,
    /// Nice 19: the thread of console_relay while it calls the driver's write. Nothing can take the CPU from it within a line, but after
    /// that the boot goes first.
    Lowest,
}

/// How the driver waits for the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverWait {
    /// It spins with interrupts off for a whole record.
    SpinsIrqsOff,
    /// It spins with interrupts on: it only occupies a CPU.
    Spins,
    /// It sleeps: it takes next to nothing.
    Sleeps,
}
