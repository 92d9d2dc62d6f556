// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that one boot after the other uses.

/// Has the allocator keep what is freed, up to a limit, because the next boot needs as much: the kernel would clear each page anew.
/// For programs, at their start.
pub fn keep_freed_memory() {
    #[cfg(target_env = "gnu")]
    {
        const MOST_KEPT: libc::c_int = 32 << 20;
        // SAFETY: it only sets limits of the allocator, before there are other threads; numbers out of range are ignored.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MOST_KEPT);
            libc::mallopt(libc::M_TRIM_THRESHOLD, MOST_KEPT);
        }
    }
}
