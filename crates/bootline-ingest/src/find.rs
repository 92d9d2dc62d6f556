// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the inputs that the arguments name.
use std::fs;
use std::io::{BufRead, stdin};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use bootline_store::metadata::is_sidecar;

/// Folders in folders at most: a chain of links may have no end.
const DEEPEST: usize = 64;

/// Calls `found` for each input, in order, until it returns false. What can't be listed is an input, too: it says so itself.
pub fn find(named: &[PathBuf], store: &Path, found: &mut impl FnMut(PathBuf) -> bool) -> bool {
    let store = fs::canonicalize(store).ok();
    let mut finder = Finder { store, found };
    named.iter().all(|path| if path.as_os_str() == "-" { finder.list() } else { finder.named(path) })
}

struct Finder<'f, F> {
    /// Never an input of itself.
    store: Option<PathBuf>,
    found: &'f mut F,
}

impl<F: FnMut(PathBuf) -> bool> Finder<'_, F> {
    /// Paths on standard input, one per line.
    fn list(&mut self) -> bool {
        for line in stdin().lock().split(b'\n') {
            let Ok(mut line) = line else { break };
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.is_empty() && !self.named(&PathBuf::from(std::ffi::OsString::from_vec(line))) {
                return false;
            }
        }
        true
    }

    fn named(&mut self, path: &Path) -> bool {
        if path.is_dir() {
            return self.folder(path, 0);
        }
        let text = path.to_string_lossy();
        if path.exists() || !text.contains(['*', '?', '[']) {
            return (self.found)(path.to_owned());
        }
        match glob::glob(&text) {
            // A folder that can't be listed is left out.
            Ok(paths) => paths.filter_map(Result::ok).all(|path| {
                if path.is_dir() { self.folder(&path, 0) } else { is_sidecar(&path) || (self.found)(path) }
            }),
            Err(_) => (self.found)(path.to_owned()),
        }
    }

    fn folder(&mut self, path: &Path, depth: usize) -> bool {
        if depth > DEEPEST || self.store.is_some() && fs::canonicalize(path).ok() == self.store {
            return true;
        }
        let Ok(entries) = fs::read_dir(path) else { return (self.found)(path.to_owned()) };
        let mut entries: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        entries.sort();
        entries.into_iter().all(|path| {
            let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if is_hidden || is_sidecar(&path) {
                true
            } else if path.is_dir() {
                self.folder(&path, depth + 1)
            } else {
                (self.found)(path)
            }
        })
    }
}
