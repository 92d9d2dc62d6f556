// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a boot and a change to a prediction: the boot's workload, run on the changed setup.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::boot_workload::{self, BootWorkload, Bound, ConsoleLockTaker, ConsolePlan, END, READY, REGISTERED};
use super::change::Change;
use super::message_bytes::{SAME_KERNEL, other_kernels};
use super::prediction::{Prediction, PredictionError};
use super::scenario::Scenario;
use super::setting::Setting;
use super::system_changes::system_changes;
use super::terminal_output::{OutputSetup, TerminalOutput};
use super::wording;
use bootline_boot::{Boot, BootEnd, Clock, TimeOrigin};
use bootline_capture::units::{Dur, Interval};
use bootline_console::{SimulationSetup, Workload, simulate_times};
use bootline_records::RecordOrigin;

/// What is computed of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Best estimates with their intervals: up to nine runs of the model.
    Intervals,
    /// Best estimates alone: one run. The intervals are meaningless.
    Best,
}

/// The times of a prediction: see [`Prediction`], whose fields have the same names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedTimes {
    pub time_to_init: Interval,
    pub log_complete: Option<Interval>,
    pub saved: Interval,
    pub first_byte_shift: Interval,
}

/// A boot, prepared for predictions.
pub struct Predictor<'a> {
    boot: &'a Boot,
    end: &'a BootEnd,
    precision: Precision,
    baseline: Scenario,
    /// The boot's workload under each degree of contention.
    boot_workloads: Vec<(Bound, BootWorkload)>,
    /// Who takes the console lock, in every scenario alike.
    lock_takers: Vec<ConsoleLockTaker>,
    baseline_plan: ConsolePlan,
    /// Runs of the baseline, cached.
    baseline_runs: RefCell<Vec<(Bound, Bound, ModelRun)>>,
    /// The operations of the plans that were asked for: most changes leave the boot's own as it is.
    workloads: RefCell<Workloads>,
}

/// One run of the model, in times of the boot's axis.
#[derive(Clone, Copy)]
struct ModelRun {
    init: Dur,
    opened: Option<Dur>,
    log_complete: Option<Dur>,
}

impl<'a> Predictor<'a> {
    /// Extracts a boot's workload and its setup. O(records).
    pub fn new(boot: &'a Boot) -> Result<Predictor<'a>, PredictionError> {
        Predictor::with(boot, Precision::Intervals)
    }

    /// The same, with this precision.
    pub(crate) fn with(boot: &'a Boot, precision: Precision) -> Result<Predictor<'a>, PredictionError> {
        if boot.timeline.clock == Clock::None {
            return Err(PredictionError::NoTimes);
        }
        let end = boot.end.as_ref().ok_or(PredictionError::NoEnd)?;
        let baseline = Scenario::baseline(boot)?;
        let kernel_records = boot.records.iter().take(boot.end_index()).any(|r| r.source == RecordOrigin::Kernel);
        if !kernel_records {
            return Err(PredictionError::NotPrinted { level: boot.kernel.command_line.console_loglevel() });
        }
        let stamped = boot.records.iter().any(|r| r.source == RecordOrigin::Kernel && r.stamp.is_some());
        if !stamped && !baseline.writers_wait() {
            return Err(PredictionError::NoTimes);
        }
        let setup = |contention| baseline.setup(boot, Bound::Best, contention);
        // If no kthread competes, there is only one workload.
        let contentions = match precision {
            Precision::Intervals => baseline.contentions(&baseline),
            Precision::Best => &[Bound::Best],
        };
        let setups: Vec<SimulationSetup> = contentions.iter().map(|contention| setup(*contention)).collect();
        let boot_workloads = contentions.iter().copied().zip(BootWorkload::of(boot, &setups)).collect();
        let console = boot.line.as_ref().map_or("", |line| &line.console.name);
        let lock_takers = boot_workload::lock_takers(boot, console);
        let baseline_plan = baseline.plan(boot, &lock_takers);
        let (baseline_runs, workloads) = Default::default();
        Ok(Predictor {
            boot,
            end,
            precision,
            baseline,
            boot_workloads,
            lock_takers,
            baseline_plan,
            baseline_runs,
            workloads,
        })
    }

    /// The boot as captured.
    pub fn baseline(&self) -> Prediction {
        let first = self.boot.timeline.first_byte.unwrap_or_default();
        let until = self.boot.end_index();
        let transmitted = (0..until).filter_map(|i| self.boot.timeline.place(i).transmitted).map(|p| p.end).max();
        let bytes = self.boot_workload(Bound::Best).bytes(self.baseline.loglevel, &self.baseline_plan);
        Prediction {
            change: Change::default(),
            title: "baseline".to_owned(),
            time_to_init: self.end.elapsed,
            log_complete: transmitted
                .map(|end| Interval::exact(end - if self.since_first_byte() { first } else { self.reference() })),
            saved: Interval::exact(Dur::ZERO),
            first_byte_shift: Interval::exact(Dur::ZERO),
            bytes,
            price: String::new(),
            assumptions: Vec::new(),
            needs: Vec::new(),
        }
    }

    /// The boot with a change.
    pub fn predict(&self, change: &Change) -> Result<Prediction, PredictionError> {
        let (target, plan) = self.target(change)?;
        Ok(self.prediction_of(change, &target, &plan))
    }

    fn prediction_of(&self, change: &Change, target: &Scenario, plan: &ConsolePlan) -> Prediction {
        let times = self.times_of(change, target, plan);
        let boot_workload = self.boot_workload(Bound::Best);
        Prediction {
            change: *change,
            title: wording::title(change),
            time_to_init: times.time_to_init,
            log_complete: times.log_complete,
            saved: times.saved,
            first_byte_shift: times.first_byte_shift,
            bytes: boot_workload.bytes(target.loglevel, plan),
            price: wording::price(change, &self.baseline, target),
            assumptions: wording::assumptions(self.boot, boot_workload, change, &self.baseline, target),
            needs: system_changes(self.boot, change),
        }
    }

    /// The boot with a change, and what the change saves after the boot's end up to a moment of the axis: where a kthread prints, in
    /// this boot or that one, nothing, because nobody's wait for it is known.
    pub(crate) fn predict_until(&self, change: &Change, until: Dur) -> Result<(Prediction, Interval), PredictionError> {
        let (target, plan) = self.target(change)?;
        let mut prediction = self.prediction_of(change, &target, &plan);
        if self.boot.console_switch.is_some() || !self.baseline.is_synchronous() || !target.is_synchronous() {
            return Ok((prediction, Interval::exact(Dur::ZERO)));
        }
        let sets = |is: fn(Setting) -> bool| change.settings().any(is);
        let options = &self.boot.kernel.command_line;
        // Elsewhere, too, this level stands for `quiet`. An explicit systemd.show_status overrides it.
        let says_status = options.has("systemd.show_status") || options.value("systemd.show_status").is_some();
        let then = OutputSetup {
            rates: sets(|s| matches!(s, Setting::Baud(_) | Setting::Frame(_))).then_some(target.rates),
            without_status: sets(|s| s == Setting::LogLevel(4)) && !options.has("quiet") && !says_status,
            ..OutputSetup::of(&target)
        };
        let output = TerminalOutput::of(self.boot, self.end, until, &self.baseline);
        let saved = output.saved(&then);
        if saved != Interval::exact(Dur::ZERO) {
            prediction.assumptions.push(output.assumption());
        }
        Ok((prediction, saved))
    }

    /// Times of the boot with a change; the wording of the prediction is not made.
    pub(crate) fn times(&self, change: &Change) -> Result<PredictedTimes, PredictionError> {
        let (target, plan) = self.target(change)?;
        Ok(self.times_of(change, &target, &plan))
    }

    fn target(&self, change: &Change) -> Result<(Scenario, ConsolePlan), PredictionError> {
        let target = self.baseline.changed(self.boot, change)?;
        let mut plan = target.plan(self.boot, &self.lock_takers);
        // A plan that leaves out what is not there is the same as one that doesn't.
        let steps = &self.boot_workload(Bound::Best).steps;
        plan.without_initcall_debug &= steps.iter().any(|s| s.of_initcall_debug);
        plan.without_stalls &= steps.iter().any(|s| s.of_stall);
        Ok((target, plan))
    }

    fn times_of(&self, change: &Change, target: &Scenario, plan: &ConsolePlan) -> PredictedTimes {
        let (bounds, contentions): (&[Bound], &[Bound]) = match self.precision {
            Precision::Intervals => (&Bound::ALL, self.baseline.contentions(target)),
            Precision::Best => (&[Bound::Best], &[Bound::Best]),
        };
        let (mut times, mut logs, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
        for &bound in bounds {
            for &contention in contentions {
                // On a board the least contention is none, and so is the likeliest: the same run.
                let as_best =
                    |s: &Scenario| s.contention()[contention as usize] == s.contention()[Bound::Best as usize];
                if contention != Bound::Best && as_best(&self.baseline) && as_best(target) {
                    continue;
                }
                let now = self.run_baseline(bound, contention);
                let workload = self.workload(plan, bound, contention);
                let then = self.run(target, &workload, bound, contention);
                let best = bound == Bound::Best && contention == Bound::Best;
                let opened = then.opened.or(now.opened).unwrap_or_default();
                let reference = if self.since_first_byte() { opened } else { self.reference() };
                // Error of the model on the baseline, compared with the measurement: a prediction cannot be more
                // certain.
                let measured = self.end.elapsed.best();
                let reference_now =
                    if self.since_first_byte() { now.opened.unwrap_or_default() } else { self.reference() };
                let error = (now.init - reference_now - measured).abs();
                let error = if bound == Bound::Best { error } else { Dur::ZERO };
                // A log of one record may end before its first byte.
                times.push((best, (then.init - reference).max_zero(), error));
                logs.extend(then.log_complete.map(|l| (best, (l - reference).max_zero())));
                shifts.push((best, opened - now.opened.unwrap_or(opened)));
            }
        }
        let error = times.iter().find(|t| t.0).map_or(Dur::ZERO, |t| t.2);
        let boot_workload = self.boot_workload(Bound::Best);
        let error = error + boot_workload.work().scale(self.baseline.jitter());
        let best = times.iter().find(|t| t.0).map_or(Dur::ZERO, |t| t.1);
        let error = error
            + if change.settings().any(|s| matches!(s, Setting::Kernel { .. })) {
                best.scale(other_kernels(boot_workload, target))
            } else {
                (best - boot_workload.work()).max_zero().scale(SAME_KERNEL)
            };
        let time_to_init = envelope(times.iter().map(|t| (t.0, t.1)), error);
        let now = self.end.elapsed.best();
        PredictedTimes {
            time_to_init,
            log_complete: logs.iter().any(|l| l.0).then(|| envelope(logs.iter().copied(), error)),
            saved: Interval::new(now - time_to_init.high(), now - time_to_init.best(), now - time_to_init.low()),
            first_byte_shift: envelope(shifts.iter().copied(), Dur::ZERO),
        }
    }

    fn since_first_byte(&self) -> bool {
        self.end.since == TimeOrigin::KernelFirstByte
    }

    /// The instant of the axis from which the boot's own time to init counts.
    fn reference(&self) -> Dur {
        self.end.at.best() - self.end.elapsed.best()
    }

    fn boot_workload(&self, contention: Bound) -> &BootWorkload {
        &self.boot_workloads[self.boot_workload_index(contention)].1
    }

    fn boot_workload_index(&self, contention: Bound) -> usize {
        self.boot_workloads.iter().position(|(c, _)| *c == contention).unwrap_or_default()
    }

    /// The boot's operations in a plan at one bound.
    fn workload(&self, plan: &ConsolePlan, bound: Bound, contention: Bound) -> Rc<Workload> {
        let of = self.boot_workload_index(contention);
        let mut kept = self.workloads.borrow_mut();
        kept.of(plan, bound, of, || self.boot_workloads[of].1.workload(plan, bound))
    }

    fn run_baseline(&self, bound: Bound, contention: Bound) -> ModelRun {
        let known =
            self.baseline_runs.borrow().iter().find(|(s, c, _)| (*s, *c) == (bound, contention)).map(|known| known.2);
        known.unwrap_or_else(|| {
            let workload = self.workload(&self.baseline_plan, bound, contention);
            let run = self.run(&self.baseline, &workload, bound, contention);
            self.baseline_runs.borrow_mut().push((bound, contention, run));
            run
        })
    }

    fn run(&self, scenario: &Scenario, workload: &Workload, bound: Bound, contention: Bound) -> ModelRun {
        let setup: SimulationSetup = scenario.setup(self.boot, bound, contention);
        let outcome = simulate_times(workload, &setup);
        let init = outcome.mark(END).unwrap_or_default();
        let legacy_thread = !scenario.prints_after_end() && scenario.behaviour.printing.is_legacy_thread();
        let opened = outcome.mark(REGISTERED).map(|at| match outcome.mark(READY) {
            Some(ready) if legacy_thread => at.max(ready),
            _ => at,
        });
        ModelRun { init, opened, log_complete: outcome.last_transmitted }
    }
}

/// The operations of plans, as far as they were asked for.
#[derive(Default)]
struct Workloads {
    /// The last ones that were asked for.
    plans: VecDeque<(ConsolePlan, Vec<MadeWorkload>)>,
}

/// A workload by its bound, and by the position of the boot's work that it is made from.
type MadeWorkload = (Bound, usize, Rc<Workload>);

/// Plans whose operations are kept.
const MOST_PLANS: usize = 4;

/// Operations of a workload that is kept: a boot may have a million records.
const MOST_OPS: usize = 50_000;

impl Workloads {
    fn of(&mut self, plan: &ConsolePlan, bound: Bound, work: usize, make: impl FnOnce() -> Workload) -> Rc<Workload> {
        let known = self.plans.iter().position(|(of, _)| of == plan);
        let made = known.and_then(|at| self.plans[at].1.iter().find(|(b, w, _)| (*b, *w) == (bound, work)));
        if let Some((.., workload)) = made {
            return Rc::clone(workload);
        }
        let workload = Rc::new(make());
        if workload.tasks.iter().map(Vec::len).sum::<usize>() > MOST_OPS {
            return workload;
        }
        let at = known.unwrap_or_else(|| {
            self.plans.truncate(MOST_PLANS - 1);
            self.plans.push_front((plan.clone(), Vec::new()));
            0
        });
        self.plans[at].1.push((bound, work, Rc::clone(&workload)));
        workload
    }
}

/// The envelope of all values around the best one, widened by an error on either side.
fn envelope(all: impl Iterator<Item = (bool, Dur)> + Clone, error: Dur) -> Interval {
    let best = all.clone().find(|(best, _)| *best).map_or(Dur::ZERO, |(_, d)| d);
    let low = all.clone().map(|(_, d)| d).min().unwrap_or(best);
    let high = all.map(|(_, d)| d).max().unwrap_or(best);
    Interval::new((low - error).max_zero().min(best), best, high + error)
}

#[cfg(test)]
mod tests {
    use bootline_console::Op;

    use super::*;

    #[test]
    fn workloads_are_made_once_and_the_last_plans_are_kept() {
        let mut kept = Workloads::default();
        let mut made = |plan: usize, bound, work, ops| {
            let plan = ConsolePlan { threads_ready: Some(plan), ..ConsolePlan::default() };
            let mut is_new = false;
            kept.of(&plan, bound, work, || {
                is_new = true;
                Workload { tasks: vec![vec![Op::Mark(0); ops]] }
            });
            is_new
        };
        assert!(made(1, Bound::Best, 0, 9) && !made(1, Bound::Best, 0, 9));
        assert!(made(1, Bound::Best, 1, 9) && made(1, Bound::High, 0, 9) && made(2, Bound::Best, 0, 9));
        assert!(!made(1, Bound::Best, 0, 9) && !made(2, Bound::Best, 0, 9));
        assert!(made(1, Bound::Low, 0, MOST_OPS + 1) && made(1, Bound::Low, 0, MOST_OPS + 1));
        assert!((3..MOST_PLANS + 2).all(|plan| made(plan, Bound::Best, 0, 9)));
        assert!(!made(2, Bound::Best, 0, 9) && made(1, Bound::Best, 0, 9));
    }
}
