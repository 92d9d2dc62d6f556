// SPDX-License-Identifier: MIT OR Apache-2.0
//! The priority of threads that take times.

/// Gives this thread priority over ordinary ones, if the system allows it: a late wake-up makes a late stamp.
pub fn run_first() {
    // SAFETY: a plain system call on the calling thread with a struct of one int.
    unsafe {
        let priority = libc::sched_param { sched_priority: 1 };
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &priority);
    }
}
