// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot for QEMU's machine `virt`: compiled from Debian's source package, with its environment in a flash.
mod build;
mod environment;
mod files;
mod memory;
mod menu;
mod needs;

pub(super) use build::{build, recipe};
pub use environment::{Environment, flash_image};
pub(super) use files::FILES;
pub use files::{ENVIRONMENT, IMAGE};
pub use memory::{LoadAddresses, LoadedKernel, MemoryNeeded, load_addresses};
pub use menu::{REWRITTEN, menu};
