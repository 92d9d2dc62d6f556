// SPDX-License-Identifier: MIT OR Apache-2.0
//! One setting of a change, and its notation: `baud=115200`.
use std::fmt;
use std::str::FromStr;

use bootline_capture::units::{Baud, Frame};
use bootline_console::{ConsoleModule, KernelVersion, Printing};

/// One changed setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `baud=115200`
    Baud(Baud),
    /// `frame=8n1`
    Frame(Frame),
    /// `loglevel=4`: records of lower levels are printed; `quiet` is 4.
    LogLevel(u8),
    /// `initcall_debug=0`
    NoInitcallDebug,
    /// `kernel=6.19-rt`: the console's behaviour in that version; the boot's own work stays the same.
    Kernel {
        /// Its version.
        version: KernelVersion,
        /// PREEMPT_RT.
        rt: bool,
    },
    /// `console=nbcon`: how the console prints, whichever kernel does so.
    Printing(Printing),
    /// `console=nbcon_8250`, `console=console_relay+replay`: a module's kthread prints.
    Module {
        /// The module that takes the console over.
        module: ConsoleModule,
        /// It is loaded early from the initramfs: the console prints nothing before that (`quiet`), then the whole log. Otherwise
        /// it is built in.
        replay: bool,
    },
    /// `cpus=1`
    Cpus(u32),
}

/// Why a text is not a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No `=`.
    #[error("`{0}` is not KEY=VALUE")]
    NoValue(String),
    /// The key.
    #[error("there is no setting `{0}`")]
    UnknownKey(String),
    /// The value.
    #[error("`{value}` is not {expected} for `{key}`")]
    BadValue {
        /// The key.
        key: String,
        /// The given value.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
}

/// The keys, each with its values, for help texts and error messages.
pub const KEYS: [(&str, &str); 8] = [
    ("baud", "a baud such as 115200"),
    ("frame", "a frame such as 8n1"),
    ("loglevel", "0 to 15"),
    ("quiet", "1"),
    ("initcall_debug", "0"),
    ("kernel", "a series such as 6.18 or 6.19-rt"),
    ("console", "legacy, nbcon, printer-thread, nbcon_8250 or console_relay (these two also with +replay)"),
    ("cpus", "a number of CPUs"),
];

impl FromStr for Setting {
    type Err = SettingError;
    fn from_str(s: &str) -> Result<Setting, SettingError> {
        let (key, value) = match s.split_once('=') {
            Some(pair) => pair,
            None if s == "quiet" => (s, "1"),
            None => return Err(SettingError::NoValue(s.to_owned())),
        };
        let known = KEYS.iter().find(|(k, _)| *k == key);
        let Some((_, expected)) = known else { return Err(SettingError::UnknownKey(key.to_owned())) };
        let read = match key {
            "baud" => value.parse().ok().and_then(Baud::new).map(Setting::Baud),
            "frame" => value.parse().ok().map(Setting::Frame),
            "loglevel" => value.parse().ok().filter(|l| *l <= 15).map(Setting::LogLevel),
            "quiet" => (value == "1").then_some(Setting::LogLevel(4)),
            "initcall_debug" => (value == "0").then_some(Setting::NoInitcallDebug),
            "kernel" => kernel(value),
            "console" => match value {
                "legacy" => Some(Setting::Printing(Printing::Synchronous)),
                "nbcon" => Some(Setting::Printing(Printing::Nbcon)),
                "printer-thread" => Some(Setting::Printing(Printing::ThreadPerRecord)),
                _ => module(value),
            },
            _ => value.parse().ok().filter(|n| (1..=4096).contains(n)).map(Setting::Cpus),
        };
        read.ok_or(SettingError::BadValue { key: key.to_owned(), value: value.to_owned(), expected })
    }
}

fn module(value: &str) -> Option<Setting> {
    let (name, replay) = value.strip_suffix("+replay").map_or((value, false), |name| (name, true));
    let module = ConsoleModule::ALL.into_iter().find(|module| module.name() == name)?;
    Some(Setting::Module { module, replay })
}

fn kernel(value: &str) -> Option<Setting> {
    let (version, rt) = match value.strip_suffix("-rt") {
        Some(version) => (version, true),
        None => (value, false),
    };
    Some(Setting::Kernel { version: version.parse().ok()?, rt })
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Baud(baud) => write!(f, "baud={baud}"),
            Setting::Frame(frame) => write!(f, "frame={frame}"),
            Setting::LogLevel(4) => f.write_str("quiet"),
            Setting::LogLevel(level) => write!(f, "loglevel={level}"),
            Setting::NoInitcallDebug => f.write_str("initcall_debug=0"),
            Setting::Kernel { version, rt } => write!(f, "kernel={version}{}", if *rt { "-rt" } else { "" }),
            Setting::Printing(Printing::Synchronous) => f.write_str("console=legacy"),
            Setting::Printing(Printing::ThreadPerRecord) => f.write_str("console=printer-thread"),
            Setting::Printing(_) => f.write_str("console=nbcon"),
            Setting::Module { module, replay } => {
                write!(f, "console={}{}", module.name(), if *replay { "+replay" } else { "" })
            }
            Setting::Cpus(n) => write!(f, "cpus={n}"),
        }
    }
}
