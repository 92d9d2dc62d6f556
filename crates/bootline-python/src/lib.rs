// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiled part of the Python package `bootline`: each file a part of its module `bootline._bootline`.
mod arrow_table;
mod boot;
mod boot_stream;
mod capture;
mod console_recorder;
mod failure;
mod page;
mod record_batches;
mod run_sets;
mod stats;
mod store_batch;
mod store_reader;

use pyo3::prelude::*;

/// The module `bootline._bootline`.
#[pymodule]
fn _bootline(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<stats::ChangePoint>()?;
    module.add_function(wrap_pyfunction!(stats::change_points, module)?)?;
    module.add_function(wrap_pyfunction!(stats::difference, module)?)?;
    module.add_function(wrap_pyfunction!(stats::p_value, module)?)?;
    module.add_function(wrap_pyfunction!(stats::false_discovery, module)?)?;
    module.add_function(wrap_pyfunction!(page::escaped, module)?)?;
    module.add_function(wrap_pyfunction!(page::html_text, module)?)?;
    module.add_function(wrap_pyfunction!(page::static_page, module)?)?;
    module.add_class::<store_batch::StoreBatch>()?;
    module.add_function(wrap_pyfunction!(store_batch::unreadable_input, module)?)?;
    module.add_class::<boot::BootHandle>()?;
    module.add_class::<boot_stream::BootStream>()?;
    module.add_class::<run_sets::Budget>()?;
    module.add_class::<run_sets::RunSet>()?;
    module.add_function(wrap_pyfunction!(run_sets::compare_sets, module)?)?;
    module.add_function(wrap_pyfunction!(run_sets::check_set, module)?)?;
    module.add_function(wrap_pyfunction!(capture::capture_source, module)?)?;
    module.add_class::<console_recorder::ConsoleRecorder>()?;
    module.add_class::<arrow_table::ArrowTable>()?;
    module.add_class::<store_reader::StoreReader>()?;
    module.add_function(wrap_pyfunction!(store_reader::empty_tables, module)?)?;
    module.add_function(wrap_pyfunction!(panics, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

/// Panics, for the test of what becomes of panics.
#[pyfunction(name = "_panic")]
fn panics(py: Python<'_>) -> PyResult<()> {
    #[expect(clippy::panic, reason = "it is what it is for")]
    failure::without_gil(py, || panic!("as asked"))
}
