// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-report: what a terminal and a page need.
use pyo3::prelude::*;

/// Text made harmless for a terminal: controls and invisible characters shown by their codes.
#[pyfunction]
pub fn escaped(text: &str) -> String {
    bootline_report::escaped(text).into_owned()
}

/// Text for an element's content or for an attribute in quotes: controls shown by their codes, markup as text.
#[pyfunction]
pub fn html_text(text: &str) -> String {
    bootline_report::html_text(text)
}

/// A page as all of bootline's: one file that loads nothing. The title is text, the body HTML.
#[pyfunction]
pub fn static_page(title: &str, style: &str, body: &str) -> String {
    bootline_report::static_page(title, style, body)
}
