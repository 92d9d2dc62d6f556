// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a change to the whole boot saves.
use super::fastinit::before_systemd;
use super::processor_load::ProcessorLoad;
use super::replay::{Treatment, needed, replay};
use super::scripts::Scripts;
use super::setting::WholeSetting;
use super::whole_prediction::{WholeChange, WholePrediction, WholePredictionError};
use super::wording;
use crate::init_scripts;
use crate::predict::{PredictionError, Predictor, Setting};
use crate::rule_id::RuleId;
use crate::user_space::{first_moment, last_unit, reached};
use bootline_boot::{Boot, DependenciesKnown, Stage, StageName, Unit, WholeEnd};
use bootline_capture::units::{Dur, Interval};

/// What the findings of a boot cost, each with its rule. The rules themselves, which predict what their remedies save, know none yet.
#[derive(Clone, Debug, Default)]
pub struct FindingCosts(Vec<(RuleId, Interval)>);

impl FindingCosts {
    /// Those of these findings.
    pub fn of(findings: impl IntoIterator<Item = (RuleId, Interval)>) -> FindingCosts {
        FindingCosts(findings.into_iter().collect())
    }

    /// All findings of this rule together; none if there is none.
    fn of_rule(&self, rule: RuleId) -> Option<Interval> {
        let costs = self.0.iter().filter(|(of, _)| *of == rule).map(|(_, cost)| *cost);
        costs.reduce(|sum, cost| sum + cost)
    }
}

/// The whole boot with a change.
///
/// # Errors
/// The sources lack what this change needs to be predicted.
pub fn predict_whole(
    boot: &Boot,
    change: &WholeChange,
    costs: &FindingCosts,
) -> Result<WholePrediction, WholePredictionError> {
    let whole = &boot.whole;
    let (Some(since), Some(until), Some(end), Some(length)) = (whole.since, whole.until, whole.end(), whole.length())
    else {
        return Err(WholePredictionError::NoEnd);
    };
    let mut saved = Interval::exact(Dur::ZERO);
    let mut assumptions = Vec::new();
    for setting in change.of_whole() {
        match setting {
            WholeSetting::Stage { stage, length } => {
                let lengths: Vec<Dur> = whole.stages.iter().filter(|s| s.name == *stage).map(Stage::length).collect();
                if lengths.is_empty() {
                    return Err(WholePredictionError::NoStage(*stage));
                }
                let now: Dur = lengths.into_iter().sum();
                saved = saved + Interval::exact(now - *length);
            }
            WholeSetting::Without(rule) => {
                saved = saved + costs.of_rule(*rule).ok_or(WholePredictionError::NoFinding(*rule))?;
                assumptions.push(wording::finding_assumption(*rule));
            }
            _ => {}
        }
    }
    let of_units: Vec<&WholeSetting> = change.of_whole().iter().filter(|setting| setting.is_of_units()).collect();
    let load = ProcessorLoad::of(boot);
    let mut by_units = Interval::exact(Dur::ZERO);
    if !of_units.is_empty() {
        if init_scripts::start_user_space(boot) {
            by_units = Scripts::new(boot, end, load)?.saved(&of_units)?;
            assumptions.extend(wording::script_assumptions(&load, &of_units));
        } else {
            let user_space = UserSpace::new(boot, end, load)?;
            by_units = user_space.saved(&of_units)?;
            assumptions.extend(wording::unit_assumptions(&load, &of_units));
        }
    }
    saved = saved + by_units;
    if !change.console().is_empty() {
        let is_cpus = |s: Setting| matches!(s, Setting::Cpus(_));
        let predicted = Predictor::new(boot).and_then(|predictor| match states_user_space(change) {
            true => Ok((predictor.predict(change.console())?, Interval::exact(Dur::ZERO))),
            false => predictor.predict_until(change.console(), end),
        });
        match predicted {
            Ok((console, in_user_space)) => {
                saved = saved + console.saved + in_user_space;
                // What is waited for in a unit's job may be in both.
                let both = by_units.best().min(in_user_space.best()).max_zero();
                saved = Interval::new(saved.low() - both, saved.best(), saved.high());
                assumptions.extend(console.assumptions);
            }
            // User space can be predicted without it.
            Err(PredictionError::NoConsole | PredictionError::NoEnd | PredictionError::NoTimes)
                if change.console().settings().all(is_cpus) =>
            {
                assumptions.push(wording::kernel_assumption());
            }
            Err(refused) => return Err(refused.into()),
        }
        let cpus = change.console().settings().find_map(|s| match s {
            Setting::Cpus(cpus) => Some(cpus),
            _ => None,
        });
        if let (Some(cpus), Some(from)) = (cpus, first_moment(boot)) {
            saved = saved + load.with_cpus(cpus, (end - from).max_zero());
            assumptions.push(wording::cpus_assumption(&load));
        }
    }
    let left = |saved: Dur| (length - saved).max_zero();
    let left = Interval::new(left(saved.low()), left(saved.best()), left(saved.high()));
    Ok(WholePrediction {
        title: wording::title(boot, change),
        since,
        until,
        length: left,
        saved: Interval::exact(length) + -left,
        price: wording::price(boot, change),
        assumptions,
        needs: wording::needs(boot, change),
        change: change.clone(),
    })
}

/// Whether a setting states how long user space takes, or what its output costs: then nothing is added for another console.
fn states_user_space(change: &WholeChange) -> bool {
    change.of_whole().iter().any(|setting| match setting {
        WholeSetting::Fastinit | WholeSetting::Without(RuleId::Usr001 | RuleId::Usr009) => true,
        WholeSetting::Stage { stage, .. } => {
            matches!(stage, StageName::Initramfs | StageName::UserSpace | StageName::Application)
        }
        _ => false,
    })
}

/// User space up to the boot's end.
struct UserSpace<'b> {
    boot: &'b Boot,
    /// The boot's end, on the axis.
    end: Dur,
    load: ProcessorLoad,
    /// Position of the unit that ends the boot.
    last: usize,
}

impl<'b> UserSpace<'b> {
    fn new(boot: &'b Boot, end: Dur, load: ProcessorLoad) -> Result<UserSpace<'b>, WholePredictionError> {
        if boot.whole.dependencies != DependenciesKnown::All {
            let other = init_scripts::why_no_sequence(boot).map(WholePredictionError::NoSequence);
            let otherwise = match boot.whole.units.is_empty() {
                true => WholePredictionError::NothingStarted,
                false => WholePredictionError::NoDependencies,
            };
            return Err(other.unwrap_or(otherwise));
        }
        let until = boot.whole.until.map_or("the log", |until| until.title());
        // Without an application it is a target: a marker may lie anywhere.
        let is_unit = boot.whole.until != Some(WholeEnd::Marker);
        let last = last_unit(boot).filter(|_| is_unit).ok_or(WholePredictionError::EndIsNoUnit(until))?;
        Ok(UserSpace { boot, end, load, last })
    }

    /// Refuses what is about the application where none is named.
    fn application(&self) -> Result<(), WholePredictionError> {
        let is_named = self.boot.whole.application.is_some();
        is_named.then_some(()).ok_or(WholePredictionError::NoApplication)
    }

    fn unit(&self, name: &str) -> Result<usize, WholePredictionError> {
        let units = &self.boot.whole.units;
        let found = units.iter().position(|u| u.name == name).ok_or_else(|| {
            // Of those of its kind: `.service` alone would make all of them alike.
            let (stem, kind) = name.rsplit_once('.').unwrap_or((name, "service"));
            let is_named = |u: &&Unit| u.name.strip_suffix(".service") == Some(name);
            if let Some(whole) = units.iter().find(is_named) {
                return WholePredictionError::NoUnit { unit: name.to_owned(), nearest: Some(whole.name.clone()) };
            }
            let stems = units.iter().filter_map(|u| u.name.rsplit_once('.').filter(|(_, of)| *of == kind));
            let nearest = crate::suggestion::nearest(stem, stems.map(|(stem, _)| stem.to_owned()));
            WholePredictionError::NoUnit {
                unit: name.to_owned(),
                nearest: nearest.map(|stem| format!("{stem}.{kind}")),
            }
        })?;
        let times = units[found].begins().ok_or_else(|| WholePredictionError::NoTimes(name.to_owned()));
        times.map(|_| found)
    }

    /// What settings of units save, all of them together.
    fn saved(&self, settings: &[&WholeSetting]) -> Result<Interval, WholePredictionError> {
        let units = &self.boot.whole.units;
        let mut treatments = vec![Treatment::default(); units.len()];
        let mut freed = Freed::default();
        for setting in settings {
            match setting {
                WholeSetting::Mask(name) | WholeSetting::AfterApplication(name) => {
                    let at = self.unit(name)?;
                    if at == self.last {
                        return Err(WholePredictionError::IsTheEnd(name.clone()));
                    }
                    if matches!(setting, WholeSetting::AfterApplication(_)) {
                        self.application()?;
                    }
                    if matches!(setting, WholeSetting::Mask(_)) && self.is_required(at) {
                        let by = units[self.last].name.clone();
                        return Err(WholePredictionError::Required { unit: name.clone(), by });
                    }
                    treatments[at].released = true;
                    freed.add(self.freed_by(&units[at]));
                }
                WholeSetting::NoWait(name) => treatments[self.unit(name)?].released = true,
                WholeSetting::NoDefaultDependencies(name) => treatments[self.unit(name)?].declared_only = true,
                WholeSetting::Activation { unit: name, length } => {
                    let at = self.unit(name)?;
                    let unit = &units[at];
                    let now = unit.activation().ok_or_else(|| WholePredictionError::NoActivation(name.clone()))?;
                    let length = length.of(now);
                    treatments[at].activation = Some(length);
                    let share = 1.0 - length.as_secs_f64() / now.as_secs_f64().max(f64::MIN_POSITIVE);
                    let spared =
                        unit.cpu.unwrap_or_default().min(now * i64::from(self.load.cpus)).scale(share.max(0.0));
                    freed.add(Freed { work: Interval::new(Dur::ZERO, spared / 2, spared), starts: 0 });
                }
                // It goes with no other setting of units.
                WholeSetting::Fastinit => {
                    return self.application().and_then(|()| before_systemd(self.boot, self.last));
                }
                WholeSetting::Stage { .. } | WholeSetting::Without(_) => {}
            }
        }
        let sooner = replay(self.boot, &treatments)[self.last];
        Ok(self.interval(sooner, &freed, self.needed_share(&treatments)))
    }

    /// From what the ends of waits save, and the work that is not done any more.
    fn interval(&self, sooner: Dur, freed: &Freed, needed_share: f64) -> Interval {
        let load = &self.load;
        let from = first_moment(self.boot).unwrap_or(self.end).min(self.end);
        let window = self.end - from;
        let cpus = i64::from(load.cpus);
        let systemd = load.manager_each * i64::from(freed.starts);
        // Work that is not done leaves the processors to the others only as far as they were busy; systemd starts units one by one.
        let spared = match load.busy {
            Some(busy) => (freed.work.best() / cpus).scale(busy),
            None => freed.work.low() / cpus / 2,
        } + systemd.scale(load.manager_busy.unwrap_or_default());
        let most = (sooner.max_zero() + freed.work.high() + systemd).min(window);
        if sooner <= Dur::ZERO {
            return Interval::new(sooner, sooner + spared, sooner + most);
        }
        // A wait that ends sooner is filled with work: with all that there is, at worst; with what has to be done before the boot's end
        // in any case, probably.
        let (low, best) = match load.busy {
            Some(busy) => {
                let idle = window.scale(1.0 - busy) + freed.work.low() / cpus;
                (sooner.min(idle), spared + (sooner - spared).max_zero().scale(1.0 - needed_share))
            }
            None => (Dur::ZERO, sooner.max(spared)),
        };
        Interval::new(low.min(best), best.min(most), most)
    }

    /// Of the processors' time in user space, the share that goes to the units that the last one still waits for, and to starting them.
    fn needed_share(&self, treatments: &[Treatment]) -> f64 {
        let mut work = Dur::ZERO;
        // What is accounted to a slice or a scope is the work of other units, or of systemd.
        let does_work = |at: &usize| {
            let name = &self.boot.whole.units[*at].name;
            !name.ends_with(".slice") && !name.ends_with(".scope")
        };
        for at in needed(self.boot, self.last, treatments).filter(does_work) {
            let freed = self.freed_by(&self.boot.whole.units[at]);
            work = work + freed.work.best() + self.load.manager_each * i64::from(freed.starts);
        }
        let window = self.end - first_moment(self.boot).unwrap_or(self.end);
        let all = window.as_secs_f64() * f64::from(self.load.cpus);
        if all > 0.0 { (work.as_secs_f64() / all).min(1.0) } else { 0.0 }
    }

    /// The work of a unit up to the boot's end. systemd counts up to when it is asked, which may be later: certain is only that of a
    /// job that had ended.
    fn freed_by(&self, unit: &Unit) -> Freed {
        let Some(begins) = unit.begins().filter(|t| *t < self.end) else { return Freed::default() };
        let room = (self.end - begins) * i64::from(self.load.cpus);
        let high = unit.cpu.unwrap_or_default().min(room);
        let has_ended = unit.service_type.as_deref() == Some("oneshot") && unit.up.is_some_and(|up| up <= self.end);
        let low = if has_ended { high } else { Dur::ZERO };
        Freed { work: Interval::new(low, low.max(high / 2), high), starts: 1 }
    }

    /// Whether the unit that ends the boot fails without one.
    fn is_required(&self, unit: usize) -> bool {
        let units = &self.boot.whole.units;
        reached(units.len(), self.last, |at, open| open.extend(&units[at].requires))[unit]
    }
}

/// Work that a change leaves out.
#[derive(Clone, Copy, Debug, Default)]
struct Freed {
    /// Processor time.
    work: Interval,
    /// Units that systemd does not start.
    starts: u32,
}

impl Freed {
    fn add(&mut self, other: Freed) {
        self.work = self.work + other.work;
        self.starts += other.starts;
    }
}
