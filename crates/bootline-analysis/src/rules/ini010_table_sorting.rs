// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;
use bootline_console::KernelVersion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini010,
    doc: "The kernel sorts at each boot what its build could have sorted once: the tables of the ORC unwinder (x86, 4.14 to 5.5), 0.1 s and \
          more on a slow processor, or the table of exceptions. The unwinder's sorting logs nothing: it is the end of setup_arch().",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(30);

/// unwind_init() sorts from here on, and from there on the build does (scripts/sorttable.c).
const ORC: (KernelVersion, KernelVersion) = (KernelVersion::new(4, 14), KernelVersion::new(5, 6));

/// What x86's setup_arch() says last before unwind_init(), and what start_kernel() says next.
const BEFORE_ORC: &str = "clocksource: refined-jiffies:";
const AFTER_ORC: [&str; 2] = ["setup_percpu: ", "random: "];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let exceptions: Vec<Silence> = silence::beginning_with(case, &["Sorting __ex_table"], LEAST);
    let by_build = Remedy::in_words(
        "let the build sort the table: the architecture must select BUILDTIME_TABLE_SORT (before 5.6 BUILDTIME_EXTABLE_SORT)",
        Effort::Rebuild,
        "a change to the architecture's Kconfig, where it has none",
        Risk::Medium,
    );
    let found = finding(case, &exceptions, "its exception table", vec![by_build]).into_iter();
    let Some(version) = case.boot.kernel.version.filter(|v| *v >= ORC.0 && *v < ORC.1) else { return found.collect() };
    let follows = |s: &Silence| case.kernel(s.before).is_some_and(|r| AFTER_ORC.iter().any(|a| r.text.starts_with(a)));
    let mut unwinder = silence::beginning_with(case, &[BEFORE_ORC], LEAST);
    unwinder.retain(follows);
    let remedies = vec![
        Remedy::new(
            "use a kernel whose build sorts the tables",
            vec![SystemChange::Kernel(KernelVersions::From(ORC.1))],
            format!("another kernel than {version}"),
            Risk::Medium,
        ),
        Remedy::new(
            "unwind by frame pointers",
            vec![SystemChange::config("CONFIG_UNWINDER_FRAME_POINTER", "y")],
            "the kernel becomes some per cent slower and larger",
            Risk::Low,
        ),
    ];
    found.chain(finding(case, &unwinder, "the tables of its ORC unwinder", remedies)).collect()
}

fn finding(case: &Case<'_>, silences: &[Silence], what: &str, remedies: Vec<Remedy>) -> Option<Finding> {
    let took = silence::cost(silences).best();
    if took < LEAST {
        return None;
    }
    let title = format!("the kernel took {} to sort {what}, as far as the log shows", seconds(took));
    Some(silence::finding(case, RULE.id, silences, title, remedies))
}
