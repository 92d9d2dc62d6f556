// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it saves that init scripts, which run one after the other, are left out, run in the background or take less.
//!
//! What follows a script moves by as much as the script's time does. Nothing shows what a script needs or waits for: at worst the next one
//! waits for the same, and nothing is saved.
use super::processor_load::ProcessorLoad;
use super::setting::WholeSetting;
use super::whole_prediction::WholePredictionError;
use crate::init_scripts::{self, ScriptSpan, Unnamed};
use crate::time_range::{TimeRange, apart};
use bootline_boot::{Boot, Service};
use bootline_capture::units::{Dur, Interval};

/// The scripts that began before the boot's end.
pub(super) struct Scripts<'b> {
    boot: &'b Boot,
    /// The boot's end, on the axis.
    end: Dur,
    load: ProcessorLoad,
    /// When the first of them started.
    from: Dur,
    /// When the application's process, or the script that starts it, started; none where nothing shows that, or the boot does not end with it.
    started: Option<Dur>,
}

/// What settings change of the scripts up to the boot's end.
#[derive(Default)]
struct Changed {
    /// Scripts that do not run before the end.
    left_out: Vec<TimeRange>,
    /// Scripts that run, and that nothing waits for.
    background: Vec<TimeRange>,
    /// Scripts that take less, with by how much; below zero: more.
    shorter: Vec<(TimeRange, Dur)>,
    /// What of these is in parallel with the application, which had been started by then.
    parallel: Interval,
}

impl<'b> Scripts<'b> {
    pub fn new(boot: &'b Boot, end: Dur, load: ProcessorLoad) -> Result<Scripts<'b>, WholePredictionError> {
        if init_scripts::ends_with_kernel(boot) {
            return Err(WholePredictionError::EndIsKernels);
        }
        let spans = init_scripts::spans_until(boot, |range| range.from < end);
        init_scripts::in_sequence(&spans).map_err(|(first, second)| WholePredictionError::InParallel {
            first: first.name.clone(),
            second: second.name.clone(),
        })?;
        let of_process = boot.whole.application.as_ref().filter(|app| app.process.is_some()).and_then(|app| app.start);
        let of_script =
            || spans.iter().find(|span| init_scripts::starts(boot, span.script)).map(|span| span.range.from);
        let from = spans.first().map_or(end, |span| span.range.from);
        Ok(Scripts { boot, end, load, from, started: of_process.or_else(of_script) })
    }

    /// What settings save, all of them together.
    pub fn saved(&self, settings: &[&WholeSetting]) -> Result<Interval, WholePredictionError> {
        let mut changed = Changed::default();
        let mut met: Vec<(&WholeSetting, ScriptSpan<'_>)> = Vec::new();
        for setting in settings {
            let of_systemd = matches!(setting, WholeSetting::NoDefaultDependencies(_));
            let Some(name) = setting.unit().filter(|_| !of_systemd) else {
                return Err(WholePredictionError::OnlyOfSystemd(setting.key()));
            };
            let script = self.script(name)?;
            let span = ScriptSpan::of(script).ok_or_else(|| WholePredictionError::NoLength(script.name.clone()))?;
            if met.iter().any(|(_, other)| std::ptr::eq(other.script, script)) {
                return Err(WholePredictionError::TwoSettings(script.name.clone()));
            }
            met.push((setting, span));
            self.change(&mut changed, setting, span)?;
        }
        // Whether a script's new length includes what changes of one within it, nothing says.
        for (_, outer) in met.iter().filter(|(setting, _)| matches!(setting, WholeSetting::Activation { .. })) {
            let within =
                |span: &ScriptSpan<'_>| !std::ptr::eq(span.script, outer.script) && outer.range.contains(span.range);
            if let Some((_, inner)) = met.iter().find(|(_, span)| within(span)) {
                let [inner, outer] = [inner, outer].map(|span| span.script.name.clone());
                return Err(WholePredictionError::Nested { inner, outer });
            }
        }
        Ok(self.interval(&changed))
    }

    fn script(&self, name: &str) -> Result<&'b Service, WholePredictionError> {
        init_scripts::named(self.boot, name).map_err(|unnamed| match unnamed {
            Unnamed::Unknown(close) => WholePredictionError::NoScript { script: name.to_owned(), close },
            Unnamed::Several(scripts) => WholePredictionError::SeveralScripts { name: name.to_owned(), scripts },
        })
    }

    /// Adds what one setting changes.
    fn change(
        &self,
        changed: &mut Changed,
        setting: &WholeSetting,
        span: ScriptSpan<'b>,
    ) -> Result<(), WholePredictionError> {
        let (script, range) = (span.script, span.range);
        let is_left_out = matches!(setting, WholeSetting::Mask(_) | WholeSetting::AfterApplication(_));
        if matches!(setting, WholeSetting::AfterApplication(_)) && self.boot.whole.application.is_none() {
            return Err(WholePredictionError::NoApplication);
        }
        if is_left_out && init_scripts::leads_to_end(self.boot, script) {
            return Err(WholePredictionError::IsTheEndsScript(script.name.clone()));
        }
        if range.from >= self.end {
            return Ok(());
        }
        let is_background = matches!(setting, WholeSetting::NoWait(_));
        let is_starter = init_scripts::starts(self.boot, script);
        let is_parallel = self.started.is_some_and(|started| range.from > started || is_starter && is_background);
        if range.to > self.end && !is_parallel {
            // In the background it ends when it did.
            let refused = WholePredictionError::EndedWithin(script.name.clone());
            return if is_background { Ok(()) } else { Err(refused) };
        }
        let length = range.length();
        let (by, frees) = match setting {
            WholeSetting::Mask(_) | WholeSetting::AfterApplication(_) => (length, true),
            WholeSetting::NoWait(_) => (length, false),
            WholeSetting::Activation { length: new, .. } => (length - new.of(length), true),
            WholeSetting::NoDefaultDependencies(_)
            | WholeSetting::Fastinit
            | WholeSetting::Stage { .. }
            | WholeSetting::Without(_) => {
                return Err(WholePredictionError::OnlyOfSystemd(setting.key()));
            }
        };
        if is_parallel {
            // Less of it leaves more to the application; but what comes after it comes earlier, into the application's time. More of it is
            // the other way round, from where it ended.
            let from = if by >= Dur::ZERO { range.from } else { range.to };
            let most = by.abs().min((self.end - from).max_zero());
            changed.parallel = changed.parallel + Interval::new(-most, Dur::ZERO, if frees { most } else { Dur::ZERO });
            return Ok(());
        }
        match setting {
            WholeSetting::NoWait(_) => changed.background.push(range),
            WholeSetting::Activation { .. } => changed.shorter.push((range, by)),
            _ => changed.left_out.push(range),
        }
        Ok(())
    }

    /// What it saves. The sequence is one task: whatever else runs now takes no more of its time than what a script leaves free.
    fn interval(&self, changed: &Changed) -> Interval {
        let either: Vec<TimeRange> = changed.left_out.iter().chain(&changed.background).copied().collect();
        let total = |ranges: &[TimeRange]| -> Dur { apart(ranges).iter().map(TimeRange::length).sum() };
        let left_out = total(&changed.left_out);
        let background = total(&either) - left_out;
        let first = |ranges: &[TimeRange]| ranges.iter().map(|range| range.from).min().unwrap_or(self.end);
        // What still runs one after the other from the first of these on.
        let rest = |ranges: &[TimeRange]| {
            let from = first(ranges);
            let gone =
                either.iter().map(|range| TimeRange { from: range.from.max(from), ..*range }).collect::<Vec<_>>();
            (self.end - from - total(&gone)).max_zero()
        };
        let freed = self.freed(rest(&changed.left_out), changed.left_out.len());
        let saved = Interval::new(Dur::ZERO, left_out, left_out + freed)
            + self.in_background(background, rest(&changed.background), changed.background.len());
        let is_within = |range: &TimeRange| either.iter().any(|of| of.contains(*range));
        let shorter = changed.shorter.iter().filter(|(range, _)| !is_within(range)).map(|(_, by)| match *by {
            by if by >= Dur::ZERO => Interval::new(Dur::ZERO, by, by),
            // What waits for a device or an address after it waits for less.
            by => Interval::new(by, by, Dur::ZERO),
        });
        let saved = shorter.fold(saved, |sum, one| sum + one);
        let from = changed.shorter.iter().map(|(range, _)| range.from).min().unwrap_or(self.end).min(first(&either));
        let most = (self.end - from).max_zero();
        let saved = Interval::new(saved.low(), saved.best().min(most), saved.high().min(most));
        saved + changed.parallel
    }

    /// The most that what scripts left running took of the time after them: each of them one task, which shares the processors with the
    /// sequence.
    fn freed(&self, rest: Dur, scripts: usize) -> Dur {
        let (cpus, tasks) = (f64::from(self.load.cpus), scripts as f64);
        let shared = rest.scale(tasks / (cpus + tasks));
        match self.load.busy {
            Some(busy) => shared.min((self.end - self.from).scale(busy * cpus)),
            None => shared,
        }
    }

    /// What it saves that so much of the sequence runs in the background of the rest, in so many tasks.
    fn in_background(&self, length: Dur, rest: Dur, tasks: usize) -> Interval {
        // If all of it is work for one processor, each task takes as much of that as the rest does, up to the boot's end.
        let at_least = (length - rest * i64::try_from(tasks).unwrap_or(i64::MAX)).max_zero();
        let cpus = f64::from(self.load.cpus);
        let idle = match self.load.busy {
            Some(busy) => (cpus * (1.0 - busy)).clamp(0.0, 1.0),
            None if self.load.cpus > 1 => 1.0,
            None => 0.0,
        };
        Interval::new(Dur::ZERO, at_least + (length - at_least).scale(idle), length)
    }
}
