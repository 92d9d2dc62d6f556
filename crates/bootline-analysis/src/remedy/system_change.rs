// SPDX-License-Identifier: MIT OR Apache-2.0
//! One change to a system.
use std::borrow::Cow;
use std::fmt;

use super::effort::Effort;
use super::kernel_versions::KernelVersions;
use super::parameter::Parameter;

/// One change to a system, exact enough for a tool to make it where [`is_complete`](SystemChange::is_complete).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SystemChange {
    /// Put on the kernel's command line, in place of parameters of the same name.
    AddParameter(Parameter),
    /// Taken off the kernel's command line.
    RemoveParameter(Parameter),
    /// A symbol of the kernel's configuration.
    Config {
        /// `CONFIG_PREEMPT_RT`
        symbol: Cow<'static, str>,
        /// `y`, `m`, `n` or a number.
        value: String,
    },
    /// Another version of the kernel.
    Kernel(KernelVersions),
    /// A module, loaded first thing in the initramfs.
    LoadModule {
        /// `nbcon_8250`
        module: &'static str,
        /// `replay=1`
        parameters: Vec<Parameter>,
    },
    /// A setting of the running kernel.
    Sysctl {
        /// `kernel.printk`
        key: &'static str,
        /// `4 4 1 7`
        value: &'static str,
    },
    /// A unit of systemd that is not started.
    MaskUnit(String),
    /// A unit of systemd that is started after another: a drop-in with `After=`.
    StartAfter {
        /// `avahi-daemon.service`. It may come from the log: escape it like a record.
        unit: String,
        /// `camera.service`
        after: String,
    },
    /// A setting in the section `[Service]` of a unit of systemd: a drop-in.
    ServiceSetting {
        /// `camera.service`. It may come from the log: escape it like a record.
        unit: String,
        /// `StandardOutput=journal`
        setting: &'static str,
    },
    /// An init script that is not run, by the name that it prints: how depends on the init, and which file it is may not be known.
    DisableScript(String),
    /// An init script that is run after the application.
    ScriptAfter {
        /// `networking`. It may come from the log: escape it like a record.
        script: String,
        /// The application's name.
        after: String,
    },
    /// An init script that runs in the background, so that the next one does not wait for it.
    ScriptInBackground(String),
    /// A generator of systemd that is not run: a link to /dev/null of its name in /etc/systemd/system-generators.
    MaskGenerator(&'static str),
    /// A line of a configuration file.
    FileSetting {
        /// `/etc/systemd/journald.conf`
        file: &'static str,
        /// `Journal`; none of a file without sections.
        section: Option<&'static str>,
        /// `Storage=volatile`
        setting: &'static str,
    },
    /// How the device at the other end of the serial line is to be set, in words.
    OtherEnd(String),
    /// Other hardware, in words: `2 CPUs`.
    Hardware(String),
}

impl SystemChange {
    /// A bare word on the command line.
    pub fn word(name: &str) -> SystemChange {
        SystemChange::AddParameter(Parameter::word(name))
    }

    /// `name=value` on the command line.
    pub fn parameter(name: &str, value: impl Into<String>) -> SystemChange {
        SystemChange::AddParameter(Parameter::new(name, value))
    }

    /// `name=<what only the user knows>` on the command line.
    pub fn open_parameter(name: &str, placeholder: &'static str) -> SystemChange {
        SystemChange::AddParameter(Parameter::open(name, placeholder))
    }

    /// A word taken off the command line, as it stands there.
    pub fn without(word: &str) -> SystemChange {
        SystemChange::RemoveParameter(Parameter::parse(word))
    }

    /// A symbol of the kernel's configuration.
    pub fn config(symbol: impl Into<Cow<'static, str>>, value: impl Into<String>) -> SystemChange {
        SystemChange::Config { symbol: symbol.into(), value: value.into() }
    }

    /// How much work it is.
    pub fn effort(&self) -> Effort {
        match self {
            SystemChange::AddParameter(_)
            | SystemChange::RemoveParameter(_)
            | SystemChange::LoadModule { .. }
            | SystemChange::Sysctl { .. }
            | SystemChange::MaskUnit(_)
            | SystemChange::StartAfter { .. }
            | SystemChange::ServiceSetting { .. }
            | SystemChange::DisableScript(_)
            | SystemChange::ScriptAfter { .. }
            | SystemChange::ScriptInBackground(_)
            | SystemChange::MaskGenerator(_)
            | SystemChange::FileSetting { .. }
            | SystemChange::OtherEnd(_) => Effort::Configuration,
            SystemChange::Config { .. } | SystemChange::Kernel(_) => Effort::Rebuild,
            SystemChange::Hardware(_) => Effort::Hardware,
        }
    }

    /// Whether a tool can make it as it is: nothing is left for the user to fill in.
    pub fn is_complete(&self) -> bool {
        match self {
            SystemChange::AddParameter(p) => p.is_complete(),
            SystemChange::LoadModule { parameters, .. } => parameters.iter().all(Parameter::is_complete),
            SystemChange::Kernel(versions) => !matches!(versions, KernelVersions::Having(_)),
            SystemChange::RemoveParameter(_)
            | SystemChange::Config { .. }
            | SystemChange::Sysctl { .. }
            | SystemChange::MaskUnit(_)
            | SystemChange::StartAfter { .. }
            | SystemChange::ServiceSetting { .. }
            | SystemChange::MaskGenerator(_)
            | SystemChange::FileSetting { .. } => true,
            SystemChange::DisableScript(_)
            | SystemChange::ScriptAfter { .. }
            | SystemChange::ScriptInBackground(_)
            | SystemChange::OtherEnd(_)
            | SystemChange::Hardware(_) => false,
        }
    }

    /// Whether it is a setting that can be typed, rather than a thing in words.
    pub fn is_setting(&self) -> bool {
        !matches!(
            self,
            SystemChange::DisableScript(_)
                | SystemChange::ScriptAfter { .. }
                | SystemChange::ScriptInBackground(_)
                | SystemChange::OtherEnd(_)
                | SystemChange::Hardware(_)
        )
    }
}

impl fmt::Display for SystemChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemChange::AddParameter(parameter) => write!(f, "{parameter}"),
            SystemChange::RemoveParameter(parameter) => write!(f, "without {parameter}"),
            SystemChange::Config { symbol, value } => write!(f, "{symbol}={value}"),
            SystemChange::Kernel(versions) => write!(f, "kernel {versions}"),
            SystemChange::LoadModule { module, parameters } => {
                write!(f, "modprobe {module}")?;
                parameters.iter().try_for_each(|p| write!(f, " {p}"))?;
                f.write_str(" (first thing in the initramfs)")
            }
            SystemChange::Sysctl { key, value } => write!(f, "sysctl {key}=\"{value}\""),
            SystemChange::MaskUnit(unit) => write!(f, "systemctl mask {unit}"),
            SystemChange::StartAfter { unit, after } => write!(f, "After={after} in {unit}"),
            SystemChange::ServiceSetting { unit, setting } => write!(f, "{setting} in {unit}"),
            SystemChange::DisableScript(script) => write!(f, "no init script {script}"),
            SystemChange::ScriptAfter { script, after } => write!(f, "init script {script} after {after}"),
            SystemChange::ScriptInBackground(script) => write!(f, "init script {script} in the background"),
            SystemChange::MaskGenerator(name) => {
                write!(f, "ln -s /dev/null /etc/systemd/system-generators/{name}")
            }
            SystemChange::FileSetting { file, setting, .. } => write!(f, "{setting} in {file}"),
            SystemChange::OtherEnd(what) => write!(f, "the other end at {what}"),
            SystemChange::Hardware(what) => f.write_str(what),
        }
    }
}
