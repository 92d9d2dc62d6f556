// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::silence;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr001,
    doc: "The boot loader counts down and waits for a key before it boots: bootdelay in U-Boot, \
          global.autoboot_timeout in Barebox, GRUB_TIMEOUT in GRUB. On a device in the field nobody presses it.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// How boot loaders ask for the key, and what sets the time. Barebox's "Hit any to stop autoboot" and "Hit m for menu or any to
/// stop autoboot" come before U-Boot's, which any board may reword (CONFIG_AUTOBOOT_PROMPT).
const ASKED: [(&str, &str); 7] = [
    ("Hit m for menu or ", BAREBOX),
    ("Hit any to stop autoboot", BAREBOX),
    ("Hit any other key to stop autoboot", BAREBOX),
    ("to stop autoboot", U_BOOT),
    ("to abort autoboot", U_BOOT),
    ("Autobooting in ", U_BOOT),
    ("highlighted entry will be executed automatically in", "GRUB_TIMEOUT=0 in /etc/default/grub, then update-grub"),
];
const BAREBOX: &str = "`nv autoboot_timeout=0` in Barebox";
const U_BOOT: &str = "`setenv bootdelay 0; saveenv` in U-Boot";

fn check(case: &Case<'_>) -> Vec<Finding> {
    let asks = |text: &str| ASKED.iter().find(|(words, _)| text.contains(words)).copied();
    let Some((first, (words, how), asked)) = case.before_kernel().find_map(|(i, text)| Some((i, asks(text)?, text)))
    else {
        return Vec::new();
    };
    // A count that is shown in a line of its own each second (GRUB).
    let last =
        case.before_kernel().filter(|(i, text)| *i >= first && asks(text).is_some()).last().map_or(first, |(i, _)| i);
    let (Some(silence), Some(from)) = (silence::after(case, last), case.at(first)) else { return Vec::new() };
    let to = silence.time_range.to;
    // It waits for no longer than it says: what follows without a word is something else. With a delay of 0 it asks and goes on.
    let most = seconds_asked(asked, words).map(Dur::from_secs);
    let net = case.net(from, to);
    let best = most.map_or(net.best(), |most| net.best().min(most));
    if best < LEAST {
        return Vec::new();
    }
    let remedy = Remedy::in_words(
        format!("do not wait for a key: {how}"),
        Effort::Configuration,
        "only a key that is pressed already, or none, stops the boot: keep another way in",
        Risk::Medium,
    );
    let to = most.map_or(to, |_| from + best);
    vec![Finding {
        rule: RULE.id,
        title: format!("the boot loader waited {} for a key", seconds(best)),
        cost: Interval::new(Dur::ZERO, best, net.high().max(best)),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}: from the question to what followed it, at most what the loader says", clock(case)),
        evidence: cite_at(case.boot, [first, silence.before]),
        remedies: vec![remedy],
    }]
}

/// The seconds that a question names after its words: `autoboot:  3`, `automatically in 5s`.
fn seconds_asked(text: &str, words: &str) -> Option<i64> {
    let (_, rest) = text.split_once(words)?;
    let from = rest.find(|c: char| c.is_ascii_digit())?;
    let digits = rest[from..].split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse::<u16>().ok().map(i64::from)
}
