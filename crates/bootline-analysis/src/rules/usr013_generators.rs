// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, TimeRange};
use super::unit_cost::names;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Boot, DependenciesKnown, Process};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr013,
    doc: "systemd runs its generators, programs that make units from /etc/fstab, the partition table or other configuration, before it loads \
          any unit, and waits until the slowest has ended. Each is a program to load and to start, and one that is a shell script starts \
          more. It runs them again at each daemon-reload. `systemctl show` has the times of the first run.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not worth a change.
const LEAST: (Dur, f64) = (Dur::from_millis(100), 0.01);

/// A generator of systemd.
struct Generator {
    name: &'static str,
    /// How the names of units begin that it makes.
    units: &'static [&'static str],
    /// The kernel's parameters that give it something to do.
    parameters: &'static [&'static str],
    /// What does not work without it.
    purpose: &'static str,
}

/// Generators that a device often does not need. Of others, their units do not show whether they are needed.
const GENERATORS: [Generator; 3] = [
    Generator {
        name: "systemd-gpt-auto-generator",
        units: &["boot.automount", "efi.automount", "boot.mount", "efi.mount", "dev-gpt"],
        parameters: &[],
        purpose: "partitions that are found by their type",
    },
    Generator {
        name: "systemd-cryptsetup-generator",
        units: &["systemd-cryptsetup@"],
        parameters: &["luks.uuid", "luks.name", "rd.luks.uuid", "rd.luks.name"],
        purpose: "encrypted volumes of /etc/crypttab",
    },
    Generator {
        name: "systemd-hibernate-resume-generator",
        units: &["systemd-hibernate-resume"],
        parameters: &["resume"],
        purpose: "hibernation",
    },
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let boot = case.boot;
    let Some((from, to)) = boot.whole.generators.filter(|(from, to)| to > from) else { return Vec::new() };
    // Something like fastinit may have started the application before.
    if boot.whole.application.as_ref().is_some_and(|app| app.at <= from) {
        return Vec::new();
    }
    let net = case.net(from, to);
    if net.high() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let lengths: Vec<String> =
        slowest(boot, from, to).iter().map(|(name, length)| format!("{name} ran for {}", seconds(*length))).collect();
    let shown =
        if lengths.is_empty() { String::new() } else { format!("; {}", names(lengths.iter().map(String::as_str))) };
    vec![Finding {
        rule: RULE.id,
        title: format!("systemd waited {} for its generators before it loaded units", seconds(to - from)),
        cost: Interval::new(Dur::ZERO, net.best() / 2, net.high()),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!(
            "by systemd's own stamps (GeneratorsStartTimestampMonotonic, GeneratorsFinishTimestampMonotonic){shown}. The best estimate is half \
             of the time, because nothing shows which of them this device needs"
        ),
        evidence: Vec::new(),
        remedies: remedies(boot),
    }]
}

/// The generators that a bootchart or a trace shows in this time, the slowest first, with their lengths.
fn slowest(boot: &Boot, from: Dur, to: Dur) -> Vec<(&str, Dur)> {
    let in_time = |p: &&Process| p.start.is_some_and(|start| start >= from - p.start_error && start < to);
    let length = |p| Some((generator(p)?, p.length()?));
    let mut found: Vec<(&str, Dur)> = boot.whole.processes.iter().filter(in_time).filter_map(length).collect();
    found.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    found
}

/// The generator that a process is: a bootchart shortens its name, but not its arguments.
fn generator(process: &Process) -> Option<&str> {
    [Some(&process.name), process.args.as_ref()].into_iter().flatten().find_map(|path| {
        let (_, program) = path.split_once("/system-generators/")?;
        program.split_whitespace().next()
    })
}

fn remedies(boot: &Boot) -> Vec<Remedy> {
    let unused = unused(boot);
    let masks: Vec<SystemChange> = unused.iter().map(|g| SystemChange::MaskGenerator(g.name)).collect();
    let mut remedies = Vec::new();
    if !masks.is_empty() {
        remedies.push(Remedy::new(
            "do not run generators whose units this boot did not have",
            masks,
            format!("without them, these do not work: {}", names(unused.iter().map(|g| g.purpose))),
            Risk::Medium,
        ));
    }
    remedies.push(Remedy::in_words(
        "leave out generators that this device does not need (ls /usr/lib/systemd/system-generators), those that are shell scripts first, and \
         write their units by hand: mounts instead of /etc/fstab, units instead of scripts in /etc/init.d",
        Effort::Configuration,
        "a change of that configuration needs a change of units",
        Risk::Medium,
    ));
    remedies
}

/// The generators of which nothing shows that this boot needed them; none where the units or the kernel's parameters are not known.
fn unused(boot: &Boot) -> Vec<&'static Generator> {
    let command_line = &boot.kernel.command_line;
    // Without root=, systemd-gpt-auto-generator finds the root.
    let names_root = command_line.value("root").is_some_and(|root| root != "gpt-auto");
    if boot.whole.dependencies != DependenciesKnown::All || !names_root {
        return Vec::new();
    }
    let has_unit = |start: &&str| boot.whole.units.iter().any(|u| u.name.starts_with(start));
    let is_used = |g: &Generator| {
        g.units.iter().any(has_unit) || g.parameters.iter().any(|name| command_line.value(name).is_some())
    };
    GENERATORS.iter().filter(|g| !is_used(g)).collect()
}
