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
    /// "Run ... as init process", of the program that could be executed.
    pub init: Option<usize>,
    /// The kernel's panic, if it panicked.
    pub panic: Option<usize>,
    /// No program could be executed as init.
    pub no_init: bool,
}

/// The kernel's panics when no program can be executed as init: by `init=`, or by any of its defaults (kernel_init in init/main.c).
const NO_INIT: [&str; 3] = ["No working init found", "No init found", "Requested init "];

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
            m.see(i, r.text, records);
        }
        m
    }

    fn see(&mut self, i: usize, text: &str, records: &RecordSet) {
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
            // have written on after it. The kernel says it again of another program if the one before could not be executed.
            Some(b'R') if text.starts_with("Run ") => {
                let program = program_run_as_init(text);
                let before = self.init.and_then(|i| records.get(i)).and_then(|r| program_run_as_init(r.text));
                if program.is_some() && program != before {
                    self.init = Some(i);
                }
            }
            Some(b'K') => {
                let Some(why) = text.strip_prefix("Kernel panic - not syncing") else { return };
                if self.panic.is_none() {
                    self.panic = Some(i);
                    let why = why.trim_start_matches([':', ' ']);
                    self.no_init = NO_INIT.iter().any(|words| why.starts_with(words));
                    self.init = self.init.filter(|_| !self.no_init);
                }
            }
            _ => {}
        }
    }

    /// End of the kernel's part of the boot: init's start, else "Freeing unused kernel" (the last record of old
    /// kernels).
    pub fn kernel_end(&self) -> Option<usize> {
        self.init.or(self.freeing_unused).filter(|_| !self.no_init)
    }
}

/// `/sbin/init` of "Run /sbin/init as init process".
pub(crate) fn program_run_as_init(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Run ")?;
    rest.find(" as init process").map(|end| &rest[..end])
}

/// The id of the record at a position.
pub(super) fn id_at(records: &RecordSet, index: usize) -> RecordId {
    records.get(index).map_or(RecordId(0), |r: Record<'_>| r.id)
}

#[cfg(test)]
mod tests {
    use super::super::{Boot, BootOptions, BootRecords};

    #[test]
    fn init_is_the_program_that_could_be_executed() {
        let end = |then: &str| {
            let log = format!(
                "[    0.000000] Linux version 6.6.1\n[    1.900000] Freeing unused kernel image (initmem) memory: 2604K\n\
                 [    2.000000] Run /init as init process\n{then}"
            );
            let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
            boot.end.map(|end| end.kernel.unwrap().as_nanos() / 1_000_000)
        };
        let panic = "[    2.500000] Kernel panic - not syncing";
        let next = "[    2.300000] Failed to execute /init (error -8)\n[    2.400000] Run /sbin/init as init process\n";
        assert_eq!(end(""), Some(2_000));
        assert_eq!(end(next), Some(2_400));
        assert_eq!(end("[    2.000000] Run /init as init process\n"), Some(2_000));
        assert_eq!(end(&format!("{next}{panic}: Attempted to kill init! exitcode=0x00000100\n")), Some(2_400));
        assert_eq!(end(&format!("{next}{panic}: No working init found.  Try passing init= option to kernel.\n")), None);
        assert_eq!(end(&format!("{panic}: No init found.  Try passing init= option to kernel.\n")), None);
        assert_eq!(end(&format!("{panic}: Requested init /init failed (error -2).\n")), None);
    }

    #[test]
    fn init_that_a_kernel_without_stamps_does_not_find() {
        let end = |then: &str| {
            let log = format!(
                "Linux version 2.6.30 (a@b) #1\nKernel command line: console=ttyS0\nFreeing init memory: 124K\n{then}\n"
            );
            let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
            boot.milestones.kernel_end()
        };
        assert_eq!(end("init started: BusyBox v1.13.2"), Some(2));
        assert_eq!(end("Kernel panic - not syncing: No init found."), None);
    }
}
