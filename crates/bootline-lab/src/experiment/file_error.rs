// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why an experiment file can't be used: the file, the line, the key, and what was probably meant.
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bootline_analysis::whole_change::WholeContradiction;

/// Why an experiment file can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{fault} in experiment `{}`", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Position in the file: the line's number and text.
    pub line: Option<(usize, String)>,
    /// What is wrong.
    pub fault: Box<Fault>,
}

/// What is wrong with an experiment file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It can't be read.
    #[error("can't be read ({0})")]
    Unreadable(io::Error),
    /// It is not TOML, or a value has the wrong type.
    #[error("{0}")]
    Toml(String),
    /// An unknown key.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// The most similar known one.
        nearest: Option<String>,
        /// All known ones at that place.
        known: Vec<String>,
    },
    /// An unknown value.
    #[error("unknown value `{value}`")]
    UnknownValue {
        /// The value.
        value: String,
        /// The most similar known one.
        nearest: Option<String>,
        /// All known ones at that place.
        known: Vec<String>,
    },
    /// A required key is missing.
    #[error("`{key}` is missing from {of}")]
    Missing {
        /// The key.
        key: &'static str,
        /// Such as `arm `slow``.
        of: String,
    },
    /// A value out of range.
    #[error("{key} `{value}` is not {expected}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// A reference to an arm that does not exist.
    #[error("no arm `{arm}`, which `{key}` refers to,")]
    NoSuchArm {
        /// The key that names it.
        key: &'static str,
        /// Its name.
        arm: String,
        /// The most similar existing one.
        nearest: Option<String>,
    },
    /// Two arms with the same name.
    #[error("two arms are called `{0}`")]
    SameName(String),
    /// Settings to predict that contradict each other.
    #[error("`predict`: {0}")]
    Contradicting(Box<WholeContradiction>),
    /// A combination that can't be measured.
    #[error("arm `{arm}`: {why}")]
    Contradiction {
        /// The arm.
        arm: String,
        /// In words.
        why: &'static str,
    },
}

impl FileError {
    /// An error in the file at `path` with the content `text`, at `span`.
    pub(super) fn new(path: &Path, text: &str, span: Option<Range<usize>>, fault: Fault) -> FileError {
        let line = span.and_then(|span| {
            let number = text.get(..span.start)?.matches('\n').count();
            Some((number + 1, text.lines().nth(number)?.trim().to_owned()))
        });
        FileError { path: path.to_owned(), line, fault: Box::new(fault) }
    }

    /// From an error of the TOML reader. serde reports an unknown field and the expected ones only as text.
    pub(super) fn from_toml(path: &Path, text: &str, error: &toml::de::Error) -> FileError {
        let message = error.message();
        let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
        let fault = match quoted.next() {
            Some(key) if message.starts_with("unknown field") => {
                let known: Vec<String> = quoted.collect();
                Fault::UnknownKey { nearest: nearest(&key, known.iter().map(String::as_str)), key, known }
            }
            Some(value) if message.starts_with("unknown variant") => {
                let known: Vec<String> = quoted.collect();
                Fault::UnknownValue { nearest: nearest(&value, known.iter().map(String::as_str)), value, known }
            }
            _ => Fault::Toml(message.lines().next().unwrap_or("not TOML").to_owned()),
        };
        // What is missing from the whole file has no line.
        let whole = |span: &Range<usize>| span.start == 0 && message.starts_with("missing field");
        FileError::new(path, text, error.span().filter(|span| !whole(span)), fault)
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match &*self.fault {
            Fault::UnknownKey { nearest: Some(nearest), .. }
            | Fault::UnknownValue { nearest: Some(nearest), .. }
            | Fault::NoSuchArm { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Fault::UnknownKey { known, .. } | Fault::UnknownValue { known, .. } if !known.is_empty() => {
                Some(format!("known there: {}", known.join(", ")))
            }
            _ => None,
        }
    }
}

/// The candidate most similar to `word`, if any is similar enough.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let limit = word.chars().count().max(3) / 2;
    candidates.map(|c| (distance(word, c), c)).filter(|(d, _)| *d <= limit).min().map(|(_, c)| c.to_owned())
}

/// Levenshtein's distance, a row of the table at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_the_one_that_was_probably_meant() {
        let check = |word, expected: Option<&str>| {
            let keys = ["baud", "append", "kernel", "at_least", "memory_mib"];
            assert_eq!(nearest(word, keys.into_iter()).as_deref(), expected, "{word}");
        };
        check("bauds", Some("baud"));
        check("kernal", Some("kernel"));
        check("at-least", Some("at_least"));
        check("memory", None);
        check("colour", None);
    }

    #[test]
    fn distances() {
        for (a, b, d) in [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("baud", "daub", 2)] {
            assert_eq!((distance(a, b), distance(b, a)), (d, d), "{a} {b}");
        }
    }
}
