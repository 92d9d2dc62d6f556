// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was booted, and one prediction next to what was measured.
use std::path::PathBuf;

use bootline_console::Behaviour;
use bootline_images::arch::Arch;
use bootline_lab::boot::Truth;
use bootline_stats::Samples;

/// What was booted: `6.18-rt-9600-default-2cpu`, `arm64-7.2-9600-default-2cpu`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub arch: Arch,
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

/// The group of the predictions from one kernel to another.
pub const ANOTHER_KERNEL: &str = "another kernel";

/// One prediction and the measurement that it is compared with, in seconds.
pub struct Row {
    pub group: &'static str,
    /// Whether a kthread prints in the boot predicted.
    pub kthread_prints: bool,
    pub from: String,
    pub change: String,
    pub predicted: [f64; 3],
    /// Its median.
    pub measured: f64,
    /// From the fastest boot to the slowest, as a share of the median; none of a single one.
    pub spread: Option<f64>,
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

    /// Width of the predicted interval, as a share of the measured time.
    pub fn width(&self) -> f64 {
        (self.predicted[2] - self.predicted[0]) / self.measured
    }
}

impl Cell {
    /// What it shares with the boots at other speeds and levels: architecture, kernel, number of CPUs.
    pub fn kernel_on_cpus(&self) -> (Arch, &str, u32) {
        (self.arch, &self.kernel, self.cpus)
    }

    /// How its console behaves; none if the kernel is unknown.
    pub fn behaviour(&self) -> Option<Behaviour> {
        let (version, rt) = self.kernel.strip_suffix("-rt").map_or((self.kernel.as_str(), false), |s| (s, true));
        Behaviour::for_driver(version.parse().ok()?, rt, self.arch.console_driver(), true)
    }

    /// The same, if a kthread prints.
    pub fn printer_kthread(&self) -> Option<Behaviour> {
        self.behaviour().filter(|b| !b.printing.writer_waits())
    }
}

pub fn name(c: &Cell) -> String {
    let cpus = if c.printer_kthread().is_some() { format!(", {} CPU", c.cpus) } else { String::new() };
    let arch = if c.arch == Arch::Amd64 { String::new() } else { format!("{} ", c.arch) };
    format!("{arch}{} {} {}{cpus}", c.kernel, c.baud, c.label)
}

pub fn median(values: Vec<f64>) -> Option<f64> {
    Samples::new(values).map(|s| s.median())
}
