// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange, apart};
use super::finding::cite;
use super::unit_cost::names;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, Service};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr016,
    doc: "An init that runs scripts (System V's, BusyBox's, OpenRC by default) starts one after the other: what waits for a device, a lease or a \
          sleep holds back all that follow, and the other processors are idle. OpenRC and Debian's startpar can run scripts in parallel; with any \
          init, the application's script can come first.",
    place: TimelinePlace::Evidence,
    check,
};

/// Fewer scripts are not reported.
const FEW: usize = 4;
/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(500), 0.05);
/// Lines of two scripts may overlap by as much: each is timed at its arrival.
const SAME_INSTANT: Dur = Dur::from_millis(10);

/// A script, and what of its time no other rule explains.
struct OwnTime<'b> {
    script: &'b Service,
    length: Dur,
    pieces: Vec<TimeRange>,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let scripts = scripts(boot);
    // A manager that runs units in parallel may run some scripts, too.
    if boot.services.iter().filter(|s| !s.of_script && !s.in_initramfs).count() > scripts.len() {
        return Vec::new();
    }
    let Some(sequence) = in_sequence(&scripts) else { return Vec::new() };
    let mut own: Vec<OwnTime<'_>> = Vec::new();
    for (script, range) in sequence {
        let pieces = case.unclaimed(range.from, range.to);
        let length: Dur = pieces.iter().map(|p| p.to - p.from).sum();
        if length > Dur::ZERO {
            own.push(OwnTime { script, length, pieces });
        }
    }
    own.sort_by_key(|o| std::cmp::Reverse(o.length));
    let all: Dur = own.iter().map(|o| o.length).sum();
    let Some(longest) = own.first() else { return Vec::new() };
    let high = all - longest.length;
    if own.len() < FEW || high < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    // In parallel, scripts fill the time in which the processors were idle.
    let idle = boot.whole.resource_use.as_ref().and_then(|u| u.processor_busy).map(|busy| 1.0 - busy);
    let best = idle.map_or(Dur::ZERO, |idle| high.scale(idle.clamp(0.0, 1.0)));
    let ranges: Vec<TimeRange> = own.iter().flat_map(|o| o.pieces.iter().copied()).collect();
    let shown: Vec<String> = own.iter().map(|o| format!("{} {}", o.script.name, seconds(o.length))).collect();
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} init scripts ran one after the other for {}, the longest of them, {}, for {}",
            own.len(),
            seconds(all),
            longest.script.name,
            seconds(longest.length)
        ),
        cost: Interval::new(Dur::ZERO, best, high),
        part_of: Vec::new(),
        time_ranges: apart(&ranges),
        why: format!(
            "{}: {}. At most all but the longest could run in parallel with it; {}",
            clock(case),
            names(shown.iter().map(String::as_str)),
            if idle.is_some() {
                "the best estimate is the share of the time in which the processors were idle"
            } else {
                "nothing shows which of them wait for another, and which for the processor"
            }
        ),
        evidence: cite(boot, own.iter().take(3).map(|o| o.script.first)),
        remedies: remedies(boot),
    }]
}

/// The scripts with a length that ended before the boot did, by their start.
fn scripts(boot: &Boot) -> Vec<(&Service, TimeRange)> {
    let whole = &boot.whole;
    let end = whole.end();
    let of_service = |s: &'_ Service| -> Option<TimeRange> {
        let (from, to) = s.start.zip(s.end).filter(|(from, to)| to > from)?;
        (s.of_script && !s.in_initramfs && end.is_none_or(|end| to <= end)).then_some(TimeRange { from, to })
    };
    let mut found: Vec<(&Service, TimeRange)> =
        boot.services.iter().filter_map(|s| Some((s, of_service(s)?))).collect();
    found.sort_by_key(|(_, range)| (range.from, std::cmp::Reverse(range.to)));
    found
}

/// The outermost scripts, one after the other; none if some ran in parallel.
fn in_sequence<'s>(scripts: &[(&'s Service, TimeRange)]) -> Option<Vec<(&'s Service, TimeRange)>> {
    let mut sequence: Vec<(&Service, TimeRange)> = Vec::new();
    for (service, range) in scripts {
        match sequence.last() {
            // What a script does within its own time.
            Some((_, before)) if range.to <= before.to => {}
            Some((_, before)) if range.from + SAME_INSTANT < before.to => return None,
            _ => sequence.push((service, *range)),
        }
    }
    Some(sequence)
}

fn remedies(boot: &Boot) -> Vec<Remedy> {
    let says = |words: &str| boot.records.containing(words).next().is_some();
    let mut remedies = Vec::new();
    if says("OpenRC ") {
        remedies.push(Remedy::new(
            "let OpenRC start services in parallel",
            vec![SystemChange::FileSetting { file: "/etc/rc.conf", section: None, setting: "rc_parallel=\"YES\"" }],
            "a script that does not declare what it needs (need, use, after) may start too early; messages of scripts are mixed",
            Risk::Medium,
        ));
    }
    remedies.push(Remedy::in_words(
        "run the application's script first (a lower number, or a runlevel of its own), and after it, or in the background, what it does not need",
        Effort::Configuration,
        "what the application uses without anybody knowing may not be up when it starts",
        Risk::Medium,
    ));
    if !says("OpenRC ") {
        remedies.push(Remedy::in_words(
            "make scripts cheap and few: one that starts what the device needs, in a shell that runs its own applets (BusyBox with \
             CONFIG_FEATURE_SH_STANDALONE), and no `sleep` where a file or a device can be waited for",
            Effort::Rebuild,
            "scripts of your own to maintain",
            Risk::Low,
        ));
    }
    remedies
}
