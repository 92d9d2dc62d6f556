// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB for a PC, on SeaBIOS or on OVMF: put together from Debian's binary packages by GRUB's own programs.
mod build;
mod files;
mod menu;
mod packages;

pub(super) use build::{build, recipe};
pub use files::{BIOS, BOOT, CORE, EFI_CODE, EFI_VARIABLES, SYSTEM_PARTITION};
pub(super) use files::{ON_BIOS, ON_EFI};
pub use menu::{GrubMenu, REWRITTEN};
