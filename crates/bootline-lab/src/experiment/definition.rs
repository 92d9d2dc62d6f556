// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an experiment is: its arms, and what is claimed of them. docs/experiments.md explains every key.
use std::fmt;
use std::path::PathBuf;

use bootline_analysis::predict::Change;
use bootline_capture::units::Baud;
use serde::{Deserialize, Serialize};

use super::metric::Metric;
use crate::kernels::KernelName;
use crate::module::Module;

/// An experiment, looked through: every name in it is there, every value can be had.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its file.
    pub path: PathBuf,
    /// The file's text, which a results folder keeps.
    pub source: String,
    /// The file's stem.
    pub name: String,
    /// The question.
    pub about: String,
    /// Which of the five documents whose figures it meets.
    pub seed: Option<u8>,
    /// Runs for each arm.
    pub runs: u32,
    /// Runs that come first and are thrown away.
    pub warm_up: u32,
    /// How often a run is tried until it can be believed.
    pub attempts: u32,
    /// What the order of the runs is drawn from; else drawn itself.
    pub random_seed: Option<u64>,
    /// The arm that ratios refer to.
    pub base: Option<String>,
    /// What is different in a hurry.
    pub quick: Quick,
    /// At least one; names differ.
    pub arms: Vec<Arm>,
    /// What is claimed of them.
    pub claims: Vec<Claim>,
}

/// What is different in a hurry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quick {
    /// Runs for each arm.
    pub runs: Option<u32>,
    /// Only the arms that one of these stands for; `*` in one stands for anything.
    pub arms: Option<Vec<String>>,
}

/// One way to boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Its name, which is part of a folder's.
    pub name: String,
    /// What boots.
    pub image: Image,
    /// Whether a series that has gone may be stood in for by the nearest that behaves the same.
    pub nearest: bool,
    /// The line's speed; none where instructions are counted.
    pub baud: Option<Baud>,
    /// Words for the kernel's command line.
    pub append: String,
    /// Processors.
    pub smp: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// An initramfs instead of the lab's.
    pub initrd: Option<PathBuf>,
    /// Modules that the lab's init loads, in order.
    pub modules: Vec<Module>,
    /// Count instructions, without a console.
    pub icount: bool,
    /// Count the accesses to the port's registers.
    pub trace_registers: bool,
    /// Lines that the lab's init prints, and times, after the boot.
    pub lines: Option<u32>,
    /// What is measured.
    pub metric: Metric,
    /// The settings that turn the arm of `predict_from` into this one; none where they follow from the
    /// differences, an empty change where nothing is to be predicted.
    pub predict: Option<Change>,
    /// The arm that this one is predicted from, where that isn't the base.
    pub predict_from: Option<String>,
    /// What the document says.
    pub published: Option<Published>,
}

/// What boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The newest stock kernel of a series.
    Stock(KernelName),
    /// A file.
    File(PathBuf),
}

/// A figure that somebody published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// In seconds.
    pub value_s: f64,
    /// Of what, on which machine.
    pub what: String,
}

/// A claim on the ratio of two arms, or on one arm's figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// In words.
    pub text: String,
    /// The arm above the line.
    pub arm: String,
    /// The arm below it; without one the claim is on the figure of `arm` itself.
    pub of: Option<String>,
    /// The least that the ratio is claimed to be, or the figure: in seconds where it is a time.
    pub at_least: Option<f64>,
    /// The most.
    pub at_most: Option<f64>,
    /// What of both arms.
    pub metric: Metric,
}

impl Experiment {
    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|a| a.name == name)
    }
}

impl fmt::Display for Image {
    /// As in an experiment file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Image::Stock(KernelName { arch: Some(arch), series }) => write!(f, "{arch}:{series}"),
            Image::Stock(KernelName { arch: None, series }) => series.fmt(f),
            Image::File(path) => path.display().fmt(f),
        }
    }
}
