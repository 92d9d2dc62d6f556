// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the inputs, counted.
use std::path::Path;

use bootline_input::{Exit, Failure};
use bootline_store::tables::{FileRow, FileStatus};
use bootline_store::{Committed, StoreError};
use bootline_terminal::Terminal;

/// What became of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Inputs found.
    pub found: usize,
    /// What was committed.
    pub committed: Committed,
    /// Inputs that the store held before.
    pub stored_before: usize,
    /// Inputs without a boot.
    pub without_boot: usize,
    /// Inputs that are damaged.
    pub damaged: usize,
    /// Inputs that can't be read.
    pub unreadable: usize,
    /// The first of the last two, with its problem.
    pub first_problem: Option<String>,
}

impl Tally {
    /// Counts an input.
    pub fn add(&mut self, file: &FileRow) {
        match file.status {
            FileStatus::Stored => return,
            FileStatus::NoBoot => return self.without_boot += 1,
            FileStatus::Damaged => self.damaged += 1,
            FileStatus::Unreadable => self.unreadable += 1,
        }
        let problem = file.problem.as_deref().unwrap_or_default();
        self.first_problem.get_or_insert_with(|| format!("{}: {problem}", file.path));
    }

    /// Counts a commit.
    pub fn commit(&mut self, committed: Committed) {
        self.committed.inputs += committed.inputs;
        self.committed.boots += committed.boots;
        self.committed.spans += committed.spans;
    }

    /// Says what was done.
    pub fn say(&self, store: &Path, terminal: &Terminal) {
        let Committed { inputs, boots, spans } = self.committed;
        let mut rest = Vec::new();
        let counts = [
            (self.stored_before, "were there before"),
            (self.without_boot, "without a boot"),
            (self.damaged, "damaged"),
            (self.unreadable, "unreadable"),
        ];
        rest.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
        let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
        let found = self.found;
        terminal.say(&format!(
            "{}: {boots} boots, {spans} spans stored from {inputs} of {found} inputs{rest}",
            store.display()
        ));
    }

    /// The exit status.
    ///
    /// # Errors
    /// There was no input, or one that could not be read to its end.
    pub fn exit(&self) -> Result<Exit, Failure> {
        if self.found == 0 {
            return Err(Failure::new(Exit::INPUT, "no files in what was named"));
        }
        let Some(first) = &self.first_problem else { return Ok(Exit::FINE) };
        let what = match self.damaged + self.unreadable {
            1 => "1 input is damaged or can't be read".to_owned(),
            n => format!("{n} inputs are damaged or can't be read"),
        };
        Err(Failure::new(Exit::INPUT, what).at(first).hint("the table `files` names all of them, and why"))
    }
}

/// The store can't be used.
pub fn store_failed(e: StoreError) -> Failure {
    let failure = Failure::new(Exit::LAB, e.to_string());
    match e {
        StoreError::OtherVersion { .. } => failure.hint("name a new or an empty folder: `-o store/`"),
        StoreError::Io { .. } | StoreError::Parquet { .. } => {
            failure.hint("what was committed before is complete; run the same again to go on")
        }
    }
}
