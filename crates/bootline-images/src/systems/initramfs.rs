// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs that mounts the root of a system: the init of `init/root.c`, and the modules it loads.
use super::kernel_modules::KernelModule;
use crate::arch::Arch;
use crate::cpio::{self, Entry};
use crate::programs;

/// The modules that reach a disk of the lab, in the order of loading.
pub const DISK_MODULES: [&str; 2] = ["virtio_pci", "virtio_blk"];
/// The modules that mount ext4, in the order of loading. crc32c, which ext4 asks the kernel's crypto for, goes by several names.
pub const EXT4_MODULES: [&str; 6] = ["crc32c_generic", "crc32c_cryptoapi", "libcrc32c", "crc32c", "mbcache", "ext4"];
/// The modules of the lab's screens and network, for a root that has nothing that would load them.
pub const SCREEN_AND_NETWORK_MODULES: [&str; 3] = ["bochs", "virtio_gpu", "virtio_net"];

/// The initramfs, with these modules, for a guest of this architecture; `None` if its init could not be built (see
/// [`Arch::compiler_package`]).
pub fn root_initramfs(arch: Arch, modules: &[KernelModule]) -> Option<Vec<u8>> {
    let init = programs::root(arch)?;
    let files: Vec<(String, &[u8])> =
        modules.iter().enumerate().map(|(n, m)| (format!("modules/{n}-{}.ko", m.name), &m.content[..])).collect();
    let list: String = files.iter().map(|(name, _)| format!("/{name} \n")).collect();
    let mut entries = vec![
        Entry::dir("dev"),
        Entry::dir("proc"),
        Entry::char_device("dev/console", 5, 1),
        Entry::char_device("dev/kmsg", 1, 11),
        Entry::char_device("dev/truth", 4, 64 + arch.truth_port()),
        Entry::dir("modules"),
        Entry::file("modules.list", list.as_bytes()),
        Entry::program("init", init),
    ];
    entries.extend(files.iter().map(|(name, content)| Entry::file(name, content)));
    Some(cpio::archive(&entries))
}
