// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run is known by, apart from what its console said: `truth.json`.
use bootline_capture::units::{Baud, Dur, Frame, HostTime, LineRate};
use serde::{Deserialize, Serialize};

use crate::fidelity::Fidelity;
use crate::host::Host;
use crate::line::{LineUsageSummary, RealTime, Transport};
use crate::machine::{Accel, Arch};
use crate::registers::RegisterAccesses;

/// The version of `truth.json`; raised when a field changes its meaning or goes.
pub const TRUTH_SCHEMA: &str = "bootline-truth/1";

/// The truth of a run. All times are the host's, in nanoseconds from the capture's clock origin, unless said otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub qemu_started_ns: HostTime,
    /// When the line got its first character.
    pub first_byte_ns: Option<HostTime>,
    /// When the line's last character was through.
    pub last_byte_ns: Option<HostTime>,
    /// When the last character of the boot's log was through: before init was told to print lines or to switch the
    /// guest off, which has messages of its own. `None` with the user's own initramfs.
    pub log_complete_ns: Option<HostTime>,
    /// When init's first word arrived on the unpaced port. `None` with the user's own initramfs, or if the guest
    /// never came so far.
    pub init_ns: Option<HostTime>,
    /// Init's start by the guest's own clock (CLOCK_MONOTONIC, zero when the kernel's timekeeping began). In a boot
    /// under -icount this is the time that the boot cost.
    pub init_guest_ns: Option<Dur>,
    /// When init had tried all modules that it was to load. It lies behind `init_ns` by what the loading took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded_ns: Option<HostTime>,
    /// When init had told all that it knew for the first time: a user space's first work, the same in all boots of a
    /// kernel, and done while a console may still print the boot's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_ns: Option<HostTime>,
    /// The request's marker on the console: arrival of the last character that made it match.
    pub marker_ns: Option<HostTime>,
    /// From the line's first character to init: `init_ns - first_byte_ns`. `None` where the line was silent until init
    /// (`quiet`): such boots compare by `init_ns - qemu_started_ns`, which includes firmware and decompression.
    pub time_to_init_ns: Option<Dur>,
    /// How long the line was occupied before init.
    pub console_busy_before_init_ns: Option<Dur>,
    /// How long QEMU's threads, summed up, were ready to run before init (or the end, if there was no init) while the
    /// host ran something else. The guest's processor did not stand still by itself in that time.
    pub starved_before_init_ns: Dur,
    /// Characters through before init.
    pub bytes_before_init: Option<u64>,
    /// Characters in all.
    pub bytes_total: u64,
    /// Records of the kernel's own log, kept as /dev/kmsg gave them in `dmesg.kmsg`; `None` where there is none.
    pub kmsg_records: Option<u64>,
    /// Whether the ring buffer overtook the reader of the log.
    pub kmsg_overrun: bool,
    /// The modules that init was to load, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleTruth>,
    /// The lines that init was to print, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<PrintkLinesTruth>,
    /// Accesses to the console's registers, where they were traced. Tracing slows the guest: no time of such a run
    /// compares with that of another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<RegisterAccesses>,
    /// The checks of this run.
    pub fidelity: Fidelity,
    /// The machine that the lab ran on.
    pub host: Host,
    /// QEMU's own words for its version.
    pub qemu_version: String,
}

impl Truth {
    /// From QEMU's start to init: what boots with a silent console compare by. It includes firmware and decompression.
    pub fn since_start(&self) -> Option<Dur> {
        self.init_ns.map(|init| init - self.qemu_started_ns)
    }
}

/// The guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guest {
    /// Its architecture.
    pub arch: Arch,
    /// What executed it.
    pub accel: Accel,
    /// Its processors.
    pub smp: u32,
    /// Its memory.
    pub memory_mib: u32,
    /// The kernel image, as named in the request.
    pub kernel: String,
    /// The command line that it was given.
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

/// A module that init tried to load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModuleTruth {
    /// Its file's name.
    pub name: String,
    /// The parameters that it got.
    pub parameters: String,
    /// `ENOEXEC: ...`; `None` if it was loaded.
    pub error: Option<String>,
    /// When init said so.
    pub done_ns: HostTime,
    /// How long the loading took, by the guest's clock.
    pub guest_ns: Dur,
}

/// Lines that init printed through /dev/kmsg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintkLinesTruth {
    /// How many.
    pub count: u32,
    /// Characters that the line got in that time; fewer than were written where the console's level keeps them off.
    pub bytes: u64,
    /// How long the writes took, by the guest's clock (CLOCK_MONOTONIC).
    pub guest_ns: Dur,
}

/// The paced line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineTruth {
    /// Its true speed.
    pub baud: Baud,
    /// What the guest was told (see [`Arch::declared_baud`]).
    pub declared_baud: Option<Baud>,
    /// The frame of a character.
    pub frame: Frame,
    /// Characters a second that it carries.
    pub line_bytes_per_s: LineRate,
    /// The channel that paced it.
    pub transport: Transport,
    /// Whose threads had real-time priority.
    pub sched_fifo: RealTime,
    /// What it carried.
    #[serde(flatten)]
    pub usage: LineUsageSummary,
}

/// How a boot ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum RunVerdict {
    /// It reached its end, and every check was passed.
    Valid,
    /// The run can't be believed: `fidelity.flaws` says why.
    Invalid,
    /// It reached its end, but there was no truth port to check it by (the user's own initramfs).
    Unchecked,
    /// The kernel panicked.
    Panicked {
        /// The line that says so.
        line: String,
    },
    /// The guest's kernel refused a module.
    ModuleFailed {
        /// The module's file name.
        module: String,
        /// `ENOEXEC: ...`
        error: String,
    },
    /// The time limit passed.
    TimedOut {
        /// For how long nothing had come from the guest.
        silent_ns: Dur,
    },
    /// The guest switched itself off or restarted before its end.
    Stopped,
    /// Whoever asked for the boot called it off.
    Interrupted,
}
