// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command that switches the board on: it runs next to the capture.
use std::io;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use bootline_capture::units::Dur;

use super::PortError;

/// The power command of a capture; by default none.
#[derive(Debug, Default)]
pub(super) struct PowerCommand {
    /// How it ended comes from here; none if that is known, or there is no command.
    running: Option<Receiver<Result<(), PortError>>>,
    failure: Option<PortError>,
}

/// What became of a power command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PowerOutcome {
    /// It succeeded, or there was none.
    Fine,
    /// It still runs.
    Runs,
}

impl PowerCommand {
    /// Starts it, for `sh -c`.
    pub fn start(command: String) -> PowerCommand {
        let (news, running) = sync_channel(1);
        // A capture that ended no longer listens.
        thread::spawn(move || drop(news.send(run(command))));
        PowerCommand { running: Some(running), failure: None }
    }

    /// Whether it has ended, and failed.
    pub fn has_failed(&mut self) -> bool {
        if let Some(Ok(end)) = self.running.as_ref().map(Receiver::try_recv) {
            (self.running, self.failure) = (None, end.err());
        }
        self.failure.is_some()
    }

    /// Waits for its end, at most for `limit`.
    ///
    /// # Errors
    /// It failed.
    pub fn outcome(self, limit: Dur) -> Result<PowerOutcome, PortError> {
        let limit = Duration::from_nanos(limit.max_zero().as_nanos().unsigned_abs());
        match (self.failure, self.running.map(|running| running.recv_timeout(limit))) {
            (Some(failure), _) | (None, Some(Ok(Err(failure)))) => Err(failure),
            (None, Some(Err(RecvTimeoutError::Timeout))) => Ok(PowerOutcome::Runs),
            (None, None | Some(Ok(Ok(())) | Err(RecvTimeoutError::Disconnected))) => Ok(PowerOutcome::Fine),
        }
    }
}

/// Runs the command to its end. Its output goes to standard error.
fn run(command: String) -> Result<(), PortError> {
    let stdout = io::stderr().as_fd().try_clone_to_owned().map_or_else(|_| Stdio::null(), Stdio::from);
    let run = Command::new("sh").arg("-c").arg(&command).stdin(Stdio::null()).stdout(stdout).status();
    match run {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(PortError::Power { command, status }),
        Err(error) => Err(PortError::Start { command, error }),
    }
}
