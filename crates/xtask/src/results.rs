// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/results.md: the reports of the experiments in results/, evaluated again from their runs.
use std::path::Path;
use std::process::Command;

use crate::document::Document;
use crate::error::Error;

const SCRIPT: &str = "scripts/collect-results";

/// What the script collects. An experiment without runs here keeps its text.
pub fn document(root: &Path) -> Result<Document, Error> {
    let failed = |said: String| Error::Command { command: SCRIPT.to_owned(), said };
    let out = Command::new(root.join(SCRIPT)).current_dir(root).output().map_err(|e| failed(e.to_string()))?;
    if !out.status.success() {
        return Err(failed(String::from_utf8_lossy(&out.stderr).into_owned()));
    }
    let text = String::from_utf8(out.stdout).map_err(|e| failed(e.to_string()))?;
    Ok(Document { path: "docs/results.md".to_owned(), text })
}
