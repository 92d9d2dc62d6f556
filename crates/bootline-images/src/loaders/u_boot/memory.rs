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
    /// `kernel_comp_addr_r`: where a compressed kernel is decompressed, before it is moved to `kernel_addr_r`. Unused for others.
    pub decompressed: u64,
}

/// The memory is too small for the loader, the kernel and its initramfs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryNeeded {
    /// What would be enough, in MiB.
    pub mib: u64,
}

/// The kernel that is loaded. All sizes are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct LoadedKernel<'a> {
    /// The first bytes of its image, which is not compressed.
    pub header: &'a [u8],
    /// Size of that image.
    pub size: u64,
    /// Whether the file that is loaded is that image compressed.
    pub compressed: bool,
}

/// The addresses for a kernel, and an initramfs of this size in bytes.
///
/// # Errors
/// The memory is too small.
pub fn load_addresses(
    kernel: LoadedKernel<'_>,
    initramfs: u64,
    memory_mib: u32,
) -> Result<LoadAddresses, MemoryNeeded> {
    // A header may say anything.
    let aligned = |at: u64| at.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
    let after_kernel = aligned(KERNEL.saturating_add(kernel.size.max(image_size(kernel.header))));
    let after_initramfs = aligned(after_kernel.saturating_add(initramfs));
    let decompressed = if kernel.compressed { kernel.size } else { 0 };
    let needed = aligned(after_initramfs.saturating_add(decompressed)).saturating_add(U_BOOT);
    if needed > u64::from(memory_mib) << 20 {
        return Err(MemoryNeeded { mib: needed >> 20 });
    }
    Ok(LoadAddresses {
        kernel: MEMORY + KERNEL,
        initramfs: MEMORY + after_kernel,
        decompressed: MEMORY + after_initramfs,
    })
}

/// What an arm64 kernel occupies in memory, with what is not in its file; 0 for older ones, which don't say so.
fn image_size(header: &[u8]) -> u64 {
    header.get(16..24).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(header: &[u8], size: u64) -> LoadedKernel<'_> {
        LoadedKernel { header, size, compressed: false }
    }

    #[test]
    fn a_header_may_say_anything() {
        let mut header = vec![0; 64];
        header[16..24].fill(0xff);
        assert!(load_addresses(plain(&header, 1 << 20), 1 << 20, 2048).is_err());
        assert!(load_addresses(plain(&[], u64::MAX), u64::MAX, u32::MAX).is_err());
        let compressed = LoadedKernel { compressed: true, ..plain(&[], u64::MAX) };
        assert!(load_addresses(compressed, 0, u32::MAX).is_err());
    }

    #[test]
    fn the_initramfs_lies_behind_all_of_the_kernel() {
        let mut header = [0; 64];
        header[16..24].copy_from_slice(&(40_u64 << 20).to_le_bytes());
        let at = load_addresses(plain(&header, 37 << 20), 5 << 20, 512).unwrap();
        assert_eq!((at.kernel, at.initramfs), (0x4040_0000, MEMORY + (44 << 20)));
        // A kernel that does not say what it occupies: its file.
        assert_eq!(load_addresses(plain(&[], 1), 0, 512).unwrap().initramfs, MEMORY + (6 << 20));
    }

    #[test]
    fn a_compressed_kernel_is_decompressed_after_the_initramfs() {
        let of = |compressed, mib| load_addresses(LoadedKernel { compressed, ..plain(&[], 37 << 20) }, 5 << 20, mib);
        let at = of(true, 512).unwrap();
        assert_eq!((at.initramfs, at.decompressed), (MEMORY + (42 << 20), MEMORY + (48 << 20)));
        let (plain, compressed) = (of(false, 64).unwrap_err(), of(true, 64).unwrap_err());
        assert_eq!(compressed.mib - plain.mib, 38, "the image once more");
    }

    #[test]
    fn too_little_memory_is_told_with_what_is_enough() {
        let of = |mib: u64| load_addresses(plain(&[], 37 << 20), 5 << 20, u32::try_from(mib).unwrap());
        let needed = of(64).unwrap_err();
        assert!(of(needed.mib).is_ok());
        assert!(of(needed.mib - 1).is_err());
    }
}
