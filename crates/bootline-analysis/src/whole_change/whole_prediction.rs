// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change to the whole boot, its prediction, and why there may be none.
use std::fmt;

use super::setting::{AnySetting, WholeSetting};
use crate::predict::{Assumption, Change, PredictionError, Setting};
use crate::remedy::SystemChange;
use crate::rule_id::RuleId;
use bootline_boot::{StageName, WholeEnd, WholeOrigin};
use bootline_capture::units::Interval;

/// A combination of settings of the whole boot, and of its console.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeChange {
    console: Change,
    settings: Vec<WholeSetting>,
}

impl WholeChange {
    /// Combines settings; the same one again has no effect.
    ///
    /// # Errors
    /// Two of them exclude each other: two values of one key, or two that are about the same unit, script or stage.
    pub fn of(settings: impl IntoIterator<Item = AnySetting>) -> Result<WholeChange, Box<WholeContradiction>> {
        let mut all = WholeChange::default();
        settings.into_iter().try_for_each(|setting| all.add(setting))?;
        Ok(all)
    }

    /// Adds a setting; adding the same one again has no effect.
    ///
    /// # Errors
    /// A setting contradicts it; the change stays as it was.
    pub fn add(&mut self, setting: AnySetting) -> Result<(), Box<WholeContradiction>> {
        if let Some(first) = self.settings().find(|known| exclude(known, &setting)) {
            return Err(Box::new(WholeContradiction { first, second: setting }));
        }
        let contradicted = match &setting {
            AnySetting::Console(setting) => self.console.add(*setting).err().map(|c| AnySetting::Console(c.first)),
            AnySetting::Whole(setting) => self.add_whole(setting.clone()).map(AnySetting::Whole),
        };
        contradicted.map_or(Ok(()), |first| Err(Box::new(WholeContradiction { first, second: setting })))
    }

    /// Adds a setting, unless it contradicts one that is returned.
    fn add_whole(&mut self, setting: WholeSetting) -> Option<WholeSetting> {
        let same = |known: &&WholeSetting| match (known, &setting) {
            (WholeSetting::Stage { stage: a, .. }, WholeSetting::Stage { stage: b, .. }) => a == b,
            (a, b) => a.unit().is_some() && a.unit() == b.unit(),
        };
        match self.settings.iter().find(same) {
            Some(known) if *known != setting => return Some(known.clone()),
            Some(_) => {}
            None if self.settings.contains(&setting) => {}
            None => self.settings.push(setting),
        }
        None
    }

    /// What changes of the console.
    pub fn console(&self) -> &Change {
        &self.console
    }

    /// What changes of the rest, in the order given.
    pub fn of_whole(&self) -> &[WholeSetting] {
        &self.settings
    }

    /// All settings.
    fn settings(&self) -> impl Iterator<Item = AnySetting> + '_ {
        let whole = self.settings.iter().cloned().map(AnySetting::Whole);
        self.console.settings().map(AnySetting::Console).chain(whole)
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.console.is_empty() && self.settings.is_empty()
    }

    /// Each setting as it is written.
    pub fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.console.settings().map(|s| s.to_string()).chain(self.settings.iter().map(|s| s.to_string()))
    }
}

impl fmt::Display for WholeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("baseline");
        }
        f.write_str(&self.words().collect::<Vec<_>>().join(" "))
    }
}

/// Whether two settings exclude each other: a stage of a stated length and a change within it, or fastinit, which starts the
/// application whatever systemd does, and a change of units.
fn exclude(a: &AnySetting, b: &AnySetting) -> bool {
    let one_way = |a: &AnySetting, b: &AnySetting| match (a, b) {
        // What a finding costs lies within stages.
        (AnySetting::Whole(WholeSetting::Stage { .. }), AnySetting::Whole(WholeSetting::Without(_))) => true,
        (AnySetting::Whole(WholeSetting::Stage { stage: StageName::Dark | StageName::Kernel, .. }), b) => {
            matches!(b, AnySetting::Console(_))
        }
        (AnySetting::Whole(WholeSetting::Stage { stage: StageName::UserSpace | StageName::Application, .. }), b) => {
            match b {
                AnySetting::Whole(whole) => whole.is_of_units(),
                AnySetting::Console(console) => matches!(console, Setting::Cpus(_)),
            }
        }
        (AnySetting::Whole(WholeSetting::Fastinit), AnySetting::Whole(other)) => other.unit().is_some(),
        _ => false,
    };
    one_way(a, b) || one_way(b, a)
}

/// Two settings that exclude each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{first}` contradicts `{second}`")]
pub struct WholeContradiction {
    /// The earlier setting.
    pub first: AnySetting,
    /// The later setting.
    pub second: AnySetting,
}

/// The whole boot under a change.
#[derive(Clone, Debug, PartialEq)]
pub struct WholePrediction {
    /// The change.
    pub change: WholeChange,
    /// Title of the change: `without avahi-daemon.service`. It may name what the log names: escape it like a record.
    pub title: String,
    /// What the length counts from.
    pub since: WholeOrigin,
    /// What it counts to.
    pub until: WholeEnd,
    /// From the one to the other.
    pub length: Interval,
    /// Length of this boot minus that one's. Negative if the change makes it longer.
    pub saved: Interval,
    /// What the change costs its user.
    pub price: String,
    /// Assumptions of the prediction.
    pub assumptions: Vec<Assumption>,
    /// What it needs: the changes to the system, all of them together.
    pub needs: Vec<SystemChange>,
}

/// Names after a word; nothing without names.
fn listed(before: &str, names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("{before}{}", quoted.join(", ")) }
}

/// Why nothing can be predicted of the whole boot. Names of units are those of the log: escape them like a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WholePredictionError {
    /// No application, no target, no marker.
    #[error("nothing shows where this boot ended")]
    NoEnd,
    /// The boot ended with something that is no unit.
    #[error("this boot ended with {0}, and no source shows which unit that is")]
    EndIsNoUnit(&'static str),
    /// No source has units or scripts.
    #[error("no source shows what is started in user space: neither units of systemd nor init scripts")]
    NothingStarted,
    /// No source has After=.
    #[error("no source shows which unit waits for which")]
    NoDependencies,
    /// No unit of that name.
    #[error("this boot has no unit `{unit}`{}", nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default())]
    NoUnit {
        /// The given name.
        unit: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The unit has no times.
    #[error("no source shows when `{0}` started in this boot")]
    NoTimes(String),
    /// It is no service, or its activation has no length.
    #[error("no source shows how long `{0}` took to start")]
    NoActivation(String),
    /// No application.
    #[error("no application is named")]
    NoApplication,
    /// The unit is what the boot ends with.
    #[error("this boot ends with `{0}` itself")]
    IsTheEnd(String),
    /// Without it the boot would not get there.
    #[error("`{by}` requires `{unit}`, directly or through others: without it, it would not start")]
    Required {
        /// The unit that is not started.
        unit: String,
        /// The unit that ends the boot.
        by: String,
    },
    /// There is no such finding.
    #[error("this boot has no finding `{}`", .0.title())]
    NoFinding(RuleId),
    /// This boot has no such stage.
    #[error("this boot shows no stage `{}`", .0.word())]
    NoStage(StageName),
    /// No script of that name.
    #[error("this boot shows no init script `{script}`{}", listed("; similar names: ", close))]
    NoScript {
        /// The given name.
        script: String,
        /// What may have been meant.
        close: Vec<String>,
    },
    /// Several scripts print that name.
    #[error("`{name}` is the name of several init scripts{}", listed(": ", scripts))]
    SeveralScripts {
        /// The given name.
        name: String,
        /// What they print.
        scripts: Vec<String>,
    },
    /// The log does not show both the start and the end of a script.
    #[error("the log does not show how long the init script `{0}` ran")]
    NoLength(String),
    /// Two settings are about the same script.
    #[error("two settings are about the init script `{0}`")]
    TwoSettings(String),
    /// A script within one of which another setting says how long it takes.
    #[error("the init script `{inner}` ran within `{outer}`, and settings are about both")]
    Nested {
        /// The one within the other.
        inner: String,
        /// The one around it, which is given a length.
        outer: String,
    },
    /// Scripts ran in parallel.
    #[error("the init scripts `{first}` and `{second}` ran in parallel: nothing shows which waits for which")]
    InParallel {
        /// The one that began first.
        first: String,
        /// The one that began before it had ended.
        second: String,
    },
    /// The boot ends with a record of the kernel.
    #[error("this boot ended with a record of the kernel, and no source shows which init script leads to it")]
    EndIsKernels,
    /// The script starts what the boot ends with.
    #[error("the init script `{0}` starts what this boot ends with")]
    IsTheEndsScript(String),
    /// The boot ended while the script ran.
    #[error("this boot ended while the init script `{0}` ran, which may have led to that itself")]
    EndedWithin(String),
    /// A setting that only systemd's units have.
    #[error("this boot's init runs scripts, and `{0}` is only for systemd")]
    OnlyOfSystemd(&'static str),
    /// The init neither is systemd nor runs scripts in a sequence that the log shows.
    #[error("{0}")]
    NoSequence(&'static str),
    /// No source shows when systemd started.
    #[error("no source shows when systemd started")]
    NoManager,
    /// What changes of the console can't be predicted.
    #[error(transparent)]
    Console(#[from] PredictionError),
}
