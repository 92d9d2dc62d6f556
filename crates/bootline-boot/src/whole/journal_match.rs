// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which boot of a journal is the one that the console shows: that with the kernel's records of it.
use std::collections::HashSet;

use super::boot_source::{BootSource, SourceContent, SourceRefusal, SourceUse};
use crate::boot::Boot;
use crate::boot_records::BootRecords;
use bootline_capture::units::{Dur, KernelTime};
use bootline_records::{RecordOrigin, RecordSet};

/// A boot of a journal that is the one under analysis.
pub(super) struct MatchedJournal<'s> {
    /// Position of its source.
    pub source: usize,
    /// Its records and events.
    pub records: &'s BootRecords,
    /// Number of kernel records that are in both.
    pub shared: usize,
}

/// The boot of each journal that is this one; of a journal that is not used its use says why.
pub(super) fn match_journals<'s>(
    boot: &Boot,
    sources: &'s [BootSource],
    uses: &mut [SourceUse],
) -> Vec<MatchedJournal<'s>> {
    let mut found = Vec::new();
    if !sources.iter().any(|s| matches!(s.content, SourceContent::Journal(_))) {
        return found;
    }
    let ours = stamped(&boot.records);
    for (source, content) in sources.iter().enumerate().map(|(i, s)| (i, &s.content)) {
        let SourceContent::Journal(boots) = content else { continue };
        let fits: Vec<(usize, usize)> = boots.iter().map(|b| overlap(&ours, &b.records)).collect();
        let best = (0..boots.len()).max_by_key(|i| (fits[*i].0, *i));
        let Some(best) = best else {
            uses[source].refused = Some(SourceRefusal::Empty);
            continue;
        };
        let (matched, of) = fits[best];
        if of > 0 && matched * 2 < of {
            uses[source].refused = Some(SourceRefusal::OtherBoot { matched, of });
        } else if of == 0 && boots.len() > 1 {
            uses[source].refused = Some(SourceRefusal::SeveralBoots(boots.len()));
        } else {
            found.push(MatchedJournal { source, records: &boots[best], shared: matched });
        }
    }
    found
}

/// How many of a boot's records within the reach of another log of it are in that, and how many are within that reach.
pub(super) fn shared_records(boot: &Boot, log: &RecordSet) -> (usize, usize) {
    overlap(&stamped(&boot.records), log)
}

/// The kernel's records that tell one boot from another: those later than its first.
fn stamped(records: &RecordSet) -> HashSet<(KernelTime, &str)> {
    let kernel = (0..records.len()).filter_map(|i| records.get(i)).filter(|r| r.source == RecordOrigin::Kernel);
    kernel.filter_map(|r| Some((r.stamp.filter(|s| s.since_origin() > Dur::ZERO)?, r.text.trim_end()))).collect()
}

/// How many of our records within the journal's reach are in it, and how many are within that reach.
fn overlap(ours: &HashSet<(KernelTime, &str)>, journal: &RecordSet) -> (usize, usize) {
    let theirs = stamped(journal);
    let reach = theirs.iter().map(|(at, _)| *at);
    let (Some(from), Some(to)) = (reach.clone().min(), reach.max()) else { return (0, 0) };
    let within = || ours.iter().filter(|(at, _)| (from..=to).contains(at));
    (within().filter(|r| theirs.contains(*r)).count(), within().count())
}
