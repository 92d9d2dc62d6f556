// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv006,
    doc: "The kernel looks for PS/2 keyboards and mice. A port without a device answers nothing, and each command to it \
          takes its whole time-out: 0.2 to 1 s a port. Few embedded boards have such devices.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(100);

/// What ends a probe that found nothing.
const ENDS: [&str; 6] = [
    "i8042: No controller found",
    "i8042: Can't read CTR while initializing i8042",
    "i8042 controller selftest",
    "i8042: giving up on controller selftest",
    "keyboard reset failed on ",
    "Failed to deactivate keyboard on ",
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let silences = silence::ending_with(case, &ENDS, LEAST);
    if silences.is_empty() {
        return Vec::new();
    }
    let took = seconds(silence::cost(&silences).best());
    let title = format!("looking for a PS/2 keyboard that is not there took {took}, as far as the log shows");
    let is_pc = case.find("i8042").next().is_some();
    let controller = if is_pc { "CONFIG_SERIO_I8042" } else { "CONFIG_SERIO" };
    let mut remedies = vec![Remedy::new(
        "build the kernel without PS/2 devices",
        vec![
            SystemChange::config("CONFIG_KEYBOARD_ATKBD", "n"),
            SystemChange::config("CONFIG_MOUSE_PS2", "n"),
            SystemChange::config(controller, "n"),
        ],
        "no PS/2 keyboards and mice; USB keyboards are not affected",
        Risk::Low,
    )];
    if is_pc {
        remedies.push(Remedy::new(
            "do not look for them",
            vec![SystemChange::parameter("initcall_blacklist", "i8042_init")],
            "a kernel with CONFIG_KALLSYMS and the driver built in; no PS/2 keyboards and mice",
            Risk::Low,
        ));
    }
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
