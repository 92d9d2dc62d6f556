// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the programs that build a loader or its disk.
use std::process::{Command, Stdio};

use super::error::LoaderError;
pub(super) use crate::host_tools::{PATH, has_program};

/// Maximum number of lines kept of what a failed step said.
const MAX_EVIDENCE: usize = 12;

/// Runs a step of a build.
pub(super) fn run(mut command: Command, what: &str, step: &'static str) -> Result<(), LoaderError> {
    command.env("PATH", PATH).env("LC_ALL", "C");
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let failed = |evidence| LoaderError::Step { what: what.to_owned(), step, evidence };
    let output = output.map_err(|source| failed(vec![source.to_string()]))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> = text.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
    Err(failed(lines[lines.len().saturating_sub(MAX_EVIDENCE)..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_shows_its_last_words() {
        let mut command = Command::new("sh");
        command.args(["-c", "for i in $(seq 30); do echo line $i >&2; done; exit 3"]);
        let error = run(command, "u-boot", "a step").unwrap_err().to_string();
        assert!(error.starts_with("can't build u-boot: a step failed\n  line 19\n"), "{error}");
        assert!(error.ends_with("line 30"), "{error}");
    }
}
