// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the lab knows of a run apart from its console: `truth.json`.
use std::fmt;

use bootline_capture::units::{Baud, Dur, Frame, HostTime, LineRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::loader_truth::LoaderTruth;
use super::system_truth::SystemTruth;
use crate::cpu_model::CpuModel;
use crate::fidelity::Fidelity;
use crate::host::Host;
use crate::line::{LineUsageSummary, RealTime, Transport};
use crate::machine::{Accel, InstructionTime};
use crate::registers::RegisterAccesses;
use bootline_images::arch::Arch;

/// The version of `truth.json`; incremented when a field changes its meaning or is removed.
pub const TRUTH_SCHEMA: &str = "bootline-truth/1";

/// The truth of a run. All times are the host's, in nanoseconds from the capture's clock origin, unless said otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Truth {
    /// [`TRUTH_SCHEMA`].
    pub schema: String,
    /// How the boot ended.
    pub verdict: RunVerdict,
    /// The guest.
    pub guest: Guest,
    /// The paced line; `None` for a boot without a console.
    pub line: Option<LineTruth>,
    /// When QEMU was started.
    #[schemars(with = "i64")]
    pub qemu_started_ns: HostTime,
    /// When the line transmitted its first byte.
    #[schemars(with = "Option<i64>")]
    pub first_byte_ns: Option<HostTime>,
    /// When the line had transmitted its last byte.
    #[schemars(with = "Option<i64>")]
    pub last_byte_ns: Option<HostTime>,
    /// When the last byte of the boot's log was transmitted: before init was told to print lines or to power off, which
    /// has messages of its own. `None` with the user's own initramfs.
    #[schemars(with = "Option<i64>")]
    pub log_complete_ns: Option<HostTime>,
    /// When init's first message arrived on the unpaced port. `None` with the user's own initramfs, or if the guest
    /// never got that far.
    #[schemars(with = "Option<i64>")]
    pub init_ns: Option<HostTime>,
    /// When init's first instruction ran: `init_ns` less the time that init took to open the port, by its own clock. `None` in
    /// what older versions wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub init_entered_ns: Option<HostTime>,
    /// Init's start by the guest's own clock (CLOCK_MONOTONIC, zero when the kernel's timekeeping began). In a boot
    /// under -icount this is the time that the boot cost.
    #[schemars(with = "Option<i64>")]
    pub init_guest_ns: Option<Dur>,
    /// When init had tried to load all its modules: `init_ns` plus the time for loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub loaded_ns: Option<HostTime>,
    /// When init had sent its first report: the first work of user space, the same in all boots of a kernel, done while
    /// a console may still print the boot's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub reported_ns: Option<HostTime>,
    /// The request's marker on the console: arrival of the last byte that made it match.
    #[schemars(with = "Option<i64>")]
    pub marker_ns: Option<HostTime>,
    /// From the line's first byte to init: `init_ns - first_byte_ns`. `None` if the line was silent until init
    /// (`quiet`): such boots are compared by `init_ns - qemu_started_ns`, which includes firmware and decompression.
    #[schemars(with = "Option<i64>")]
    pub time_to_init_ns: Option<Dur>,
    /// How long the line was busy before init.
    #[schemars(with = "Option<i64>")]
    pub console_busy_before_init_ns: Option<Dur>,
    /// Total time before init (or the end, if there was no init) for which QEMU's threads were ready to run while the
    /// host ran something else. The guest lost this time through no fault of its own.
    #[schemars(with = "i64")]
    pub starved_before_init_ns: Dur,
    /// Bytes transmitted before init.
    pub bytes_before_init: Option<u64>,
    /// Bytes transmitted in total.
    pub bytes_total: u64,
    /// Records of the kernel's own log, stored as read from /dev/kmsg in `dmesg.kmsg`; `None` without such a log.
    pub kmsg_records: Option<u64>,
    /// Whether the ring buffer overtook the reader of the log.
    pub kmsg_overrun: bool,
    /// The modules that init was to load, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleTruth>,
    /// The lines that init printed, if it was told to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<PrintkLinesTruth>,
    /// Accesses to the console's registers, if they were traced. Tracing slows the guest: do not compare the times of
    /// such a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<RegisterAccesses>,
    /// The boot of a whole system, if one was booted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemTruth>,
    /// The checks of this run.
    pub fidelity: Fidelity,
    /// The machine that the lab ran on.
    pub host: Host,
    /// QEMU's version, as it reports it.
    pub qemu_version: String,
}

impl Truth {
    /// Time from QEMU's start to init, by which boots with a silent console are compared. It includes firmware and
    /// decompression.
    pub fn since_start(&self) -> Option<Dur> {
        self.init_ns.map(|init| init - self.qemu_started_ns)
    }
}

/// The guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Guest {
    /// Architecture of the guest.
    pub arch: Arch,
    /// What executed it.
    pub accel: Accel,
    /// CPUs of the guest.
    pub smp: u32,
    /// The model of its processor; left out for the lab's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<CpuModel>,
    /// The time that each instruction took, if they were counted; left out by versions where it was 2 ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_ns: Option<InstructionTime>,
    /// Memory of the guest, in MiB.
    pub memory_mib: u32,
    /// Whether the host's huge pages were kept from QEMU; left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_huge_pages: bool,
    /// Memory in addition that its driver was to add while the system ran, in MiB; left out if there was none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added_memory_mib: u32,
    /// The kernel image, as named in the request.
    pub kernel: String,
    /// The device tree, if it is not QEMU's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtb: Option<String>,
    /// Whether the kernel mounted the root by itself; left out with an initramfs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_initramfs: bool,
    /// The boot loader, if QEMU did not start the kernel itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loader: Option<LoaderTruth>,
    /// The command line passed to the kernel.
    pub command_line: String,
    /// /proc/version.
    pub kernel_version: Option<String>,
    /// /proc/cmdline, as the guest saw it.
    pub proc_cmdline: Option<String>,
    /// /proc/consoles when the boot had ended.
    pub consoles: Option<String>,
    /// /proc/uptime when the boot had ended. Kernel time: on x86 it may have lost ticks.
    pub uptime: Option<String>,
    /// The console's log level, the first number of /proc/sys/kernel/printk.
    pub console_loglevel: Option<u8>,
}

fn is_zero(mib: &u32) -> bool {
    *mib == 0
}

/// A module that init tried to load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModuleTruth {
    /// Name of the module's file.
    pub name: String,
    /// The module's parameters.
    pub parameters: String,
    /// `ENOEXEC: ...`; `None` if it was loaded.
    pub error: Option<String>,
    /// When init reported it.
    #[schemars(with = "i64")]
    pub done_ns: HostTime,
    /// How long the loading took, by the guest's clock.
    #[schemars(with = "i64")]
    pub guest_ns: Dur,
}

/// Lines that init printed through /dev/kmsg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrintkLinesTruth {
    /// Number of lines.
    pub count: u32,
    /// Bytes transmitted in that time; fewer than were written if the console's log level suppresses them.
    pub bytes: u64,
    /// How long the writes took, by the guest's clock (CLOCK_MONOTONIC).
    #[schemars(with = "i64")]
    pub guest_ns: Dur,
}

/// The paced line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineTruth {
    /// True speed of the line.
    #[schemars(with = "u32")]
    pub baud: Baud,
    /// What the guest was told (see [`Arch::declared_baud`]).
    #[schemars(with = "Option<u32>")]
    pub declared_baud: Option<Baud>,
    /// The frame of a character.
    #[schemars(with = "crate::schema::Frame")]
    pub frame: Frame,
    /// Speed of the line in bytes per second.
    #[schemars(with = "f64")]
    pub line_bytes_per_s: LineRate,
    /// The channel that paced it.
    pub transport: Transport,
    /// Which threads had real-time priority.
    pub sched_fifo: RealTime,
    /// Whether a CPU that waited for the line held up the guest's others, which on hardware it does not. Absent in runs of
    /// older versions, where a PL011 did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds_up_all_cpus: Option<bool>,
    /// What the line transmitted.
    #[serde(flatten)]
    pub usage: LineUsageSummary,
}

/// How a boot ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum RunVerdict {
    /// The boot reached its end and passed every check.
    Valid,
    /// The run can't be trusted: `fidelity.flaws` says why.
    Invalid,
    /// The boot reached its end, but there was no truth port to check it with (the user's own initramfs).
    Unchecked,
    /// The kernel panicked.
    Panicked {
        /// The line of the panic.
        line: String,
    },
    /// The guest's kernel refused a module.
    ModuleFailed {
        /// The module's file name.
        module: String,
        /// `ENOEXEC: ...`
        error: String,
    },
    /// The root of a system could not be mounted, or its init not be executed.
    NoSystem {
        /// The system's error.
        error: String,
    },
    /// The time limit passed.
    TimedOut {
        /// For how long nothing had come from the guest.
        #[schemars(with = "i64")]
        silent_ns: Dur,
    },
    /// The guest powered off or restarted before its end.
    Stopped,
    /// The boot was cancelled.
    Interrupted,
}

impl fmt::Display for RunVerdict {
    /// For a line of a report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunVerdict::Valid => f.write_str("valid"),
            RunVerdict::Invalid => f.write_str("invalid"),
            RunVerdict::Unchecked => f.write_str("unchecked (an initramfs of your own)"),
            RunVerdict::Panicked { line } => write!(f, "the kernel panicked: {line}"),
            RunVerdict::ModuleFailed { module, error } => write!(f, "module {module} was refused: {error}"),
            RunVerdict::NoSystem { error } => write!(f, "the system could not be started: {error}"),
            RunVerdict::TimedOut { silent_ns } => write!(f, "timed out; the guest had sent nothing for {silent_ns} s"),
            RunVerdict::Stopped => f.write_str("the guest ended before init"),
            RunVerdict::Interrupted => f.write_str("interrupted"),
        }
    }
}
