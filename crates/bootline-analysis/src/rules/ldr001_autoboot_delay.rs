// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::silence::{self, Silence};
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, grub};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr001,
    doc: "The boot loader counts down and waits for a key before it boots: bootdelay in U-Boot, \
          global.autoboot_timeout in Barebox, GRUB_TIMEOUT in GRUB; or it shows the menu of a file such as \
          extlinux.conf and waits for a choice. On a device in the field nobody presses it. GRUB may wait without \
          its menu (GRUB_TIMEOUT_STYLE=hidden or countdown): then only its silence before it boots shows the wait, \
          or a number that counts down.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter wait is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// How boot loaders ask for the key, and what sets the time. Barebox's "Hit any to stop autoboot" and "Hit m for menu or any to
/// stop autoboot" come before U-Boot's, which any board may reword (CONFIG_AUTOBOOT_PROMPT).
const ASKED: [(&str, Source); 11] = [
    ("Hit m for menu or ", Source::Setting(BAREBOX)),
    ("Hit any to stop autoboot", Source::Setting(BAREBOX)),
    ("Hit any other key to stop autoboot", Source::Setting(BAREBOX)),
    ("to stop autoboot", Source::Setting(U_BOOT)),
    ("to abort autoboot", Source::Setting(U_BOOT)),
    ("Autobooting in ", Source::Setting(U_BOOT)),
    // menu_text_print_timeout of GRUB 1.98 to 2.12, and of Fedora's.
    ("highlighted entry will be executed automatically in", Source::Setting(GRUB)),
    ("selected entry will be started automatically in", Source::Setting(GRUB)),
    (BOOTED, Source::Setting(GRUB)),
    (LEGACY_HIDDEN, Source::Setting(GRUB_LEGACY)),
    // menu_interactive_choice of U-Boot's common/menu.c
    ("Enter choice: ", Source::MenuFile),
];
/// print_timeout of GRUB 1.97 ("in 5s."), run_menu of GRUB 0.97 ("in 5 seconds.").
const BOOTED: &str = "will be booted automatically in";
/// run_menu of GRUB 0.97 without its menu.
const LEGACY_HIDDEN: &str = "Press `ESC' to enter the menu... ";
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
    let mut ask = |question: Question| match questions.iter_mut().find(|q| q.source == question.source) {
        // A count that is shown in a line of its own each second (GRUB).
        Some(known) => known.last = question.last,
        None => questions.push(question),
    };
    let mut silent = Vec::new();
    let mut grub = Grub::default();
    for (index, text) in case.before_kernel() {
        let asked = asked(text);
        match grub.see(index, text, asked.is_some()) {
            Some(Unasked::Counted(question)) => ask(question),
            Some(Unasked::Silent { since }) => silent.extend(hidden(case, since, index)),
            None => {}
        }
        if let Some((source, most)) = asked {
            ask(Question { first: index, last: index, source, most });
        }
    }
    questions.iter().filter_map(|question| finding(case, question)).chain(silent).collect()
}

/// What a record asks for, and for how long.
fn asked(text: &str) -> Option<(Source, Option<Dur>)> {
    let (words, source) = ASKED.iter().find(|(words, _)| text.contains(words))?;
    let seconds = seconds_asked(text, words);
    Some(match *words {
        // It counts before it prints.
        LEGACY_HIDDEN => (*source, seconds.map(|s| Dur::from_secs(s + 1))),
        BOOTED if text.contains(" seconds.") => (Source::Setting(GRUB_LEGACY), seconds.map(Dur::from_secs)),
        _ => (*source, seconds.map(Dur::from_secs)),
    })
}

/// A key or a choice that the loader asks for.
#[derive(Clone, Copy)]
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
        remedies: vec![remedy(what, &how)],
    })
}

fn remedy(what: &str, how: &str) -> Remedy {
    Remedy::in_words(
        format!("do not wait for {what}: {how}"),
        Effort::Configuration,
        "only a key that is pressed already, or none, stops the boot: keep another way in",
        Risk::Medium,
    )
}

/// GRUB's silence from a record on until it booted, if a timeout fits into it.
fn hidden(case: &Case<'_>, since: usize, booting: usize) -> Option<Finding> {
    /// A timeout is whole seconds.
    const LEAST: Dur = Dur::from_secs(1);
    let silence = silence::before(case, booting).filter(|s| s.after >= since && s.net.best() >= LEAST)?;
    let took = seconds(silence.net.best());
    let title = format!("GRUB was silent for {took} before it booted: a hidden timeout, or it read its files");
    Some(silence::finding(case, RULE.id, &[silence], title, vec![remedy("a key", GRUB)]))
}

/// What GRUB did before it booted an entry, where it asked for nothing.
enum Unasked {
    /// It counted down, and printed only the numbers.
    Counted(Question),
    /// It printed nothing since the record at a position: its first.
    Silent { since: usize },
}

/// Follows a GRUB that shows no menu.
#[derive(Default)]
struct Grub {
    /// Position of its first record, until it asks for something.
    first: Option<usize>,
    counted: Option<Question>,
}

impl Grub {
    /// Takes the next record; call it for each, in order.
    fn see(&mut self, index: usize, text: &str, asks: bool) -> Option<Unasked> {
        let text = text.trim();
        if let Some(number) = counted(text) {
            let most = Some(Dur::from_secs(number));
            let new = Question { first: index, last: index, source: Source::Setting(GRUB), most };
            self.counted.get_or_insert(new).last = index;
        } else if grub::boots(text) {
            let (counted, first) = (self.counted.take(), self.first.take());
            return counted.map(Unasked::Counted).or(first.map(|since| Unasked::Silent { since }));
        } else if grub::starts(text) {
            *self = Grub { first: Some(index), counted: None };
        } else if asks || grub::draws_menu(text) {
            *self = Grub::default();
        } else if !text.is_empty() {
            self.counted = None;
        }
        None
    }
}

/// The number that a countdown begins with: `5    ` (print_countdown of GRUB's normal/menu.c), and all on one line where the terminal moves
/// its cursor back (EFI).
fn counted(text: &str) -> Option<i64> {
    let numbers: Option<Vec<i64>> =
        text.split_ascii_whitespace().map(|w| w.parse::<u16>().ok().map(i64::from)).collect();
    let numbers = numbers.filter(|n| n.windows(2).all(|pair| pair[0] - 1 == pair[1]))?;
    numbers.first().copied()
}

/// The silence after a record, or after what GRUB boots: its menu is one line, whose pieces have one stamp in a log.
fn silence_after(case: &Case<'_>, index: usize) -> Option<Silence> {
    /// Pieces of a line that is a menu.
    const PIECES: usize = 100;
    let at = case.at(index)?;
    let text = |i: &usize| case.boot.records.get(*i).map_or("", |r| r.text.trim());
    let near = index + 1..case.boot.records.len().min(index + PIECES);
    let same = near.take_while(|i| case.at(*i).is_none_or(|other| other == at));
    let booting = same.take_while(|i| text(i).is_empty() || grub::names_entry(text(i))).filter(|i| !text(i).is_empty());
    silence::after(case, booting.filter(|i| case.at(*i).is_some()).last().unwrap_or(index))
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
