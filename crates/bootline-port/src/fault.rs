// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a capture is not what was asked for.
use std::process::ExitStatus;

use regex::bytes::Regex;

use super::tty_ioctl::LineErrors;
use super::{CaptureEnd, CaptureSource, CaptureSummary, GpioLine, MarkRequest};

/// Why a capture is not what was asked for. What arrived is in its file all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureFault {
    /// The source is a command, and failed.
    #[error("the command `{source_name}` failed: {status}")]
    CommandFailed {
        /// The command.
        source_name: String,
        /// Its exit status.
        status: ExitStatus,
    },
    /// No byte arrived.
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
        /// What ended the capture.
        ended: CaptureEnd,
    },
    /// Modem control inputs could no longer be watched.
    #[error("the modem control inputs of `{source_name}` were not watched up to the end: {why}")]
    MarksLost {
        /// The source, as the user named it.
        source_name: String,
        /// What was wrong with the device.
        why: String,
    },
    /// A GPIO line could no longer be watched.
    #[error("`{line}` was not watched up to the end: {why}")]
    LineLost {
        /// The first such line.
        line: GpioLine,
        /// What was wrong with it.
        why: String,
    },
    /// The board did not show a mark.
    #[error("mark {mark} was not seen before the capture ended: {ended}")]
    MarkUnseen {
        /// The first such mark.
        mark: MarkRequest,
        /// What ended the capture.
        ended: CaptureEnd,
    },
    /// The receiver counted errors.
    #[error("`{source_name}` lost or damaged bytes: {errors}")]
    LineErrors {
        /// The source, as the user named it.
        source_name: String,
        /// Number of errors by kind.
        errors: LineErrors,
    },
    /// The port was away in the middle of the capture.
    #[error("`{source_name}` went away {times} {}: what was sent meanwhile is missing", if *times == 1 { "time" } else { "times" })]
    Holes {
        /// The source, as the user named it.
        source_name: String,
        /// Number of times that it went away and came back.
        times: u32,
    },
}

impl CaptureFault {
    /// Whether the source failed, so that what arrived says nothing about the board.
    pub fn is_of_the_source(&self) -> bool {
        matches!(self, CaptureFault::CommandFailed { .. })
    }

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
            CaptureFault::LineErrors { errors, .. } if errors.frame > 0 => Some("is the baud right?"),
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
        if let Some((line, why)) = self.line_lost.clone() {
            return Some(CaptureFault::LineLost { line, why });
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

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use bootline_capture::units::Dur;

    use super::super::MarkSummary;
    use super::*;

    /// A capture with nothing wrong.
    fn fine() -> CaptureSummary {
        CaptureSummary {
            bytes: 100,
            lines: 2,
            span: Dur::from_millis(5),
            largest_gap: None,
            worst_uncertainty: Dur::ZERO,
            losses: 0,
            holes: 0,
            line_errors: None,
            marks: Vec::new(),
            marks_lost: None,
            line_lost: None,
            ended: CaptureEnd::Until(b"login:".to_vec()),
        }
    }

    fn check(summary: CaptureSummary, expected: Option<&str>) {
        let source: CaptureSource = "/dev/ttyUSB0".parse().unwrap();
        let until = Regex::new("login").unwrap();
        let found = summary.fault(&source, Some(&until), true).map(|fault| fault.to_string());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn each_fault_is_named() {
        check(fine(), None);
        check(
            CaptureSummary { ended: CaptureEnd::Source(Some(ExitStatus::from_raw(3 << 8))), ..fine() },
            Some("the command `/dev/ttyUSB0` failed: exit status: 3"),
        );
        check(CaptureSummary { bytes: 0, ..fine() }, Some("nothing arrived from `/dev/ttyUSB0`"));
        check(
            CaptureSummary { ended: CaptureEnd::Source(None), ..fine() },
            Some("no line matched `login` before the capture ended: the source ended"),
        );
        check(
            CaptureSummary { marks_lost: Some("EIO".to_owned()), ..fine() },
            Some("the modem control inputs of `/dev/ttyUSB0` were not watched up to the end: EIO"),
        );
        let line = GpioLine::at(std::path::Path::new("/dev/gpiochip0"), 17);
        check(
            CaptureSummary { line_lost: Some((line, "No such device".to_owned())), ..fine() },
            Some("`gpio:gpiochip0/17` was not watched up to the end: No such device"),
        );
        let unseen = MarkSummary { request: "dsr=ready".parse().unwrap(), first: None, count: 0 };
        check(
            CaptureSummary { marks: vec![unseen], ..fine() },
            Some("mark `ready` (DSR asserted) was not seen before the capture ended: a line matched: `login:`"),
        );
        check(
            CaptureSummary { holes: 1, ..fine() },
            Some("`/dev/ttyUSB0` went away 1 time: what was sent meanwhile is missing"),
        );
        let two = CaptureSummary { holes: 2, ..fine() };
        check(two.clone(), Some("`/dev/ttyUSB0` went away 2 times: what was sent meanwhile is missing"));
        assert_eq!(two.fault(&"/dev/ttyUSB0".parse().unwrap(), None, false), None);
    }

    #[test]
    fn what_makes_the_rest_worthless_comes_first() {
        let failed = CaptureEnd::Source(Some(ExitStatus::from_raw(1 << 8)));
        check(
            CaptureSummary { bytes: 0, holes: 1, ended: failed, ..fine() },
            Some("the command `/dev/ttyUSB0` failed: exit status: 1"),
        );
        check(
            CaptureSummary { bytes: 0, ended: CaptureEnd::Source(None), ..fine() },
            Some("nothing arrived from `/dev/ttyUSB0`"),
        );
    }

    #[test]
    fn errors_of_the_receiver_say_what_to_change() {
        let with = |frame, overrun| {
            let errors = LineErrors { frame, overrun, ..LineErrors::default() };
            let fault = CaptureSummary { line_errors: Some(errors), ..fine() }.fault(
                &"/dev/ttyUSB0".parse().unwrap(),
                None,
                true,
            );
            fault.and_then(|fault| fault.hint())
        };
        assert_eq!(with(0, 0), None);
        assert_eq!(with(2, 1), Some("is the baud right?"));
        assert_eq!(with(0, 1), Some("use a lower baud, or an adapter with a larger FIFO"));
    }
}
