// SPDX-License-Identifier: MIT OR Apache-2.0
//! debugfs, which reads and writes an image of ext4 without mounting it.
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::host_tools::PATH;

/// What debugfs said.
pub(super) struct Said {
    pub output: String,
    /// Its messages, without the name of the program and its version.
    pub complaints: Vec<String>,
}

/// Runs debugfs, which succeeds whatever happens: only its messages show that it did not.
///
/// # Errors
/// It can't be run.
pub(super) fn debugfs(options: &[&str], arguments: &[&OsStr]) -> io::Result<Said> {
    let mut command = Command::new("debugfs");
    let output = command.args(options).args(arguments).env("PATH", PATH).env("LC_ALL", "C.UTF-8").output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let complaints = errors.lines().filter(|line| !line.starts_with("debugfs ") && !line.trim().is_empty());
    let complaints = complaints.map(str::to_owned).collect();
    Ok(Said { output: String::from_utf8_lossy(&output.stdout).into_owned(), complaints })
}

/// A path of this host as a word of a request.
pub(super) fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('"', "\"\""))
}
