// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library that QEMU runs with where its port would hold up all of the guest's CPUs (`preload/line_wait.c`).
use std::ffi::CStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, memfd_create};

const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/line_wait.so"));

/// The name of the file in memory, as the process's map shows it.
pub(crate) const NAME: &CStr = c"bootline-line-wait";

/// The library as a file in memory; none if bootline was built without a compiler, or if the system allows no such file.
pub(crate) fn library() -> Option<OwnedFd> {
    if LIBRARY.is_empty() {
        return None;
    }
    let mut file = File::from(memfd_create(NAME, MemfdFlags::CLOEXEC).ok()?);
    file.write_all(LIBRARY).ok()?;
    Some(file.into())
}
