// SPDX-License-Identifier: MIT OR Apache-2.0
//! One setting of a change to the whole boot, and its notation: `mask=avahi-daemon.service`.
use std::fmt;
use std::str::FromStr;

use crate::predict::{Setting, SettingError};
use crate::remedy::SystemChange;
use crate::rule_id::RuleId;
use bootline_boot::{Boot, StageName};
use bootline_capture::units::Dur;

/// One changed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WholeSetting {
    /// `mask=avahi-daemon.service`, `mask=avahi-daemon`: the unit, or the init script, is not started.
    Mask(String),
    /// `after-app=bluetooth.service`: the unit or the script starts when the application is up.
    AfterApplication(String),
    /// `no-wait=NetworkManager.service`: the unit counts as up as soon as it runs, or the script runs in the background, so that nothing
    /// waits for it.
    NoWait(String),
    /// `no-default-dependencies=camera.service`: the unit waits only for what it declares.
    NoDefaultDependencies(String),
    /// `init=fastinit`: the application is started before systemd.
    Fastinit,
    /// `unit:camera.service=0.5s`, `unit:networking=+2s`: the unit or the script takes so long, or so much longer.
    Activation {
        /// Its name.
        unit: String,
        /// From the start of its activation until it is up.
        length: Length,
    },
    /// `stage:loader=0.5s`: the stage takes this long.
    Stage {
        /// Which.
        stage: StageName,
        /// Its length.
        length: Dur,
    },
    /// `without=ldr001`: what the findings of this rule cost is saved.
    Without(RuleId),
}

/// A setting of the whole boot, or of its console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnySetting {
    /// Of its console.
    Console(Setting),
    /// Of the rest.
    Whole(WholeSetting),
}

impl FromStr for AnySetting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<AnySetting, SettingError> {
        let key = text.split_once('=').map_or(text, |(key, _)| key);
        let kind = key.split_once(':').map_or(key, |(kind, _)| kind);
        let is_one = |known: &str| known == key || known.strip_suffix(":NAME") == Some(kind);
        if WHOLE_KEYS.iter().any(|(known, _)| is_one(known)) {
            text.parse().map(AnySetting::Whole)
        } else {
            text.parse().map(AnySetting::Console)
        }
    }
}

impl fmt::Display for AnySetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnySetting::Console(setting) => setting.fmt(f),
            AnySetting::Whole(setting) => setting.fmt(f),
        }
    }
}

/// How long something takes with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So long.
    Exactly(Dur),
    /// So much longer than in this boot; below zero: shorter.
    Longer(Dur),
}

impl Length {
    /// The length of what takes this long in this boot; not below zero.
    pub fn of(self, now: Dur) -> Dur {
        match self {
            Length::Exactly(length) => length,
            Length::Longer(by) => (now + by).max_zero(),
        }
    }

    fn parse(text: &str) -> Option<Length> {
        if let Some(longer) = text.strip_prefix('+') {
            return time(longer).map(Length::Longer);
        }
        match text.strip_prefix('-') {
            Some(shorter) => time(shorter).map(|by| Length::Longer(-by)),
            None => time(text).map(Length::Exactly),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Exactly(length) => write!(f, "{}s", length.as_secs_f64()),
            Length::Longer(by) => write!(f, "{:+}s", by.as_secs_f64()),
        }
    }
}

/// With it a service counts as up as soon as its program runs.
pub(super) const TYPE_EXEC: &str = "Type=exec";

/// The keys, each with its values, for help texts and error messages.
pub const WHOLE_KEYS: [(&str, &str); 8] = [
    ("mask", "a unit or an init script"),
    ("after-app", "a unit or an init script"),
    ("no-wait", "a unit or an init script"),
    ("no-default-dependencies", "a unit"),
    ("init", "fastinit"),
    ("unit:NAME", "a time such as 0.5s or 500ms, or a difference such as +2s"),
    ("stage:NAME", "a time such as 0.5s or 500ms"),
    ("without", "the code of a rule, such as ldr001"),
];

impl WholeSetting {
    /// What changes to the system come to; none if one of them is not about what is started and what waits.
    pub fn of_changes(boot: &Boot, changes: &[SystemChange]) -> Option<Vec<WholeSetting>> {
        let application = boot.whole.application.as_ref().map(|app| app.name.as_str());
        let of_change = |change: &SystemChange| match change {
            SystemChange::MaskUnit(name) | SystemChange::DisableScript(name) => Some(WholeSetting::Mask(name.clone())),
            SystemChange::StartAfter { unit: name, after } | SystemChange::ScriptAfter { script: name, after }
                if Some(after.as_str()) == application =>
            {
                Some(WholeSetting::AfterApplication(name.clone()))
            }
            SystemChange::ServiceSetting { unit: name, setting: TYPE_EXEC }
            | SystemChange::ScriptInBackground(name) => Some(WholeSetting::NoWait(name.clone())),
            _ => None,
        };
        let all = changes.iter().map(of_change).collect::<Option<Vec<WholeSetting>>>()?;
        (!all.is_empty()).then_some(all)
    }

    /// Its key, as it is written.
    pub(super) fn key(&self) -> &'static str {
        match self {
            WholeSetting::Mask(_) => "mask",
            WholeSetting::AfterApplication(_) => "after-app",
            WholeSetting::NoWait(_) => "no-wait",
            WholeSetting::NoDefaultDependencies(_) => "no-default-dependencies",
            WholeSetting::Fastinit => "init",
            WholeSetting::Activation { .. } => "unit",
            WholeSetting::Stage { .. } => "stage",
            WholeSetting::Without(_) => "without",
        }
    }

    /// The same setting of another unit or script.
    pub(super) fn of(&self, name: &str) -> WholeSetting {
        let name = name.to_owned();
        match self {
            WholeSetting::Mask(_) => WholeSetting::Mask(name),
            WholeSetting::AfterApplication(_) => WholeSetting::AfterApplication(name),
            WholeSetting::NoWait(_) => WholeSetting::NoWait(name),
            WholeSetting::NoDefaultDependencies(_) => WholeSetting::NoDefaultDependencies(name),
            WholeSetting::Activation { length, .. } => WholeSetting::Activation { unit: name, length: *length },
            WholeSetting::Fastinit | WholeSetting::Stage { .. } | WholeSetting::Without(_) => self.clone(),
        }
    }

    /// The unit or the script that it leaves out, if it does.
    pub(super) fn masked(&self) -> Option<&str> {
        match self {
            WholeSetting::Mask(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it changes what user space starts, and when.
    pub(super) fn is_of_units(&self) -> bool {
        self.unit().is_some() || *self == WholeSetting::Fastinit
    }

    /// The unit or the script that it is about, if it is about one.
    pub fn unit(&self) -> Option<&str> {
        match self {
            WholeSetting::Mask(unit)
            | WholeSetting::AfterApplication(unit)
            | WholeSetting::NoWait(unit)
            | WholeSetting::NoDefaultDependencies(unit)
            | WholeSetting::Activation { unit, .. } => Some(unit),
            WholeSetting::Fastinit | WholeSetting::Stage { .. } | WholeSetting::Without(_) => None,
        }
    }
}

impl FromStr for WholeSetting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<WholeSetting, SettingError> {
        let (key, value) = text.split_once('=').ok_or_else(|| SettingError::NoValue(text.to_owned()))?;
        let bad = |expected| SettingError::BadValue { key: key.to_owned(), value: value.to_owned(), expected };
        let unit = || match value.rsplit_once('.') {
            Some((name, kind)) if !name.is_empty() && !kind.is_empty() => Ok(value.to_owned()),
            _ => Err(bad("the full name of a unit, such as camera.service")),
        };
        // A script may have any name, with blanks.
        let name = || match value.trim() {
            "" => Err(bad("the name of a unit or an init script, such as camera.service or networking")),
            name => Ok(name.to_owned()),
        };
        const TIME: &str = "a time such as 0.5s or 500ms";
        const CHANGED_TIME: &str = "a time such as 0.5s or 500ms, or a difference such as +2s";
        match key {
            "mask" => Ok(WholeSetting::Mask(name()?)),
            "after-app" => Ok(WholeSetting::AfterApplication(name()?)),
            "no-wait" => Ok(WholeSetting::NoWait(name()?)),
            "no-default-dependencies" => Ok(WholeSetting::NoDefaultDependencies(unit()?)),
            "init" if value == "fastinit" => Ok(WholeSetting::Fastinit),
            "init" => Err(bad("fastinit")),
            "without" => {
                let rule = RuleId::ALL.iter().find(|rule| rule.code() == value);
                Ok(WholeSetting::Without(*rule.ok_or_else(|| bad("the code of a rule, such as ldr001"))?))
            }
            _ => match key.split_once(':') {
                Some(("unit", name)) if !name.is_empty() => {
                    let length = Length::parse(value).ok_or_else(|| bad(CHANGED_TIME))?;
                    Ok(WholeSetting::Activation { unit: name.to_owned(), length })
                }
                Some(("stage", name)) => {
                    let stage = StageName::ALL.into_iter().find(|stage| stage.word() == name);
                    let stage = stage.ok_or_else(|| SettingError::UnknownKey(key.to_owned()))?;
                    Ok(WholeSetting::Stage { stage, length: time(value).ok_or_else(|| bad(TIME))? })
                }
                _ => Err(SettingError::UnknownKey(key.to_owned())),
            },
        }
    }
}

/// `0.5s`, `500ms`; zero is a time.
fn time(text: &str) -> Option<Dur> {
    let (number, scale) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    // A sign says how much longer or shorter, which is another thing.
    let number = number.trim_end();
    let seconds = number.parse::<f64>().ok().filter(|_| !number.starts_with(['+', '-']))? * scale;
    (0.0..=1e6).contains(&seconds).then(|| Dur::from_secs_f64(seconds))
}

impl fmt::Display for WholeSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WholeSetting::Mask(unit) => write!(f, "mask={unit}"),
            WholeSetting::AfterApplication(unit) => write!(f, "after-app={unit}"),
            WholeSetting::NoWait(unit) => write!(f, "no-wait={unit}"),
            WholeSetting::NoDefaultDependencies(unit) => write!(f, "no-default-dependencies={unit}"),
            WholeSetting::Fastinit => f.write_str("init=fastinit"),
            WholeSetting::Activation { unit, length } => write!(f, "unit:{unit}={length}"),
            WholeSetting::Stage { stage, length } => write!(f, "stage:{}={}s", stage.word(), length.as_secs_f64()),
            WholeSetting::Without(rule) => write!(f, "without={}", rule.code()),
        }
    }
}
