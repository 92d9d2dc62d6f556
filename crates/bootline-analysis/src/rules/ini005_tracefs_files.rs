// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace, silence};
use crate::remedy::{KernelVersions, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini005,
    doc: "A kernel with trace events creates some ten thousand files in tracefs (tracer_init_tracefs), right after it \
          switched to its clock source: 0.1 to 1 s on small processors, several seconds in an emulator. From 5.19 on a \
          kworker does it next to the other initcalls.",
    place: TimelinePlace::Evidence,
    check,
};

/// Shorter silences are other work.
const LEAST: Dur = Dur::from_millis(100);
/// The first kernel with an asynchronous tracer_init_tracefs.
const ASYNC: KernelVersion = KernelVersion::new(5, 19);

fn check(case: &Case<'_>) -> Vec<Finding> {
    if case.boot.kernel.version.is_none_or(|s| s >= ASYNC) || !case.boot.spans().is_empty() {
        return Vec::new();
    }
    // clocksource_done_booting is the fs_initcall before it: "Switching to clocksource" up to 3.9, with a prefix from 4.2.
    let switches = ["Switched to clocksource ", "Switching to clocksource "];
    // What follows is the next fs_initcall that says something; a driver's words would be of a later level.
    let next =
        ["VFS: Disk quotas", "AppArmor: AppArmor Filesystem", "pnp: PnP ACPI", "simple-framebuffer", "FS-Cache:"];
    let mut silences = silence::beginning_with(case, &switches, LEAST);
    silences.retain(|s| case.kernel(s.before).is_some_and(|r| next.iter().any(|n| r.text.starts_with(n))));
    let Some(silence) = silences.into_iter().max_by_key(|s| s.net.best()) else { return Vec::new() };
    let remedies = vec![
        Remedy::new(
            "use a kernel that does it next to the other initcalls",
            vec![SystemChange::Kernel(KernelVersions::From(ASYNC))],
            "a newer kernel; little with one CPU",
            Risk::Medium,
        ),
        Remedy::new(
            "build the kernel without trace events",
            vec![SystemChange::config("CONFIG_FTRACE", "n")],
            "no ftrace, perf or BPF on trace events in the field",
            Risk::Low,
        ),
    ];
    let title = format!("creating the files of tracefs took {}, as far as the log shows", seconds(silence.net.best()));
    vec![silence::finding(case, RULE.id, &[silence], title, remedies)]
}
