// SPDX-License-Identifier: MIT OR Apache-2.0
use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

/// Why a store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refuses an operation on one of its files.
    #[error("can't {what} `{}`: {error}", path.display())]
    Io {
        /// What was attempted: `create`, `lock`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file can't be written, or is no file of this store.
    #[error("`{}`: {error}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        error: ParquetError,
    },
    /// The folder is none that this version writes to.
    #[error("`{}` is not a store of version {}: {found}", path.display(), crate::part::CONTRACT.1)]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
}

/// Names what failed and where.
pub(crate) fn at<T>(what: &'static str, path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|error| StoreError::Io { what, path: path.to_owned(), error })
}

pub(crate) fn in_file<T>(path: &Path, result: Result<T, ParquetError>) -> Result<T, StoreError> {
    result.map_err(|error| StoreError::Parquet { path: path.to_owned(), error })
}
