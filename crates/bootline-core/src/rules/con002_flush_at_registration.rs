// SPDX-License-Identifier: MIT OR Apache-2.0
use super::finding::cite;
use super::{Advice, Finding, Rule};
use crate::boot::Boot;
use crate::console::Printing;
use crate::units::Dur;

pub(super) const RULE: Rule = Rule {
    code: "con002",
    name: "flush-at-registration",
    doc: "When a console registers, everything stored so far goes out over it before the registration returns \
          (register_console, console_flush_all). The later the console comes, the more there is to flush: the boot \
          stands still for as long as those characters take on the wire. nbcon consoles of 6.17 to 7.1 flush by their \
          thread instead.",
    check,
};

/// Below this a flush isn't worth a word.
const LEAST: Dur = Dur::from_millis(50);

fn check(boot: &Boot) -> Vec<Finding> {
    let Some(line) = &boot.line else { return Vec::new() };
    let Some(flush) = line.flush.filter(|f| f.waited.best() >= LEAST) else { return Vec::new() };
    let mut advice = vec![Advice::new(
        "print less before the console registers",
        "quiet (or loglevel=4)",
        "the messages are only in dmesg, not on the line",
    )];
    if line.console.printing == Printing::Nbcon {
        advice.insert(
            0,
            Advice::new(
                "take a kernel that leaves the flush of an nbcon console to its thread",
                "6.17 to 7.1",
                "a hang before the thread runs leaves less on the line",
            ),
        );
    }
    vec![Finding {
        rule: "con002 flush-at-registration",
        title: format!(
            "the boot stood still for {} s while {} flushed {} characters at its registration",
            flush.waited.best(),
            line.console.name,
            flush.bytes
        ),
        cost: flush.waited,
        why: format!(
            "{} characters were stored before the console came; record {} was stored only when they were through",
            flush.bytes,
            flush.next.map_or("after it".to_owned(), |id| id.to_string())
        ),
        evidence: cite(boot, [flush.record].into_iter().chain(flush.next)),
        advice,
    }]
}
