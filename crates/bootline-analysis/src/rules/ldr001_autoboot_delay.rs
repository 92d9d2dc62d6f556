// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::silence::{self, Silence};
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr001,
    doc: "The boot loader counts down and waits for a key before it boots: bootdelay in U-Boot, \
          global.autoboot_timeout in Barebox, GRUB_TIMEOUT in GRUB; or it shows the menu of a file such as \
          extlinux.conf and waits for a choice. On a device in the field nobody presses it.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// How boot loaders ask for the key, and what sets the time. Barebox's "Hit any to stop autoboot" and "Hit m for menu or any to
/// stop autoboot" come before U-Boot's, which any board may reword (CONFIG_AUTOBOOT_PROMPT).
const ASKED: [(&str, Source); 9] = [
    ("Hit m for menu or ", Source::Setting(BAREBOX)),
    ("Hit any to stop autoboot", Source::Setting(BAREBOX)),
    ("Hit any other key to stop autoboot", Source::Setting(BAREBOX)),
    ("to stop autoboot", Source::Setting(U_BOOT)),
    ("to abort autoboot", Source::Setting(U_BOOT)),
    ("Autobooting in ", Source::Setting(U_BOOT)),
    // menu_text_print_timeout of GRUB 1.9x and 2, run_menu of GRUB 0.9x.
    ("highlighted entry will be executed automatically in", Source::Setting(GRUB)),
    ("highlighted entry will be booted automatically in", Source::Setting(GRUB_LEGACY)),
    // menu_interactive_choice of U-Boot's common/menu.c
    ("Enter choice: ", Source::MenuFile),
];
const BAREBOX: &str = "`nv autoboot_timeout=0` in Barebox";
const U_BOOT: &str = "`setenv bootdelay 0; saveenv` in U-Boot";
const GRUB: &str = "GRUB_TIMEOUT=0 and GRUB_TIMEOUT_STYLE=hidden in /etc/default/grub, then update-grub; or `set timeout=0` in a \
                    grub.cfg of your own";
const GRUB_LEGACY: &str = "`timeout 0` in GRUB's menu.lst";

/// Where the wait comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A setting of the loader, changed so.
    Setting(&'static str),
    /// A menu file that the loader read.
    MenuFile,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut questions: Vec<Question> = Vec::new();
    for (index, text) in case.before_kernel() {
        let Some((words, source)) = ASKED.iter().find(|(words, _)| text.contains(words)) else { continue };
        match questions.iter_mut().find(|q| q.source == *source) {
            // A count that is shown in a line of its own each second (GRUB).
            Some(question) => question.last = index,
            None => {
                let most = seconds_asked(text, words).map(Dur::from_secs);
                questions.push(Question { first: index, last: index, source: *source, most });
            }
        }
    }
    questions.iter().filter_map(|question| finding(case, question)).collect()
}

/// A key or a choice that the loader asks for.
struct Question {
    first: usize,
    last: usize,
    source: Source,
    /// How long it waits, as it says itself.
    most: Option<Dur>,
}

fn finding(case: &Case<'_>, &Question { first, last, source, most }: &Question) -> Option<Finding> {
    // The menu's question says no time.
    let most = most.filter(|_| source != Source::MenuFile);
    let (silence, from) = (silence_after(case, last)?, case.at(first)?);
    let to = silence.time_range.to;
    // It waits for no longer than it says: what follows without a word is something else. With a delay of 0 it asks and goes on.
    let net = case.net(from, to);
    let best = most.map_or(net.best(), |most| net.best().min(most));
    if best < LEAST {
        return None;
    }
    let (what, how) = match source {
        Source::Setting(how) => ("a key", how.to_owned()),
        // `menu title` alone asks, too (parse_menu of U-Boot's boot/pxe_utils.c), and a time of 0 is no limit.
        Source::MenuFile => ("a choice", format!("`prompt 0` after `menu title` in {}", menu_file(case, first))),
    };
    let remedy = Remedy::in_words(
        format!("do not wait for {what}: {how}"),
        Effort::Configuration,
        "only a key that is pressed already, or none, stops the boot: keep another way in",
        Risk::Medium,
    );
    let to = most.map_or(to, |_| from + best);
    let limit = if most.is_some() { ", at most what the loader says" } else { "" };
    Some(Finding {
        rule: RULE.id,
        title: format!("the boot loader waited {} for {what}", seconds(best)),
        cost: Interval::new(Dur::ZERO, best, net.high().max(best)),
        part_of: Vec::new(),
        time_ranges: vec![TimeRange { from, to }],
        why: format!("{}: from the question to what followed it{limit}", clock(case)),
        evidence: cite_at(
            case.boot,
            menu_record(case, first).filter(|_| source == Source::MenuFile).into_iter().chain([first, silence.before]),
        ),
        remedies: vec![remedy],
    })
}

/// The silence after a record and those of the same time: a menu that is drawn on one line has one stamp.
fn silence_after(case: &Case<'_>, index: usize) -> Option<Silence> {
    /// Pieces of a line that is a menu.
    const PIECES: usize = 100;
    let at = case.at(index)?;
    let near = index..case.boot.records.len().min(index + PIECES);
    let same = near.take_while(|i| case.at(*i).is_none_or(|other| other == at));
    silence::after(case, same.filter(|i| case.at(*i).is_some()).last()?)
}

/// The name that menu files have, whoever reads them (the Boot Loader Specification's, and SYSLINUX's over the network).
const MENU_FILES: [&str; 2] = ["extlinux.conf", "pxelinux.cfg"];

/// The last record up to a position that names a menu file: `Retrieving file: /boot/extlinux/extlinux.conf`, or a row of
/// U-Boot's `bootflow list`.
fn menu_record(case: &Case<'_>, question: usize) -> Option<usize> {
    let names = |text: &str| MENU_FILES.iter().any(|file| text.contains(file));
    case.before_kernel().filter(|(i, text)| *i < question && names(text)).last().map(|(i, _)| i)
}

/// The menu file that was read before a question.
fn menu_file(case: &Case<'_>, question: usize) -> String {
    let named = menu_record(case, question).and_then(|record| {
        let (_, text) = case.before_kernel().find(|(i, _)| *i == record)?;
        let name = text.split_ascii_whitespace().find(|word| MENU_FILES.iter().any(|file| word.contains(file)))?;
        Some(name.trim_matches(|c: char| "`'\"():,;".contains(c)).to_owned())
    });
    named.unwrap_or_else(|| MENU_FILES[0].to_owned())
}

/// The seconds that a question names after its words: `autoboot:  3`, `automatically in 5s`.
fn seconds_asked(text: &str, words: &str) -> Option<i64> {
    let (_, rest) = text.split_once(words)?;
    let from = rest.find(|c: char| c.is_ascii_digit())?;
    let digits = rest[from..].split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse::<u16>().ok().map(i64::from)
}
