// SPDX-License-Identifier: MIT OR Apache-2.0
//! Joins two logs of one boot: what the console transmitted, and the kernel's own log, which has each record's level
//! and the records that the console did not print.
use std::collections::{HashMap, VecDeque};

use super::boot_records::BootRecords;
use super::kernel::Kernel;
use super::milestone::Milestones;
use bootline_capture::units::KernelTime;
use bootline_records::{ByteRange, ProblemKind, Record, RecordId, RecordOrigin, RecordSet};

/// Result of a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelsJoin {
    /// Number of the console's records whose level is now known.
    pub matched: usize,
    /// Number of records in the kernel's own log that the console did not transmit; they are now in the boot, without
    /// arrival times.
    pub added: usize,
    /// Number of these that the console should have printed before init: they were lost on the line.
    pub lost: usize,
}

/// Why two logs can't be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// The kernel's log has no levels.
    #[error("it has no log levels")]
    NoLevels,
    /// The kernel's log has no stamps to match by.
    #[error("it has no kernel timestamps")]
    NoStamps,
    /// The kernel's log is from another boot.
    #[error("only {matched} of {of} records are in it")]
    OtherBoot {
        /// Records with a stamp above zero that are in both.
        matched: usize,
        /// Records with a stamp above zero that should be.
        of: usize,
        /// The first that is not.
        first: RecordId,
    },
}

/// Maximum number of records with the same stamp that are compared with a torn one.
const NEAR: usize = 16;

/// Adds the levels from the kernel's own log of the same boot to the console's records, and inserts the records that
/// the console did not print, without arrival times. Records are matched by stamp and text; ids are reassigned.
pub fn join_levels(boot: &mut BootRecords, own: &RecordSet) -> Result<LevelsJoin, JoinError> {
    let is_usable = |r: &Record<'_>| r.source == RecordOrigin::Kernel && r.stamp.is_some();
    if !own.iter().any(|r| is_usable(&r)) {
        return Err(JoinError::NoStamps);
    }
    if !own.iter().any(|r| is_usable(&r) && r.level.is_some()) {
        return Err(JoinError::NoLevels);
    }
    let pairs = pair(&boot.records, own);
    same_boot(&boot.records, own, &pairs)?;
    let joined = merge(boot, own, &pairs);
    if joined.lost > 0 {
        boot.problems.add(ProblemKind::RecordsLost, ByteRange::default(), || {
            format!(
                "missing here, though the console was to print them: {} records of the kernel's own log",
                joined.lost
            )
        });
    }
    Ok(joined)
}

/// For each record of the console, the position of the same one in the kernel's own log. A record of several lines
/// there is as many records on a console.
fn pair(console: &RecordSet, own: &RecordSet) -> Vec<Option<usize>> {
    let lines: Vec<(KernelTime, &str, usize)> = (0..own.len())
        .filter_map(|i| Some((i, own.get(i).filter(|r| r.source == RecordOrigin::Kernel)?)))
        .filter_map(|(i, r)| Some((i, r.stamp?, r.text)))
        .flat_map(|(i, stamp, text)| text.split('\n').map(move |line| (stamp, line.trim_end(), i)))
        .collect();
    let mut exact: HashMap<(KernelTime, &str), VecDeque<usize>> = HashMap::new();
    let mut at_stamp: HashMap<KernelTime, VecDeque<usize>> = HashMap::new();
    for (n, (stamp, line, _)) in lines.iter().enumerate() {
        exact.entry((*stamp, line)).or_default().push_back(n);
        at_stamp.entry(*stamp).or_default().push_back(n);
    }
    let mut taken = vec![false; lines.len()];
    let mut pairs = vec![None; console.len()];
    let kernel = || console.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel);
    for (i, r) in kernel() {
        let Some(stamp) = r.stamp else { continue };
        if let Some(n) = exact.get_mut(&(stamp, r.text.trim_end())).and_then(VecDeque::pop_front) {
            taken[n] = true;
            pairs[i] = Some(lines[n].2);
        }
    }
    // A record that was interrupted by another writer's bytes still begins correctly, or is cut where it was torn.
    for (i, r) in kernel() {
        let (Some(stamp), None) = (r.stamp, pairs[i]) else { continue };
        let Some(backlog) = at_stamp.get_mut(&stamp) else { continue };
        while backlog.front().is_some_and(|n| taken[*n]) {
            backlog.pop_front();
        }
        let text = r.text.trim_end();
        let alike =
            |line: &str| !line.is_empty() && !text.is_empty() && (text.starts_with(line) || line.starts_with(text));
        if let Some(&n) = backlog.iter().take(NEAR).find(|n| !taken[**n] && alike(lines[**n].1)) {
            taken[n] = true;
            pairs[i] = Some(lines[n].2);
        }
    }
    pairs
}

/// Records with stamp zero are the same in each boot of a kernel; of the others, at least half must be in both logs, as
/// far as both reach. A console that printed nothing in that range proves nothing and is accepted.
fn same_boot(console: &RecordSet, own: &RecordSet, pairs: &[Option<usize>]) -> Result<(), JoinError> {
    let stamps = || own.iter().filter(|r| r.source == RecordOrigin::Kernel).filter_map(|r| r.stamp);
    let (Some(from), Some(to)) = (stamps().min(), stamps().max()) else { return Ok(()) };
    let in_reach = |r: &Record<'_>| r.stamp.is_some_and(|s| s > KernelTime::ORIGIN && s >= from && s <= to);
    let (mut matched, mut of, mut first) = (0, 0, None);
    for (r, pair) in console.iter().zip(pairs).filter(|(r, _)| r.source == RecordOrigin::Kernel && in_reach(r)) {
        of += 1;
        matched += usize::from(pair.is_some());
        first = first.or(pair.is_none().then_some(r.id));
    }
    if let Some(first) = first.filter(|_| matched * 2 < of) {
        return Err(JoinError::OtherBoot { matched, of, first });
    }
    // A kernel log that begins after the console's last record.
    let earlier = || console.iter().filter(|r| r.source == RecordOrigin::Kernel && r.stamp.is_some_and(|s| s < from));
    match earlier().next() {
        Some(r) if of == 0 && pairs.iter().all(Option::is_none) => {
            Err(JoinError::OtherBoot { matched: 0, of: earlier().count(), first: r.id })
        }
        _ => Ok(()),
    }
}

fn merge(boot: &mut BootRecords, own: &RecordSet, pairs: &[Option<usize>]) -> LevelsJoin {
    let console = std::mem::take(&mut boot.records);
    let command_line = [&console, own].map(|log| Kernel::read(log).command_line).into_iter().find(|c| !c.is_empty());
    let mut merging = Merging {
        own,
        next: 0,
        paired: vec![false; own.len()],
        limit: command_line.unwrap_or_default().console_loglevel(),
        merged: RecordSet::new(),
        added: Vec::new(),
    };
    pairs.iter().flatten().for_each(|&j| merging.paired[j] = true);
    let (first_pair, last_pair) = (pairs.iter().position(Option::is_some), pairs.iter().rposition(Option::is_some));
    // Where both logs have nothing in common: before the console's first kernel record, or in init's messages.
    let begin = console.iter().position(|r| r.source == RecordOrigin::Kernel || super::end::is_init_banner(&r));
    let mut from = 0;
    for (i, r) in console.iter().enumerate() {
        if let Some(j) = pairs[i] {
            merging.add_until(j, Only::All);
        } else if last_pair.is_none() && Some(i) == begin {
            merging.add_until(own.len(), Only::All);
        } else if last_pair.is_some_and(|last| i > last) && r.source == RecordOrigin::Kernel {
            let later = |j: &usize| own.get(*j).is_some_and(|o| o.stamp >= r.stamp);
            merging.add_until((merging.next..own.len()).find(later).unwrap_or(own.len()), Only::HeldBack);
        }
        if Some(i) == first_pair {
            from = merging.merged.len();
        }
        merging.keep(Record { level: pairs[i].and_then(|j| own.get(j)?.level).or(r.level), ..r });
    }
    let to = merging.merged.len();
    merging.add_until(own.len(), if last_pair.is_none() { Only::All } else { Only::HeldBack });
    let init = Milestones::find(&merging.merged).kernel_end().unwrap_or(to);
    let lost = |i: &&usize| (from..to.min(init)).contains(*i) && merging.lets_through(**i);
    let joined = LevelsJoin {
        matched: pairs.iter().flatten().count(),
        added: merging.added.len(),
        lost: if first_pair.is_some() { merging.added.iter().filter(lost).count() } else { 0 },
    };
    boot.records = merging.merged;
    joined
}

/// Which records of the kernel's own log to add.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    All,
    /// Those that the console's level suppressed; others were stored after the recording ended.
    HeldBack,
}

/// The joined log as it grows.
struct Merging<'o> {
    own: &'o RecordSet,
    /// Position of the first record of the kernel's own log that is not yet merged.
    next: usize,
    /// Which of those the console transmitted.
    paired: Vec<bool>,
    /// The console's level.
    limit: u8,
    merged: RecordSet,
    /// Positions of the records that the console did not transmit.
    added: Vec<usize>,
}

impl Merging<'_> {
    fn keep(&mut self, r: Record<'_>) {
        self.merged.push(&Record { id: RecordId(self.merged.len() as u32), ..r });
    }

    fn add_until(&mut self, until: usize, only: Only) {
        let own = self.own;
        for j in self.next..until {
            let Some(r) = own.get(j).filter(|r| !self.paired[j] && r.source == RecordOrigin::Kernel) else { continue };
            if only == Only::All || r.level.is_some_and(|l| l.0 >= self.limit) {
                self.added.push(self.merged.len());
                // Its position refers to another input.
                self.keep(Record { arrival: None, bytes: ByteRange::default(), ..r });
            }
        }
        self.next = self.next.max(until);
    }

    fn lets_through(&self, index: usize) -> bool {
        self.merged.get(index).is_some_and(|r| r.level.is_none_or(|l| l.0 < self.limit))
    }
}
