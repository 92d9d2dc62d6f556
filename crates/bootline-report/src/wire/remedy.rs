// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be done about lost time.
use schemars::JsonSchema;
use serde::Serialize;

use super::interval::Interval;
use bootline_analysis::remedy;

/// Something to do.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Remedy<'b> {
    /// What to do.
    action: &'b str,
    /// The exact settings, as typed; null if only text can state the remedy.
    setting: Option<String>,
    /// The changes to the system, to be made together; empty if only text can state the remedy.
    changes: Vec<SystemChange<'b>>,
    /// Whether a tool can make all changes automatically.
    applicable: bool,
    /// What the remedy costs its user.
    price: &'b str,
    effort: Effort,
    risk: Risk,
    /// Predicted saving with this remedy alone; null if not predicted.
    saves_ns: Option<Interval>,
}

/// How much work a remedy is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effort {
    /// The system stays as it is.
    None,
    /// Parameters, modules, services: nothing is built.
    Configuration,
    /// Another kernel, or another image of the root file system.
    Rebuild,
    /// Another board, or a change to this one.
    Hardware,
}

/// What can go wrong with a remedy.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Risk {
    /// The system works as before; if it fails, messages may be missing.
    Low,
    /// A device or function may come later, get another name, or be missing.
    Medium,
    /// The system may fail to boot, lose data or misbehave if the remedy's assumptions are wrong.
    High,
}

/// One change to a system.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum SystemChange<'b> {
    /// Added to the kernel command line, replacing parameters of the same name.
    AddParameter(Parameter<'b>),
    /// Removed from the kernel command line.
    RemoveParameter(Parameter<'b>),
    /// A symbol of the kernel's configuration.
    Config {
        /// `CONFIG_PREEMPT_RT`
        symbol: &'b str,
        /// `y`, `m`, `n` or a number.
        value: &'b str,
    },
    /// Another version of the kernel.
    Kernel {
        /// The first suitable version; null if none is known.
        from: Option<String>,
        /// The last suitable version; null if all later ones are.
        to: Option<String>,
        /// Description.
        text: String,
    },
    /// A module, loaded as the first step of the initramfs.
    LoadModule {
        /// `nbcon_8250`
        module: &'b str,
        /// Its parameters.
        parameters: Vec<Parameter<'b>>,
    },
    /// A setting of the running kernel.
    Sysctl {
        /// `kernel.printk`
        key: &'b str,
        /// `4 4 1 7`
        value: &'b str,
    },
    /// A unit of systemd that is not started.
    MaskUnit {
        /// `avahi-daemon.service`
        unit: &'b str,
    },
    /// A unit of systemd that is started after another.
    StartAfter {
        /// `avahi-daemon.service`
        unit: &'b str,
        /// `camera.service`
        after: &'b str,
    },
    /// A setting in the section `[Service]` of a unit of systemd: a drop-in.
    ServiceSetting {
        /// `camera.service`
        unit: &'b str,
        /// `StandardOutput=journal`
        setting: &'b str,
    },
    /// An init script that is not run.
    DisableScript {
        /// The name that it prints: `networking`.
        script: &'b str,
    },
    /// An init script that is run after the application.
    ScriptAfter {
        /// The name that it prints: `networking`.
        script: &'b str,
        /// The application's name.
        after: &'b str,
    },
    /// An init script that runs in the background, so that the next one does not wait for it.
    ScriptInBackground {
        /// The name that it prints: `networking`.
        script: &'b str,
    },
    /// A generator of systemd that is not run: a link to /dev/null in /etc/systemd/system-generators.
    MaskGenerator {
        /// `systemd-gpt-auto-generator`
        generator: &'b str,
    },
    /// A line of a configuration file.
    FileSetting {
        /// `/etc/systemd/journald.conf`
        file: &'b str,
        /// `Journal`; none of a file without sections.
        section: Option<&'b str>,
        /// `Storage=volatile`
        setting: &'b str,
    },
    /// A setting of the device at the other end of the serial line.
    OtherEnd {
        /// `115200 baud`
        text: &'b str,
    },
    /// Other hardware.
    Hardware {
        /// `2 CPUs`
        text: &'b str,
    },
}

/// A parameter of the kernel command line or of a module.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Parameter<'b> {
    /// `console`
    name: &'b str,
    /// `ttyS0,115200n8`; null for a parameter without a value.
    value: Option<&'b str>,
    /// What the user must supply as the value; absent if the value is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    placeholder: Option<&'b str>,
}

impl<'b> From<&'b remedy::Remedy> for Remedy<'b> {
    fn from(r: &'b remedy::Remedy) -> Remedy<'b> {
        Remedy {
            action: &r.action,
            setting: r.setting(),
            changes: r.changes.iter().map(SystemChange::from).collect(),
            applicable: r.is_applicable(),
            price: &r.price,
            effort: match r.effort {
                remedy::Effort::None => Effort::None,
                remedy::Effort::Configuration => Effort::Configuration,
                remedy::Effort::Rebuild => Effort::Rebuild,
                remedy::Effort::Hardware => Effort::Hardware,
            },
            risk: match r.risk {
                remedy::Risk::Low => Risk::Low,
                remedy::Risk::Medium => Risk::Medium,
                remedy::Risk::High => Risk::High,
            },
            saves_ns: r.saves.map(Interval::from),
        }
    }
}

impl<'b> From<&'b remedy::SystemChange> for SystemChange<'b> {
    fn from(change: &'b remedy::SystemChange) -> SystemChange<'b> {
        use remedy::SystemChange as Change;
        match change {
            Change::AddParameter(p) => SystemChange::AddParameter(p.into()),
            Change::RemoveParameter(p) => SystemChange::RemoveParameter(p.into()),
            Change::Config { symbol, value } => SystemChange::Config { symbol, value },
            Change::Kernel(versions) => {
                let (from, to) = match versions {
                    remedy::KernelVersions::From(first) => (Some(first.to_string()), None),
                    remedy::KernelVersions::Between(first, last) => (Some(first.to_string()), Some(last.to_string())),
                    remedy::KernelVersions::Having(_) => (None, None),
                };
                SystemChange::Kernel { from, to, text: versions.to_string() }
            }
            Change::LoadModule { module, parameters } => {
                SystemChange::LoadModule { module, parameters: parameters.iter().map(Parameter::from).collect() }
            }
            Change::Sysctl { key, value } => SystemChange::Sysctl { key, value },
            Change::MaskUnit(unit) => SystemChange::MaskUnit { unit },
            Change::StartAfter { unit, after } => SystemChange::StartAfter { unit, after },
            Change::ServiceSetting { unit, setting } => SystemChange::ServiceSetting { unit, setting },
            Change::DisableScript(script) => SystemChange::DisableScript { script },
            Change::ScriptAfter { script, after } => SystemChange::ScriptAfter { script, after },
            Change::ScriptInBackground(script) => SystemChange::ScriptInBackground { script },
            Change::MaskGenerator(generator) => SystemChange::MaskGenerator { generator },
            Change::FileSetting { file, section, setting } => {
                SystemChange::FileSetting { file, section: *section, setting }
            }
            Change::OtherEnd(text) => SystemChange::OtherEnd { text },
            Change::Hardware(text) => SystemChange::Hardware { text },
        }
    }
}

impl<'b> From<&'b remedy::Parameter> for Parameter<'b> {
    fn from(p: &'b remedy::Parameter) -> Parameter<'b> {
        let (value, placeholder) = match &p.value {
            None => (None, None),
            Some(remedy::ParameterValue::Exact(value)) => (Some(value.as_str()), None),
            Some(remedy::ParameterValue::Placeholder(what)) => (None, Some(*what)),
        };
        Parameter { name: &p.name, value, placeholder }
    }
}
