// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv013,
    doc: "When a regulator is registered, the kernel brings its voltage into the range of the device tree, and sleeps until it is there: for \
          the ramp that the device tree or the driver states (regulator-ramp-delay). Each regulator is waited for by itself. The time \
          includes the transfers to its chip.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not counted, and a longer one is something else: no regulator ramps for so long.
const PIECE: (Dur, Dur) = (Dur::from_millis(5), Dur::from_millis(300));
/// Less is not reported.
const LEAST: Dur = Dur::from_millis(50);

/// machine_constraints_voltage() (drivers/regulator/core.c, 4.x to 7.2) says this before it changes the voltage: "vdd_arm: Bringing
/// 900000uV into 1100000-1100000uV".
const BEFORE_CHANGE: &str = "uV into ";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut silences: Vec<Silence> = silence::beginning_with(case, &[BEFORE_CHANGE], PIECE.0);
    silences.retain(|s| s.net.best() <= PIECE.1);
    let cost = silence::cost(&silences).best();
    if cost < LEAST {
        return Vec::new();
    }
    let title = match silences.len() {
        1 => format!("the boot waited {} for a regulator to reach its voltage", seconds(cost)),
        n => format!("the boot waited {} for {n} regulators to reach their voltages", seconds(cost)),
    };
    let remedies = vec![
        Remedy::in_words(
            "state the data sheet's time in the device tree: regulator-ramp-delay, in microvolts per microsecond",
            Effort::Rebuild,
            "another device tree; a device that is used before its supply is stable fails",
            Risk::Medium,
        ),
        Remedy::in_words(
            "let the boot loader set these voltages, so that the kernel finds them right",
            Effort::Rebuild,
            "another boot loader",
            Risk::Medium,
        ),
    ];
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
