// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wait for the root file system's device (init/do_mounts.c; initramfs-tools' own loop).
use super::timeline::Timeline;
use bootline_records::{RecordOrigin, RecordSet};

/// The boot waited for its root file system from one record to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootWait {
    /// Position of the record that announces it.
    pub from: usize,
    /// Position of the first record that shows the device, else that the root is mounted.
    pub to: usize,
    /// Who waits.
    pub by: RootWaitBy,
}

/// Which mechanism waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootWaitBy {
    /// `rootwait`: polls.
    Rootwait,
    /// `rootdelay=`: sleeps.
    Rootdelay,
    /// The initramfs loops.
    Initramfs,
}

pub(super) fn find(records: &RecordSet, timeline: &Timeline, end: usize) -> Option<RootWait> {
    let (from, by) = announced(records, end)?;
    timeline.stored(from)?;
    let to = ended(records, from, by)?;
    timeline.stored(to)?;
    Some(RootWait { from, to, by })
}

fn announced(records: &RecordSet, end: usize) -> Option<(usize, RootWaitBy)> {
    let of_kernel = |i: usize| records.get(i).filter(|r| r.source == RecordOrigin::Kernel);
    let mut waits = records.containing("Waiting for root device").take_while(|i| *i < end);
    if let Some(i) = waits.find(|i| of_kernel(*i).is_some_and(|r| r.text.starts_with("Waiting for root device"))) {
        return Some((i, RootWaitBy::Rootwait));
    }
    let mut delays = records.containing("sec before mounting root device").take_while(|i| *i < end);
    if let Some(i) = delays.find(|i| of_kernel(*i).is_some()) {
        return Some((i, RootWaitBy::Rootdelay));
    }
    // A message of initramfs-tools, not of the kernel.
    let mut loops = records.containing("Waiting for root file system");
    loops.next().map(|i| (i, RootWaitBy::Initramfs))
}

fn ended(records: &RecordSet, from: usize, by: RootWaitBy) -> Option<usize> {
    let mounted = |text: &str| {
        text.starts_with("VFS: Mounted root") || text.contains(": mounted filesystem") || text.contains("): Mounting")
    };
    // A sleep, which ends with the next message of the mount code; drivers may print meanwhile.
    let ends = |text: &str| mounted(text) || by == RootWaitBy::Rootdelay && text.starts_with("md: ");
    let kernel = |i: &usize| records.get(*i).is_some_and(|r| r.source == RecordOrigin::Kernel && ends(r.text));
    (from + 1..records.len()).find(kernel)
}
