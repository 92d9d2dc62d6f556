// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as shown: what failed, with its object; the evidence; a hint that can be run.
use std::fmt;

use bootline_report::escaped;

use crate::exit::Exit;

/// An error that ends a verb, or the processing of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit status of the command if this is its worst error.
    pub exit: Exit,
    what: String,
    evidence: Vec<String>,
    at: Vec<String>,
    hint: Option<String>,
}

/// Escapes control characters: names and contents of files come from others and must not control the terminal. Done
/// here once, because each verb would forget some. Text that was escaped already does not change.
fn harmless(text: impl Into<String>) -> String {
    escaped(&text.into()).into_owned()
}

impl Failure {
    /// `what` is lower case and names its object: "no such file `boot.cap`".
    pub fn new(exit: Exit, what: impl Into<String>) -> Failure {
        Failure { exit, what: harmless(what), evidence: Vec::new(), at: Vec::new(), hint: None }
    }

    /// What failed, without evidence and hint.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What failed and the evidence, in lines, without the hint.
    pub fn what_and_evidence(&self) -> String {
        let evidence = self.evidence.iter().map(|line| format!("\n  {line}"));
        let at = self.at.iter().map(|at| format!("\n  at: {at}"));
        std::iter::once(self.what.clone()).chain(evidence).chain(at).collect()
    }

    /// The hint, if there is one.
    pub fn hint_given(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Adds a line of evidence without a location: "95 % interval +0.11..+0.23 s, 20 + 20 boots".
    pub fn evidence(mut self, line: impl Into<String>) -> Failure {
        self.evidence.push(harmless(line));
        self
    }

    /// Adds evidence with its location: "boot.cap line 17: `console=ttyS0`".
    pub fn at(mut self, evidence: impl Into<String>) -> Failure {
        self.at.push(harmless(evidence));
        self
    }

    /// Adds another error of the same input: one line and all evidence; the first hint counts.
    pub fn and(mut self, other: Failure) -> Failure {
        self.exit = self.exit.max(other.exit);
        self.what = format!("{}; {}", self.what, other.what);
        self.evidence.extend(other.evidence);
        self.at.extend(other.at);
        self.hint = self.hint.or(other.hint);
        self
    }

    /// Adds a hint, preferably a command to run.
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(harmless(hint));
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what_and_evidence())?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
