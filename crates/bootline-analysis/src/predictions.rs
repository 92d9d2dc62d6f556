// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that is predicted of a boot: up to init, by the console's model, and to the application, by the units.
use crate::init_scripts;
use crate::predict::{self, Prediction, PredictionError};
use crate::rules::{Finding, findings};
use crate::whole_change::{
    self, AnySetting, FindingCosts, WholeChange, WholePrediction, WholePredictionError, WholeSetting,
};
use bootline_boot::{Boot, DependenciesKnown};
use bootline_capture::units::Dur;

/// Less is no difference.
const LEAST: Dur = Dur::from_millis(10);

/// What is predicted of a boot.
#[derive(Clone, Debug)]
pub struct Predictions {
    /// The time to init: the baseline, followed by the requested change or by every what-if.
    pub to_init: Result<Vec<Prediction>, PredictionError>,
    /// The time from the earliest moment known to the application, or to what else ended the boot; none where nothing was asked that
    /// the sources can answer.
    pub whole: Option<Result<Vec<WholePrediction>, WholePredictionError>>,
}

impl Predictions {
    /// The predictions of a change; without one, of every what-if, one at a time.
    pub fn of(boot: &Boot, change: &WholeChange) -> Predictions {
        let whole = if change.is_empty() {
            let what_ifs = whole_what_ifs(boot, || findings(boot));
            (!what_ifs.is_empty()).then(|| with_baseline(boot, what_ifs))
        } else {
            let predicted = predict_whole(boot, change).and_then(|p| with_baseline(boot, vec![p]));
            // A change of the console alone needs no prediction of the whole boot.
            Some(predicted).filter(|p| p.is_ok() || !change.of_whole().is_empty())
        };
        Predictions { to_init: to_init(boot, change), whole }
    }

    /// Why the question has no answer, if it has none.
    pub fn refused(&self) -> Option<PredictionsRefused<'_>> {
        match (&self.whole, &self.to_init) {
            (Some(Err(e)), _) => Some(PredictionsRefused::Whole(e)),
            (None, Err(e)) => Some(PredictionsRefused::ToInit(e)),
            _ => None,
        }
    }
}

/// The whole boot with a change, which may take findings away.
///
/// # Errors
/// The sources lack what this change needs to be predicted, or there is no such finding.
pub fn predict_whole(boot: &Boot, change: &WholeChange) -> Result<WholePrediction, WholePredictionError> {
    let takes_findings = change.of_whole().iter().any(|setting| matches!(setting, WholeSetting::Without(_)));
    let found = if takes_findings { findings(boot) } else { Vec::new() };
    let costs = FindingCosts::of(found.iter().map(|finding| (finding.rule, finding.cost)));
    whole_change::predict_whole(boot, change, &costs)
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug)]
pub enum PredictionsRefused<'p> {
    /// The time to init can't be predicted, and nothing was asked of the rest.
    ToInit(&'p PredictionError),
    /// The whole boot can't be predicted.
    Whole(&'p WholePredictionError),
}

fn to_init(boot: &Boot, change: &WholeChange) -> Result<Vec<Prediction>, PredictionError> {
    let mut list = vec![predict::baseline(boot)?];
    if change.is_empty() {
        list.extend(predict::what_if(boot)?);
    } else if !change.console().is_empty() {
        list.push(predict::predict(boot, change.console())?);
    }
    Ok(list)
}

fn with_baseline(boot: &Boot, changed: Vec<WholePrediction>) -> Result<Vec<WholePrediction>, WholePredictionError> {
    let mut list = vec![predict_whole(boot, &WholeChange::default())?];
    list.extend(changed);
    Ok(list)
}

/// Every what-if of the whole boot that may save something, the one that saves most first: the findings' remedies that change what is
/// started and what waits, and the application without its default dependencies. What can't be predicted is omitted.
fn whole_what_ifs(boot: &Boot, findings: impl FnOnce() -> Vec<Finding>) -> Vec<WholePrediction> {
    if boot.whole.dependencies != DependenciesKnown::All && !init_scripts::start_user_space(boot) {
        return Vec::new();
    }
    let findings = findings();
    let remedies = findings.iter().flat_map(|f| &f.remedies);
    let mut all: Vec<Vec<WholeSetting>> =
        remedies.filter_map(|remedy| WholeSetting::of_changes(boot, &remedy.changes)).collect();
    if let Some(unit) = boot.whole.application.as_ref().and_then(|app| boot.whole.units.get(app.unit?)) {
        all.push(vec![WholeSetting::NoDefaultDependencies(unit.name.clone())]);
        all.push(vec![WholeSetting::Fastinit]);
    }
    // All that is masked in one remedy or another, at once.
    let is_mask = |s: &&WholeSetting| matches!(s, WholeSetting::Mask(_));
    let masks: Vec<WholeSetting> = all.iter().flatten().filter(is_mask).cloned().collect();
    all.push(masks);
    let mut found: Vec<WholePrediction> = Vec::new();
    for settings in all {
        let Ok(change) = WholeChange::of(settings.into_iter().map(AnySetting::Whole)) else { continue };
        let is_known = change.is_empty() || found.iter().any(|f| f.change == change);
        let predicted = (!is_known).then(|| predict_whole(boot, &change).ok()).flatten();
        found.extend(predicted.filter(|p| p.saved.high() >= LEAST));
    }
    found.sort_by_key(|p| std::cmp::Reverse((p.saved.best(), p.saved.high())));
    found
}
