// SPDX-License-Identifier: MIT OR Apache-2.0
//! How what keeps an experiment from going on reads.
use std::error::Error;
use std::io;
use std::path::Path;

use bootline_lab::experiment::{FileError, ImageError, NoSuchArm, ResultsError, RunError};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::verbs::boot;

/// A file that is no experiment.
pub fn file(error: &FileError) -> Failure {
    let failure = with_hint(Failure::new(Exit::INPUT, error.to_string()), error.hint());
    match &error.line {
        Some((number, text)) => failure.at(format!("{} line {number}: {text}", error.path.display())),
        None => failure,
    }
}

/// An arm that was chosen and isn't there.
pub fn arm(error: &NoSuchArm) -> Failure {
    let hint = error.nearest.as_ref().map(|nearest| format!("did you mean `--arms {nearest}`?"));
    with_hint(Failure::new(Exit::USAGE, error.to_string()), hint)
}

/// A kernel that can't be had.
pub fn image(error: &ImageError) -> Failure {
    let exit = if matches!(error, ImageError::Stock { .. }) { Exit::LAB } else { Exit::INPUT };
    with_hint(Failure::new(exit, error.to_string()), error.hint())
}

/// A folder that can't take the results.
pub fn results(error: &ResultsError) -> Failure {
    let exit = match error {
        ResultsError::File { .. } | ResultsError::InUse { .. } => Exit::LAB,
        ResultsError::None { .. } => Exit::INPUT,
        _ => Exit::USAGE,
    };
    let failure = with_hint(Failure::new(exit, error.to_string()), error.hint());
    match error {
        ResultsError::Changed { line: Some((number, text)), .. } => failure.at(format!("line {number}: {text}")),
        ResultsError::File { source, .. } if is_full(source) => failure.hint(FULL),
        _ => failure,
    }
}

/// A run that failed. What was finished is kept, and so the failure ends by how to go on.
pub fn run(error: &RunError, dir: &Path) -> Failure {
    let source = &error.source;
    let of_boot = boot::failed(source);
    let full = io_error(source).is_some_and(is_full);
    let kept = format!("what was finished is in `{}`; the same command goes on where it was", dir.display());
    let failure = Failure::new(of_boot.exit, error.to_string()).at(kept);
    if full { failure.hint(FULL) } else { with_hint(failure, source.hint()) }
}

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

/// What the system said, however deep it lies.
fn io_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    error.downcast_ref().or_else(|| error.source().and_then(io_error))
}
