// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries out the missing runs of an experiment. It can be interrupted at any time, and continues where it stopped.
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bootline_capture::units::Dur;
use bootline_images::systems::System;
use regex::bytes::Regex;

use super::definition::{Arm, Experiment};
use super::plan::{ExperimentPlan, PlannedRun};
use super::results::ResultsDir;
use super::systems::ArmImages;
use crate::boot::{BootError, BootOutcome, BootProgress, BootRequest, RunVerdict, Truth, set_aside};
use crate::machine::Accel;
use crate::qemu::QemuError;

/// How boots are carried out: `boot::boot_valid`, or a fake in tests.
pub type Booter<'b> =
    dyn FnMut(&BootRequest, u32, &mut dyn FnMut(&BootProgress<'_>)) -> Result<BootOutcome, BootError> + 'b;

/// Progress of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentStatus<'a> {
    /// The arm that boots.
    pub arm: &'a str,
    /// Whether this is a warm-up run.
    pub warm_up: bool,
    /// Number of complete runs.
    pub done: usize,
    /// Number of wanted runs.
    pub wanted: usize,
    /// Number of invalid attempts so far.
    pub invalid: u32,
    /// Estimated time left, from the duration of earlier runs; none before the first one.
    pub left: Option<Dur>,
    /// The boot itself; none when it begins.
    pub boot: Option<BootProgress<'a>>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExperimentEnd {
    /// All wanted runs are complete.
    Complete,
    /// It was cancelled.
    Stopped,
}

/// Why an experiment could not continue. Finished runs are kept.
#[derive(Debug, thiserror::Error)]
#[error("the run of arm `{arm}` failed: {source}")]
pub struct RunError {
    /// The arm.
    pub arm: String,
    /// Why.
    pub source: BootError,
}

/// Carries out the missing runs. `tell` is called about ten times a second.
///
/// # Errors
/// The lab failed. A run that panics, hangs or stays invalid is a result, not an error.
pub fn carry_out(
    experiment: &Experiment,
    plan: &ExperimentPlan,
    images: &ArmImages,
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
        let arm = quickest(experiment, plan).unwrap_or(&first.arm).to_owned();
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
    images: &'r ArmImages,
    cancel: &'r AtomicBool,
    boot: &'r mut Booter<'b>,
    report_status: &'r mut dyn FnMut(&ExperimentStatus<'_>),
    pace: RunDurations,
    invalid: u32,
}

impl Runner<'_, '_> {
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
        let request = request(self.experiment, spec, self.images, dir);
        ResultsDir::make_room(dir).map_err(failed)?;
        // Attempts that were invalid before an interruption count.
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
                // One crash of the emulator must not cost a night's runs; its files are kept, and the attempt is
                // counted.
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

/// The arm for warm-up runs. They warm up the host, so the arm with the smallest system and the fastest line will do.
fn quickest<'e>(experiment: &'e Experiment, plan: &ExperimentPlan) -> Option<&'e str> {
    let arms = experiment.arms.iter().filter(|a| plan.arms.contains(&a.name));
    let line = |a: &Arm| a.baud.map_or(if a.icount { u32::MAX } else { 115_200 }, |b| b.get());
    let size = |a: &Arm| a.system.as_ref().map_or(0, |s| s.root.system().map_or(u32::MAX, System::image_mib));
    arms.max_by_key(|a| (Reverse(size(a)), line(a))).map(|a| a.name.as_str())
}

/// The boot of an arm.
fn request(experiment: &Experiment, arm: &Arm, images: &ArmImages, dir: &Path) -> BootRequest {
    let kernel = &images.kernels[&arm.name];
    BootRequest {
        system: arm.system.as_ref().map(|system| images.systems[&arm.name].boot(system)),
        marker: arm.marker.as_deref().map(|text| Regex::new(text).expect("checked when the file was read")),
        loader: arm.loader.map(|loader| images.loaders[&arm.name].boot(loader)),
        initrd: arm.initrd.clone(),
        no_initramfs: !arm.initramfs,
        dtb: arm.dtb.clone(),
        append: arm.append.clone(),
        arch: Some(kernel.arch),
        baud: arm.baud,
        accel: if arm.icount { Accel::Icount } else { Accel::default() },
        smp: arm.smp,
        cpu_model: arm.cpu_model.clone(),
        instruction_time: arm.instruction_time,
        memory_mib: arm.memory_mib,
        // A fault for one can take longer than what a module times.
        no_huge_pages: experiment.has_module_times(),
        modules: kernel.modules.clone(),
        lines: arm.lines,
        trace_registers: arm.trace_registers,
        ..BootRequest::new(&kernel.path, dir)
    }
}

fn since(began: Instant) -> Dur {
    Dur::from_nanos(i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX))
}

/// Duration of an earlier run, from its truth.
fn duration(truth: &Truth) -> Dur {
    let multi_user = truth.system.as_ref().and_then(|s| s.multi_user_ns);
    let ends = [truth.last_byte_ns, truth.init_ns, truth.marker_ns, multi_user];
    ends.into_iter().flatten().max().map_or(Dur::ZERO, |end| end - truth.qemu_started_ns)
}

/// Durations of runs, by arm.
#[derive(Debug, Default)]
struct RunDurations(BTreeMap<String, (Dur, i64)>);

impl RunDurations {
    fn took(&mut self, arm: &str, time: Dur) {
        let (sum, n) = self.0.entry(arm.to_owned()).or_default();
        (*sum, *n) = (*sum + time, *n + 1);
    }

    /// Mean duration of this arm, or of all arms if it has not run yet.
    fn of(&self, arm: &str) -> Option<Dur> {
        if let Some((sum, n)) = self.0.get(arm) {
            return Some(*sum / *n);
        }
        let means: Vec<Dur> = self.0.values().map(|(sum, n)| *sum / *n).collect();
        (!means.is_empty()).then(|| means.iter().copied().sum::<Dur>() / means.len() as i64)
    }

    /// Estimated time for the runs of `todo` and `also`, less what the first of them has taken so far.
    fn left(&self, todo: &[&PlannedRun], also: Option<&str>, elapsed: Dur) -> Option<Dur> {
        let mut arms = also.into_iter().chain(todo.iter().map(|run| run.arm.as_str()));
        let first = (self.of(arms.next()?)? - elapsed).max_zero();
        arms.map(|arm| self.of(arm)).sum::<Option<Dur>>().map(|rest| first + rest)
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
