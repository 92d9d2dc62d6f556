// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boot loaders of the lab: built once from Debian's source packages, kept in a cache, and what a board would hold for them: the
//! flash with the saved environment, the disk with kernel, initramfs and menu.
//!
//! Nothing is installed, and root is not needed. A loader in the cache needs neither a network nor a compiler.
mod boot_disk;
mod environment;
mod error;
mod loader;
mod memory;
mod progress;
mod store;
mod tools;

pub use boot_disk::{BootFiles, MENU, boot_disk};
pub use environment::{Environment, flash_image};
pub use error::LoaderError;
pub use loader::{Loader, UnknownLoader};
pub use memory::{LoadAddresses, MemoryNeeded, load_addresses};
pub use progress::LoaderProgress;
pub use store::{LoaderImage, LoaderManifest, LoaderRow, LoaderStore};
