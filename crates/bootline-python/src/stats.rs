// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-stats: what a handful of values can support.
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bootline_stats::{ChangeLimits, Samples};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A change of level in a series.
#[pyclass(frozen, get_all, skip_from_py_object, module = "bootline.stats")]
#[derive(Clone, Copy, Debug)]
pub struct ChangePoint {
    /// The first value of the new level.
    index: usize,
    /// How likely a series without a change has one like this anywhere.
    p: f64,
    /// The median up to the change before.
    before: f64,
    /// The new median, up to the next change.
    after: f64,
    /// By how much the values have grown, with its bounds.
    low: f64,
    difference: f64,
    high: f64,
    /// How likely such bounds contain the truth: 0.95, or less if there are too few values.
    confidence: f64,
}

impl From<bootline_stats::ChangePoint> for ChangePoint {
    fn from(point: bootline_stats::ChangePoint) -> ChangePoint {
        let bootline_stats::ChangePoint { index, p, before, after, difference } = point;
        ChangePoint {
            index,
            p,
            before,
            after,
            low: difference.low,
            difference: difference.best,
            high: difference.high,
            confidence: difference.confidence,
        }
    }
}

/// The changes in each of many series, on all processors.
#[pyfunction]
#[pyo3(signature = (series, *, p=0.01, share=0.01))]
pub fn change_points(py: Python<'_>, series: Vec<Vec<f64>>, p: f64, share: f64) -> Vec<Vec<ChangePoint>> {
    py.detach(|| of_all(&series, ChangeLimits { p, share }))
}

fn of_all(series: &[Vec<f64>], limits: ChangeLimits) -> Vec<Vec<ChangePoint>> {
    let found = Mutex::new(vec![Vec::new(); series.len()]);
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(series.len());
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(values) = series.get(i) else { return };
        let points = bootline_stats::change_points(values, limits).into_iter().map(ChangePoint::from).collect();
        found.lock().unwrap_or_else(PoisonError::into_inner)[i] = points;
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// By how much the values of one set are greater than those of another: the lower bound, the difference of the medians, the upper bound,
/// and the confidence of the interval.
#[pyfunction]
pub fn difference(a: Vec<f64>, base: Vec<f64>) -> PyResult<(f64, f64, f64, f64)> {
    let e = bootline_stats::difference(&samples(a)?, &samples(base)?);
    Ok((e.low, e.best, e.high, e.confidence))
}

/// How likely sets that don't differ are to be as far apart as these.
#[pyfunction]
pub fn p_value(a: Vec<f64>, b: Vec<f64>) -> PyResult<f64> {
    Ok(bootline_stats::p_value(&samples(a)?, &samples(b)?))
}

/// p values as they are when many were looked at (Benjamini and Hochberg).
#[pyfunction]
pub fn false_discovery(p: Vec<f64>) -> Vec<f64> {
    bootline_stats::false_discovery(&p)
}

fn samples(values: Vec<f64>) -> PyResult<Samples> {
    Samples::new(values).ok_or_else(|| PyValueError::new_err("a set needs at least one value, and only finite ones"))
}
