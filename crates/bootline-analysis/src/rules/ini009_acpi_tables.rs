// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini009,
    doc: "The kernel loads the firmware's ACPI tables and runs their methods for each device (acpi_init): 20 to 50 ms on a PC. Where it \
          takes longer, the CPU is slow (an emulator), or the firmware sleeps in a method, such as 300 ms in a power resource's _ON \
          for a touch screen.",
    place: TimelinePlace::Evidence,
    check,
};

/// Least time, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(100), 0.02);
/// More silences than any firmware has; a log may be hostile.
const MOST: usize = 100;
/// A shorter silence is not cited.
const PIECE: Dur = Dur::from_millis(10);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // Registrations of buses belong to other initcalls.
    let is_acpi = |i: usize| {
        case.kernel(i).is_some_and(|r| r.text.starts_with("ACPI: ") && !r.text.starts_with("ACPI: bus type"))
    };
    let from =
        case.first("ACPI: Core revision").or_else(|| case.find("AML tables successfully").next().map(|(i, _)| i));
    let mut silences: Vec<Silence> = silence::ending_with(case, &["ACPI: "], PIECE);
    silences.retain(|s| is_acpi(s.before) && is_acpi(s.after) && from.is_some_and(|from| s.after >= from));
    silences.sort_by_key(|s| std::cmp::Reverse(s.net.best()));
    silences.truncate(MOST);
    // A printer kthread may have had the CPU.
    silences.retain(|s| case.thread_busy(s.time_range.from, s.time_range.to) * 2 < s.net.best());
    let cost = silence::cost(&silences).best();
    // With initcall_debug, all of acpi_init() is known.
    if cost < case.threshold(LEAST.0, LEAST.1) || case.span("acpi_init").is_some() {
        return Vec::new();
    }
    let title = format!("loading the firmware's ACPI tables and running their methods took {}", seconds(cost));
    let remedy = Remedy::in_words(
        "shorten the delays in the methods (_ON, _INI, _STA) of what the finding's records name, and leave out tables of devices that the board lacks",
        Effort::Rebuild,
        "another firmware; a device that needs the delay fails without it",
        Risk::High,
    );
    vec![silence::finding(case, RULE.id, &silences, title, vec![remedy])]
}
