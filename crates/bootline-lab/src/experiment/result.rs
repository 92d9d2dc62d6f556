// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evaluated runs of an experiment: `result.json`, schema docs/schema/experiment-1.schema.json.
use std::collections::BTreeSet;

use bootline_capture::units::Dur;
use bootline_stats::{Estimate, Verdict, VerdictKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::definition::{Published, PublishedSaving};
use super::images::BuiltFrom;
use super::metric::Metric;
use crate::boot::{self, LoaderSetup};
use crate::cpu_model::CpuModel;
use crate::host::Host;
use crate::machine::InstructionTime;
use crate::storage::StoragePreset;
use bootline_images::arch::Arch;
use bootline_images::hardware::{Absent, Bus};
use bootline_images::image_format::ImageFormat;
use bootline_images::loaders::Loader;
use bootline_images::systems::{RootState, System};

/// The version of `result.json`; incremented when a field changes its meaning or is removed.
pub const RESULT_SCHEMA: &str = "bootline-experiment/1";

/// The evaluation of an experiment's runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Outcome {
    /// [`RESULT_SCHEMA`].
    pub schema: &'static str,
    /// Name and version of the program.
    pub tool: &'static str,
    /// The experiment's name.
    pub experiment: String,
    /// The question.
    pub about: String,
    /// Which of the five source documents has figures for it.
    pub seed: Option<u8>,
    /// Seed of the order of the runs.
    pub random_seed: u64,
    /// The arm that ratios refer to.
    pub base: Option<String>,
    /// Whether all wanted runs are complete.
    pub complete: bool,
    /// The machine of the first run.
    pub host: Option<Host>,
    /// The shortest and the longest processor time of the host's fixed loop, of all runs that timed it: see [`Host::loop_ns`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[i64; 2]>")]
    pub host_loop_ns: Option<[Dur; 2]>,
    /// QEMU's versions, as it reports them.
    pub qemu_versions: Vec<String>,
    /// One entry for each arm that was wanted or has runs, in the file's order.
    pub arms: Vec<ArmResult>,
    /// The claims, in the file's order.
    pub claims: Vec<ClaimResult>,
}

/// The evaluation of an arm's runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// What is measured.
    pub metric: Metric,
    /// The kernel, as the experiment names it.
    pub kernel: String,
    /// What `uname -r` says in a stock kernel.
    pub release: Option<String>,
    /// What it was built from; left out for a stock kernel and a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<BuiltFrom>,
    /// The series that was used instead of the named one.
    pub substitute_for: Option<String>,
    /// Architecture of the guest.
    pub arch: Option<Arch>,
    /// Speed of the line, in baud; none if instructions were counted.
    pub baud: Option<u32>,
    /// Processors.
    pub smp: u32,
    /// The model of the processors; left out for the lab's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<CpuModel>,
    /// The time of an instruction in nanoseconds; left out if they were not counted, or took the lab's 2 ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_ns: Option<InstructionTime>,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// Memory in MiB that a driver added while the system ran; left out without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_memory_mib: Option<u32>,
    /// Parameters for the kernel command line.
    pub append: String,
    /// The whole system that was booted; none for the lab's small initramfs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<System>,
    /// The root file system of the user's own that was booted: its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The state of the system's root when the boot began; none for settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_state: Option<RootState>,
    /// Paths of the files that were written into the system's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_files: Vec<String>,
    /// Paths of the files that were removed from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_without: Vec<String>,
    /// The storage of the system; none for as fast as the host is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<StoragePreset>,
    /// The form of that system's image; left out without a system of the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<ImageFormat>,
    /// The bus of that system's disk; left out without a system, and for a root of one's own with no stated bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<Bus>,
    /// What the machine had in addition, with nothing plugged in; left out if there was nothing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub absent: BTreeSet<Absent>,
    /// Whether the kernel mounted the root by itself; left out with an initramfs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_initramfs: bool,
    /// The boot loader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loader: Option<Loader>,
    /// How that loader was set up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loader_setup: Option<LoaderSetup>,
    /// The complete runs.
    pub runs: Vec<RunResult>,
    /// Number of invalid attempts, including those that were repeated.
    pub invalid: u32,
    /// The median of the valid runs; none without any.
    pub measured: Option<Measured>,
    /// The ratio to the base.
    #[schemars(with = "Option<crate::schema::Estimate>")]
    pub ratio: Option<Estimate>,
    /// Two groups, if the runs fall into two: the median then represents neither.
    pub groups: Option<RunGroups>,
    /// What was predicted.
    pub predicted: Option<Predicted>,
    /// Why there is no prediction, if there should be one.
    pub not_predicted: Option<String>,
    /// Verdict on the prediction.
    #[serde(flatten)]
    #[schemars(with = "Option<crate::schema::Verdict>")]
    pub verdict: Option<Verdict>,
    /// The published figure.
    pub published: Option<Published>,
    /// The published saving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_saving: Option<PublishedSaving>,
    /// What the arm takes less than the one that the published saving refers to, in seconds; none without such a saving.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::Estimate>")]
    pub saving: Option<Estimate>,
}

/// A run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunResult {
    /// Folder of the run, relative to the results.
    pub dir: String,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: boot::RunVerdict,
    /// The measured value; none in runs that do not count.
    pub value: Option<MetricValue>,
}

/// A median.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Measured {
    /// Number of runs.
    pub n: usize,
    /// The interval's lower bound.
    pub low: MetricValue,
    /// The median.
    pub median: MetricValue,
    /// The interval's upper bound.
    pub high: MetricValue,
    /// Share of cases in which such an interval contains the true median, 0 to 1.
    pub confidence: f64,
}

/// Two groups of runs.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RunGroups {
    /// Runs in the lower one.
    pub lower: usize,
    /// Runs in the upper one.
    pub upper: usize,
    /// The greatest value of the lower one.
    pub below: MetricValue,
    /// The least value of the upper one.
    pub above: MetricValue,
}

/// A prediction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Predicted {
    /// The arm that it was predicted from.
    pub from: String,
    /// Number of captures used.
    pub n: usize,
    /// The settings that turn that arm into this one.
    pub change: String,
    /// The least of the lower bounds.
    pub low: MetricValue,
    /// The median of the best values.
    pub best: MetricValue,
    /// The greatest of the upper bounds.
    pub high: MetricValue,
    /// Difference of the best estimate from the measured median, as a signed share of the latter.
    pub error: Option<f64>,
    /// Assumptions of the first of the predictions.
    pub assumptions: Vec<String>,
}

/// The evaluation of a claim.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimResult {
    /// In words.
    pub text: String,
    /// The arm that it is about.
    pub arm: String,
    /// The other arm of a ratio.
    pub of: Option<String>,
    /// The other arm of a difference. Without either, the claim is about the value of `arm` itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub than: Option<String>,
    /// The metric of both arms.
    pub metric: Metric,
    /// Lower limit of the ratio, the difference or the value; the latter two in seconds if they are times.
    pub at_least: Option<f64>,
    /// Upper limit.
    pub at_most: Option<f64>,
    /// The ratio of the medians; none without `of`.
    #[schemars(with = "Option<crate::schema::Estimate>")]
    pub ratio: Option<Estimate>,
    /// The difference of the medians, in seconds if they are times; none without `than`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::Estimate>")]
    pub difference: Option<Estimate>,
    /// The medians of both arms, in seconds if they are times; none without `of` or `than`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medians: Option<[f64; 2]>,
    /// The median, in seconds if it is a time; none with `of` or `than`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::Estimate>")]
    pub figure: Option<Estimate>,
    /// Verdict on the claim.
    #[serde(flatten)]
    #[schemars(with = "crate::schema::Verdict")]
    pub verdict: Verdict,
}

/// A value of a metric. In JSON nanoseconds, as an integer, or a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MetricValue {
    /// A time.
    Time(#[schemars(with = "i64")] Dur),
    /// A number.
    Number(f64),
}

impl MetricValue {
    pub(super) fn of(metric: Metric, value: f64) -> MetricValue {
        if metric.is_time() {
            MetricValue::Time(Dur::from_nanos(value.round() as i64))
        } else {
            MetricValue::Number(value)
        }
    }

    /// Nanoseconds, or the number.
    pub fn as_f64(self) -> f64 {
        match self {
            MetricValue::Time(time) => time.as_nanos() as f64,
            MetricValue::Number(number) => number,
        }
    }
}

impl Outcome {
    /// All verdicts: on predictions, then on claims.
    pub fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.arms.iter().filter_map(|a| a.verdict.as_ref()).chain(self.claims.iter().map(|c| &c.verdict))
    }

    /// Number of verdicts of this kind.
    pub fn count(&self, of: VerdictKind) -> usize {
        self.verdicts().filter(|v| v.outcome == of).count()
    }
}
