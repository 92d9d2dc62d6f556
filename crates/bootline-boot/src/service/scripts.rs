// SPDX-License-Identifier: MIT OR Apache-2.0
//! What init scripts print: Buildroot's and Yocto's, Red Hat's and Debian's of System V, OpenRC's; and the stages of runit.
//!
//! A script prints what it does, does it, and then prints how it ended, mostly on the same line: that line began when the script did,
//! and ended with it. Sources: Buildroot's package/initscripts, initscripts of OpenEmbedded-Core, /etc/init.d/functions of Red Hat,
//! /lib/lsb/init-functions and its hooks of Debian, ebegin and eend of OpenRC's libeinfo, runit's runit.c.
use super::message::{UnitMessage, UnitText};
use super::state::ServiceState;

/// What scripts say that they do.
const DOES: [&str; 15] = [
    "Starting ",
    "Running ",
    "Initializing ",
    "Loading ",
    "Mounting ",
    "Setting ",
    "Configuring ",
    "Checking ",
    "Activating ",
    "Caching ",
    "Remounting ",
    "Populating ",
    "Synthesizing ",
    "Waiting for ",
    "Cleaning up ",
];

/// How a line ends once its script has ended; a longer word before one that it ends with.
const OUTCOMES: [(&str, ServiceState); 11] = [
    ("[  OK  ]", ServiceState::Up),
    ("[FAILED]", ServiceState::Failed),
    ("[ ok ]", ServiceState::Up),
    ("[ !! ]", ServiceState::Failed),
    ("failed!", ServiceState::Failed),
    ("failed.", ServiceState::Failed),
    ("failed", ServiceState::Failed),
    ("done.", ServiceState::Up),
    ("done", ServiceState::Up),
    ("FAIL", ServiceState::Failed),
    ("OK", ServiceState::Up),
];

/// Longer ones are no names.
const LONGEST: usize = 100;

/// Parses a line of user space.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    let text = text.trim();
    if let Some((word, state)) = OUTCOMES.iter().find(|(word, _)| *word == text) {
        let of_openrc = matches!(*word, "[ ok ]" | "[ !! ]");
        return Some(if of_openrc { UnitMessage::LastEnds(*state) } else { UnitMessage::LineEnds(*state) });
    }
    if let Some(stage) = text.strip_prefix("- runit: ") {
        let begins = stage.strip_prefix("enter stage: ").map(|name| UnitMessage::Begins(UnitText::whole(name)));
        let ends = || stage.strip_prefix("leave stage: ");
        return begins.or_else(|| Some(UnitMessage::Ends(UnitText::whole(ends()?), ServiceState::Up)));
    }
    if let Some(said) = text.strip_prefix("* ") {
        let (what, outcome) = outcome(said);
        let begins = said.ends_with("...") && outcome.is_none();
        let unit = name(what)?;
        return outcome
            .map(|state| UnitMessage::Line(unit, state))
            .or(begins.then_some(UnitMessage::BeginsNested(unit)));
    }
    // Debian's marks the line at its start, once the script has ended, and prints nothing before that.
    let (mark, said) = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((mark, said)) => (Some(mark.trim()), said),
        None => (None, text),
    };
    let marked = match mark {
        Some("ok") => Some(ServiceState::Up),
        Some("FAIL") => Some(ServiceState::Failed),
        Some("....") => None,
        Some(_) => return None,
        None => None,
    };
    let (what, by_end) = outcome(said);
    // What it runs may write to its line.
    let unit = name(what.split_once("...").map_or(what, |(what, _)| what))?;
    match (marked, by_end) {
        (Some(state), _) => Some(UnitMessage::Ends(unit, state)),
        (None, Some(state)) => Some(UnitMessage::Line(unit, state)),
        (None, None) if mark == Some("....") => Some(UnitMessage::Begins(unit)),
        (None, None) => (said.ends_with(':') || said.contains("...")).then_some(UnitMessage::MayBegin(unit)),
    }
}

/// Whether a line is runit's: a stage of it is no script among others.
pub(super) fn is_runit_s(text: &str) -> bool {
    text.trim_start().starts_with("- runit: ")
}

/// A line without its outcome, and that.
fn outcome(said: &str) -> (&str, Option<ServiceState>) {
    if said.ends_with("...") {
        return (said, None);
    }
    let found = OUTCOMES.iter().find_map(|(word, state)| {
        let what = said.strip_suffix(word)?;
        what.ends_with([' ', '\t', ':', '.']).then_some((what, Some(*state)))
    });
    found.or_else(|| Some((started(said)?, Some(ServiceState::Up)))).unwrap_or((said, None))
}

/// `Starting periodic command scheduler: cron.`, which ends with a dot once cron runs; a sentence has more after its colon, or none.
fn started(said: &str) -> Option<&str> {
    let what = said.strip_suffix('.')?;
    let (_, program) = what.split_once(": ")?;
    (!program.is_empty() && !program.contains([' ', '/', '.'])).then_some(what)
}

/// What a script is about: of one that starts something, its name.
fn name(said: &str) -> Option<UnitText<'_>> {
    let said = said.trim_end_matches([' ', '\t', ':', '.']);
    let verb = DOES.iter().find(|verb| said.starts_with(*verb))?;
    let name = if *verb == "Starting " { &said[verb.len()..] } else { said };
    (!name.is_empty() && name.len() <= LONGEST).then_some(UnitText::whole(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let unit = UnitText::whole;
        let up = |n| Some(UnitMessage::Line(unit(n), ServiceState::Up));
        let failed = |n| Some(UnitMessage::Line(unit(n), ServiceState::Failed));
        let check = |text, want| assert_eq!(parse(text), want, "{text}");
        // Buildroot.
        check("Starting syslogd: OK", up("syslogd"));
        check("Starting network: FAIL", failed("network"));
        check("Running sysctl: OK", up("Running sysctl"));
        check("Initializing random number generator... done.", up("Initializing random number generator"));
        // Yocto.
        check("Starting system message bus: dbus.", up("system message bus: dbus"));
        check("Populating dev cache... done", up("Populating dev cache"));
        // Red Hat.
        check("Starting sshd:                                            [  OK  ]", up("sshd"));
        check(
            "Mounting local filesystems:                               [FAILED]",
            failed("Mounting local filesystems"),
        );
        // Debian.
        check(
            "[ ok ] Starting enhanced syslogd: rsyslogd.",
            Some(UnitMessage::Ends(unit("enhanced syslogd: rsyslogd"), ServiceState::Up)),
        );
        check(
            "[FAIL] Starting web server: apache2 failed!",
            Some(UnitMessage::Ends(unit("web server: apache2"), ServiceState::Failed)),
        );
        check(
            "[....] Starting periodic command scheduler: cron",
            Some(UnitMessage::Begins(unit("periodic command scheduler: cron"))),
        );
        check("[info] Using makefile-style concurrent boot in runlevel S.", None);
        // OpenRC.
        check(" * Starting sshd ...", Some(UnitMessage::BeginsNested(unit("sshd"))));
        check(" * Mounting /proc ...", Some(UnitMessage::BeginsNested(unit("Mounting /proc"))));
        check("                                            [ ok ]", Some(UnitMessage::LastEnds(ServiceState::Up)));
        check(" [ !! ]", Some(UnitMessage::LastEnds(ServiceState::Failed)));
        check(" * Starting cronie ...                      [ ok ]", up("cronie"));
        check(" * WARNING: clock skew detected!", None);
        // runit.
        check("- runit: enter stage: /etc/runit/1", Some(UnitMessage::Begins(unit("/etc/runit/1"))));
        check("- runit: leave stage: /etc/runit/1", Some(UnitMessage::Ends(unit("/etc/runit/1"), ServiceState::Up)));
        // A line that a record of the kernel broke.
        check(
            "Waiting for /dev to be fully populated...",
            Some(UnitMessage::MayBegin(unit("Waiting for /dev to be fully populated"))),
        );
        check("Starting network: ", Some(UnitMessage::MayBegin(unit("network"))));
        check(
            "Checking root file system...rootfs: clean, 9/64 files",
            Some(UnitMessage::MayBegin(unit("Checking root file system"))),
        );
        check("done.", Some(UnitMessage::LineEnds(ServiceState::Up)));
        check("                    [FAILED]", Some(UnitMessage::LineEnds(ServiceState::Failed)));
        check("Starting web server: apache2 failed.", failed("web server: apache2"));
        // What ends nothing.
        let sentences = [
            "Starting bar: not started, disabled.",
            "Loading model from disk.",
            "Starting server at http://0.0.0.0:8080.",
        ];
        for text in
            sentences.into_iter().chain(["Starting", "Starting .", "Starting to look", "Loading book", "all OK", ""])
        {
            check(text, None);
        }
        assert_eq!(parse(&format!("Starting {}: OK", "x".repeat(200))), None);
    }
}
