// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables for Python, by Arrow's PyCapsule interface: consumers get the columns themselves, not copies.
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>
use std::ffi::CStr;

use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ArrowError;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::internal_error;
use crate::record_batches::RecordBatches;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// A table in memory.
#[pyclass(frozen, name = "Table", module = "bootline")]
#[derive(Debug)]
pub struct ArrowTable(pub RecordBatches);

#[pymethods]
impl ArrowTable {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The columns' types by name, as Arrow names them.
    #[getter]
    fn types(&self) -> Vec<(String, String)> {
        self.0.schema.fields().iter().map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn __repr__(&self) -> String {
        format!("<bootline.Table: {} rows, {} columns>", self.0.rows(), self.0.schema.fields().len())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema.as_ref()).map_err(|e| arrow_error(py, &e))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// A consumer may ask for another schema; as the interface allows, it gets this one and converts itself.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        let batches = self.0.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.0.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

/// None of the tables here has columns that Arrow refuses.
pub fn arrow_error(py: Python<'_>, e: &ArrowError) -> PyErr {
    internal_error(py, e.to_string())
}
