// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the programs that build a loader or its disk.
use std::process::Command;

use super::error::LoaderError;
pub(super) use crate::host_tools::{PATH, has_program};
use crate::step;

/// Runs a step of a build.
pub(super) fn run(mut command: Command, what: &str, step: &'static str) -> Result<(), LoaderError> {
    command.env("PATH", PATH).env("LC_ALL", "C");
    step::run(command).map_err(|evidence| LoaderError::Step { what: what.to_owned(), step, evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo why >&2; exit 3"]);
        let error = run(command, "u-boot", "a step").unwrap_err().to_string();
        assert_eq!(error, "can't build u-boot: a step failed\n  why");
    }
}
