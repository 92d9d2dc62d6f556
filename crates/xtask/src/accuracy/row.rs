// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was booted, and one prediction next to what was measured.
use std::path::PathBuf;

use bootline_lab::boot::Truth;
use bootline_stats::Samples;

/// What was booted: `6.18-rt-9600-default-2cpu`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub kernel: String,
    pub cpus: u32,
    pub baud: u32,
    pub label: String,
}

/// One measured boot.
pub struct Run {
    pub capture: PathBuf,
    pub truth: Truth,
}

/// One prediction and the measurement that it is compared with, in seconds.
pub struct Row {
    pub group: &'static str,
    pub from: String,
    pub change: String,
    pub to: String,
    pub predicted: [f64; 3],
    pub measured: f64,
    pub boots: usize,
    /// Time until the log was complete: predicted, measured.
    pub log: Option<(f64, f64)>,
}

impl Row {
    pub fn error(&self) -> f64 {
        self.predicted[1] / self.measured - 1.0
    }
    pub fn inside(&self) -> bool {
        (self.predicted[0]..=self.predicted[2]).contains(&self.measured)
    }
}

pub fn name(c: &Cell) -> String {
    let cpus = if c.kernel.ends_with("-rt") { format!(", {} CPU", c.cpus) } else { String::new() };
    format!("{} {} {}{cpus}", c.kernel, c.baud, c.label)
}

pub fn median(values: Vec<f64>) -> Option<f64> {
    Samples::new(values).map(|s| s.median())
}
