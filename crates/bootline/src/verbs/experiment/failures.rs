// SPDX-License-Identifier: MIT OR Apache-2.0
//! The errors that stop an experiment, as shown.
use std::error::Error;
use std::io;
use std::path::Path;

use bootline_input::{Exit, Failure};
use bootline_lab::experiment::{FileError, ImageError, NoSuchArm, ResultsError, RunError};
use bootline_report::escaped;

use crate::verbs::boot;

/// A file that is not an experiment.
pub fn file(error: &FileError) -> Failure {
    let failure = with_hint(new(Exit::INPUT, error), error.hint());
    match &error.line {
        Some((number, text)) => failure.at(at_line(&format!("{} line {number}", error.path.display()), text)),
        None => failure,
    }
}

/// An arm that does not exist.
pub fn arm(error: &NoSuchArm) -> Failure {
    let hint = error.nearest.as_ref().map(|nearest| format!("did you mean `--arms {nearest}`?"));
    with_hint(new(Exit::USAGE, error), hint)
}

/// A kernel that can't be found or fetched.
pub fn image(error: &ImageError) -> Failure {
    let exit = if matches!(error, ImageError::Stock { .. }) { Exit::LAB } else { Exit::INPUT };
    with_hint(new(exit, error), error.hint())
}

/// A system that can't be built or booted for the first time.
pub fn system(arm: &str, failure: Failure) -> Failure {
    failure.at(format!("arm `{arm}`"))
}

/// A folder that can't hold the results.
pub fn results(error: &ResultsError) -> Failure {
    let exit = match error {
        ResultsError::File { .. } | ResultsError::InUse { .. } => Exit::LAB,
        ResultsError::None { .. } => Exit::INPUT,
        _ => Exit::USAGE,
    };
    let failure = with_hint(new(exit, error), error.hint());
    match error {
        ResultsError::Changed { line: Some((number, text)), .. } => {
            failure.at(at_line(&format!("line {number}"), text))
        }
        ResultsError::File { source, .. } if is_full(source) => failure.hint(FULL),
        _ => failure,
    }
}

/// A run that failed. Finished runs are kept, so the failure ends with how to continue.
pub fn run(error: &RunError, dir: &Path) -> Failure {
    let source = &error.source;
    let of_boot = boot::failed(source);
    let full = io_error(source).is_some_and(is_full);
    let kept = format!("finished runs are in `{}`; use the same command again to continue", dir.display());
    let failure = new(of_boot.exit, error).at(kept);
    if full { failure.hint(FULL) } else { with_hint(failure, source.hint()) }
}

/// Experiments come from others: their names and paths must be escaped for the terminal.
fn new(exit: Exit, error: &dyn Error) -> Failure {
    Failure::new(exit, escaped(&error.to_string()))
}

/// A line of a file, shortened.
fn at_line(place: &str, line: &str) -> String {
    let short: String = line.chars().take(LINE).collect();
    let more = if short.len() < line.len() { ".." } else { "" };
    escaped(&format!("{place}: {short}{more}")).into_owned()
}

const LINE: usize = 120;
const FULL: &str = "make room on the disk, then use the same command again: finished runs are kept";

fn with_hint(failure: Failure, hint: Option<String>) -> Failure {
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// The system's error, however deep in the chain of sources.
fn io_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    error.downcast_ref().or_else(|| error.source().and_then(io_error))
}
