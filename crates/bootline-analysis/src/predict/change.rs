// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change: settings that do not contradict each other.
use std::fmt;
use std::str::FromStr;

use super::setting::{Setting, SettingError};
use bootline_capture::units::{Baud, Frame};
use bootline_console::{ConsoleModule, KernelVersion, Printing};

/// A combination of settings. Each occurs once, so that a change cannot contradict itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    baud: Option<Baud>,
    frame: Option<Frame>,
    no_initcall_debug: bool,
    loglevel: Option<u8>,
    console: ConsoleChange,
    cpus: Option<u32>,
}

/// How the console prints: stated directly, or determined by the kernel and the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConsoleChange {
    Printing(Printing),
    Of { kernel: Option<(KernelVersion, bool)>, module: Option<(ConsoleModule, bool)> },
}

impl Default for ConsoleChange {
    fn default() -> ConsoleChange {
        ConsoleChange::Of { kernel: None, module: None }
    }
}

/// Two settings that exclude each other: two values of one key, or a kernel and a way of printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{first}` contradicts `{second}`")]
pub struct Contradiction {
    /// The earlier setting.
    pub first: Setting,
    /// The later setting.
    pub second: Setting,
}

/// Why a text is not a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// One of its words is not a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Two of them contradict each other.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}

impl Change {
    /// Combines several settings.
    ///
    /// # Errors
    /// The first two that contradict each other.
    pub fn of(settings: impl IntoIterator<Item = Setting>) -> Result<Change, Contradiction> {
        let mut change = Change::default();
        settings.into_iter().try_for_each(|setting| change.add(setting))?;
        Ok(change)
    }

    /// Adds a setting; adding the same one again has no effect.
    ///
    /// # Errors
    /// A setting contradicts it; the change stays as it was.
    pub fn add(&mut self, setting: Setting) -> Result<(), Contradiction> {
        let mut with = *self;
        match setting {
            Setting::Baud(baud) => with.baud = Some(baud),
            Setting::Frame(frame) => with.frame = Some(frame),
            Setting::NoInitcallDebug => with.no_initcall_debug = true,
            Setting::LogLevel(level) => with.loglevel = Some(level),
            Setting::Kernel { version, rt } => {
                let module = if let ConsoleChange::Of { module, .. } = self.console { module } else { None };
                with.console = ConsoleChange::Of { kernel: Some((version, rt)), module };
            }
            Setting::Module { module, replay } => {
                let kernel = if let ConsoleChange::Of { kernel, .. } = self.console { kernel } else { None };
                with.console = ConsoleChange::Of { kernel, module: Some((module, replay)) };
            }
            Setting::Printing(printing) => with.console = ConsoleChange::Printing(printing),
            Setting::Cpus(cpus) => with.cpus = Some(cpus),
        }
        // A setting contradicts the one that it would replace.
        let replaced = self.settings().find(|before| with.settings().all(|after| after != *before));
        if let Some(first) = replaced {
            return Err(Contradiction { first, second: setting });
        }
        *self = with;
        Ok(())
    }

    /// The settings, in a fixed order; none means the boot as captured.
    pub fn settings(&self) -> impl Iterator<Item = Setting> + use<> {
        let (printing, kernel, module) = match self.console {
            ConsoleChange::Printing(printing) => (Some(printing), None, None),
            ConsoleChange::Of { kernel, module } => (None, kernel, module),
        };
        let all = [
            self.baud.map(Setting::Baud),
            self.frame.map(Setting::Frame),
            self.no_initcall_debug.then_some(Setting::NoInitcallDebug),
            self.loglevel.map(Setting::LogLevel),
            kernel.map(|(version, rt)| Setting::Kernel { version, rt }),
            printing.map(Setting::Printing),
            module.map(|(module, replay)| Setting::Module { module, replay }),
            self.cpus.map(Setting::Cpus),
        ];
        all.into_iter().flatten()
    }

    /// Whether the change is empty.
    pub fn is_empty(&self) -> bool {
        *self == Change::default()
    }

    /// Whether it changes the console's log level.
    pub fn changes_loglevel(&self) -> bool {
        self.loglevel.is_some()
    }
}

impl From<Setting> for Change {
    fn from(setting: Setting) -> Change {
        let mut change = Change::default();
        // A single setting cannot contradict another.
        let _ = change.add(setting);
        change
    }
}

impl FromStr for Change {
    type Err = ChangeError;

    /// Settings between blanks, in any order: `baud=115200 quiet`.
    fn from_str(text: &str) -> Result<Change, ChangeError> {
        let mut change = Change::default();
        for word in text.split_whitespace() {
            change.add(word.parse()?)?;
        }
        Ok(change)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("baseline");
        }
        for (i, setting) in self.settings().enumerate() {
            write!(f, "{}{setting}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = text.parse::<Change>().map(|c| c.to_string()).map_err(|e| e.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn each_setting_is_there_once() {
        check("", Ok("baseline"));
        check("quiet cpus=2 baud=9600", Ok("baud=9600 quiet cpus=2"));
        check("console=nbcon_8250 kernel=6.19-rt", Ok("kernel=6.19-rt console=nbcon_8250"));
        check("console=console_relay+replay baud=9600", Ok("baud=9600 console=console_relay+replay"));
        check("quiet loglevel=4", Ok("quiet"));
        check("baud=9600 baud=9600", Ok("baud=9600"));
    }

    #[test]
    fn contradictions() {
        check("baud=9600 baud=115200", Err("`baud=9600` contradicts `baud=115200`"));
        check("quiet cpus=1 loglevel=7", Err("`quiet` contradicts `loglevel=7`"));
        check("kernel=6.18 kernel=6.18-rt", Err("`kernel=6.18` contradicts `kernel=6.18-rt`"));
        check("console=nbcon console=nbcon_8250", Err("`console=nbcon` contradicts `console=nbcon_8250`"));
        check("console=nbcon_8250 console=nbcon", Err("`console=nbcon_8250` contradicts `console=nbcon`"));
        check(
            "console=nbcon_8250 console=nbcon_8250+replay",
            Err("`console=nbcon_8250` contradicts `console=nbcon_8250+replay`"),
        );
        check(
            "console=nbcon_8250+replay console=console_relay+replay",
            Err("`console=nbcon_8250+replay` contradicts `console=console_relay+replay`"),
        );
        check("kernel=6.19-rt console=legacy", Err("`kernel=6.19-rt` contradicts `console=legacy`"));
        check("console=legacy kernel=6.19-rt", Err("`console=legacy` contradicts `kernel=6.19-rt`"));
    }

    #[test]
    fn a_contradiction_leaves_the_change_as_it_was() {
        let mut change: Change = "baud=9600 quiet".parse().unwrap();
        let before = change;
        assert!(change.add(Setting::LogLevel(7)).is_err());
        assert_eq!(change, before);
    }

    #[test]
    fn what_is_no_setting() {
        check("boud=9600", Err("there is no setting `boud`"));
        check("loglevel=16", Err("`16` is not 0 to 15 for `loglevel`"));
    }
}
