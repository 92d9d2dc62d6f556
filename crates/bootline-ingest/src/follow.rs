// SPDX-License-Identifier: MIT OR Apache-2.0
//! Passes over the inputs: one, and one more for what others were about to store; or, following, one after the other.
use std::collections::HashMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bootline_input::Failure;
use bootline_store::{Store, micros};
use bootline_terminal::{ProgressLine, cancel_on_signals};

use crate::args::Plan;
use crate::find::find;
use crate::pass::pass;
use crate::tally::{Tally, store_failed};

/// Time between two looks at folders that grow.
const LOOK: Duration = Duration::from_secs(1);
/// Time between two looks at whether to stop.
const BLINK: Duration = Duration::from_millis(100);

/// Stores all inputs.
///
/// # Errors
/// The store can't be used.
pub fn run(plan: &Plan, store: &Store) -> Result<Tally, Failure> {
    let cancel = cancel_on_signals()?;
    let mut tally = Tally::default();
    let mut progress = ProgressLine::new(plan.quiet);
    let Some(settle) = plan.follow else {
        all(plan, store, &cancel, &mut tally, &mut progress, |found| {
            find(&plan.inputs, store.root(), &mut |path| found(path));
        })?;
        return Ok(tally);
    };
    let mut seen = Seen::new(settle);
    while !cancel.load(Ordering::Relaxed) {
        all(plan, store, &cancel, &mut tally, &mut progress, |found| {
            find(&plan.inputs, store.root(), &mut |path| !seen.is_due(&path) || found(path));
        })?;
        let mut left = LOOK;
        while !left.is_zero() && !cancel.load(Ordering::Relaxed) {
            std::thread::sleep(BLINK);
            left = left.saturating_sub(BLINK);
        }
    }
    Ok(tally)
}

/// A pass, and more of them as long as others were about to store an input: they may have died before they did.
fn all(
    plan: &Plan,
    store: &Store,
    cancel: &AtomicBool,
    tally: &mut Tally,
    progress: &mut ProgressLine,
    find: impl FnOnce(&mut dyn FnMut(PathBuf) -> bool) + Send,
) -> Result<(), Failure> {
    let mut left = pass(plan, store, cancel, tally, progress, find).map_err(store_failed)?;
    while !left.is_empty() && !cancel.load(Ordering::Relaxed) {
        tally.found -= left.len();
        // Nothing is claimed here by now: who waits for this process does not wait for ever.
        for (_, input) in &left {
            store.wait_for(*input).map_err(store_failed)?;
        }
        let paths: Vec<PathBuf> = left.into_iter().map(|(path, _)| path).collect();
        left = pass(plan, store, cancel, tally, progress, |found| {
            paths.into_iter().all(found);
        })
        .map_err(store_failed)?;
    }
    Ok(())
}

/// The files that were stored, in the state in which they were.
struct Seen {
    settle: Duration,
    hasher: RandomState,
    /// By a hash of the path: the size and the time of the last change, in microseconds, and whether it was stored so.
    files: HashMap<u64, (u64, i64, bool)>,
}

impl Seen {
    fn new(settle: Duration) -> Seen {
        Seen { settle, hasher: RandomState::new(), files: HashMap::new() }
    }

    /// Whether a file is complete, and was not stored in this state.
    fn is_due(&mut self, path: &Path) -> bool {
        // What can't be read is reported once.
        let found = fs::metadata(path).ok();
        let size = found.as_ref().map_or(0, fs::Metadata::len);
        let changed = found.and_then(|m| m.modified().ok());
        let state = (size, changed.map_or(0, micros));
        let age = changed.map(|changed| SystemTime::now().duration_since(changed));
        // A clock that was set back makes a change one of the future: then a file is complete if two looks see the same.
        let is_old = match age {
            Some(Ok(age)) => age >= self.settle,
            Some(Err(_)) => false,
            None => true,
        };
        let key = self.hasher.hash_one(path);
        let is_known = self.files.get(&key).filter(|f| (f.0, f.1) == state);
        let is_future = matches!(age, Some(Err(_)));
        let (was_stored, is_same) = (is_known.is_some_and(|f| f.2), is_known.is_some());
        let is_due = !was_stored && (is_old || is_future && is_same);
        self.files.insert(key, (state.0, state.1, was_stored || is_due));
        is_due
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_due_once_for_each_state_in_which_it_has_settled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console.log");
        let mut file = File::create(&path).unwrap();
        let hour = Duration::from_secs(3_600);
        let mut seen = Seen::new(hour);
        // Just written.
        assert!(!seen.is_due(&path) && !seen.is_due(&path));
        let long_ago = SystemTime::now() - 3 * hour;
        file.set_modified(long_ago).unwrap();
        assert!(seen.is_due(&path));
        assert!(!seen.is_due(&path));
        // It grows, and is let be.
        file.write_all(b"more").unwrap();
        assert!(!seen.is_due(&path));
        file.set_modified(long_ago).unwrap();
        assert!(seen.is_due(&path) && !seen.is_due(&path));
        // By a clock that was set back.
        file.set_modified(SystemTime::now() + 3 * hour).unwrap();
        assert!(!seen.is_due(&path));
        assert!(seen.is_due(&path) && !seen.is_due(&path));
        // What is missing is reported once.
        let missing = dir.path().join("missing.log");
        assert!(seen.is_due(&missing) && !seen.is_due(&missing));
    }
}
