// SPDX-License-Identifier: MIT OR Apache-2.0
//! Root file systems of the user's own, as Yocto, Buildroot and distributions make them: recognised, packed where they are not
//! an image yet, and given the initramfs that mounts them.
mod error;
mod pack;
mod partition;

pub use crate::file_system::FileSystem;
pub use error::RootError;
pub use pack::{OwnRoot, own_initramfs};
