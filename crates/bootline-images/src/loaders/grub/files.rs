// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB's files in the cache, and its firmware's.

/// GRUB's image for a PC's BIOS, which follows the first sector of the disk.
pub const CORE: &str = "core.img";
/// The code of that sector.
pub const BOOT: &str = "boot.img";
/// SeaBIOS.
pub const BIOS: &str = "bios-256k.bin";
/// The EFI system partition with GRUB's image.
pub const SYSTEM_PARTITION: &str = "esp.img";
/// OVMF.
pub const EFI_CODE: &str = "OVMF_CODE_4M.fd";
/// OVMF's variables before its first boot.
pub const EFI_VARIABLES: &str = "OVMF_VARS_4M.fd";

/// All of GRUB on a BIOS, the loader itself first.
pub(in crate::loaders) const ON_BIOS: [&str; 3] = [CORE, BOOT, BIOS];
/// All of GRUB on EFI firmware, the loader itself first.
pub(in crate::loaders) const ON_EFI: [&str; 3] = [SYSTEM_PARTITION, EFI_CODE, EFI_VARIABLES];
