// SPDX-License-Identifier: MIT OR Apache-2.0
use std::collections::BTreeMap;

use super::case::Case;
use super::probe_remedies::{Probed, asynchronous_probes};
use super::silence::{self, Silence};
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::is_serial;
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv012,
    doc: "A driver logs several times with equally long silences in between, as where it sleeps for a fixed time: 10 ms at each power-up or \
          in each transfer. (Equal work would show the same.) Such delays are often longer than the hardware's data sheet asks for, \
          or repeated where once would do.",
    place: TimelinePlace::Evidence,
    check,
};

/// How many silences of equal length are a pattern.
const PATTERN: usize = 4;
/// Their least and greatest length: shorter ones are work, longer ones time-outs.
const LENGTH: (Dur, Dur) = (Dur::from_millis(4), Dur::from_secs(2));
/// How much equal lengths differ: a sleep ends with a tick of the clock.
const EQUAL: f64 = 0.1;
/// Least time together, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(80), 0.01);
/// How many drivers are shown.
const SHOWN: usize = 2;
/// More silences than any boot has; a log may be hostile.
const MOST: usize = 20_000;

fn check(case: &Case<'_>) -> Vec<Finding> {
    // A coarse clock makes gaps equal, and so do records of equal length on a line whose speed nothing shows, or a screen that scrolls.
    let boot = case.boot;
    let line_unknown = boot.line.as_ref().is_none_or(|line| line.speed.is_none());
    let has_serial = boot.line.is_some() || boot.consoles.iter().any(|c| is_serial(&c.name));
    let has_screen = boot.consoles.iter().any(|c| !is_serial(&c.name));
    let prints_unknown = (has_serial && line_unknown || has_screen) && !case.quiet_console();
    if boot.timeline.resolution > Dur::ZERO || boot.counts_jiffies() || prints_unknown {
        return Vec::new();
    }
    let mut found: Vec<(Dur, Finding)> =
        by_driver(case).into_iter().filter_map(|(who, s)| finding(case, &who, s)).collect();
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    found.truncate(SHOWN);
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// The silences between two records of the same driver that follow each other.
fn by_driver(case: &Case<'_>) -> BTreeMap<String, Vec<Silence>> {
    let mut of: BTreeMap<String, Vec<Silence>> = BTreeMap::new();
    let mut count = 0;
    for before in 1..case.boot.end_index() {
        let after = before - 1;
        // Most times are too short, whoever waited.
        if case.at(before).zip(case.at(after)).is_none_or(|(to, from)| to - from < LENGTH.0) {
            continue;
        }
        let of_driver = |index| case.kernel(index).and_then(|r| driver(r.text));
        let Some(who) = of_driver(after).filter(|who| of_driver(before).as_ref() == Some(who)) else { continue };
        let Some(silence) = silence(case, after, before) else { continue };
        of.entry(who).or_default().push(silence);
        count += 1;
        if count == MOST {
            break;
        }
    }
    of
}

/// The silence between two records, if it is as long as those that a driver waits.
fn silence(case: &Case<'_>, after: usize, before: usize) -> Option<Silence> {
    let (time_range, net) = case.net_between(after, before)?;
    (LENGTH.0..=LENGTH.1).contains(&net.best()).then_some(Silence { after, before, time_range, net })
}

/// The driver or device that logged a record, with each number as `#`: `usb #-#.#`, `drm:function`; none for sentences such as `Traversal
/// complete: 50000`.
fn driver(text: &str) -> Option<String> {
    const LONGEST: usize = 64;
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once([']', ' '])).map(|(name, _)| name);
    let name = bracketed.or_else(|| silence::subject(text)).filter(|n| n.len() <= LONGEST && !n.is_empty())?;
    let is_device = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    if !name.split_once(' ').is_none_or(|(_, device)| !device.contains(' ') && is_device(device)) {
        return None;
    }
    let mut masked = String::new();
    for c in name.chars() {
        match c {
            _ if !c.is_ascii_digit() => masked.push(c),
            _ if !masked.ends_with('#') => masked.push('#'),
            _ => {}
        }
    }
    Some(masked)
}

/// The costliest of the runs of lengths, sorted, that differ by no more than a tenth and are enough for a pattern.
fn equal(mut silences: Vec<Silence>) -> Vec<Silence> {
    silences.sort_by_key(|s| s.net.best());
    let length = |i: usize| silences[i].net.best();
    let (mut best, mut costliest, mut from, mut sum) = (0..0, Dur::ZERO, 0, Dur::ZERO);
    for to in 0..silences.len() {
        sum += length(to);
        while length(to) > length(from).scale(1.0 + EQUAL) {
            sum -= length(from);
            from += 1;
        }
        if to + 1 - from >= PATTERN && sum > costliest {
            (best, costliest) = (from..to + 1, sum);
        }
    }
    let mut run = silences[best].to_vec();
    run.sort_by_key(|s| s.after);
    run
}

fn finding(case: &Case<'_>, who: &str, silences: Vec<Silence>) -> Option<(Dur, Finding)> {
    let silences = equal(silences);
    let cost = silence::cost(&silences).best();
    if silences.is_empty() || cost < case.threshold(LEAST.0, LEAST.1) {
        return None;
    }
    // Several devices of one driver share a pattern.
    let named = |s: &Silence| case.kernel(s.before).and_then(|r| silence::subject(r.text));
    let first = silences.first().and_then(named);
    let who = first.filter(|_| silences.iter().all(|s| named(s) == first)).unwrap_or(who);
    let count = silences.len();
    let each = cost / i64::try_from(count).ok()?;
    let title =
        format!("{count} silences of {} each between records of {who}, {} in all", seconds(each), seconds(cost));
    let remedies = vec![
        Remedy::in_words(
            "look into the driver for a sleep of this length: wait for the hardware's status instead, or for the data sheet's time, once",
            Effort::Rebuild,
            "a change to the driver; hardware that needs the time fails without it",
            Risk::Medium,
        ),
        asynchronous_probes(
            "probe it next to other drivers",
            Probed::ItsDriver,
            "device names may change order",
            Risk::High,
        ),
    ];
    Some((cost, silence::finding(case, RULE.id, &silences, title, remedies)))
}

#[cfg(test)]
mod tests {
    use super::driver;

    #[test]
    fn who_says_it() {
        let who = |text| driver(text).unwrap_or_default();
        assert_eq!(who("usb 1-1.2: new high-speed USB device number 12 using xhci_hcd"), "usb #-#.#");
        assert_eq!(who("[drm:acme_read] AUX A: 1 byte"), "drm:acme_read");
        assert_eq!(who("[drm] ready"), "drm");
        assert_eq!(who("acme: ready"), "acme");
        assert_eq!(who("Traversal complete: 50000 entries"), "");
        assert_eq!(who("no subject here"), "");
    }
}
