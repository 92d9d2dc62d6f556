// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boot loaders of the lab: built once from Debian's packages, kept in a cache, and what a board would hold for them: the flash with
//! the saved environment, the disk with kernel, initramfs and menu.
//!
//! Nothing is installed, and root is not needed. A loader in the cache needs neither a network nor a compiler.
mod boot_disk;
mod build;
mod error;
pub mod grub;
mod image;
mod loader;
mod progress;
mod store;
mod tools;
pub mod u_boot;

pub use boot_disk::{BootFiles, BootMenu, DiskStart, boot_disk};
pub use error::LoaderError;
pub use image::{LoaderFirmware, LoaderImage, LoaderManifest};
pub use loader::Loader;
pub use progress::LoaderProgress;
pub use store::{LoaderRow, LoaderStore};
