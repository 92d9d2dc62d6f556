// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running a program as a step of a build: silent if it succeeds, and else known by its last lines.
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Maximum number of lines kept of what a failed step said.
const MAX_EVIDENCE: usize = 12;
/// How often a step that can be interrupted is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// The last lines of a text that are not empty.
pub(crate) fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<String> = text.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
    lines[lines.len().saturating_sub(MAX_EVIDENCE)..].to_vec()
}

/// Runs a program.
///
/// # Errors
/// It can't be run, or failed: why, or the last lines of what it said.
pub(crate) fn run(mut command: Command) -> Result<(), Vec<String>> {
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let output = output.map_err(|source| vec![source.to_string()])?;
    if output.status.success() { Ok(()) } else { Err(last_lines(&String::from_utf8_lossy(&output.stderr))) }
}

/// Runs a program, and kills it once `cancel` is set.
///
/// # Errors
/// As for [`run`]; a program that was killed has failed.
pub(crate) fn run_until(mut command: Command, cancel: &AtomicBool) -> Result<(), Vec<String>> {
    let because = |source: io::Error| vec![source.to_string()];
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(because)?;
    let said = child.stderr.take().map(|mut from| {
        thread::spawn(move || {
            let mut text = Vec::new();
            // What can't be read is not shown.
            _ = from.read_to_end(&mut text);
            text
        })
    });
    let status = loop {
        if cancel.load(Ordering::SeqCst) {
            _ = child.kill();
        }
        match child.try_wait().map_err(because)? {
            Some(status) => break status,
            None => thread::sleep(LOOK),
        }
    };
    if status.success() {
        return Ok(());
    }
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    Err(last_lines(&String::from_utf8_lossy(&said)))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failed_step_shows_its_last_lines() {
        let script = "for i in $(seq 30); do echo line $i >&2; done; exit 3";
        let never = AtomicBool::new(false);
        for failed in [run(shell(script)), run_until(shell(script), &never)] {
            let lines = failed.unwrap_err();
            assert_eq!((lines.len(), lines[0].as_str(), lines[11].as_str()), (12, "line 19", "line 30"));
        }
        assert_eq!(run(shell("echo line >&2")), Ok(()));
        assert_eq!(run_until(shell("echo line >&2"), &never), Ok(()));
        assert!(run(Command::new("/nowhere/program")).unwrap_err()[0].contains("No such file"));
    }

    #[test]
    fn an_interrupted_step_ends_at_once() {
        let start = Instant::now();
        assert!(run_until(shell("exec sleep 60"), &AtomicBool::new(true)).is_err());
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
