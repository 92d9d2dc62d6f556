// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the runs of an experiment say: `result.json`, schema docs/schema/experiment-1.schema.json.
use bootline_capture::units::Dur;
use bootline_stats::{Estimate, Verdict, VerdictKind};
use serde::Serialize;

use super::definition::Published;
use super::metric::Metric;
use crate::boot;
use crate::host::Host;
use crate::machine::Arch;

/// The version of `result.json`; raised when a field changes its meaning or goes.
pub const RESULT_SCHEMA: &str = "bootline-experiment/1";

/// What an experiment's runs say.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// [`RESULT_SCHEMA`].
    pub schema: &'static str,
    /// Which bootline.
    pub tool: &'static str,
    /// The experiment's name.
    pub experiment: String,
    /// The question.
    pub about: String,
    /// Which of the five documents whose figures it meets.
    pub seed: Option<u8>,
    /// What the order was drawn from.
    pub random_seed: u64,
    /// The arm that ratios refer to.
    pub base: Option<String>,
    /// Whether all runs that were wanted are there.
    pub complete: bool,
    /// The machine of the first run.
    pub host: Option<Host>,
    /// QEMU's own words for its versions.
    pub qemu_versions: Vec<String>,
    /// One for each arm that was wanted or has runs, in the file's order.
    pub arms: Vec<ArmResult>,
    /// The claims, in the file's order.
    pub claims: Vec<ClaimResult>,
}

/// What an arm's runs say.
#[derive(Clone, Debug, Serialize)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// What is measured.
    pub metric: Metric,
    /// The kernel, as the experiment names it.
    pub kernel: String,
    /// What `uname -r` says in a stock kernel.
    pub release: Option<String>,
    /// The series that stood in for the one that was named.
    pub substitute_for: Option<String>,
    /// What runs it.
    pub arch: Option<Arch>,
    /// The line's speed; none where instructions were counted.
    pub baud: Option<u32>,
    /// Processors.
    pub smp: u32,
    /// Words for the kernel's command line.
    pub append: String,
    /// The runs that are there.
    pub runs: Vec<RunResult>,
    /// Attempts that could not be believed, the repeated ones among them.
    pub invalid: u32,
    /// The median of the valid runs; none without any.
    pub measured: Option<Measured>,
    /// The ratio to the base.
    pub ratio: Option<Estimate>,
    /// Two groups that the runs fall into: the median is then neither's.
    pub groups: Option<RunGroups>,
    /// What was predicted.
    pub predicted: Option<Predicted>,
    /// Why nothing was, where something should have been.
    pub not_predicted: Option<String>,
    /// What became of the prediction.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// What somebody published.
    pub published: Option<Published>,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// Its folder within the results.
    pub dir: String,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: boot::RunVerdict,
    /// What was measured; none in runs that don't count.
    pub value: Option<MetricValue>,
}

/// A median.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// From so many runs.
    pub n: usize,
    /// The interval's lower bound.
    pub low: MetricValue,
    /// The median.
    pub median: MetricValue,
    /// The interval's upper bound.
    pub high: MetricValue,
    /// In how many cases of 1 such an interval holds the true median.
    pub confidence: f64,
}

/// Two groups of runs.
#[derive(Clone, Copy, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
pub struct Predicted {
    /// The arm whose captures it was made from.
    pub from: String,
    /// From so many captures.
    pub n: usize,
    /// The settings that turn that arm into this one.
    pub change: String,
    /// The least of the lower bounds.
    pub low: MetricValue,
    /// The median of the best values.
    pub best: MetricValue,
    /// The greatest of the upper bounds.
    pub high: MetricValue,
    /// How far the best is from the measured median, as a share of it, with its sign.
    pub error: Option<f64>,
    /// What the first of them rests on.
    pub assumptions: Vec<String>,
}

/// What became of a claim.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimResult {
    /// In words.
    pub text: String,
    /// The arm above the line.
    pub arm: String,
    /// The arm below it; none where the claim is on the figure of `arm` itself.
    pub of: Option<String>,
    /// What of both.
    pub metric: Metric,
    /// The least that the ratio is claimed to be, or the figure: in seconds where it is a time.
    pub at_least: Option<f64>,
    /// The most.
    pub at_most: Option<f64>,
    /// The ratio of the medians; none without `of`.
    pub ratio: Option<Estimate>,
    /// The median, in seconds where it is a time; none with `of`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<Estimate>,
    /// The answer.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A value of a metric. In JSON nanoseconds, as an integer, or a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MetricValue {
    /// A time.
    Time(Dur),
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

    /// How many verdicts are so.
    pub fn count(&self, of: VerdictKind) -> usize {
        self.verdicts().filter(|v| v.outcome == of).count()
    }
}
