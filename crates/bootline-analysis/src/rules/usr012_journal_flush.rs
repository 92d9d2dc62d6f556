// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::unit_cost::unit_costs;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::Boot;
use bootline_capture::units::{Dur, Interval};
use bootline_records::source::leading_time_span;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Usr012,
    doc: "journald keeps what is logged early in memory; once /var is writable, systemd-journal-flush has it written to \
          /var/log/journal. systemd-tmpfiles-setup, sysinit.target and with it most services wait until that is done, which slow flash, \
          a full or damaged journal and many messages prolong. journald itself reports how long it wrote.",
    place: TimelinePlace::Evidence,
    check,
};

/// A short one is not worth a change.
const LEAST: Dur = Dur::from_millis(100);
/// The unit, and as what the console shows it; an old systemd names it otherwise.
const UNITS: [&str; 3] = [
    "systemd-journal-flush.service",
    "Flush Journal to Persistent Storage",
    "Trigger Flushing of Journal to Persistent Storage",
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut costs = unit_costs(case, |u| UNITS.contains(&u.name.as_str()));
    let cost = costs.total;
    if cost.high() < LEAST {
        return Vec::new();
    }
    // The rest is the start of journalctl, and journald's other work.
    let flush = flush(case.boot);
    if let Some(flush) = &flush {
        costs.total = Interval::new(cost.low(), cost.best().min(flush.took), cost.high());
    }
    let title = format!("flushing the journal to persistent storage took up to {}", seconds(cost.high()));
    let mut finding = costs.finding(case, RULE.id, title, remedies());
    if let Some(flush) = flush {
        finding.why += &format!("; journald itself wrote for {}{}", seconds(flush.took), flush.entries);
    }
    vec![finding]
}

fn remedies() -> Vec<Remedy> {
    vec![
        Remedy::new(
            "keep the journal in memory",
            vec![SystemChange::FileSetting {
                file: "/etc/systemd/journald.conf",
                section: Some("Journal"),
                setting: "Storage=volatile",
            }],
            "the journal is lost at each power-off, and takes memory (RuntimeMaxUse=)",
            Risk::Low,
        ),
        Remedy::in_words(
            "flush it after the application is up: a copy of the unit in /etc/systemd/system without its Before=, with After= and the \
             application's unit",
            Effort::Configuration,
            "what was logged before is lost if power fails until then; systemd-tmpfiles-setup does not set the permissions of new files",
            Risk::Low,
        ),
    ]
}

/// What journald says of its flush.
struct Flush {
    took: Dur,
    /// ` (486 entries)`; empty where it does not say.
    entries: String,
}

/// `Time spent on flushing to /var/log/journal/6c61622d is 251.478ms for 486 entries.`; an old journald names `/var`.
fn flush(boot: &Boot) -> Option<Flush> {
    boot.whole.daemon_messages.iter().find_map(|message| {
        let (_, said) = message.text.split_once("Time spent on flushing to ")?;
        let (_, said) = said.split_once(" is ")?;
        let (took, rest) = leading_time_span(said)?;
        let count = rest.strip_prefix("for ").and_then(|rest| rest.split_once(" entries"));
        let entries = count.and_then(|(count, _)| count.parse::<u64>().ok());
        Some(Flush { took, entries: entries.map(|n| format!(" ({n} entries)")).unwrap_or_default() })
    })
}
