// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which unit waits for which, as systemd itself says it at log level debug (`systemd.log_level=debug`).
//!
//! Whenever a start job is looked at, systemd logs one unit that still holds it back: job_is_runnable() in its src/core/job.c, since
//! version 239. It looks again each time that one of them is up, so that the last to be up is among them. Others may be missing.
use std::collections::HashSet;

use super::journal_match::MatchedJournal;
use crate::boot::Boot;
use bootline_records::RecordSet;

/// Between the unit that waits and the one that it waits for.
const PHRASE: &str = ": starting held back, waiting for: ";

/// systemd of an initramfs before it goes over to the root file system.
const SWITCH: &str = "Switching root.";

/// Maximum number of pairs: more than a boot has, because a log may be hostile.
const MOST: usize = 50_000;

/// Pairs of a unit and one that it waits for, each once.
pub(super) fn held_back<'b>(boot: &'b Boot, journals: &'b [MatchedJournal<'b>]) -> Vec<(&'b str, &'b str)> {
    // What an initramfs has held back are other units.
    let sets = std::iter::once(&boot.records).chain(journals.iter().map(|j| &j.records.records));
    let mut met = HashSet::new();
    sets.flat_map(pairs).filter(|pair| met.insert(*pair)).take(MOST).collect()
}

fn pairs(records: &RecordSet) -> impl Iterator<Item = (&str, &str)> {
    let from = records.containing(SWITCH).last();
    records.containing(PHRASE).filter(move |i| from.is_none_or(|from| *i > from)).filter_map(|i| {
        let (before, after) = records.get(i)?.text.split_once(PHRASE)?;
        // `systemd[1]: camera.service`; a journal leaves the process out. Another process is a user's manager.
        if before.contains("systemd[") && !before.contains("systemd[1]") {
            return None;
        }
        let unit = before.rsplit(' ').next()?;
        let other = after.split_whitespace().next()?;
        let is_name = |name: &str| name.contains('.') && !name.starts_with('.');
        (is_name(unit) && is_name(other) && unit != other).then_some((unit, other))
    })
}
