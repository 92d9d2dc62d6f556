// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where U-Boot loads the kernel and the initramfs in the memory of QEMU's machine `virt`.

/// Start of the memory.
const MEMORY: u64 = 0x4000_0000;
/// Offset of the kernel: after QEMU's device tree and U-Boot's buffers for scripts and menus (its `scriptaddr` and
/// `pxefile_addr_r`).
const KERNEL: u64 = 0x40_0000;
/// What comes after something else begins at a multiple of this: arm64 kernels ask for it
/// (Documentation/arch/arm64/booting.rst).
const ALIGNMENT: u64 = 2 << 20;
/// What U-Boot needs at the end of the memory: itself, its heap (CONFIG_SYS_MALLOC_LEN, 16 MiB), its stack, page tables.
const U_BOOT: u64 = 48 << 20;

/// Addresses for U-Boot's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadAddresses {
    /// `kernel_addr_r`
    pub kernel: u64,
    /// `ramdisk_addr_r`
    pub initramfs: u64,
}

/// The memory is too small for the loader, the kernel and its initramfs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryNeeded {
    /// What would be enough, in MiB.
    pub mib: u64,
}

/// The addresses for a kernel with this header (its first bytes) and size, and an initramfs of this size, all in bytes.
///
/// # Errors
/// The memory is too small.
pub fn load_addresses(
    header: &[u8],
    kernel: u64,
    initramfs: u64,
    memory_mib: u32,
) -> Result<LoadAddresses, MemoryNeeded> {
    // A header may say anything.
    let aligned = |at: u64| at.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
    let after_kernel = aligned(KERNEL.saturating_add(kernel.max(image_size(header))));
    let needed = aligned(after_kernel.saturating_add(initramfs)).saturating_add(U_BOOT);
    if needed > u64::from(memory_mib) << 20 {
        return Err(MemoryNeeded { mib: needed >> 20 });
    }
    Ok(LoadAddresses { kernel: MEMORY + KERNEL, initramfs: MEMORY + after_kernel })
}

/// What an arm64 kernel occupies in memory, with what is not in its file; 0 for older ones, which don't say so.
fn image_size(header: &[u8]) -> u64 {
    header.get(16..24).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_say_anything() {
        let mut header = vec![0; 64];
        header[16..24].fill(0xff);
        assert!(load_addresses(&header, 1 << 20, 1 << 20, 2048).is_err());
        assert!(load_addresses(&[], u64::MAX, u64::MAX, u32::MAX).is_err());
    }

    #[test]
    fn the_initramfs_lies_behind_all_of_the_kernel() {
        let mut header = [0; 64];
        header[16..24].copy_from_slice(&(40_u64 << 20).to_le_bytes());
        let at = load_addresses(&header, 37 << 20, 5 << 20, 512).unwrap();
        assert_eq!(at, LoadAddresses { kernel: 0x4040_0000, initramfs: 0x4000_0000 + (44 << 20) });
        // A kernel that does not say what it occupies: its file.
        assert_eq!(load_addresses(&[], 1, 0, 512).unwrap().initramfs, 0x4000_0000 + (6 << 20));
    }

    #[test]
    fn too_little_memory_is_told_with_what_is_enough() {
        let needed = load_addresses(&[], 37 << 20, 5 << 20, 64).unwrap_err();
        assert!(load_addresses(&[], 37 << 20, 5 << 20, u32::try_from(needed.mib).unwrap()).is_ok());
        assert!(load_addresses(&[], 37 << 20, 5 << 20, u32::try_from(needed.mib - 1).unwrap()).is_err());
    }
}
