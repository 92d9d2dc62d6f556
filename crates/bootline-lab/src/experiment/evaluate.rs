// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates the runs in a folder: medians, ratios, predictions next to them, verdicts. It boots nothing, so a result
//! can be recomputed at any time.
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bootline_analysis::predict::{Assumption, Change, Prediction, PredictionError};
use bootline_analysis::whole_change::{WholeChange, WholePrediction, WholePredictionError};
use bootline_capture::units::{Dur, HostTime, Interval};
use bootline_images::systems::{APPLICATION_UNIT, MULTI_USER_UNIT, RootState};
use bootline_stats::{
    ClaimLimits, Estimate, Reason, Samples, Tolerance, Verdict as Judged, VerdictKind, difference_of_medians, groups,
    judge_claim, judge_prediction, median, ratio_of_medians,
};

use super::bench_record;
use super::definition::{Arm, ArmRoot, Claim, Comparison, Experiment};
use super::differences::differences;
use super::metric::Metric;
use super::plan::{ExperimentPlan, PlannedRun};
use super::result::{
    ArmResult, ClaimResult, Measured, MetricValue, Outcome, Predicted, RESULT_SCHEMA, RunGroups, RunResult,
};
use super::results::ResultsDir;
use super::stall_reports;
use crate::boot::{RunVerdict, Truth};

/// The bootstrap's draws come from this seed: the same runs give the same intervals.
const SEED: u64 = 1;

/// Reads captures. The lab knows how to make them, not how to interpret them.
pub trait Analyst {
    /// How long the boot waited for what was stored when the console registered.
    fn flush_gap(&mut self, run: &Path) -> Option<Dur>;

    /// When the last byte of the boot's own log was transmitted, before the guest was told to power off.
    fn log_complete(&mut self, run: &Path) -> Option<HostTime>;

    /// Predicts the boot with a change, from the capture alone.
    ///
    /// # Errors
    /// The capture can't be used, or lacks what the prediction needs.
    fn predict(&mut self, run: &Path, change: &Change) -> Result<Prediction, AnalystError>;

    /// Predicts the boot of a whole system with a change, up to this unit, from the capture and the system's own account of its boot.
    ///
    /// # Errors
    /// They can't be used, or lack what the prediction needs.
    fn predict_whole(&mut self, run: &Path, change: &WholeChange, unit: &str) -> Result<WholePrediction, AnalystError>;
}

/// Why the capture of a run gives no prediction.
#[derive(Debug, thiserror::Error)]
pub enum AnalystError {
    /// It can't be read, or can't be joined with the kernel's own log.
    #[error("{reason}")]
    Unreadable {
        /// What failed, with its object.
        reason: String,
    },
    /// It contains no kernel log.
    #[error("its capture shows no kernel")]
    NoKernel,
    /// The boot lacks what a prediction needs.
    #[error(transparent)]
    Prediction(#[from] PredictionError),
    /// The boot of the whole system does.
    #[error(transparent)]
    Whole(#[from] WholePredictionError),
}

/// Evaluates the runs in a folder.
pub fn evaluate(
    experiment: &Experiment,
    plan: &ExperimentPlan,
    results: &ResultsDir,
    analyst: &mut dyn Analyst,
) -> Outcome {
    let mut arms: Vec<(&Arm, Vec<CompleteRun>)> =
        experiment.arms.iter().map(|arm| (arm, complete_runs(results, arm))).collect();
    let complete = plan.arms.iter().all(|name| {
        let there = arms.iter().find(|(arm, _)| arm.name == *name).map_or(0, |(_, runs)| runs.len());
        there >= plan.runs_per_arm as usize
    });
    arms.retain(|(arm, runs)| plan.arms.contains(&arm.name) || !runs.is_empty());
    let mut evaluation = Evaluation { experiment, results, analyst, runs: HashMap::new(), values: HashMap::new() };
    let truths = || arms.iter().flat_map(|(_, runs)| runs).map(|run| &run.truth);
    let host = truths().next().map(|truth| truth.host.clone());
    let mut qemu_versions: Vec<String> = truths().map(|truth| truth.qemu_version.clone()).collect();
    qemu_versions.sort();
    qemu_versions.dedup();
    let loops = || truths().flat_map(|truth| truth.host.loop_ns.iter().copied());
    let host_loop_ns = loops().min().zip(loops().max()).map(|(shortest, longest)| [shortest, longest]);
    let order: Vec<&Arm> = arms.iter().map(|(arm, _)| *arm).collect();
    evaluation.runs = arms.into_iter().map(|(arm, runs)| (arm.name.as_str(), runs)).collect();
    Outcome {
        schema: RESULT_SCHEMA,
        tool: concat!("bootline ", env!("CARGO_PKG_VERSION")),
        experiment: experiment.name.clone(),
        about: experiment.about.clone(),
        seed: experiment.seed,
        random_seed: results.state().random_seed,
        base: experiment.base.clone(),
        complete,
        host,
        host_loop_ns,
        qemu_versions,
        arms: order.into_iter().map(|arm| evaluation.arm(arm)).collect(),
        claims: experiment.claims.iter().map(|claim| evaluation.claim(claim)).collect(),
    }
}

/// A complete run.
struct CompleteRun {
    dir: PathBuf,
    truth: Truth,
    repeated: u32,
}

/// All complete runs of the arm, even if the plan now wants fewer.
fn complete_runs(results: &ResultsDir, arm: &Arm) -> Vec<CompleteRun> {
    let run = |round| {
        let dir = results.run_dir(&PlannedRun { arm: arm.name.clone(), round });
        let truth = ResultsDir::finished(&dir)?;
        Some(CompleteRun { repeated: ResultsDir::repeated(&dir), dir, truth })
    };
    // Tries every possible run: one that can't be read must not hide those after it.
    (1..=1000).filter_map(run).collect()
}

struct Evaluation<'e> {
    experiment: &'e Experiment,
    results: &'e ResultsDir,
    analyst: &'e mut dyn Analyst,
    runs: HashMap<&'e str, Vec<CompleteRun>>,
    values: HashMap<(String, Metric), Vec<Option<f64>>>,
}

impl Evaluation<'_> {
    fn arm(&mut self, arm: &Arm) -> ArmResult {
        let metric = arm.metric;
        let values = self.values(&arm.name, metric);
        let samples = Samples::new(values.iter().copied().flatten());
        let quantity = |value| MetricValue::of(metric, value);
        let estimate = samples.as_ref().map(|s| median(s, SEED));
        let measured = samples.as_ref().zip(estimate).map(|(s, e)| Measured {
            n: s.n(),
            low: quantity(e.low),
            median: quantity(e.best),
            high: quantity(e.high),
            confidence: e.confidence,
        });
        let groups = samples.as_ref().and_then(groups).map(|g| RunGroups {
            lower: g.lower,
            upper: g.upper,
            below: quantity(g.below),
            above: quantity(g.above),
        });
        let (predicted, not_predicted) = match self.predicted(arm) {
            Some(Ok(predicted)) => (Some(predicted), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        let n = samples.as_ref().map_or(0, Samples::n);
        let verdict = predicted.as_ref().map(|p| {
            let interval = (p.low.as_f64(), p.best.as_f64(), p.high.as_f64());
            let needed = Tolerance::default().runs;
            let too_few =
                Judged { outcome: VerdictKind::Inconclusive, reason: Reason::TooFew { valid: p.n.min(n), needed } };
            match estimate {
                Some(measured) if p.n.min(n) >= needed => judge_prediction(interval, measured, n, Tolerance::default()),
                _ => too_few,
            }
        });
        let predicted = predicted.map(|p| Predicted { error: estimate.map(|e| p.best.as_f64() / e.best - 1.0), ..p });
        let kernel = self.results.state().kernels.get(&arm.name).cloned();
        let runs = self.runs_of(&arm.name);
        let invalid = runs.iter().map(|r| r.repeated + u32::from(r.truth.verdict == RunVerdict::Invalid)).sum();
        let run = |(complete_runs, value): (&CompleteRun, &Option<f64>)| RunResult {
            dir: complete_runs
                .dir
                .strip_prefix(self.results.dir())
                .unwrap_or(&complete_runs.dir)
                .to_string_lossy()
                .into_owned(),
            verdict: complete_runs.truth.verdict.clone(),
            value: value.map(quantity),
        };
        ArmResult {
            name: arm.name.clone(),
            metric,
            kernel: arm.image.to_string(),
            release: kernel.as_ref().and_then(|k| k.release.clone()),
            built: kernel.as_ref().and_then(|k| k.built.clone()),
            substitute_for: kernel.as_ref().and_then(|k| k.substitute_for.clone()),
            arch: kernel.as_ref().map(|k| k.arch),
            baud: runs.first().and_then(|r| r.truth.line).map(|l| l.baud).or(arm.baud).map(|b| b.get()),
            smp: arm.smp,
            cpu_model: arm.cpu_model.clone(),
            instruction_ns: arm.instruction_time,
            memory_mib: arm.memory_mib,
            added_memory_mib: arm.system.as_ref().map(|s| s.added_memory_mib).filter(|mib| *mib > 0),
            append: arm.append.clone(),
            system: arm.system.as_ref().and_then(|s| s.root.system()),
            root: arm.system.as_ref().and_then(|s| root_name(&s.root)),
            root_state: arm.system.as_ref().map(|s| s.state).filter(|s| *s != RootState::Settled),
            root_files: arm.system.iter().flat_map(|s| s.changes.files.keys().cloned()).collect(),
            root_without: arm.system.iter().flat_map(|s| s.changes.without.iter().cloned()).collect(),
            storage: arm.system.as_ref().and_then(|s| s.storage),
            file_system: arm.system.as_ref().filter(|s| s.root.system().is_some()).map(|s| s.format),
            bus: arm.system.as_ref().and_then(|s| s.bus()),
            absent: arm.system.as_ref().map(|s| s.hardware.absent.clone()).unwrap_or_default(),
            without_initramfs: !arm.initramfs,
            loader: arm.loader.map(|l| l.loader),
            loader_setup: arm.loader.map(|l| l.setup),
            runs: runs.iter().zip(&values).map(run).collect(),
            invalid,
            measured,
            ratio: self.ratio_to_base(arm),
            groups,
            predicted,
            not_predicted,
            verdict,
            published: arm.published.clone(),
            published_saving: arm.published_saving.clone(),
            saving: self.saving(arm),
        }
    }

    /// What the arm takes less than the one that its published saving refers to, in seconds, by the arm's own metric.
    fn saving(&mut self, arm: &Arm) -> Option<Estimate> {
        let of = &arm.published_saving.as_ref()?.of;
        self.difference(of, &arm.name, arm.metric).map(|(saving, _)| saving)
    }

    /// By how much the first arm's median is greater, in the unit of claims, and the number of runs of the arm that has fewer.
    fn difference(&mut self, arm: &str, than: &str, metric: Metric) -> Option<(Estimate, usize)> {
        let mut samples = |name: &str| Samples::new(self.seconds(name, metric));
        let (a, b) = (samples(arm)?, samples(than)?);
        Some((difference_of_medians(&a, &b, SEED), a.n().min(b.n())))
    }

    /// The ratio to the base; none if the metrics differ.
    fn ratio_to_base(&mut self, arm: &Arm) -> Option<Estimate> {
        let base = self.experiment.base.as_deref().and_then(|name| self.experiment.arm(name))?;
        if base.name == arm.name || base.metric != arm.metric {
            return None;
        }
        self.ratio(&arm.name, &base.name, arm.metric).map(|(ratio, _)| ratio)
    }

    /// The ratio of two medians, and the number of runs of the arm that has fewer.
    fn ratio(&mut self, arm: &str, of: &str, metric: Metric) -> Option<(Estimate, usize)> {
        let mut samples = |name| Samples::new(self.values(name, metric).into_iter().flatten());
        let (a, b) = (samples(arm)?, samples(of)?);
        Some((ratio_of_medians(&a, &b, SEED)?, a.n().min(b.n())))
    }

    /// An arm's median, in the unit of claims, and the number of its runs.
    fn figure(&mut self, arm: &str, metric: Metric) -> Option<(Estimate, usize)> {
        let samples = Samples::new(self.seconds(arm, metric))?;
        Some((median(&samples, SEED), samples.n()))
    }

    /// An arm's values, in seconds if they are times.
    fn seconds(&mut self, arm: &str, metric: Metric) -> impl Iterator<Item = f64> + use<> {
        let scale = if metric.is_time() { 1e-9 } else { 1.0 };
        self.values(arm, metric).into_iter().flatten().map(move |value| value * scale)
    }

    fn claim(&mut self, claim: &Claim) -> ClaimResult {
        let (found, of, than) = match &claim.to {
            Comparison::RatioTo(of) => (self.ratio(&claim.arm, of, claim.metric), Some(of.clone()), None),
            Comparison::DifferenceFrom(than) => {
                (self.difference(&claim.arm, than, claim.metric), None, Some(than.clone()))
            }
            Comparison::None => (self.figure(&claim.arm, claim.metric), None, None),
        };
        let estimate = found.map(|(estimate, _)| estimate);
        let limits = ClaimLimits { at_least: claim.at_least, at_most: claim.at_most };
        let not_measured = Judged { outcome: VerdictKind::Inconclusive, reason: Reason::NotMeasured };
        let mut best = |arm| Some(Samples::new(self.seconds(arm, claim.metric))?.median());
        let other = of.as_deref().or(than.as_deref());
        let medians = other.and_then(|other| Some([best(&claim.arm)?, best(other)?]));
        ClaimResult {
            text: claim.text.clone(),
            arm: claim.arm.clone(),
            metric: claim.metric,
            at_least: claim.at_least,
            at_most: claim.at_most,
            ratio: estimate.filter(|_| of.is_some()),
            difference: estimate.filter(|_| than.is_some()),
            medians,
            figure: estimate.filter(|_| claim.to == Comparison::None),
            of,
            than,
            verdict: found.map_or(not_measured, |(found, n)| judge_claim(limits, found, n, Tolerance::default().runs)),
        }
    }

    /// The prediction of an arm; none if nothing is to be predicted.
    fn predicted(&mut self, arm: &Arm) -> Option<Result<Predicted, String>> {
        let from = arm.predict_from.as_ref().or(self.experiment.base.as_ref())?;
        let from = self.experiment.arm(from)?;
        if from.name == arm.name || arm.predict.as_ref().is_some_and(|c| c.is_empty()) {
            return None;
        }
        if arm.system.is_some() != from.system.is_some() {
            return Some(Err(
                "a whole system is not predicted from the lab's own init, nor the other way round".to_owned()
            ));
        }
        if arm.system.is_none() && (arm.loader.is_some() || from.loader.is_some()) {
            return Some(Err("a boot by a boot loader is predicted only of a whole system".to_owned()));
        }
        let change = match &arm.predict {
            Some(change) => change.clone(),
            // Arms without a console are not predicted, and that is not reported.
            None if arm.icount || from.icount => return None,
            None => match differences(from, arm) {
                Ok(change) => change,
                Err(why) => return Some(Err(why)),
            },
        };
        Some(self.predict_from(from, arm, &change))
    }

    fn predict_from(&mut self, from: &Arm, arm: &Arm, change: &WholeChange) -> Result<Predicted, String> {
        let metric = arm.metric;
        let runs = self.runs.get(from.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        let mut found = Vec::new();
        let mut assumptions = None;
        for run in runs.iter().filter(|r| r.truth.verdict == RunVerdict::Valid) {
            let (interval, of_run) = predicted_of_run(run, from, change, metric, self.analyst)?;
            found.push((interval.low(), interval.best(), interval.high()));
            assumptions.get_or_insert_with(|| of_run.into_iter().map(|a| a.text).collect::<Vec<_>>());
        }
        let bests = Samples::new(found.iter().map(|f| f.1.as_nanos() as f64));
        let bests = bests.ok_or_else(|| format!("arm `{}` has no valid run to predict from", from.name))?;
        let best = Dur::from_nanos(bests.median().round() as i64);
        let low = found.iter().map(|f| f.0).min().unwrap_or(best).min(best);
        let high = found.iter().map(|f| f.2).max().unwrap_or(best).max(best);
        Ok(Predicted {
            from: from.name.clone(),
            n: found.len(),
            change: change.to_string(),
            low: MetricValue::Time(low),
            best: MetricValue::Time(best),
            high: MetricValue::Time(high),
            error: None,
            assumptions: assumptions.unwrap_or_default(),
        })
    }

    fn runs_of(&self, arm: &str) -> &[CompleteRun] {
        self.runs.get(arm).map(Vec::as_slice).unwrap_or_default()
    }

    /// One value per run; none if the run does not count or has nothing to measure.
    fn values(&mut self, arm: &str, metric: Metric) -> Vec<Option<f64>> {
        let key = (arm.to_owned(), metric);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        let runs = self.runs.get(arm).map(Vec::as_slice).unwrap_or_default();
        let values: Vec<Option<f64>> = runs.iter().map(|run| value(run, metric, self.analyst)).collect();
        self.values.insert(key, values.clone());
        values
    }
}

/// The file of a root of the user's own, without its folder, which tells of this machine.
fn root_name(root: &ArmRoot) -> Option<String> {
    match root {
        ArmRoot::Lab(_) => None,
        ArmRoot::Own { path, .. } => Some(path.file_name()?.to_string_lossy().into_owned()),
    }
}

fn value(run: &CompleteRun, metric: Metric, analyst: &mut dyn Analyst) -> Option<f64> {
    let truth = &run.truth;
    // With the user's own initramfs, init is recognised by its line on the console.
    let init = match truth.verdict {
        RunVerdict::Valid => truth.init_ns,
        RunVerdict::Unchecked => truth.marker_ns,
        _ => return None,
    };
    let system = || truth.system.as_ref();
    let time = match metric {
        Metric::TimeToInit => init? - truth.first_byte_ns.filter(|first| *first < init.unwrap_or(*first))?,
        Metric::SinceStart => init? - truth.qemu_started_ns,
        Metric::ModulesLoaded => truth.loaded_ns? - truth.qemu_started_ns,
        Metric::UserSpace => truth.reported_ns? - truth.qemu_started_ns,
        Metric::LogComplete => analyst.log_complete(&run.dir)? - truth.first_byte_ns?,
        Metric::LogSinceStart => analyst.log_complete(&run.dir)? - truth.qemu_started_ns,
        Metric::LogLag => (analyst.log_complete(&run.dir)? - init?).max_zero(),
        Metric::LogAfterPicture => (analyst.log_complete(&run.dir)? - system()?.picture_seen_ns?).max_zero(),
        Metric::GuestTime => truth.init_guest_ns?,
        Metric::FlushGap => analyst.flush_gap(&run.dir)?,
        Metric::PrintkLines => truth.lines?.guest_ns,
        Metric::PrintkBench | Metric::UartBench | Metric::IrqsOff | Metric::PreemptOff => {
            return bench_record::value(&run.dir, metric);
        }
        Metric::Handoff => system()?.handoff_ns? - truth.qemu_started_ns,
        Metric::ApplicationStart => system()?.application_start()? - truth.qemu_started_ns,
        Metric::Application => system()?.application_ns? - truth.qemu_started_ns,
        Metric::ApplicationAfterHandoff => system()?.application_ns? - system()?.handoff_ns?,
        Metric::PictureSeen => system()?.picture_seen_ns? - truth.qemu_started_ns,
        Metric::SocketAnswered => system()?.socket_answered_ns? - truth.qemu_started_ns,
        Metric::MultiUser => system()?.multi_user_ns? - truth.qemu_started_ns,
        Metric::ProcessorToHandoff => system()?.processor_until_handoff()?,
        Metric::ProcessorToApplication => system()?.processor_until_application()?,
        Metric::ProcessorToMultiUser => system()?.processor_until_multi_user()?,
        Metric::Marker => truth.marker_ns? - truth.qemu_started_ns,
        Metric::Stalls => return stall_reports::count(&run.dir),
        Metric::LineUse => return truth.fidelity.flush_rate_ratio,
        Metric::RegisterReadsPerByte => {
            let accesses = truth.registers.as_ref()?;
            let count = accesses.lines.as_ref().unwrap_or(&accesses.before_init);
            return (count.bytes > 0).then(|| count.reads as f64 / count.bytes as f64);
        }
    };
    Some(time.as_nanos() as f64)
}

/// The value of a metric after a change to one run, and what it takes for granted.
fn predicted_of_run(
    run: &CompleteRun,
    from: &Arm,
    change: &WholeChange,
    metric: Metric,
    analyst: &mut dyn Analyst,
) -> Result<(Interval, Vec<Assumption>), String> {
    let not_predicted = || format!("`{metric}` is not predicted from arm `{}`", from.name);
    if from.system.is_some() {
        let unit = unit_of(metric).ok_or_else(not_predicted)?;
        // Up to the unit that it belongs to: what comes after that stays as it was.
        let now = value(run, metric, analyst).ok_or_else(not_predicted)?;
        let prediction = analyst.predict_whole(&run.dir, change, unit).map_err(|e| e.to_string())?;
        let now = Interval::exact(Dur::from_nanos(now.round() as i64));
        return Ok((now + -prediction.saved, prediction.assumptions));
    }
    let prediction = analyst.predict(&run.dir, change.console()).map_err(|e| e.to_string())?;
    let predicted = predicted_value(&prediction, &run.truth, metric).ok_or_else(not_predicted)?;
    Ok((predicted, prediction.assumptions))
}

/// The unit of a whole system that reaches the moment of a metric.
fn unit_of(metric: Metric) -> Option<&'static str> {
    match metric {
        Metric::ApplicationStart | Metric::Application | Metric::PictureSeen | Metric::SocketAnswered => {
            Some(APPLICATION_UNIT)
        }
        Metric::MultiUser => Some(MULTI_USER_UNIT),
        _ => None,
    }
}

/// The value of a metric in a prediction from a run.
fn predicted_value(prediction: &Prediction, run: &Truth, metric: Metric) -> Option<Interval> {
    let since_start = |since_first_byte: Interval| {
        let before = run.first_byte_ns? - run.qemu_started_ns;
        Some(Interval::exact(before) + prediction.first_byte_shift + since_first_byte)
    };
    let interval = match metric {
        Metric::TimeToInit => prediction.time_to_init,
        Metric::SinceStart => since_start(prediction.time_to_init)?,
        Metric::LogComplete => prediction.log_complete?,
        Metric::LogSinceStart => since_start(prediction.log_complete?)?,
        Metric::LogLag
        | Metric::LogAfterPicture
        | Metric::GuestTime
        | Metric::RegisterReadsPerByte
        | Metric::PrintkLines
        | Metric::PrintkBench
        | Metric::UartBench
        | Metric::IrqsOff
        | Metric::PreemptOff
        | Metric::LineUse
        | Metric::Stalls
        | Metric::ModulesLoaded
        | Metric::UserSpace
        | Metric::FlushGap
        | Metric::Handoff
        | Metric::ApplicationStart
        | Metric::Application
        | Metric::ApplicationAfterHandoff
        | Metric::PictureSeen
        | Metric::SocketAnswered
        | Metric::MultiUser
        | Metric::ProcessorToHandoff
        | Metric::ProcessorToApplication
        | Metric::ProcessorToMultiUser
        | Metric::Marker => {
            return None;
        }
    };
    Some(interval)
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
