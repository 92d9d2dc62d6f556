// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of boots, compared with each other and with a budget.
use std::sync::{Mutex, MutexGuard, PoisonError};

use bootline_analysis::compare::{
    self, Asked, Baseline, BudgetError, Excluded, GateOutcome, MOST_RUNS, RunMeasures, Thresholds,
};
use bootline_boot::AppMarker;
use bootline_capture::units::Dur;
use bootline_report::{Emitter, GateSource, JsonLine, check_json, compare_json, gate_message};
use pyo3::prelude::*;

use crate::boot::BootHandle;
use crate::failure::{input_error, usage_error, without_gil};

/// Limits for boots: docs/gate.md.
#[pyclass(frozen, name = "Budget")]
#[derive(Debug)]
pub struct Budget {
    budget: compare::Budget,
    name: String,
}

#[pymethods]
impl Budget {
    #[new]
    fn new(py: Python<'_>, text: &str, name: String) -> PyResult<Budget> {
        match compare::Budget::parse(text) {
            Ok(budget) => Ok(Budget { budget, name }),
            Err(BudgetError { what, line }) => {
                let at = line.map(|(n, line)| format!("\n  at: line {n}: `{line}`")).unwrap_or_default();
                Err(usage_error(py, format!("`{name}` is not a budget: {what}{at}")))
            }
        }
    }

    /// Text in the record that ends its boots, instead of init's start.
    #[getter]
    fn end(&self) -> Option<&str> {
        self.budget.end.as_deref()
    }

    /// What shows the application in its boots.
    #[getter]
    fn app(&self) -> Option<String> {
        self.budget.app.as_ref().map(ToString::to_string)
    }

    /// The file of its baseline, as it names it.
    #[getter]
    fn baseline(&self) -> Option<&str> {
        self.budget.baseline.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<bootline.Budget: {}, {} limits>", self.name, self.budget.rules.len())
    }
}

/// Measures of boots.
#[pyclass(frozen, name = "RunSet")]
#[derive(Debug)]
pub struct RunSet {
    asked: Asked,
    set: Mutex<compare::RunSet>,
}

impl RunSet {
    fn set(&self) -> MutexGuard<'_, compare::RunSet> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RunSet {
    #[new]
    #[pyo3(signature = (name, budget=None, app=None))]
    fn new(py: Python<'_>, name: String, budget: Option<PyRef<'_, Budget>>, app: Option<&str>) -> PyResult<RunSet> {
        let app = app.map(AppMarker::parse).transpose();
        let app = app.map_err(|e| usage_error(py, format!("`app` names no application: {e}")))?;
        let mut asked = budget.map_or_else(Asked::default, |budget| budget.budget.asked());
        if app.is_some() {
            asked.whole_boot = true;
            asked.app = app;
        }
        Ok(RunSet { asked, set: Mutex::new(compare::RunSet { name, ..compare::RunSet::default() }) })
    }

    /// Adds the runs of a stored baseline.
    fn add_baseline(&self, py: Python<'_>, text: &[u8], name: &str) -> PyResult<()> {
        let stored = Baseline::parse(text).map_err(|e| input_error(py, format!("`{name}` is not a baseline: {e}")))?;
        let stored = stored.runs(name);
        let mut set = self.set();
        set.runs.extend(stored.runs);
        set.short.extend(stored.short);
        Ok(())
    }

    /// Adds a boot; one that can't be trusted is listed as excluded.
    fn add(&self, py: Python<'_>, boot: PyRef<'_, BootHandle>) -> PyResult<()> {
        let boot: &BootHandle = &boot;
        let name = boot.label.title();
        let measures = without_gil(py, || match &boot.problem {
            Some(why) => Err(why.clone()),
            None => RunMeasures::of(&boot.boot, &name, &self.asked)
                .ok_or_else(|| "its log does not reach the boot's end".to_owned()),
        })?;
        let mut set = self.set();
        match measures {
            Ok(run) => set.runs.push(run),
            Err(why) => set.excluded.push(Excluded { source: name, why, expected: false }),
        }
        if set.n() > MOST_RUNS {
            return Err(input_error(py, format!("more than {MOST_RUNS} runs in one set, {}", set.name)));
        }
        Ok(())
    }

    /// Lists an input that holds no boot, or a run that can't be used; `expected` if the fault is the lab's and not the boot's.
    #[pyo3(signature = (name, why, expected=false))]
    fn exclude(&self, name: String, why: String, expected: bool) {
        self.set().excluded.push(Excluded { source: name, why, expected });
    }

    /// Inputs and boots that can't be used, and why.
    #[getter]
    fn excluded(&self) -> Vec<(String, String)> {
        self.set().excluded.iter().map(named).collect()
    }

    /// Those of them that are no fault of the lab.
    #[getter]
    fn failed(&self) -> Vec<(String, String)> {
        self.set().excluded.iter().filter(|e| !e.expected).map(named).collect()
    }

    #[getter]
    fn name(&self) -> String {
        self.set().name.clone()
    }

    fn __len__(&self) -> usize {
        self.set().n()
    }
}

fn named(excluded: &Excluded) -> (String, String) {
    (excluded.source.clone(), excluded.why.clone())
}

/// The document `bootline-compare/1`; none if a set is empty.
#[pyfunction]
pub fn compare_sets(
    py: Python<'_>,
    base: PyRef<'_, RunSet>,
    new: PyRef<'_, RunSet>,
    effect: f64,
    noise: f64,
) -> PyResult<Option<String>> {
    // Copies: a set may be compared with itself.
    let (base, new) = (base.set().clone(), new.set().clone());
    let thresholds = Thresholds { effect: Dur::from_secs_f64(effect), noise, ..Thresholds::default() };
    without_gil(py, || {
        let comparison = compare::compare(&base, &new, thresholds)?;
        Some(JsonLine(compare_json(&comparison)).to_text())
    })
}

/// The document `bootline-check/1`, and of each limit its outcome and the message of one that does not pass.
#[pyfunction]
#[pyo3(signature = (budget, runs, baseline=None))]
pub fn check_set(
    py: Python<'_>,
    budget: PyRef<'_, Budget>,
    runs: PyRef<'_, RunSet>,
    baseline: Option<PyRef<'_, RunSet>>,
) -> PyResult<(String, Vec<(&'static str, String)>)> {
    let baseline = baseline.map(|set| set.set().clone());
    let runs = runs.set().clone();
    let budget: &Budget = &budget;
    without_gil(py, || {
        let checked = compare::check(&budget.budget, baseline.as_ref(), &runs);
        let source = GateSource { budget: &budget.name, runs: &runs, baseline: baseline.as_ref() };
        let messages = checked.iter().map(|limit| {
            let outcome = match limit.outcome {
                GateOutcome::Pass => "pass",
                GateOutcome::Fail => "fail",
                GateOutcome::Inconclusive => "inconclusive",
            };
            let message = gate_message(limit).map(|m| [vec![m.what], m.evidence].concat().join("\n  "));
            (outcome, message.unwrap_or_default())
        });
        let messages = messages.collect();
        (JsonLine(check_json(&checked, source)).to_text(), messages)
    })
}
