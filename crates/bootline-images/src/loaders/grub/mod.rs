// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB for a PC, on SeaBIOS or on OVMF: put together from Debian's binary packages by GRUB's own programs.
mod build;
mod menu;
mod packages;

pub use build::{BIOS, BOOT, CORE, EFI_CODE, EFI_VARIABLES, SYSTEM_PARTITION};
pub(super) use build::{build, files, recipe};
pub use menu::{GrubMenu, REWRITTEN};
