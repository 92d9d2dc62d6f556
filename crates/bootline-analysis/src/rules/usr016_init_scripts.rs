// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange, apart};
use super::finding::cite;
use super::unit_cost::names;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::init_scripts::{self, ScriptSpan};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, Service};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr016,
    doc: "An init that runs scripts (System V's, BusyBox's, OpenRC by default) starts one after the other: what waits for a device, a lease or a \
          sleep holds back all that follow, and the other processors are idle. OpenRC and Debian's startpar can run scripts in parallel; with any \
          init, the application's script can come first, and what it does not need can run after it, in the background or not at all: \
          `bootline predict --set mask=NAME`, `after-app=NAME`, `no-wait=NAME`.",
    place: TimelinePlace::Evidence,
    check,
};

/// Fewer scripts are not reported.
const FEW: usize = 4;
/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(500), 0.05);
/// Scripts that remedies name, those that ran longest.
const NAMED: usize = 5;

/// A script, and what of its time no other rule explains.
struct OwnTime<'b> {
    script: &'b Service,
    length: Dur,
    pieces: Vec<TimeRange>,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    if !init_scripts::start_user_space(boot) {
        return Vec::new();
    }
    let end = boot.whole.end();
    let spans = init_scripts::spans_until(boot, |range| end.is_none_or(|end| range.to <= end));
    let Ok(sequence) = init_scripts::in_sequence(&spans) else { return Vec::new() };
    let mut own: Vec<OwnTime<'_>> = Vec::new();
    for ScriptSpan { script, range } in sequence {
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
        remedies: remedies(boot, &own),
    }]
}

fn remedies(boot: &Boot, own: &[OwnTime<'_>]) -> Vec<Remedy> {
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
    remedies.extend(named_remedies(boot, own));
    remedies.push(Remedy::in_words(
        "run the application's script first (a lower number, or a runlevel of its own)",
        Effort::Configuration,
        "what the application needs and does not declare may not be up when it starts",
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

/// What can be done about the longest scripts, each of which something may need.
fn named_remedies(boot: &Boot, own: &[OwnTime<'_>]) -> Vec<Remedy> {
    let may_be_spared = |script: &&Service| !is_basic(&script.name) && !init_scripts::leads_to_end(boot, script);
    let named: Vec<&str> =
        own.iter().map(|o| o.script).filter(may_be_spared).take(NAMED).map(|s| s.name.as_str()).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let of_each =
        |change: &dyn Fn(String) -> SystemChange| named.iter().map(|n| change((*n).to_owned())).collect::<Vec<_>>();
    let list = named.join(", ");
    let mut remedies = Vec::new();
    // Without it, one of them may be what the boot is for.
    if let Some(app) = &boot.whole.application {
        remedies.push(Remedy::new(
            format!("run after the application what it does not need, of the longest scripts: {list}"),
            of_each(&|script| SystemChange::ScriptAfter { script, after: app.name.clone() }),
            "they start later; whatever needs one of them earlier fails or must wait",
            Risk::Medium,
        ));
        remedies.push(Remedy::new(
            format!("do without what the product does not need, of the longest scripts: {list}"),
            of_each(&SystemChange::DisableScript),
            "what these scripts do",
            Risk::Medium,
        ));
    }
    remedies.push(Remedy::new(
        format!("run in the background (`&`) what no later script needs, of the longest: {list}"),
        of_each(&SystemChange::ScriptInBackground),
        "what needs one of them must wait for it itself, or retry; nobody notices a failure",
        Risk::Medium,
    ));
    remedies
}

/// Whether nearly everything needs what a script does: devices, file systems, modules, the logs' folder.
fn is_basic(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "dev",
        "mount",
        "fsck",
        "file system",
        "filesystem",
        "swap",
        "sysfs",
        "procfs",
        "cgroup",
        "module",
        "hotplug",
        "uevent",
        "volume",
    ];
    let name = name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}
