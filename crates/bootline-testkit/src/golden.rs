// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden files: what a test's subject makes of its cases, as somebody last read and accepted it.
//!
//! Cases and golden files are plain files on disk. `BLESS=1 cargo test -p CRATE` accepts what is made now; read the
//! difference before you commit it.
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use snapbox::assert::Action;
use snapbox::data::{Data, DataFormat};

/// The environment variable that accepts what is made now.
const ACCEPT: &str = "BLESS";

/// The folders of `root`, sorted: a case each.
///
/// # Panics
/// There are fewer than `least`.
pub fn cases(root: &Path, least: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).unwrap_or_else(|e| panic!("no cases in {}: {e}", root.display()));
    let mut cases: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).filter(|p| p.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= least, "only {} cases in {}", cases.len(), root.display());
    cases
}

/// Compares all that `make` checks with the golden files under `root`, and then looks for files there that nobody checked
/// and that are no input by their name.
///
/// # Panics
/// With a diff a file: one differs, is missing, or belongs to nobody.
pub fn check_goldens(root: &Path, is_input: impl Fn(&str) -> bool, make: impl FnOnce(&mut Goldens)) {
    let accept = std::env::var_os(ACCEPT).is_some();
    let mut goldens = Goldens { accept, checked: BTreeSet::new(), wrong: Vec::new() };
    make(&mut goldens);
    goldens.find_orphans(root, &is_input);
    let Goldens { wrong, .. } = goldens;
    assert!(
        wrong.is_empty(),
        "{}\n{} golden file(s) differ. `{ACCEPT}=1 cargo test -p {}` accepts what is made now; read the difference then.",
        wrong.join("\n"),
        wrong.len(),
        std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "CRATE".to_owned()),
    );
}

/// How a file differs from what is made now, line by line.
///
/// # Errors
/// It differs, or is not there.
pub fn difference(path: &Path, made: &str) -> Result<(), String> {
    compare(path, made, Action::Verify)
}

fn compare(path: &Path, made: &str, action: Action) -> Result<(), String> {
    // Raw: what looks like a wildcard is text here.
    let expected = Data::read_from(path, Some(DataFormat::Text)).raw();
    let compared = snapbox::Assert::new().action(action).try_eq(Some(&"made now"), Data::text(made).raw(), expected);
    compared.map_err(|difference| difference.to_string())
}

/// The comparisons of one test.
#[derive(Debug)]
pub struct Goldens {
    accept: bool,
    checked: BTreeSet<PathBuf>,
    wrong: Vec<String>,
}

impl Goldens {
    /// Compares a text with the golden file of this name in the folder. Nothing panics before all are compared.
    pub fn check(&mut self, folder: &Path, name: &str, made: &str) {
        let path = folder.join(name);
        assert!(self.checked.insert(path.clone()), "{} is checked twice", path.display());
        if let Err(difference) = compare(&path, made, if self.accept { Action::Overwrite } else { Action::Verify }) {
            self.wrong.push(difference);
        }
    }

    /// Files that nobody checked. They are never deleted: what is an input by mistake is lost that way.
    fn find_orphans(&mut self, folder: &Path, is_input: &impl Fn(&str) -> bool) {
        let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("no folder {}: {e}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.find_orphans(&path, is_input);
            } else if !self.checked.contains(&path) && !path.file_name().and_then(OsStr::to_str).is_some_and(is_input) {
                self.wrong.push(format!("{} is neither an input nor made by a test: remove it", path.display()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// The message for a folder with these files, where `a.txt` is made with the content `new\n`.
    fn said(accept: bool, files: &[(&str, &str)]) -> (String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let mut goldens = Goldens { accept, checked: BTreeSet::new(), wrong: Vec::new() };
        goldens.check(folder.path(), "a.txt", "same\nnew\n");
        goldens.find_orphans(folder.path(), &|name| name == "input");
        (goldens.wrong.join("\n"), fs::read_to_string(folder.path().join("a.txt")).ok())
    }

    #[test]
    fn what_is_as_before_passes() {
        assert_eq!(said(false, &[("a.txt", "same\nnew\n"), ("input", "")]).0, "");
    }

    #[test]
    fn a_difference_is_shown_line_by_line() {
        let (wrong, kept) = said(false, &[("a.txt", "same\nold\n")]);
        assert!(wrong.contains("- old") && wrong.contains("+ new") && wrong.contains("a.txt"), "{wrong}");
        assert_eq!(kept.as_deref(), Some("same\nold\n"));
    }

    #[test]
    fn wildcards_are_text() {
        assert_ne!(said(false, &[("a.txt", "same\n...\n")]).0, "");
        assert_ne!(said(false, &[("a.txt", "same\n[..]\n")]).0, "");
    }

    #[test]
    fn a_missing_file_and_an_orphan_fail() {
        assert_ne!(said(false, &[]).0, "");
        let (wrong, _) = said(false, &[("a.txt", "same\nnew\n"), ("b.txt", "")]);
        assert!(wrong.contains("b.txt is neither"), "{wrong}");
    }

    #[test]
    fn accepted_is_what_is_made_but_an_orphan_stays_wrong() {
        for files in [&[("a.txt", "old\n")][..], &[]] {
            assert_eq!(said(true, files), (String::new(), Some("same\nnew\n".to_owned())));
        }
        assert_ne!(said(true, &[("b.txt", "")]).0, "");
    }

    #[test]
    fn a_name_is_checked_once() {
        let twice = AssertUnwindSafe(|| {
            let mut goldens = Goldens { accept: false, checked: BTreeSet::new(), wrong: Vec::new() };
            goldens.check(Path::new("/nonexistent"), "a.txt", "");
            goldens.check(Path::new("/nonexistent"), "a.txt", "");
        });
        assert!(catch_unwind(twice).is_err());
    }
}
