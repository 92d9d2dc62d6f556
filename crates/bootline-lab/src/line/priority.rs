// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority, where the host allows it.
use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the threads that determine the line's timing run ahead of everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RealTime {
    /// The reader of the paced line.
    pub reader: bool,
    /// QEMU's main thread, which refills the line.
    pub qemu: bool,
    /// Whether the guest's CPUs run ahead of ordinary work; not in real time, because they are never idle.
    pub guest_preferred: bool,
}

/// A low real-time priority: above ordinary work, below the kernel's own threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// For a disk's server.
    Disk = 1,
    /// For what determines the line's timing.
    Line = 2,
}

/// Gives the thread `tid` (0: the calling one) SCHED_FIFO; false if that is not allowed.
pub(crate) fn raise(tid: i32, priority: Priority) -> bool {
    let param = libc::sched_param { sched_priority: priority as i32 };
    // Threads that it starts later (the guest's CPUs) must not inherit the priority.
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: `param` outlives the call, which reads it and changes no memory.
    unsafe { libc::sched_setscheduler(tid, policy, &param) == 0 }
}

/// The nice value of the guest's CPUs. On a host that also compiles, CPUs at nice 0 pause for milliseconds in the
/// middle of a record.
const GUEST_NICE: i32 = -15;

/// Puts a thread that never sleeps ahead of ordinary work; false if that is not allowed. It must be in a session of its
/// own: where the host's scheduler groups tasks by session, nice values count within a group only, and the group's own
/// (sched(7), autogroup) decides between groups.
pub(crate) fn prefer(tid: i32) -> bool {
    // Hosts without autogroup do not have the file, and need only the call below.
    let _ = fs::write(format!("/proc/{tid}/autogroup"), GUEST_NICE.to_string());
    // SAFETY: setpriority takes numbers only.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, tid as libc::id_t, GUEST_NICE) == 0 }
}

/// Lets the calling thread wake within a microsecond of its deadline instead of the usual 50.
pub(crate) fn wake_sharply() {
    // SAFETY: PR_SET_TIMERSLACK takes a number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}
