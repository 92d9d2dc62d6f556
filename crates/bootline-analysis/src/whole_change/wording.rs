// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change to the whole boot in words: what it is called, what it costs, what it takes for granted, what it needs.
use super::processor_load::ProcessorLoad;
use super::setting::{Length, TYPE_EXEC, WholeSetting};
use super::whole_prediction::WholeChange;
use crate::predict::{self, Assumption};
use crate::remedy::SystemChange;
use bootline_boot::Boot;
use bootline_capture::units::Dur;

pub(super) fn title(boot: &Boot, change: &WholeChange) -> String {
    if change.is_empty() {
        return "baseline".to_owned();
    }
    let settings = change.of_whole();
    let mut words = Vec::new();
    let masked: Vec<&str> =
        settings.iter().filter_map(|s| if let WholeSetting::Mask(u) = s { Some(u.as_str()) } else { None }).collect();
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
    }));
    if !change.console().is_empty() {
        words.push(predict::title(change.console()));
    }
    words.join(", ")
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
    for setting in change.of_whole() {
        match setting {
            WholeSetting::Mask(unit) => {
                let units = &boot.whole.units;
                let at = units.iter().position(|u| u.name == *unit);
                let requiring: Vec<&str> = units
                    .iter()
                    .filter(|u| at.is_some_and(|at| u.requires.contains(&at)))
                    .map(|u| u.name.as_str())
                    .collect();
                match requiring.as_slice() {
                    [] => add("what these units do".to_owned()),
                    some => add(format!("without {unit}, {} will not start", some.join(", "))),
                }
            }
            WholeSetting::AfterApplication(_) => {
                add("these units start later; anything that asks for one earlier has to wait".to_owned())
            }
            WholeSetting::NoWait(unit) => add(format!("what needs {unit} must wait for it itself, or retry")),
            WholeSetting::NoDefaultDependencies(unit) => {
                add(format!(
                    "file systems and devices may be missing when {unit} starts; it must declare what it needs"
                ));
            }
            WholeSetting::Fastinit => {
                add("without fastinit at that place the kernel panics".to_owned());
                add("the application finds only what fastinit's configuration mounts, loads and creates".to_owned());
            }
            WholeSetting::Activation { .. } | WholeSetting::Stage { .. } => {}
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

/// The assumption on another number of processors.
pub(super) fn cpus_assumption(load: &ProcessorLoad) -> Assumption {
    let text = match load.busy {
        Some(busy) => format!("user space is as much work on another number of processors; here they were busy for {:.0} % of it", busy * 100.0),
        None => "no source shows how busy the processors were, so user space may take as long as before, or longer in proportion".to_owned(),
    };
    Assumption { name: "user-space-work", text }
}

/// The assumption on the kernel's part, where no log of a console shows how it would change.
pub(super) fn kernel_assumption() -> Assumption {
    let text = "the kernel takes as long as before: the log does not allow a prediction of its part".to_owned();
    Assumption { name: "kernel-work", text }
}

/// What has to be changed on the system.
pub(super) fn needs(boot: &Boot, change: &WholeChange) -> Vec<SystemChange> {
    let of_setting = |setting: &WholeSetting| match setting {
        WholeSetting::Mask(unit) => Some(SystemChange::MaskUnit(unit.clone())),
        WholeSetting::AfterApplication(unit) => {
            Some(SystemChange::StartAfter { unit: unit.clone(), after: application(boot).to_owned() })
        }
        // Nothing else has a Type=.
        WholeSetting::NoWait(unit) if !unit.ends_with(".service") => None,
        WholeSetting::NoWait(unit) => Some(SystemChange::ServiceSetting { unit: unit.clone(), setting: TYPE_EXEC }),
        WholeSetting::Fastinit => Some(SystemChange::parameter("init", "/usr/sbin/fastinit")),
        // In words only, or unknown.
        WholeSetting::NoDefaultDependencies(_) | WholeSetting::Activation { .. } | WholeSetting::Stage { .. } => None,
    };
    let console = predict::system_changes(boot, change.console());
    change.of_whole().iter().filter_map(of_setting).chain(console).collect()
}
