// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's banner that somebody quotes: `cat /proc/version` before `dmesg`, in reports that hold the output of many commands.
//!
//! It has no stamp, and nothing follows that a kernel logs next. Where a kernel with stamps follows, it began no boot.
use std::collections::HashSet;

use super::boot_records::BootRecords;
use super::kernel::is_banner;
use bootline_records::{RecordOrigin, RecordSet};

/// How a kernel's first records begin, on whatever architecture (setup_arch, start_kernel and mm_core_init).
const EARLY_RECORDS: [&str; 14] = [
    "Kernel command line:",
    "Command line:",
    "BIOS-provided physical RAM map",
    "Determined physical RAM map",
    "CPU:",
    "CPU revision is",
    "Machine",
    "Memory:",
    "Memory policy",
    "On node 0 totalpages",
    "Built 1 zonelists",
    "PID hash table entries",
    "Dentry cache hash table entries",
    "Calibrating delay loop",
];

/// Of these a boot shows at least.
const FEWEST_EARLY: usize = 2;

/// Whether a stretch of a log holds no more of a kernel than its banner, without a stamp.
pub(super) fn is_banner_alone(boot: &BootRecords) -> bool {
    let of_kernel = || boot.records.iter().filter(|r| r.source == RecordOrigin::Kernel);
    if of_kernel().any(|r| r.stamp.is_some()) || !of_kernel().any(|r| is_banner(r.text)) {
        return false;
    }
    let early = of_kernel().filter_map(|r| EARLY_RECORDS.iter().find(|start| r.text.starts_with(**start)));
    early.collect::<HashSet<_>>().len() < FEWEST_EARLY
}

/// The records of a boot, and before them what turned out to be no boot.
pub(super) fn before(quoted: &RecordSet, boot: &RecordSet) -> RecordSet {
    let mut joined = RecordSet::new();
    for r in quoted.iter() {
        joined.push(&bootline_records::Record { source: RecordOrigin::Other, ..r });
    }
    boot.iter().for_each(|r| joined.push(&r));
    joined
}

#[cfg(test)]
mod tests {
    use super::super::BootRecords;

    const BANNER: &str = "Linux version 6.6.1 (a@b) (gcc (GCC) 13.2.0) #1 SMP";

    fn boots(log: &str) -> usize {
        BootRecords::all(log.as_bytes()).len()
    }

    #[test]
    fn a_report_of_many_commands_holds_one_boot() {
        let dmesg = format!("[    0.000000] {BANNER}\n[    1.000000] Run /init as init process\n");
        let quoted = format!("$ uname -r\n6.6.1\n$ cat /proc/version\n{BANNER}\n$ free\nMemory: 1\n$ dmesg\n");
        assert_eq!(boots(&format!("{quoted}{dmesg}")), 1);
        assert_eq!(boots(&format!("{quoted}{dmesg}$ cat /proc/version\n{BANNER}\n")), 1);
        assert_eq!(boots(&quoted), 1);
        // ARM's first record comes before the banner.
        let arm = format!("[    0.000000] Booting Linux on physical CPU 0x0\n{dmesg}");
        assert_eq!(boots(&format!("{quoted}{arm}")), 1);
    }

    #[test]
    fn a_kernel_without_stamps_before_one_with_them_is_a_boot() {
        let old =
            "CPU: ARM926EJ-S\nMachine: Board\nMemory policy: x\nKernel command line: a\nFreeing init memory: 1K\n";
        let log = format!("{BANNER}\n{old}[    0.000000] {BANNER}\n[    1.000000] Run /init as init process\n");
        assert_eq!(boots(&log), 2);
    }
}
