// SPDX-License-Identifier: MIT OR Apache-2.0
//! An input: a file, or standard input.
use std::fs::File;
use std::io::{Cursor, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::unusable;

/// A file or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFile {
    /// `-`
    Stdin,
    /// Any other name.
    File(PathBuf),
    /// What is in memory already.
    Held {
        /// As shown.
        name: String,
        /// Its bytes.
        bytes: Arc<[u8]>,
    },
}

impl LogFile {
    /// The input that a path argument names.
    pub fn new(path: &Path) -> LogFile {
        if path.as_os_str() == "-" { LogFile::Stdin } else { LogFile::File(path.to_owned()) }
    }

    /// The name as the user typed it.
    pub fn name(&self) -> String {
        match self {
            LogFile::Stdin => "-".to_owned(),
            LogFile::File(path) => path.to_string_lossy().into_owned(),
            LogFile::Held { name, .. } => name.clone(),
        }
    }

    /// What is in memory already: a log, or whatever else a file may hold.
    pub fn held(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> LogFile {
        LogFile::Held { name: name.into(), bytes: bytes.into() }
    }

    /// Whether it can be read more than once: standard input and pipes can't.
    pub fn is_lasting(&self) -> bool {
        match self {
            LogFile::Stdin => false,
            LogFile::File(path) => path.is_file(),
            LogFile::Held { .. } => true,
        }
    }

    /// Opens the input.
    ///
    /// # Errors
    /// It can't be opened, or is a directory.
    pub fn open(&self) -> Result<Box<dyn Read>, Failure> {
        let path = match self {
            LogFile::Stdin => return Ok(Box::new(stdin().lock())),
            LogFile::File(path) => path,
            LogFile::Held { bytes, .. } => return Ok(Box::new(Cursor::new(bytes.clone()))),
        };
        let file = File::open(path).map_err(|e| unusable::open_failed(path, &e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(unusable::directory(path));
        }
        Ok(Box::new(file))
    }

    /// Reads the whole input, for small files such as a budget.
    ///
    /// # Errors
    /// As for [`LogFile::open`], or reading failed.
    pub fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).map_err(|e| unusable::read_failed(&self.name(), &e))?;
        Ok(bytes)
    }
}

/// Refuses a command line that names standard input more than once.
///
/// # Errors
/// It is named twice: it can be read only once.
pub fn stdin_once<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(Exit::USAGE, "standard input `-` can be read only once"));
    }
    Ok(())
}
