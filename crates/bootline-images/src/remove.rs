// SPDX-License-Identifier: MIT OR Apache-2.0
//! Removing what may not be there.
use std::fs;
use std::io;
use std::path::Path;

/// Removes a folder with all that is in it, if there is one.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
