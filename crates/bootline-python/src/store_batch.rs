// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-store: a batch that an engine writes, held and committed by its driver.
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bootline_store::{ContentId, ForeignBatch, StoreError};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// A batch of a store that other processes fill. Garbage, or an exit without a commit, leaves nothing of it.
#[pyclass(frozen, module = "bootline.spark")]
#[derive(Debug)]
pub struct StoreBatch(Mutex<Option<ForeignBatch>>);

#[pymethods]
impl StoreBatch {
    #[new]
    fn new(py: Python<'_>, store: PathBuf) -> PyResult<StoreBatch> {
        let batch = py.detach(|| ForeignBatch::begin(&store)).map_err(|e| failed(&e))?;
        Ok(StoreBatch(Mutex::new(Some(batch))))
    }

    /// The folder that is filled: a folder per table, in it one per date as in the store.
    #[getter]
    fn folder(&self) -> PyResult<PathBuf> {
        self.with(|batch| Ok(batch.folder().to_owned()))
    }

    /// Excludes all other writers; none while one of them has begun. Returns what was added since the batch was begun, as hashes.
    fn try_hold(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let held = py.detach(|| self.with(|batch| batch.try_hold().map_err(|e| failed(&e))))?;
        Ok(held.map(|added| added.iter().map(ContentId::hex).collect()))
    }

    /// Makes the batch a part of the store, in one step. The inputs, as hashes, are those of its rows of `files`.
    fn commit(&self, py: Python<'_>, inputs: Vec<String>) -> PyResult<()> {
        let inputs = inputs.iter().map(|hex| {
            ContentId::from_hex(hex)
                .ok_or_else(|| PyValueError::new_err(format!("`{hex}` is no SHA-256 in hexadecimal")))
        });
        let inputs: Vec<ContentId> = inputs.collect::<PyResult<_>>()?;
        let batch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(closed)?;
        py.detach(|| batch.commit(&inputs)).map_err(|e| failed(&e))
    }

    /// Gives the batch up, unless it was committed.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

impl StoreBatch {
    fn with<T>(&self, work: impl FnOnce(&mut ForeignBatch) -> PyResult<T>) -> PyResult<T> {
        work(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().ok_or_else(closed)?)
    }
}

/// Identity of an input that can't be read: its hash, and `file_id`.
#[pyfunction]
pub fn unreadable_input(path: &str, problem: &str) -> (String, i64) {
    let input = ContentId::of_unreadable(path, problem);
    (input.hex(), input.file_id())
}

fn closed() -> PyErr {
    PyValueError::new_err("the batch is closed")
}

fn failed(error: &StoreError) -> PyErr {
    match error {
        StoreError::OtherVersion { .. } => PyValueError::new_err(error.to_string()),
        StoreError::Io { .. } | StoreError::Parquet { .. } => PyOSError::new_err(error.to_string()),
    }
}
