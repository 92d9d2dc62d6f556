// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiled part of the Python package `bootline`: each file a part of its module `bootline._bootline`.
mod page;
mod stats;
mod store_batch;

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
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
