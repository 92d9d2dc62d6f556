// SPDX-License-Identifier: MIT OR Apache-2.0
//! A generated document: a whole file, or the part of a file between two marks.
use std::fs;
use std::path::Path;

use bootline_testkit::difference;

use crate::error::{Error, read};

/// A file and the content that it should have.
#[derive(Debug)]
pub struct Document {
    /// Path, relative to the repository.
    pub path: String,
    /// The file's whole content.
    pub text: String,
}

impl Document {
    /// The file with `made(n)` between its nth pair of marks.
    pub fn between(
        root: &Path,
        path: &str,
        [begin, end]: [&str; 2],
        mut made: impl FnMut(usize) -> Result<String, Error>,
    ) -> Result<Document, Error> {
        let file = root.join(path);
        let old = read(&file)?;
        let mut parts = old.split(begin);
        let mut text = parts.next().unwrap_or_default().to_owned();
        let mut found = 0;
        for part in parts {
            let (_, after) = part.split_once(end).ok_or_else(|| Error::content(&file, format!("no `{end}`")))?;
            text.push_str(&[begin, &made(found)?, end, after].concat());
            found += 1;
        }
        if found == 0 {
            return Err(Error::content(&file, format!("no `{begin}`")));
        }
        Ok(Document { path: path.to_owned(), text })
    }

    /// Writes the file if it differs.
    pub fn write(&self, root: &Path) -> Result<(), Error> {
        let path = root.join(&self.path);
        if fs::read(&path).is_ok_and(|old| old == self.text.as_bytes()) {
            return Ok(());
        }
        eprintln!("writing {}", self.path);
        fs::write(&path, &self.text).map_err(|source| Error::File { path, source })
    }
}

/// Fails if any file differs from its document.
pub fn check(root: &Path, documents: &[Document]) -> Result<(), Error> {
    let differences = documents.iter().filter_map(|d| difference(&root.join(&d.path), &d.text).err());
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() { Ok(()) } else { Err(Error::NotCurrent(differences)) }
}
