// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `bootline`, whose output some documents show.
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use bootline_testkit::isolated;

/// Builds it in this program's own profile and returns its path: both are in the same folder.
pub fn build(root: &Path) -> Result<PathBuf, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["build", "--quiet", "--locked", "--package", "bootline"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let failed = |said: String| Error::Command { command: "cargo build --package bootline".to_owned(), said };
    let status = command.status().map_err(|e| failed(e.to_string()))?;
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    let own = std::env::current_exe().map_err(|e| failed(e.to_string()))?;
    Ok(own.with_file_name("bootline"))
}

/// What the command writes to standard output when run in the repository.
pub fn output(bootline: &Path, root: &Path, words: &[&str]) -> Result<String, Error> {
    let failed = |said: String| Error::Command { command: format!("bootline {}", words.join(" ")), said };
    let out = isolated(bootline).current_dir(root).args(words).output().map_err(|e| failed(e.to_string()))?;
    if !out.status.success() {
        return Err(failed(String::from_utf8_lossy(&out.stderr).into_owned()));
    }
    String::from_utf8(out.stdout).map_err(|e| failed(e.to_string()))
}
