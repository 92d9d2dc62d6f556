// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log that is transmitted a second time: nbcon_8250 with `replay=1` prints it again from its beginning.
//!
//! On the line this looks like another boot: a banner whose stamp goes back. But no two boots have the same stamps, and
//! the module logs its own message after the repetition. The first transmission is kept, because it arrived when it was
//! stored.
//!
//! A console that registers with CON_PRINTBUFFER set also prints the whole log again: one that `console=` prefers, after
//! `keep_bootcon` or a driver's early console printed to the same line (register_console() in kernel/printk/printk.c).
//! Only the first new record shows where that repetition ends.
//!
//! And somebody shows the whole log at the prompt: `# dmesg`. The command itself must be there, because a simulator's boots are
//! all alike.
use std::collections::HashSet;

use super::boot_records::BootRecords;
use super::console_switch::{CONSOLE_SWITCHED, console_switch_note};
use super::kernel::is_banner;
use bootline_capture::units::KernelTime;
use bootline_records::{Record, RecordOrigin, RecordSet};

/// Maximum number of records that a quiet console prints before the switch: normally a handful of errors.
const MOST_ERRORS: usize = 1_000;

/// A boot that a banner ended, while that banner may still belong to the same boot.
#[derive(Debug)]
pub(super) struct EarlierBoot {
    boot: BootRecords,
    /// The first record with a stamp above zero.
    first: (KernelTime, String),
    /// Whether it has its own banner, so that all of it is repeated; else only errors, in their positions.
    whole: bool,
    /// Whether a command asked for the whole log just before the banner.
    is_asked: bool,
    /// Whether the first stamped record was repeated.
    begins_alike: bool,
    /// The kernel's latest stamp, once it was needed.
    last: Option<KernelTime>,
    /// Whether the two logs were compared when the first newer record came.
    is_compared: bool,
}

/// Percentage of a repeated log's records that must be found: user output tears some of them.
const MOST_COME_AGAIN: usize = 90;

/// Fewer records than this may be alike by chance.
const FEWEST_AGAIN: usize = 3;

/// What a record shows about the boot before the banner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BannerVerdict {
    /// Undecided so far.
    Open,
    /// The banner began another boot.
    Another,
    /// It is the same boot.
    Same,
}

type Key<'r> = (KernelTime, &'r str);

/// Records with stamp zero are the same in each boot of a kernel, so they have no key.
fn key<'r>(r: &Record<'r>) -> Option<Key<'r>> {
    let stamp = r.stamp.filter(|s| *s > KernelTime::ORIGIN && r.source == RecordOrigin::Kernel)?;
    Some((stamp, r.text))
}

fn keys(records: &RecordSet) -> HashSet<Key<'_>> {
    records.iter().filter_map(|r| key(&r)).collect()
}

impl EarlierBoot {
    /// Holds a boot back; returns it if no banner of the same boot can follow. `is_asked`: a command asked for the whole log.
    pub fn hold(boot: BootRecords, is_asked: bool) -> Result<EarlierBoot, Box<BootRecords>> {
        let of_kernel = || boot.records.iter().filter(|r| r.source == RecordOrigin::Kernel);
        let whole = of_kernel().any(|r| is_banner(r.text));
        let said = boot.records.containing(CONSOLE_SWITCHED).filter_map(|i| boot.records.get(i));
        let taken = said.filter(|r| r.source == RecordOrigin::Kernel).any(|r| console_switch_note(r.text).is_some());
        let first = boot.records.iter().find_map(|r| key(&r)).map(|(stamp, text)| (stamp, text.to_owned()));
        match first {
            Some(first) if (!taken || is_asked) && (whole || boot.records.len() <= MOST_ERRORS) => {
                Ok(EarlierBoot { boot, first, whole, is_asked, begins_alike: false, last: None, is_compared: false })
            }
            _ => Err(Box::new(boot)),
        }
    }

    pub fn into_boot(self) -> BootRecords {
        self.boot
    }

    /// Examines the next record, which is already part of `now`.
    pub fn ask(&mut self, r: &Record<'_>, now: &BootRecords) -> BannerVerdict {
        let Some((stamp, text)) = key(r) else { return BannerVerdict::Open };
        if self.whole && !self.begins_alike {
            self.begins_alike = (stamp, text) == (self.first.0, self.first.1.as_str());
            return if self.begins_alike { BannerVerdict::Open } else { BannerVerdict::Another };
        }
        if self.is_asked && self.whole || console_switch_note(text).is_none() {
            // What is newer than all of the boot before ends the repetition.
            let is_over = self.whole && !self.is_compared && stamp > self.last();
            self.is_compared |= is_over;
            return if is_over && self.is_repeated_by(now) { BannerVerdict::Same } else { BannerVerdict::Open };
        }
        let (before, again) = (keys(&self.boot.records), keys(&now.records));
        if before.is_subset(&again) { BannerVerdict::Same } else { BannerVerdict::Another }
    }

    fn last(&mut self) -> KernelTime {
        let of_kernel = || self.boot.records.iter().filter(|r| r.source == RecordOrigin::Kernel);
        *self.last.get_or_insert_with(|| of_kernel().filter_map(|r| r.stamp).max().unwrap_or_default())
    }

    /// Whether a console registered last: it is what prints the log again.
    fn ends_with_console(&self) -> bool {
        let of_kernel = self.boot.records.iter().rev().filter(|r| r.source == RecordOrigin::Kernel);
        of_kernel.take(5).any(|r| r.text.contains("console [") && r.text.contains("] enabled"))
    }

    /// Whether its last record is about a console.
    fn ends_at_console(&self) -> bool {
        let last = self.boot.records.iter().rev().find(|r| r.source == RecordOrigin::Kernel);
        last.is_some_and(|r| r.text.contains("console ["))
    }

    /// Whether a boot is the log of this one once more, as far as it goes.
    pub fn is_repeated_by(&mut self, now: &BootRecords) -> bool {
        if !(self.whole && self.begins_alike) {
            return false;
        }
        let last = self.last();
        let (before, again) = (keys(&self.boot.records), keys(&now.records));
        // The stamps of a clock that only counts jiffies are the same in each boot.
        let is_fine = before.iter().filter(|(stamp, _)| stamp.as_nanos() % 1_000_000 != 0).count() * 2 > before.len();
        let old = again.iter().filter(|(stamp, _)| *stamp <= last);
        let (known, count) =
            old.fold((0, 0), |(known, count), key| (known + usize::from(before.contains(key)), count + 1));
        let is_by_console = || self.ends_with_console() && (is_fine || self.ends_at_console() && begins_at_once(now));
        // A command shows all of it; if it shows much more than the console did, it is a better log than the console's.
        let is_all = known * 100 >= before.len() * MOST_COME_AGAIN;
        (self.is_asked && is_all || !self.is_asked && is_by_console())
            && count >= FEWEST_AGAIN
            && known * 100 >= count * MOST_COME_AGAIN
    }

    /// The two as one boot.
    pub fn join(self, now: BootRecords) -> BootRecords {
        let mut problems = self.boot.problems;
        problems.merge(now.problems);
        let notes = [self.boot.notes, now.notes].concat();
        let unit_events = [self.boot.unit_events, now.unit_events].concat();
        let printed_again = self.boot.printed_again + now.printed_again;
        let header = self.boot.header;
        let records = RecordSet::new();
        let mut joined = BootRecords { records, problems, header, notes, unit_events, repeated: 0, printed_again };
        let (before, again) = (&self.boot.records, &now.records);
        // For errors the repetition is kept, in their positions; for a whole log, the first transmission.
        let last = before.iter().filter_map(|r| r.stamp).max().unwrap_or_default();
        let seen = keys(before);
        let comes_again = |r: &Record<'_>| {
            let stamp = r.stamp.unwrap_or_default();
            r.source == RecordOrigin::Kernel && (stamp < last || stamp == last && seen.contains(&(stamp, r.text)))
        };
        let of_kernel = |r: &Record<'_>| r.source == RecordOrigin::Kernel;
        let dropped: [&dyn Fn(&Record<'_>) -> bool; 2] =
            if self.whole { [&|_| false, &comes_again] } else { [&of_kernel, &|_| false] };
        let left_out = if self.is_asked { &mut joined.printed_again } else { &mut joined.repeated };
        for (records, dropped) in [before, again].into_iter().zip(dropped) {
            for r in records.iter() {
                if dropped(&r) {
                    *left_out += 1;
                } else {
                    joined.records.push(&r);
                }
            }
        }
        joined
    }
}

/// Whether no boot loader wrote before a log's kernel.
fn begins_at_once(boot: &BootRecords) -> bool {
    boot.records.iter().take_while(|r| r.source != RecordOrigin::Kernel).all(|r| r.text.trim().is_empty())
}
