// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole systems: root file systems of Debian packages, with the lab's application, as images that QEMU can boot.
//!
//! They are built without root, by mmdebstrap and mkfs.ext4 in a user namespace, and kept in a cache. Packages of another
//! architecture than the host's are configured in a guest. What has been fetched is
//! enough to build, and what has been built is enough to boot, without a network.
mod converted;
mod debugfs;
mod derived;
mod error;
mod foreign_root;
mod image;
mod initramfs;
mod kernel_modules;
mod module_error;
mod namespace;
mod progress;
mod recipe;
mod root_changes;
mod root_state;
mod store;
mod system;

pub use derived::Derivation;
pub use error::SystemError;
pub use foreign_root::UnconfiguredRoot;
pub use image::{SystemImage, SystemManifest};
pub use initramfs::{root_initramfs, system_initramfs};
pub(crate) use kernel_modules::mounting_modules;
pub use kernel_modules::{KernelModule, with_dependencies};
pub use module_error::{ModuleReadError, NoDriver};
pub(crate) use namespace::{Namespace, need};
pub use progress::BuildProgress;
pub use recipe::{APPLICATION_PROGRAM, APPLICATION_UNIT, HANDOFF_PROGRAM, MULTI_USER_UNIT};
pub use root_changes::{BadRootPath, RootChanges};
pub use root_state::RootState;
pub use store::{SystemRow, SystemStore};
pub use system::{InitSystem, System};
