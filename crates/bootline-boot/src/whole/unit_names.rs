// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which unit a line of the console means: systemd prints names or descriptions, and shortens what is too long.
//!
//! Source: unit_status_string() and the ellipsizing of status_vprintf() in systemd: StatusUnitFormat= chooses between the name, the
//! description, and `NAME - DESCRIPTION`; a line that is too wide loses its middle to `…` (or `...`).
use std::collections::HashMap;

use bootline_records::source::{UNIT_KINDS, is_unit_name};

/// The units of a boot by what a console may call them.
#[derive(Debug, Default)]
pub(super) struct UnitNames<'u> {
    /// Positions by name.
    by_name: HashMap<&'u str, usize>,
    /// Positions by description; none where several units share it.
    by_description: HashMap<&'u str, Option<usize>>,
    /// Both forms of each unit, for shortened ones.
    all: Vec<(usize, &'u str, &'u str)>,
}

/// Least number of characters about an ellipsis that can identify a unit.
const LEAST_SHOWN: usize = 6;

impl<'u> UnitNames<'u> {
    /// Adds the unit at a position.
    pub fn add(&mut self, position: usize, name: &'u str, description: Option<&'u str>) {
        self.by_name.entry(name).or_insert(position);
        let description = description.unwrap_or_default();
        if !description.is_empty() {
            let known = self.by_description.entry(description).or_insert(Some(position));
            if *known != Some(position) {
                *known = None;
            }
        }
        self.all.push((position, name, description));
    }

    /// The position of the unit of this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The position of the only unit that a console may call so.
    pub fn find(&self, shown: &str) -> Option<usize> {
        if let Some(position) = self.named(shown) {
            return Some(position);
        }
        if let Some(position) = self.by_description.get(shown) {
            return *position;
        }
        let (start, end) = shown.split_once('\u{2026}').or_else(|| shown.split_once("..."))?;
        if start.chars().count() + end.chars().count() < LEAST_SHOWN {
            return None;
        }
        let mut fitting = self.all.iter().filter(|(_, name, description)| fits(name, description, start, end));
        let (found, ..) = fitting.next()?;
        fitting.all(|(other, ..)| other == found).then_some(*found)
    }
}

/// What is left of the start and the end of a shortened unit's name, the end only where it is the name's; none of a text that is not shortened, or of which too little is left.
pub(super) fn rest_of_shortened(shown: &str) -> Option<(&str, &str)> {
    let (start, end) = shown.split_once('\u{2026}').or_else(|| shown.split_once("..."))?;
    // Of `NAME - DESCRIPTION` the name may be whole.
    let name = start.split_once(" - ").map_or(start, |(name, _)| name);
    let is_kind =
        |kind: &str| matches!(kind, "service" | "socket" | "device" | "mount" | "target" | "slice" | "swap" | "timer");
    let end = if !end.contains(' ') && end.rsplit('.').next().is_some_and(is_kind) { end } else { "" };
    (name.chars().count() >= LEAST_SHOWN).then(|| (name.trim_end_matches([' ', '-']), end))
}

/// The most likely name of a shortened unit of which only the end of its kind, or a blank after it, was left out: `a-b.ser…` is
/// `a-b.service`.
///
/// None where more of the name is left out, or the name has two dots, as `dbus-org.freedesktop.se…` may have.
pub(super) fn whole_name(shown: &str) -> Option<String> {
    let (start, end) = shown.split_once('\u{2026}').or_else(|| shown.split_once("..."))?;
    if let Some(word) = start.strip_suffix(" -").or_else(|| start.strip_suffix(' ')) {
        return is_unit_name(word).then(|| word.to_owned());
    }
    let (stem, begun) = start.split_once('.').filter(|(_, begun)| begun.len() >= 2)?;
    // The end of a name, not of a description.
    if end.rsplit([' ', '.']).next().is_some_and(|word| UNIT_KINDS.contains(&word)) {
        return None;
    }
    let mut fitting = UNIT_KINDS.iter().filter(|kind| kind.starts_with(begun));
    let name = format!("{stem}.{}", fitting.next()?);
    (fitting.next().is_none() && is_unit_name(&name)).then_some(name)
}

/// Whether a unit's status, in one of its forms, has this start and this end around what was left out.
fn fits(name: &str, description: &str, start: &str, end: &str) -> bool {
    let is = |whole: &str| whole.len() > start.len() + end.len() && whole.starts_with(start) && whole.ends_with(end);
    if is(name) || is(description) {
        return true;
    }
    // `NAME - DESCRIPTION`, without building it for each unit.
    const BETWEEN: &str = " - ";
    let length = name.len() + BETWEEN.len() + description.len();
    if description.is_empty() || length <= start.len() + end.len() {
        return false;
    }
    let begins = match start.strip_prefix(name) {
        Some(rest) => match rest.strip_prefix(BETWEEN) {
            Some(rest) => description.starts_with(rest),
            None => BETWEEN.starts_with(rest),
        },
        None => name.starts_with(start),
    };
    let ends = match end.strip_suffix(description) {
        Some(rest) => match rest.strip_suffix(BETWEEN) {
            Some(rest) => name.ends_with(rest),
            None => BETWEEN.ends_with(rest),
        },
        None => description.ends_with(end),
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_console_calls_a_unit() {
        let units = [
            ("systemd-journal-flush.service", Some("Flush Journal to Persistent Storage")),
            ("ssh.service", Some("OpenBSD Secure Shell server")),
            ("a@1.service", Some("Twin")),
            ("a@2.service", Some("Twin")),
            ("dev-ttyS0.device", None),
        ];
        let mut names = UnitNames::default();
        for (i, (name, description)) in units.iter().enumerate() {
            names.add(i, name, *description);
        }
        let check = |shown, want| assert_eq!(names.find(shown), want, "{shown}");
        check("ssh.service", Some(1));
        check("OpenBSD Secure Shell server", Some(1));
        check("Twin", None);
        check("systemd-journal-f\u{2026}sh Journal to Persistent Storage", Some(0));
        check("systemd-journal-flush.service - Flush Jour\u{2026}Storage", Some(0));
        check("Flush Jou...ent Storage", Some(0));
        check("a@1.serv\u{2026}win", Some(2));
        check("a@\u{2026} - Twin", None);
        check("s\u{2026}e", None);
        check("OpenBSD Sec\u{2026}Shell of another", None);
        check("unknown.service", None);
    }

    #[test]
    fn a_name_of_which_only_its_kind_was_shortened() {
        let check = |shown, want: Option<&str>| assert_eq!(whole_name(shown).as_deref(), want, "{shown}");
        check(
            "systemd-journal-flush.ser\u{2026}sh Journal to Persistent Storage",
            Some("systemd-journal-flush.service"),
        );
        check("systemd-tmpfiles-setup.se...ate System Files and Directories", Some("systemd-tmpfiles-setup.service"));
        check(
            "systemd-tmpfiles-clean.tim\u{2026}y Cleanup of Temporary Directories",
            Some("systemd-tmpfiles-clean.timer"),
        );
        check("avahi-daemon.socket -\u{2026}DNS/DNS-SD Stack Activation Socket", Some("avahi-daemon.socket"));
        check("avahi-daemon.socket \u{2026}DNS/DNS-SD Stack Activation Socket", Some("avahi-daemon.socket"));
        check("a.service-\u{2026}rest", None);
        check("app.se\u{2026}er.service", None);
        check("a-name.s\u{2026}rest", None);
        check("a-name.\u{2026}rest", None);
        check("a-name.sx\u{2026}rest", None);
        check("dbus-org.freedesktop.se\u{2026}rest", None);
        check("Flush Jou.se\u{2026}ent Storage", None);
        check("Rotate -\u{2026}logs", None);
        check("ssh.service", None);
    }
}
