// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an input to the rows that a store holds of it.
use std::path::Path;

use arrow_schema::ArrowError;
use bootline_boot::{AppMarker, BootOptions};
use bootline_input::unusable::BootNeeds;
use bootline_input::{BootReader, WholeBoot};
use bootline_records::Format;
use bootline_store::metadata::{Metadata, PathPattern};
use bootline_store::tables::{BootRow, BuildRow, FileRow, FileStatus, FindingRow, MeasureRow, RollupRow, SpanRow};
use bootline_store::{BootRows, Date, FoundInput, HeldInput, InputReader, InputRows, Rollups, Table};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::arrow_table::{ArrowTable, arrow_error};
use crate::failure::{usage_error, without_gil};
use crate::record_batches::RecordBatches;

/// Reads inputs as `bootline ingest` does.
#[pyclass(frozen, module = "bootline.store")]
#[derive(Debug)]
pub struct StoreReader(InputReader);

#[pymethods]
impl StoreReader {
    #[new]
    #[pyo3(signature = (*, path_pattern=None, board=None, device=None, build=None, lab=None, job=None, marker=None, app=None, input_format=None))]
    #[expect(clippy::too_many_arguments, reason = "the options of `bootline ingest`, by keyword")]
    fn new(
        py: Python<'_>,
        path_pattern: Option<&str>,
        board: Option<&str>,
        device: Option<&str>,
        build: Option<&str>,
        lab: Option<&str>,
        job: Option<&str>,
        marker: Option<String>,
        app: Option<&str>,
        input_format: Option<&str>,
    ) -> PyResult<StoreReader> {
        let text = |name: Option<&str>| name.map(Into::into);
        let given = Metadata {
            board: text(board),
            device: text(device),
            build: text(build),
            lab: text(lab),
            job: text(job),
            ..Metadata::default()
        };
        let pattern = path_pattern.map(PathPattern::parse).transpose();
        let pattern = pattern.map_err(|e| usage_error(py, format!("`path_pattern` is no pattern: {e}")))?;
        let app = app.map(AppMarker::parse).transpose();
        let app = app.map_err(|e| usage_error(py, format!("`app` names no application: {e}")))?;
        let format = input_format.map(str::parse::<Format>).transpose();
        let format = format.map_err(|e| usage_error(py, format!("`input_format`: {e}")))?;
        let boots = BootReader {
            options: BootOptions { marker, ..BootOptions::default() },
            format,
            kernel_log: None,
            whole: WholeBoot { sources: Vec::new(), app },
            needs: BootNeeds::End,
        };
        Ok(StoreReader(InputReader { boots, given, pattern }))
    }

    /// The rows of all tables that one input gives.
    #[pyo3(signature = (path, content=None, *, modified_us=None, sidecar=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        path: String,
        content: Option<PyBackedBytes>,
        modified_us: Option<i64>,
        sidecar: Option<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let read = without_gil(py, || {
            let found = match content {
                None => FoundInput::new(Path::new(&path)),
                Some(content) => {
                    let sidecar = sidecar.map(|bytes| bytes.as_ref().into());
                    FoundInput::held(path, modified_us, HeldInput { content: content.as_ref().into(), sidecar })
                }
            };
            let rows = RowsOfInput::read(&self.0, &found);
            rows.tables()
        })?;
        as_dict(py, read.map_err(|e| arrow_error(py, &e))?)
    }
}

/// All tables of a store, without rows.
#[pyfunction]
pub fn empty_tables(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    as_dict(py, RowsOfInput::default().tables().map_err(|e| arrow_error(py, &e))?)
}

fn as_dict<'py>(py: Python<'py>, tables: Vec<(&'static str, RecordBatches)>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, table) in tables {
        dict.set_item(name, ArrowTable(table))?;
    }
    Ok(dict)
}

/// What one input gave.
#[derive(Debug, Default)]
pub struct RowsOfInput {
    /// Each boot's rows.
    pub boots: Vec<BootRows>,
    builds: Vec<BuildRow>,
    file: Option<FileRow>,
}

impl RowsOfInput {
    /// Reads an input. One that breaks bootline is a row, too, as in `bootline ingest`.
    fn read(reader: &InputReader, found: &FoundInput) -> RowsOfInput {
        let whole = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut rows = RowsOfInput::default();
            let Ok(()) = reader.read(found, |given| {
                match given {
                    InputRows::Boot(boot) => rows.boots.push(*boot),
                    InputRows::Build(build) => rows.builds.push(build),
                    InputRows::File(file) => rows.file = Some(file),
                }
                Ok::<(), std::convert::Infallible>(())
            });
            rows
        }));
        whole.unwrap_or_else(|_| RowsOfInput {
            file: Some(found.row(FileStatus::Damaged, Some(FoundInput::BUG.to_owned()), 0)),
            ..RowsOfInput::default()
        })
    }

    /// As tables, by name.
    ///
    /// # Errors
    /// Arrow refuses a column.
    pub fn tables(self) -> Result<Vec<(&'static str, RecordBatches)>, ArrowError> {
        let (mut boots, mut spans, mut findings, mut measures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut rollups = Rollups::default();
        for rows in self.boots {
            rollups.add(rows.date, &rows.boot, &rows.spans);
            boots.push((rows.date, vec![rows.boot]));
            spans.push((rows.date, rows.spans));
            findings.push((rows.date, rows.findings));
            measures.push((rows.date, rows.measures));
        }
        let files = self.file.into_iter().map(|file| (Date::of_micros(file.ingested_at), vec![file])).collect();
        Ok(vec![
            (BootRow::NAME, RecordBatches::dated(boots)?),
            (SpanRow::NAME, RecordBatches::dated(spans)?),
            (FindingRow::NAME, RecordBatches::dated(findings)?),
            (MeasureRow::NAME, RecordBatches::dated(measures)?),
            (RollupRow::NAME, RecordBatches::dated(rollups.into_rows().collect())?),
            (BuildRow::NAME, RecordBatches::undated(self.builds)?),
            (FileRow::NAME, RecordBatches::dated(files)?),
        ])
    }
}
