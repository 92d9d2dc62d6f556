// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a boot and a change to a prediction: the boot's course, run on the changed setup.
use std::cell::RefCell;

use super::change::{Change, Setting};
use super::course::{Course, END, READY, REGISTERED, Side};
use super::module::TakesOver;
use super::prediction::{Prediction, Refusal};
use super::scenario::Scenario;
use super::words;
use crate::boot::{Boot, BootEnd, Clock, Since};
use crate::records::Source;
use bootline_capture::units::{Dur, Interval};
use bootline_console::{Outcome, Setup, simulate};

/// A boot, ready to be asked what would change it.
pub struct Predictor<'a> {
    boot: &'a Boot,
    end: &'a BootEnd,
    today: Scenario,
    /// The boot's course under each share of contention.
    courses: Vec<(f64, Course)>,
    /// Today's runs, as far as they were asked for.
    runs_today: RefCell<Vec<(Side, f64, Run)>>,
}

/// By which share the messages of one kernel may differ in length from another's. Debian's 6.1 to 7.3 differ by 3 % on the
/// lab's machine (22.6 to 23.3 kB up to init); other configurations may differ by more.
const OTHER_MESSAGES: f64 = 0.05;

/// One run of the model, in times of the boot's axis.
#[derive(Clone, Copy)]
struct Run {
    init: Dur,
    opened: Option<Dur>,
    log_complete: Option<Dur>,
}

impl<'a> Predictor<'a> {
    /// Reads a boot's course and its setup. O(records).
    pub fn new(boot: &'a Boot) -> Result<Predictor<'a>, Refusal> {
        if boot.timeline.clock == Clock::None {
            return Err(Refusal::NoTimes);
        }
        let end = boot.end.as_ref().ok_or(Refusal::NoEnd)?;
        let today = Scenario::today(boot)?;
        let kernel_records = boot.records.iter().take(boot.end_index()).any(|r| r.source == Source::Kernel);
        if !kernel_records {
            return Err(Refusal::NotPrinted { level: boot.kernel.command_line.console_loglevel() });
        }
        let stamped = boot.records.iter().any(|r| r.source == Source::Kernel && r.stamp.is_some());
        if !stamped && !today.writers_wait() {
            return Err(Refusal::NoTimes);
        }
        let course = |c| (c, Course::of(boot, &today.setup(boot, Side::Best, c)));
        // Where no thread competes, the course is one.
        let courses = today.contentions(&today).into_iter().map(course).collect();
        Ok(Predictor { boot, end, today, courses, runs_today: RefCell::default() })
    }

    /// The boot as it was.
    pub fn today(&self) -> Prediction {
        let first = self.boot.timeline.first_byte.unwrap_or_default();
        let until = self.boot.end_index();
        let printed = (0..until).filter_map(|i| self.boot.timeline.place(i).printed).map(|p| p.end).max();
        let chars = self.course(self.today.contention[1]).chars(self.today.loglevel, &self.today.plan(self.boot));
        Prediction {
            change: Change::default(),
            title: "today".to_owned(),
            time_to_init: self.end.elapsed,
            log_complete: printed
                .map(|end| Interval::exact(end - if self.since_first_byte() { first } else { self.reference() })),
            saved: Interval::exact(Dur::ZERO),
            first_byte_shift: Interval::exact(Dur::ZERO),
            chars,
            lost: String::new(),
            assumptions: Vec::new(),
            needs: Vec::new(),
        }
    }

    /// The boot with a change.
    pub fn predict(&self, change: &Change) -> Result<Prediction, Refusal> {
        let target = self.today.changed(self.boot, change)?;
        let shares = self.today.contentions(&target);
        let (mut times, mut logs, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
        for &share in &shares {
            for side in [Side::Low, Side::Best, Side::High] {
                let now = self.run_today(side, share);
                let then = self.run(&target, side, share);
                let best = side == Side::Best && share == self.today.contention[1];
                let opened = then.opened.or(now.opened).unwrap_or_default();
                let reference = if self.since_first_byte() { opened } else { self.reference() };
                // What the model says of today beside what was measured: it can't be surer of tomorrow.
                let measured = self.end.elapsed.best();
                let reference_now =
                    if self.since_first_byte() { now.opened.unwrap_or_default() } else { self.reference() };
                let error = (now.init - reference_now - measured).abs();
                let error = if side == Side::Best { error } else { Dur::ZERO };
                // A log of one record may end before the character that opened its line.
                times.push((best, (then.init - reference).max_zero(), error));
                logs.extend(then.log_complete.map(|l| (best, (l - reference).max_zero())));
                shifts.push((best, opened - now.opened.unwrap_or(opened)));
            }
        }
        let error = times.iter().find(|t| t.0).map_or(Dur::ZERO, |t| t.2);
        let error = error + self.course(self.today.contention[1]).work().scale(self.today.jitter);
        // Another kernel says more or less.
        let talk =
            if change.settings.iter().any(|s| matches!(s, Setting::Kernel { .. })) { OTHER_MESSAGES } else { 0.0 };
        let best = times.iter().find(|t| t.0).map_or(Dur::ZERO, |t| t.1);
        let error = error + best.scale(talk).max_zero();
        let time_to_init = envelope(times.iter().map(|t| (t.0, t.1)), error);
        let now = self.end.elapsed.best();
        let course = self.course(self.today.contention[1]);
        Ok(Prediction {
            change: change.clone(),
            title: words::title(change),
            time_to_init,
            log_complete: logs.iter().any(|l| l.0).then(|| envelope(logs.iter().copied(), error)),
            saved: Interval::new(now - time_to_init.high(), now - time_to_init.best(), now - time_to_init.low()),
            first_byte_shift: envelope(shifts.iter().copied(), Dur::ZERO),
            chars: course.chars(target.loglevel, &target.plan(self.boot)),
            lost: words::lost(change, &self.today, &target),
            assumptions: words::assumptions(self.boot, course, change, &self.today, &target),
            needs: words::needs(self.boot, change),
        })
    }

    fn since_first_byte(&self) -> bool {
        self.end.since == Since::KernelFirstByte
    }

    /// The instant of the axis from which the boot's own time to init counts.
    fn reference(&self) -> Dur {
        self.end.at.best() - self.end.elapsed.best()
    }

    fn course(&self, share: f64) -> &Course {
        let found = self.courses.iter().find(|(c, _)| *c == share);
        &found.unwrap_or(&self.courses[0]).1
    }

    fn run_today(&self, side: Side, share: f64) -> Run {
        let known = self.runs_today.borrow().iter().find(|(s, c, _)| (*s, *c) == (side, share)).map(|known| known.2);
        known.unwrap_or_else(|| {
            let run = self.run(&self.today, side, share);
            self.runs_today.borrow_mut().push((side, share, run));
            run
        })
    }

    fn run(&self, scenario: &Scenario, side: Side, share: f64) -> Run {
        let setup: Setup = scenario.setup(self.boot, side, share);
        let workload = self.course(share).workload(&scenario.plan(self.boot), side);
        let outcome = simulate(&workload, &setup);
        let init = outcome.mark(END).unwrap_or_default();
        let legacy_thread =
            scenario.module != Some(TakesOver::AtInit) && scenario.behaviour.printing.is_legacy_thread();
        let opened = outcome.mark(REGISTERED).map(|at| match outcome.mark(READY) {
            Some(ready) if legacy_thread => at.max(ready),
            _ => at,
        });
        Run { init, opened, log_complete: last_carried(&outcome) }
    }
}

fn last_carried(outcome: &Outcome) -> Option<Dur> {
    outcome.carried.iter().map(|c| c.end).max()
}

/// The best of them with all others around it, and an error on either side.
fn envelope(all: impl Iterator<Item = (bool, Dur)> + Clone, error: Dur) -> Interval {
    let best = all.clone().find(|(best, _)| *best).map_or(Dur::ZERO, |(_, d)| d);
    let low = all.clone().map(|(_, d)| d).min().unwrap_or(best);
    let high = all.map(|(_, d)| d).max().unwrap_or(best);
    Interval::new((low - error).max_zero().min(best), best, high + error)
}
