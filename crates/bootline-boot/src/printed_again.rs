// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that somebody prints again: `dmesg | grep usb` at the prompt, or a logger that reads the kernel's buffer once more.
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::boot_records::BootRecords;
use bootline_records::{Record, RecordOrigin};

/// The records of the boot in hand, once one of them might come again.
#[derive(Debug, Default)]
pub(super) struct PrintedAgain {
    seen: Option<HashSet<u64>>,
    hasher: RandomState,
}

impl PrintedAgain {
    /// Whether the boot in hand has a record with this stamp and this text.
    pub fn is_known(&mut self, r: &Record<'_>, now: &BootRecords) -> bool {
        let hasher = &self.hasher;
        let seen = self.seen.get_or_insert_with(|| now.records.iter().filter_map(|r| key(hasher, &r)).collect());
        key(hasher, r).is_some_and(|key| seen.contains(&key))
    }

    /// Takes in a record of the boot.
    pub fn add(&mut self, r: &Record<'_>) {
        if let Some(seen) = &mut self.seen {
            seen.extend(key(&self.hasher, r));
        }
    }
}

fn key(hasher: &RandomState, r: &Record<'_>) -> Option<u64> {
    let stamp = r.stamp.filter(|_| r.source == RecordOrigin::Kernel)?;
    Some(hasher.hash_one((stamp, r.text)))
}
