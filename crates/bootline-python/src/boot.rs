// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot, and the documents about it: what the commands write with `--json`.
use std::sync::OnceLock;

use bootline_analysis::predictions::Predictions;
use bootline_analysis::rules::{Finding, findings};
use bootline_analysis::whole_change::{AnySetting, WholeChange};
use bootline_boot::Boot;
use bootline_report::{
    BootEmitter, BootLabel, Emitter, ExportJson, ReportedBoot, TextEmitter, TextOptions, explain, explain_json,
    predictions_json, time_json,
};
use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;

use crate::failure::{caught, internal_error, usage_error, without_gil};

/// A boot in memory.
#[pyclass(frozen, name = "BootHandle")]
#[derive(Debug)]
pub struct BootHandle {
    /// The boot, on one time axis.
    pub boot: Boot,
    /// Where it is from.
    pub label: BootLabel,
    /// Why its figures can't be trusted.
    pub problem: Option<String>,
    /// Its findings, once somebody has asked for them.
    findings: OnceLock<Vec<Finding>>,
}

impl BootHandle {
    /// A boot that was read.
    pub fn new(boot: Boot, label: BootLabel, problem: Option<String>) -> BootHandle {
        BootHandle { boot, label, problem, findings: OnceLock::new() }
    }

    fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| findings(&self.boot))
    }
}

#[pymethods]
impl BootHandle {
    #[getter]
    fn name(&self) -> String {
        self.label.title()
    }

    #[getter]
    fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// An item of `boots` in `bootline-time/1`.
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = without_gil(py, || time_json(&self.boot, &self.label))?;
        document(py, &json)
    }

    /// An item of `boots` in `bootline-explain/1`.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = without_gil(py, || explain_json(&self.boot, self.findings(), &self.label))?;
        document(py, &json)
    }

    /// A document `bootline-export/1`.
    fn export_json(&self, py: Python<'_>) -> PyResult<String> {
        let written = without_gil(py, || {
            let (mut json, mut text) = (ExportJson::default(), Vec::new());
            let reported = ReportedBoot { boot: &self.boot, findings: self.findings(), label: &self.label };
            json.boot(&reported, &mut text).and_then(|()| json.close(&mut text)).map(|()| text)
        })?;
        let text = written.map_err(|e| internal_error(py, e.to_string()))?;
        String::from_utf8(text).map_err(|e| internal_error(py, e.to_string()))
    }

    /// An item of `boots` in `bootline-predict/1`.
    fn predict<'py>(&self, py: Python<'py>, settings: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let settings = settings.iter().map(|text| text.parse::<AnySetting>());
        let settings = settings.collect::<Result<Vec<_>, _>>().map_err(|e| usage_error(py, e.to_string()))?;
        let change = WholeChange::of(settings).map_err(|e| usage_error(py, e.to_string()))?;
        let predicted = without_gil(py, || Predictions::of(&self.boot, &change))?;
        let json = without_gil(py, || predictions_json(&self.boot, &predicted, &self.label))?;
        document(py, &json)
    }

    /// What `bootline explain` shows.
    fn explain_text(&self, py: Python<'_>, width: usize) -> PyResult<String> {
        without_gil(py, || {
            let document = explain(&self.boot, self.findings(), &self.label);
            TextEmitter { document: &document, options: TextOptions { width, color: false } }.to_text()
        })
    }
}

/// A document as `json.loads` would give it.
fn document<'py>(py: Python<'py>, document: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    caught(py, || pythonize(py, document))?.map_err(PyErr::from)
}
