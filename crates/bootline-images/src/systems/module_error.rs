// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a kernel's modules.
use std::io;
use std::path::PathBuf;

/// A module or a folder of modules can't be read.
#[derive(Debug, thiserror::Error)]
#[error("can't read the kernel module `{}`: {source}", path.display())]
pub struct ModuleReadError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system or the decompressor said.
    pub source: io::Error,
}

/// A kernel has no driver for a piece of hardware or a file system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this kernel has no driver for {what}: `{driver}` is neither built in nor one of its modules")]
pub struct NoDriver {
    /// What it is to drive: `the bus sata`, `squashfs`.
    pub what: String,
    /// The driver.
    pub driver: &'static str,
    /// What asked for it, as an option: `--bus sata`. None for the root's own file system.
    pub option: Option<String>,
}
