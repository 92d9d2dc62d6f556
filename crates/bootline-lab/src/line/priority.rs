// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority, where the host allows it.
use serde::{Deserialize, Serialize};

/// Whether threads that the line's timing hangs on run ahead of everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealTime {
    /// The reader of the paced line.
    pub reader: bool,
    /// QEMU's main thread, which refills the line.
    pub qemu: bool,
}

/// Low among the real-time priorities: ahead of ordinary work, behind the kernel's own threads.
const PRIORITY: i32 = 2;

/// Gives the thread `tid` (0: the calling one) SCHED_FIFO; false where it isn't allowed.
pub(crate) fn raise(tid: i32) -> bool {
    let param = libc::sched_param { sched_priority: PRIORITY };
    // A thread that it starts later (QEMU's processors) must not inherit the priority.
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: `param` outlives the call, which reads it and changes no memory.
    unsafe { libc::sched_setscheduler(tid, policy, &param) == 0 }
}

/// Lets the calling thread wake within a microsecond of its deadline instead of the usual 50.
pub(crate) fn wake_sharply() {
    // SAFETY: PR_SET_TIMERSLACK takes a number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}
