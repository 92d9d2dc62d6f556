// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that somebody prints again: `dmesg | grep usb` at the prompt, or a logger that reads the kernel's buffer once more.
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::boot_records::BootRecords;
use bootline_records::{Record, RecordOrigin};

/// The records of the boot in hand, as far as it had come when this was asked last.
#[derive(Debug, Default)]
pub(super) struct PrintedAgain {
    seen: HashSet<u64>,
    /// Records of the boot that are in `seen`.
    taken: usize,
    hasher: RandomState,
}

impl PrintedAgain {
    /// Whether the boot in hand has a record with this stamp and this text.
    pub fn is_known(&mut self, r: &Record<'_>, now: &BootRecords) -> bool {
        let new = (self.taken..now.records.len()).filter_map(|i| key(&self.hasher, &now.records.get(i)?));
        self.seen.extend(new);
        self.taken = now.records.len();
        key(&self.hasher, r).is_some_and(|key| self.seen.contains(&key))
    }
}

fn key(hasher: &RandomState, r: &Record<'_>) -> Option<u64> {
    let stamp = r.stamp.filter(|_| r.source == RecordOrigin::Kernel)?;
    Some(hasher.hash_one((stamp, r.text)))
}
