// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that one boot after the other uses.

/// Makes the allocator keep freed memory, up to a limit for each thread: the next boot needs about as much, and the kernel would have
/// to clear every page again. To be called once, when a program starts.
pub fn keep_freed_memory() {
    // With 32 bits the first limit is refused, and the second one alone would make it worse.
    #[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
    {
        const MOST_KEPT: libc::c_int = 32 << 20;
        // SAFETY: it only sets limits of the allocator, before there are other threads; numbers out of range are ignored.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MOST_KEPT);
            libc::mallopt(libc::M_TRIM_THRESHOLD, MOST_KEPT);
        }
    }
}
