// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change to the whole boot in words: what it is called, what it costs, what it takes for granted, what it needs.
use std::collections::HashSet;

use super::processor_load::ProcessorLoad;
use super::setting::{Length, TYPE_EXEC, WholeSetting};
use super::whole_prediction::WholeChange;
use crate::init_scripts;
use crate::predict::{self, Assumption};
use crate::remedy::SystemChange;
use crate::rule_id::RuleId;
use crate::user_space::requiring;
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// What it costs that fastinit is the init, wherever it is advised.
pub(crate) const FASTINIT_PRICE: &str = "without fastinit at that place the kernel panics; the application finds only what fastinit's \
                                         configuration mounts, loads and creates";

pub(super) fn title(boot: &Boot, change: &WholeChange) -> String {
    if change.is_empty() {
        return "baseline".to_owned();
    }
    let settings = named(boot, change);
    let mut words = Vec::new();
    let masked: Vec<&str> = settings.iter().filter_map(WholeSetting::masked).collect();
    if !masked.is_empty() {
        words.push(format!("without {}", masked.join(", ")));
    }
    let later: Vec<&str> = settings
        .iter()
        .filter_map(|s| if let WholeSetting::AfterApplication(u) = s { Some(u.as_str()) } else { None })
        .collect();
    if !later.is_empty() {
        words.push(format!("{} after {}", later.join(", "), application(boot)));
    }
    words.extend(settings.iter().filter_map(|setting| match setting {
        WholeSetting::Mask(_) | WholeSetting::AfterApplication(_) => None,
        WholeSetting::NoWait(unit) => Some(format!("nothing waits for {unit}")),
        WholeSetting::NoDefaultDependencies(unit) => Some(format!("{unit} waits only for what it declares")),
        WholeSetting::Fastinit => Some(format!("{} started by fastinit, before systemd", application(boot))),
        WholeSetting::Activation { unit, length: Length::Exactly(length) } => {
            Some(format!("{unit} up after {} s", length.as_secs_f64()))
        }
        WholeSetting::Activation { unit, length: Length::Longer(by) } => {
            let word = if *by < Dur::ZERO { "sooner" } else { "later" };
            Some(format!("{unit} up {} s {word}", by.abs().as_secs_f64()))
        }
        WholeSetting::Stage { stage, length } => Some(format!("{} in {} s", stage.title(), length.as_secs_f64())),
        WholeSetting::Without(rule) => Some(format!("without {}", rule.title())),
    }));
    if !change.console().is_empty() {
        words.push(predict::title(change.console()));
    }
    words.join(", ")
}

/// The settings of the change, those of a script with the name that it prints.
fn named(boot: &Boot, change: &WholeChange) -> Vec<WholeSetting> {
    let is_of_scripts = init_scripts::start_user_space(boot);
    let named = |setting: &WholeSetting| {
        let script = setting.unit().filter(|_| is_of_scripts).and_then(|name| init_scripts::named(boot, name).ok());
        script.map_or_else(|| setting.clone(), |script| setting.of(&script.name))
    };
    change.of_whole().iter().map(named).collect()
}

fn application(boot: &Boot) -> &str {
    boot.whole.application.as_ref().map_or("the boot's end", |app| app.name.as_str())
}

/// What the change costs its user.
pub(super) fn price(boot: &Boot, change: &WholeChange) -> String {
    let mut prices: Vec<String> = Vec::new();
    let mut add = |price: String| {
        if !prices.contains(&price) {
            prices.push(price);
        }
    };
    let what = if init_scripts::start_user_space(boot) { "scripts" } else { "units" };
    let settings = named(boot, change);
    let masked: Vec<&str> = settings.iter().filter_map(WholeSetting::masked).collect();
    match requiring(boot, &masked.iter().copied().collect::<HashSet<&str>>()).as_slice() {
        [] if masked.is_empty() => {}
        [] => add(format!("what these {what} do")),
        some => add(format!("without {}, {} will not start", masked.join(", "), some.join(", "))),
    }
    for setting in &settings {
        match setting {
            WholeSetting::AfterApplication(_) => {
                add(format!("these {what} start later; anything that asks for one earlier has to wait"));
            }
            WholeSetting::NoWait(unit) => add(format!("what needs {unit} must wait for it itself, or retry")),
            WholeSetting::NoDefaultDependencies(unit) => {
                add(format!(
                    "file systems and devices may be missing when {unit} starts; it must declare what it needs"
                ));
            }
            WholeSetting::Fastinit => {
                add(FASTINIT_PRICE.to_owned());
            }
            WholeSetting::Mask(_)
            | WholeSetting::Activation { .. }
            | WholeSetting::Stage { .. }
            | WholeSetting::Without(_) => {}
        }
    }
    prices.join("; ")
}

/// The assumptions on units.
pub(super) fn unit_assumptions(load: &ProcessorLoad, settings: &[&WholeSetting]) -> Vec<Assumption> {
    let mut found = vec![Assumption {
        name: "unit-order",
        text: "each unit starts as long after the last unit that it waited for as in this boot".to_owned(),
    }];
    let text = match load.busy {
        Some(busy) => format!(
            "the processors were busy for up to {:.0} % of user space; a wait that ends sooner is probably filled with what has to be done in any case, and at worst with everything",
            busy * 100.0
        ),
        None => {
            "no source shows how busy the processors were; if they were, a wait that ends sooner saves less".to_owned()
        }
    };
    found.push(Assumption { name: "processor-load", text });
    if settings.iter().any(|s| matches!(s, WholeSetting::Mask(_) | WholeSetting::AfterApplication(_))) {
        found.push(Assumption {
            name: "not-needed",
            text:
                "nothing that decides when the application is up asks for these units, by D-Bus or a socket for example"
                    .to_owned(),
        });
    }
    let mut needs = |what: &str| {
        let text = format!("{what} needs nothing that its unit does not declare");
        found.push(Assumption { name: "declared-needs", text });
    };
    for setting in settings {
        match setting {
            WholeSetting::Fastinit => needs("the application"),
            WholeSetting::NoDefaultDependencies(unit) => needs(unit),
            _ => {}
        }
    }
    found
}

/// The assumptions on init scripts.
pub(super) fn script_assumptions(load: &ProcessorLoad, settings: &[&WholeSetting]) -> Vec<Assumption> {
    let mut found = vec![Assumption {
        name: "script-order",
        text: "init scripts run one after the other, and what this boot ends with follows them: it comes as long after the last script \
               before it as in this boot"
            .to_owned(),
    }];
    let mut add = |name, text: String| found.push(Assumption { name, text });
    add(
        "shared-wait",
        "at worst the next script waits for the same, a device or an address for example, and nothing is saved"
            .to_owned(),
    );
    let is_left_out = |s: &&WholeSetting| matches!(s, WholeSetting::Mask(_) | WholeSetting::AfterApplication(_));
    if settings.iter().any(is_left_out) {
        add("not-needed", "nothing that runs before the boot's end needs what these scripts do".to_owned());
        add(
            "left-running",
            "at most, each of these scripts has left one task running, which took its share of the processors from all that followed"
                .to_owned(),
        );
    }
    if settings.iter().any(|s| matches!(s, WholeSetting::NoWait(_))) {
        let text = match (load.busy, load.cpus) {
            (Some(busy), _) => format!(
                "a script in the background goes on while a processor is idle; the processors were busy for {:.0} % of user space",
                busy * 100.0
            ),
            (None, 1) => {
                "no source shows an idle processor: a script in the background may need as much of it as before"
                    .to_owned()
            }
            (None, cpus) => {
                format!("no source shows how busy the {cpus} processors were: one of them was idle, probably")
            }
        };
        add("processor-load", text);
    }
    found
}

/// The assumption on another number of processors.
pub(super) fn cpus_assumption(load: &ProcessorLoad) -> Assumption {
    let text = match load.busy {
        Some(busy) => format!("user space is as much work on another number of processors; here they were busy for {:.0} % of it", busy * 100.0),
        None => "no source shows how busy the processors were, so user space may take as long as before, or longer in proportion".to_owned(),
    };
    Assumption { name: "user-space-work", text }
}

/// The assumption on a finding that is taken away.
pub(super) fn finding_assumption(rule: RuleId) -> Assumption {
    let code = rule.code();
    let text = format!(
        "a remedy of {code} saves what `bootline explain` says that it costs, and nothing else fills that time"
    );
    Assumption { name: "finding-cost", text }
}

/// The assumption on the kernel's part, where no log of a console shows how it would change.
pub(super) fn kernel_assumption() -> Assumption {
    let text = "the kernel takes as long as before: the log does not allow a prediction of its part".to_owned();
    Assumption { name: "kernel-work", text }
}

/// What has to be changed on the system.
pub(super) fn needs(boot: &Boot, change: &WholeChange) -> Vec<SystemChange> {
    let is_of_scripts = init_scripts::start_user_space(boot);
    let of_setting = |setting: &WholeSetting| match setting {
        WholeSetting::Mask(script) if is_of_scripts => Some(SystemChange::DisableScript(script.clone())),
        WholeSetting::AfterApplication(script) if is_of_scripts => {
            Some(SystemChange::ScriptAfter { script: script.clone(), after: application(boot).to_owned() })
        }
        WholeSetting::NoWait(script) if is_of_scripts => Some(SystemChange::ScriptInBackground(script.clone())),
        WholeSetting::Mask(unit) => Some(SystemChange::MaskUnit(unit.clone())),
        WholeSetting::AfterApplication(unit) => {
            Some(SystemChange::StartAfter { unit: unit.clone(), after: application(boot).to_owned() })
        }
        // Nothing else has a Type=.
        WholeSetting::NoWait(unit) if !unit.ends_with(".service") => None,
        WholeSetting::NoWait(unit) => Some(SystemChange::ServiceSetting { unit: unit.clone(), setting: TYPE_EXEC }),
        WholeSetting::Fastinit => Some(SystemChange::parameter("init", "/usr/sbin/fastinit")),
        // In words only, or unknown.
        WholeSetting::NoDefaultDependencies(_)
        | WholeSetting::Activation { .. }
        | WholeSetting::Stage { .. }
        | WholeSetting::Without(_) => None,
    };
    let console = predict::system_changes(boot, change.console());
    named(boot, change).iter().filter_map(of_setting).chain(console).collect()
}
