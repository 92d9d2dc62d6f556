// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recoveries of file systems, before and after init's start, in the words of ext3 and ext4 (fs/ext3/super.c, fs/ext4/super.c of 2.6.29 to
//! 7.1), XFS (fs/xfs/xfs_log_recover.c), and UBIFS (fs/ubifs/super.c).
use bootline_analysis::rules::{Finding, RuleId, findings};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

/// A boot whose init starts at 1 s. `mount` is logged from 2 s on, each record 0.9 s after the one before it; `first` of its records come
/// before init.
fn recoveries(mount: &[&str], first: usize) -> Vec<Finding> {
    let mut log = "[    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon\n\
                   [    0.000000] Kernel command line: console=ttyS0,115200\n\
                   [    0.900000] Freeing unused kernel memory: 2048K\n"
        .to_owned();
    let record = |(n, text): (usize, &&str)| {
        let tenths = 20 + 9 * n;
        format!("[    {}.{}00000] {text}\n", tenths / 10, tenths % 10)
    };
    let records: Vec<String> = mount.iter().enumerate().map(record).collect();
    log += &records[..first].concat();
    log += &if first == 0 {
        "[    1.000000] Run /init as init process\n".to_owned()
    } else {
        format!("[   {}.000000] Run /init as init process\n", 20)
    };
    log += &records[first..].concat();
    let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
    findings(&boot).into_iter().filter(|f| f.rule == RuleId::Fs005).collect()
}

const TENTHS: Dur = Dur::from_millis(100);

/// A recovery whose beginning is logged: its time is known, but after init's start others may work meanwhile.
fn check_known(mount: &[&str], subject: &str, tenths: i64) {
    let [before] = &recoveries(mount, mount.len())[..] else { panic!("{mount:?}") };
    let took = format!("{subject} took {}.{}00 s to recover from an unclean shutdown", tenths / 10, tenths % 10);
    assert_eq!(before.title, took);
    let whole = TENTHS * tenths;
    assert_eq!((before.cost.low(), before.cost.best(), before.cost.high()), (whole, whole, whole), "{mount:?}");
    let [after] = &recoveries(mount, 0)[..] else { panic!("{mount:?}") };
    assert_eq!(after.title, took);
    assert_eq!((after.cost.low(), after.cost.best(), after.cost.high()), (Dur::ZERO, whole, whole), "{mount:?}");
    assert!(after.why.contains("the time to init does not include"), "{}", after.why);
    assert_eq!(after.remedies, before.remedies);
}

#[test]
fn a_recovery_of_a_root_that_an_initramfs_mounts_is_found() {
    // ext3 and ext4 up to 2.6.3x name no device.
    check_known(
        &[
            "EXT3-fs: INFO: recovery required on readonly filesystem.",
            "EXT3-fs: write access will be enabled during recovery.",
            "kjournald starting.  Commit interval 5 seconds",
            "EXT3-fs: recovery complete.",
            "EXT3-fs: mounted filesystem with ordered data mode.",
        ],
        "EXT3-fs",
        27,
    );
    check_known(
        &[
            "EXT4-fs (sda1): INFO: recovery required on readonly filesystem",
            "EXT4-fs (sda1): write access will be enabled during recovery",
            "EXT4-fs (sda1): orphan cleanup on readonly fs",
            "EXT4-fs (sda1): 3 orphan inodes deleted",
            "EXT4-fs (sda1): recovery complete",
            "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)",
        ],
        "EXT4-fs (sda1)",
        36,
    );
    check_known(
        &[
            "XFS (vda1): Mounting V5 Filesystem 01234567-89ab-cdef-0123-456789abcdef",
            "XFS (vda1): Starting recovery (logdev: internal)",
            "XFS (vda1): Ending recovery (logdev: internal)",
        ],
        "XFS (vda1)",
        9,
    );
    check_known(
        &[
            "UBIFS (ubi0:0): Mounting in unauthenticated mode",
            "UBIFS (ubi0:0): background thread \"ubifs_bgt0_0\" started, PID 58",
            "UBIFS (ubi0:0): recovery needed",
            "UBIFS (ubi0:0): recovery completed",
        ],
        "UBIFS (ubi0:0)",
        9,
    );
}

/// A file system that is mounted for writing says only that its recovery is over.
#[test]
fn after_init_a_silence_is_a_bound() {
    let mount = [
        "virtio_blk virtio1: [vda] 4194304 512-byte logical blocks (2.15 GB/2.00 GiB)",
        "EXT4-fs (vda): recovery complete",
        "EXT4-fs (vda): mounted filesystem 01234567-89ab-cdef-0123-456789abcdef r/w with ordered data mode. Quota mode: none.",
    ];
    let [before] = &recoveries(&mount, mount.len())[..] else { panic!() };
    assert_eq!((before.cost.best(), before.time_ranges.len()), (TENTHS * 9, 1));
    let [after] = &recoveries(&mount, 0)[..] else { panic!() };
    assert_eq!(after.title, "EXT4-fs (vda) took up to 0.900 s to recover from an unclean shutdown");
    assert_eq!((after.cost.low(), after.cost.best(), after.cost.high()), (Dur::ZERO, Dur::ZERO, TENTHS * 9));
    assert_eq!(after.time_ranges, []);
    assert_eq!(after.remedies, before.remedies);
}

/// They say nothing from which a time could be read, or nothing was recovered.
#[test]
fn other_file_systems_and_other_recoveries_are_none() {
    for mount in [
        ["BTRFS info (device vda): start tree-log replay", "BTRFS info (device vda): checking UUID tree"],
        ["jffs2: notice: (1) jffs2_build_xattr_subsystem: complete building xattr subsystem", "VFS: Mounted root"],
        ["UBIFS (ubi0:0): recovery needed", "UBIFS (ubi0:0): recovery deferred"],
        ["acme-nand 16000.nand: recovery needed", "acme-nand 16000.nand: recovery complete"],
    ] {
        assert_eq!(recoveries(&mount, 0), [], "{mount:?}");
        assert_eq!(recoveries(&mount, 2), [], "{mount:?}");
    }
}
