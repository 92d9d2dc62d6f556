// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a capture is not what was asked for.
use std::process::ExitStatus;

use regex::bytes::Regex;

use super::tty_ioctl::LineErrors;
use super::{CaptureEnd, CaptureSource, CaptureSummary, MarkRequest};

/// Why a capture is not what was asked for. What arrived is in its file all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureFault {
    /// The source is a command, and failed.
    #[error("the command `{source_name}` failed: {status}")]
    CommandFailed {
        /// The command.
        source_name: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// Not one byte.
    #[error("nothing arrived from `{source_name}`")]
    NothingArrived {
        /// The source, as the user named it.
        source_name: String,
        /// Whether it is a serial device.
        is_serial: bool,
    },
    /// What was waited for did not come.
    #[error("no line matched `{pattern}` before the capture ended: {ended}")]
    NoLineMatched {
        /// The regular expression.
        pattern: String,
        /// Why it ended.
        ended: CaptureEnd,
    },
    /// Marks could no longer be watched.
    #[error("the modem control inputs of `{source_name}` were not watched up to the end: {why}")]
    MarksLost {
        /// The source, as the user named it.
        source_name: String,
        /// The error.
        why: String,
    },
    /// The board did not show a mark.
    #[error("mark {mark} was not seen before the capture ended: {ended}")]
    MarkUnseen {
        /// The first such mark.
        mark: MarkRequest,
        /// Why it ended.
        ended: CaptureEnd,
    },
    /// The receiver counted errors.
    #[error("`{source_name}` lost or damaged bytes: {errors}")]
    LineErrors {
        /// The source, as the user named it.
        source_name: String,
        /// What was counted.
        errors: LineErrors,
    },
    /// The port was away in the middle of the capture.
    #[error("`{source_name}` went away {times} times: what was sent meanwhile is missing")]
    Holes {
        /// The source, as the user named it.
        source_name: String,
        /// How often.
        times: u32,
    },
}

impl CaptureFault {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            CaptureFault::NothingArrived { is_serial: true, .. } => {
                Some("is the board on, the cable plugged in, its transmit line on the adapter's receive pin?")
            }
            CaptureFault::NothingArrived { .. } => Some("is the board on?"),
            CaptureFault::MarkUnseen { .. } => Some(
                "is the board's output wired to that input? An input that has its level from the start shows no edge",
            ),
            CaptureFault::LineErrors { errors, .. } if errors.frame > 0 => Some("is `--baud` right?"),
            CaptureFault::LineErrors { .. } => Some("use a lower baud, or an adapter with a larger FIFO"),
            _ => None,
        }
    }
}

impl CaptureSummary {
    /// Why this is not what was asked for; none if it is. `until` is what was waited for; `reconnects` is whether a port that goes away
    /// and comes back was to be one source.
    pub fn fault(&self, source: &CaptureSource, until: Option<&Regex>, reconnects: bool) -> Option<CaptureFault> {
        let source_name = source.to_string();
        if let CaptureEnd::Source(Some(status)) = self.ended {
            if !status.success() {
                return Some(CaptureFault::CommandFailed { source_name, status });
            }
        }
        if self.bytes == 0 {
            return Some(CaptureFault::NothingArrived { source_name, is_serial: source.is_serial() });
        }
        if let (Some(pattern), false) = (until, matches!(self.ended, CaptureEnd::Until(_))) {
            return Some(CaptureFault::NoLineMatched { pattern: pattern.to_string(), ended: self.ended.clone() });
        }
        if let Some(why) = self.marks_lost.clone() {
            return Some(CaptureFault::MarksLost { source_name, why });
        }
        if let Some(unseen) = self.marks.iter().find(|mark| mark.first.is_none()) {
            return Some(CaptureFault::MarkUnseen { mark: unseen.request.clone(), ended: self.ended.clone() });
        }
        if let Some(errors) = self.line_errors.filter(|errors| !errors.is_clean()) {
            return Some(CaptureFault::LineErrors { source_name, errors });
        }
        (self.holes > 0 && reconnects).then_some(CaptureFault::Holes { source_name, times: self.holes })
    }
}
