// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a document was not written.
use std::io;
use std::path::{Path, PathBuf};

/// Why a document was not written, or that one is not current.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Usage(&'static str),
    #[error("`{path}`: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("`{path}`: {what}", path = path.display())]
    Content { path: PathBuf, what: String },
    #[error("no valid runs in `{path}`", path = .0.display())]
    NoRuns(PathBuf),
    #[error("`{command}` failed: {said}")]
    Command { command: String, said: String },
    #[error("{}\n{} document(s) are not current: `cargo xtask docs` writes them", .0.join("\n"), .0.len())]
    NotCurrent(Vec<String>),
}

impl Error {
    /// An error in a file's content.
    pub fn content(path: &Path, what: impl ToString) -> Error {
        Error::Content { path: path.to_owned(), what: what.to_string() }
    }

    /// The exit status, as in the command `bootline`: 1 a check failed, 2 usage, 3 input, 4 the environment.
    pub fn status(&self) -> u8 {
        match self {
            Error::NotCurrent(_) => 1,
            Error::Usage(_) => 2,
            Error::Content { .. } | Error::NoRuns(_) => 3,
            Error::File { .. } | Error::Command { .. } => 4,
        }
    }
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Reads a binary file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })
}

/// The entries of a folder, sorted.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries.map(|e| Ok(e.map_err(failed)?.path())).collect::<Result<Vec<_>, Error>>()?;
    paths.sort();
    Ok(paths)
}
