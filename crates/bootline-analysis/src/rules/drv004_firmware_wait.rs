// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv004,
    doc: "A driver asks for firmware that is not there yet. With CONFIG_FW_LOADER_USER_HELPER_FALLBACK the kernel then waits \
          60 s for a program that brings it; before init there is none.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is the time that a file takes to be read.
const LEAST: Dur = Dur::from_secs(1);

fn check(case: &Case<'_>) -> Vec<Finding> {
    // "user helper" from 3.14 to 4.16.
    let falls = ["Falling back to sysfs fallback for", "Falling back to user helper"];
    let silences = silence::beginning_with(case, &falls, LEAST);
    let Some(first) = silences.first() else { return Vec::new() };
    let device = case
        .kernel(first.after)
        .and_then(|r| silence::subject(r.text))
        .filter(|s| !s.starts_with("Falling"))
        .unwrap_or("a driver");
    let others = match silences.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let title = format!("{device}{others} waited {} for firmware", seconds(silence::cost(&silences).best()));
    let remedies = vec![
        Remedy::in_words(
            "put the firmware where the driver finds it: into the initramfs, or into the kernel by CONFIG_EXTRA_FIRMWARE",
            Effort::Rebuild,
            "a larger image; the firmware's licence must permit it",
            Risk::Low,
        ),
        Remedy::new(
            "do not wait for a program to bring it",
            vec![SystemChange::config("CONFIG_FW_LOADER_USER_HELPER_FALLBACK", "n")],
            "drivers whose firmware only user space can bring fail",
            Risk::Medium,
        ),
        Remedy::in_words(
            "build the driver as a module and load it once the root file system is there",
            Effort::Rebuild,
            "the device comes later",
            Risk::Medium,
        ),
    ];
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
