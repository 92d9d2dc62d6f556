// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out the runs of an experiment that are not there yet. It can be stopped at any time, by the user or by the
//! world, and goes on where it was.
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bootline_capture::units::Dur;

use super::definition::{Arm, Experiment};
use super::images::ArmKernel;
use super::plan::{ExperimentPlan, PlannedRun};
use super::results::ResultsDir;
use crate::boot::{BootError, BootOutcome, BootProgress, BootRequest, RunVerdict, Truth, set_aside};
use crate::machine::Accel;
use crate::qemu::QemuError;

/// How boots are carried out: `boot::boot_valid`, or in a test something that only seems to.
pub type Booter<'b> =
    dyn FnMut(&BootRequest, u32, &mut dyn FnMut(&BootProgress<'_>)) -> Result<BootOutcome, BootError> + 'b;

/// How far an experiment has come.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentStatus<'a> {
    /// The arm that boots.
    pub arm: &'a str,
    /// Whether the run will be thrown away.
    pub warm_up: bool,
    /// Runs that are there.
    pub done: usize,
    /// Runs that are wanted.
    pub wanted: usize,
    /// Attempts so far that could not be believed.
    pub invalid: u32,
    /// By how long runs have taken; none before the first one.
    pub left: Option<Dur>,
    /// The boot itself; none when it begins.
    pub boot: Option<BootProgress<'a>>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExperimentEnd {
    /// All runs that are wanted are there.
    Complete,
    /// It was called off.
    Stopped,
}

/// Why it could not go on. What was finished is kept.
#[derive(Debug, thiserror::Error)]
#[error("the run of arm `{arm}` failed: {source}")]
pub struct RunError {
    /// The arm.
    pub arm: String,
    /// Why.
    pub source: BootError,
}

/// Carries out what is not there yet. `tell` is called about ten times a second.
///
/// # Errors
/// The lab failed. A run that panics, hangs or stays invalid is a result and no error.
pub fn carry_out(
    experiment: &Experiment,
    plan: &ExperimentPlan,
    images: &BTreeMap<String, ArmKernel>,
    results: &ResultsDir,
    cancel: &AtomicBool,
    boot: &mut Booter<'_>,
    report_status: &mut dyn FnMut(&ExperimentStatus<'_>),
) -> Result<ExperimentEnd, RunError> {
    let runs = plan.runs(experiment, results.state().random_seed);
    let mut runner =
        Runner { experiment, images, cancel, boot, report_status, pace: RunDurations::default(), invalid: 0 };
    let mut todo = Vec::new();
    for run in &runs {
        let dir = results.run_dir(run);
        runner.invalid += ResultsDir::repeated(&dir);
        match ResultsDir::finished(&dir) {
            Some(truth) => {
                runner.invalid += u32::from(truth.verdict == RunVerdict::Invalid);
                runner.pace.took(&run.arm, duration(&truth));
            }
            None => todo.push(run),
        }
    }
    let done = runs.len() - todo.len();
    if let Some(first) = todo.first() {
        let arm = runner.quickest(plan).unwrap_or(&first.arm).to_owned();
        for n in 1..=experiment.warm_up {
            let dir = results.warm_up_dir(n);
            if ResultsDir::finished(&dir).is_none() {
                runner.one(&arm, &dir, true, (done, runs.len()), &todo)?;
            }
            if cancel.load(Ordering::SeqCst) {
                return Ok(ExperimentEnd::Stopped);
            }
        }
    }
    for (i, run) in todo.iter().enumerate() {
        if cancel.load(Ordering::SeqCst) {
            return Ok(ExperimentEnd::Stopped);
        }
        runner.one(&run.arm, &results.run_dir(run), false, (done + i, runs.len()), &todo[i..])?;
    }
    Ok(if cancel.load(Ordering::SeqCst) { ExperimentEnd::Stopped } else { ExperimentEnd::Complete })
}

struct Runner<'r, 'b> {
    experiment: &'r Experiment,
    images: &'r BTreeMap<String, ArmKernel>,
    cancel: &'r AtomicBool,
    boot: &'r mut Booter<'b>,
    report_status: &'r mut dyn FnMut(&ExperimentStatus<'_>),
    pace: RunDurations,
    invalid: u32,
}

impl Runner<'_, '_> {
    /// What is warmed up is the host: any arm does, so the one with the fastest line is taken.
    fn quickest(&self, plan: &ExperimentPlan) -> Option<&str> {
        let arms = self.experiment.arms.iter().filter(|a| plan.arms.contains(&a.name));
        arms.max_by_key(|a| a.baud.map_or(if a.icount { u32::MAX } else { 115_200 }, |b| b.get()))
            .map(|a| a.name.as_str())
    }

    fn one(
        &mut self,
        arm: &str,
        dir: &Path,
        warm_up: bool,
        (done, wanted): (usize, usize),
        todo: &[&PlannedRun],
    ) -> Result<(), RunError> {
        let failed = |source| RunError { arm: arm.to_owned(), source };
        let spec = self.experiment.arm(arm).expect("plans name arms of their experiment");
        let request = request(spec, &self.images[arm], dir);
        ResultsDir::make_room(dir).map_err(failed)?;
        // What was invalid before an interruption counts.
        let attempts = self.experiment.attempts.saturating_sub(ResultsDir::repeated(dir)).max(1);
        let began = Instant::now();
        let status = ExperimentStatus { arm, warm_up, done, wanted, invalid: self.invalid, left: None, boot: None };
        let (pace, report_status) = (&self.pace, &mut *self.report_status);
        let left = |elapsed| pace.left(todo, warm_up.then_some(arm), elapsed);
        report_status(&ExperimentStatus { left: left(Dur::ZERO), ..status });
        let mut watch = |boot: &BootProgress<'_>| {
            let left = left(since(began));
            report_status(&ExperimentStatus { left, boot: Some(*boot), ..status });
        };
        let mut tries = 1..attempts;
        let outcome = loop {
            match (self.boot)(&request, attempts, &mut watch) {
                // A night's runs are not to be lost by one emulator that died; what it left is kept and counted.
                Err(BootError::Qemu(QemuError::Died { .. })) if tries.next().is_some() => {
                    set_aside(dir, "invalid").map_err(failed)?;
                    self.invalid += 1;
                }
                outcome => break outcome.map_err(failed)?,
            }
        };
        let verdict = outcome.truth.verdict;
        if !warm_up {
            let last = u32::from(verdict == RunVerdict::Invalid);
            self.invalid += u32::try_from(outcome.discarded.len()).unwrap_or(u32::MAX) + last;
        }
        if !self.cancel.load(Ordering::SeqCst) {
            self.pace.took(arm, since(began));
        }
        Ok(())
    }
}

/// The boot of an arm.
fn request(arm: &Arm, image: &ArmKernel, dir: &Path) -> BootRequest {
    BootRequest {
        initrd: arm.initrd.clone(),
        append: arm.append.clone(),
        arch: Some(image.arch),
        baud: arm.baud,
        accel: if arm.icount { Accel::Icount } else { Accel::default() },
        smp: arm.smp,
        memory_mib: arm.memory_mib,
        modules: arm.modules.clone(),
        lines: arm.lines,
        trace_registers: arm.trace_registers,
        ..BootRequest::new(&image.path, dir)
    }
}

fn since(began: Instant) -> Dur {
    Dur::from_nanos(i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX))
}

/// How long a run of before took, by what it has left.
fn duration(truth: &Truth) -> Dur {
    let ends = [truth.last_byte_ns, truth.init_ns, truth.marker_ns];
    ends.into_iter().flatten().max().map_or(Dur::ZERO, |end| end - truth.qemu_started_ns)
}

/// How long runs take, arm by arm.
#[derive(Debug, Default)]
struct RunDurations(BTreeMap<String, (Dur, i64)>);

impl RunDurations {
    fn took(&mut self, arm: &str, time: Dur) {
        let (sum, n) = self.0.entry(arm.to_owned()).or_default();
        (*sum, *n) = (*sum + time, *n + 1);
    }

    /// The mean of this arm, or of all where it has not run yet.
    fn of(&self, arm: &str) -> Option<Dur> {
        if let Some((sum, n)) = self.0.get(arm) {
            return Some(*sum / *n);
        }
        let means: Vec<Dur> = self.0.values().map(|(sum, n)| *sum / *n).collect();
        (!means.is_empty()).then(|| means.iter().copied().sum::<Dur>() / means.len() as i64)
    }

    /// The runs of `todo`, and `also`, less what the first of them has taken.
    fn left(&self, todo: &[&PlannedRun], also: Option<&str>, elapsed: Dur) -> Option<Dur> {
        let mut arms = also.into_iter().chain(todo.iter().map(|run| run.arm.as_str()));
        let first = (self.of(arms.next()?)? - elapsed).max_zero();
        arms.map(|arm| self.of(arm)).sum::<Option<Dur>>().map(|rest| first + rest)
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
