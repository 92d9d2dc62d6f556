// SPDX-License-Identifier: MIT OR Apache-2.0
//! The landmarks that divide every boot into phases.
use bootline_records::{Record, RecordId, RecordOrigin, RecordSet};

/// Positions in the record set of a boot's landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Milestones {
    /// The first kernel record.
    pub first_kernel: Option<usize>,
    /// The first record with a stamp above zero: the end of the dark phase.
    pub first_stamped: Option<usize>,
    /// The last record with the stamp 0.000000 before it.
    pub last_dark: Option<usize>,
    /// The first initcall that `initcall_debug` shows.
    pub first_initcall: Option<usize>,
    /// The last initcall's return.
    pub last_initcall: Option<usize>,
    /// "Freeing unused kernel ..." or "Freeing init memory": initcalls and root are done.
    pub freeing_unused: Option<usize>,
    /// The root file system is available: "VFS: Mounted root", or the initramfs is unpacked ("Freeing initrd memory").
    pub root: Option<usize>,
    /// "Run ... as init process".
    pub init: Option<usize>,
    /// The kernel's panic, if it panicked.
    pub panic: Option<usize>,
}

impl Milestones {
    pub(super) fn find(records: &RecordSet) -> Milestones {
        let mut m = Milestones::default();
        for (i, r) in records.iter().enumerate() {
            if r.source != RecordOrigin::Kernel {
                continue;
            }
            m.first_kernel.get_or_insert(i);
            match r.stamp {
                Some(s) if s.as_nanos() > 0 => _ = m.first_stamped.get_or_insert(i),
                Some(_) if m.first_stamped.is_none() => m.last_dark = Some(i),
                _ => {}
            }
            m.see(i, r.text);
        }
        m
    }

    fn see(&mut self, i: usize, text: &str) {
        // By the first byte: this runs over every record of every boot.
        match text.as_bytes().first() {
            Some(b'c') if text.starts_with("calling  ") && self.init.is_none() => {
                self.first_initcall.get_or_insert(i);
            }
            Some(b'i') if text.starts_with("initcall ") && self.init.is_none() => self.last_initcall = Some(i),
            // ARM up to 3.9 and others: "Freeing init memory: 124K" (free_initmem in arch/*/mm/init.c).
            Some(b'F') if text.starts_with("Freeing unused kernel") || text.starts_with("Freeing init memory") => {
                self.freeing_unused.get_or_insert(i);
            }
            Some(b'F') if text.starts_with("Freeing initrd memory") => self.root = Some(i),
            Some(b'V') if text.starts_with("VFS: Mounted root") => self.root = Some(i),
            // "Run /sbin/init as init process" came with 4.15 or so; before it there is only "Freeing unused". User space may
            // have written on after it.
            Some(b'R') if self.init.is_none() && text.starts_with("Run ") && text.contains(" as init process") => {
                self.init = Some(i);
            }
            Some(b'K') if text.starts_with("Kernel panic - not syncing") => {
                self.panic.get_or_insert(i);
            }
            _ => {}
        }
    }

    /// End of the kernel's part of the boot: init's start, else "Freeing unused kernel" (the last record of old
    /// kernels).
    pub fn kernel_end(&self) -> Option<usize> {
        self.init.or(self.freeing_unused)
    }
}

/// The id of the record at a position.
pub(super) fn id_at(records: &RecordSet, index: usize) -> RecordId {
    records.get(index).map_or(RecordId(0), |r: Record<'_>| r.id)
}
