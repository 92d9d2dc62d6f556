// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as Python's exceptions: the classes are in python/bootline/errors.py.
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bootline_input::{Exit, Failure};
use pyo3::prelude::*;

/// Works without the GIL, as [`caught`].
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    caught(py, || py.detach(work))
}

/// A panic becomes an exception of its own class.
pub fn caught<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| internal_error(py, said(&*panic)))
}

/// What a panic said.
pub fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

/// An error of the world, or of an input.
pub fn failed(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = match failure.exit {
        Exit::USAGE => "UsageError",
        Exit::LAB => "PortError",
        _ => "InputError",
    };
    raised(py, class, failure.what_and_evidence(), failure.hint_given())
}

/// What a caller asked for can't be.
pub fn usage_error(py: Python<'_>, what: String) -> PyErr {
    raised(py, "UsageError", what, None)
}

/// An input is of no use.
pub fn input_error(py: Python<'_>, what: String) -> PyErr {
    raised(py, "InputError", what, None)
}

/// A port, a socket or a program fails.
pub fn port_error(py: Python<'_>, what: String, hint: Option<&str>) -> PyErr {
    raised(py, "PortError", what, hint)
}

/// bootline itself failed.
pub fn internal_error(py: Python<'_>, what: String) -> PyErr {
    raised(py, "InternalError", what, Some("please report it as a bug"))
}

fn raised(py: Python<'_>, class: &str, what: String, hint: Option<&str>) -> PyErr {
    // Imported here: the package imports this module first.
    let made = || py.import("bootline.errors")?.getattr(class)?.call1((what, hint));
    made().map_or_else(|e| e, PyErr::from_value)
}
