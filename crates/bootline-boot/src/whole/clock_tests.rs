// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where systemd's clock is put, and what a source of another boot must not change.
use super::tests::{STARTED, STARTING, entry, has, journal, source, stages, unit, whole};
use super::*;
use bootline_capture::units::Dur;
use bootline_records::ProblemKind;

/// A kernel's log with six units, of which each takes 0.1 s.
fn log() -> String {
    let mut log = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
[    1.020000] systemd[1]: systemd 257.9 running in system mode
"
    .to_owned();
    for i in 0..6 {
        let at = 2_000 + i * 200;
        log += &format!("[{:>12}] systemd[1]: Starting u{i}.service - U{i}...\n", seconds(at));
        log += &format!("[{:>12}] systemd[1]: Started u{i}.service - U{i}.\n", seconds(at + 100));
    }
    log
}

fn seconds(ms: u32) -> String {
    format!("{}.{:03}000", ms / 1_000, ms % 1_000)
}

/// The units of that log as `systemctl show` would print them, `step` ms apart.
fn units(first: u32, step: u32) -> String {
    (0..6).map(|i| unit(&format!("u{i}.service"), first + i * step, first + i * step + 100, "")).collect()
}

fn events(first: u32, step: u32) -> String {
    let of = |i: u32| {
        let (name, at) = (format!("u{i}.service"), (first + i * step) * 1_000);
        entry(at, &name, STARTING) + &entry(at + 100_000, &name, STARTED)
    };
    (0..6).map(of).collect()
}

const OTHER_MANAGER: &str = "FirmwareTimestampMonotonic=7000000\nLoaderTimestampMonotonic=2000000\nUserspaceTimestampMonotonic=1020000\n\
    FinishTimestampMonotonic=90000000\n\n";

#[test]
fn nothing_of_a_refused_source_is_used() {
    let plain = whole(&log(), &[], None);
    let other = format!("{OTHER_MANAGER}{}", units(3_000, 7_000)).replace("Id=u3", "Result=timeout\nId=u3");
    let boot = whole(&log(), &[source("other.txt", &other)], None);
    assert!(matches!(boot.whole.sources[0].refused, Some(SourceRefusal::OtherBoot { .. })), "{:?}", boot.whole.sources);
    assert_eq!(stages(&boot), stages(&plain));
    assert_eq!(boot.whole.units, plain.whole.units);
    assert_eq!((boot.whole.dependencies, boot.whole.manager_finish), (DependenciesKnown::Nothing, None));
}

#[test]
fn a_source_that_fits_is_used_whatever_else_is_refused() {
    let refused = |boot: &crate::Boot| boot.whole.sources.iter().map(|s| s.refused.is_some()).collect::<Vec<_>>();
    let (good, bad) = (source("good.txt", &units(2_000, 200)), source("bad.txt", &units(3_000, 7_000)));
    let (good_journal, bad_journal) = (journal("good", &events(2_000, 200)), journal("bad", &events(3_000, 7_000)));
    let boot = whole(&log(), &[good.clone(), bad_journal.clone()], None);
    assert_eq!(refused(&boot), [false, true]);
    let u5 = boot.whole.unit("u5.service").unwrap();
    assert_eq!((u5.by, u5.activating), (UnitTimesBy::Systemd, Some(Dur::from_millis(3_000))));
    for order in [vec![bad.clone(), good_journal.clone()], vec![good_journal, bad], vec![bad_journal, good]] {
        let boot = whole(&log(), &order, None);
        assert_eq!(refused(&boot).iter().filter(|r| **r).count(), 1, "{:?}", boot.whole.sources);
        assert_eq!(boot.whole.unit("u5.service").unwrap().activating, Some(Dur::from_millis(3_000)));
    }
}

#[test]
fn one_wrong_pair_does_not_move_the_clock() {
    let failed = "[    3.000000] systemd[1]: Failed to start vpn.service - VPN.\n";
    let log: String = log().lines().take(4).map(|l| format!("{l}\n")).collect::<String>() + failed;
    let show = unit("vpn.service", 172_800_000, 172_800_100, "") + &unit("camera.service", 7_300, 8_300, "");
    let boot = whole(&log, &[source("units.txt", &show)], Some("camera.service"));
    assert_eq!(boot.whole.application.as_ref().unwrap().at, Dur::from_millis(8_300));
    let clock = boot.whole.sources[0].alignment.unwrap();
    assert_eq!((clock.by, clock.offset, clock.shared), (AlignedBy::KernelStart, Dur::ZERO, 0));
    assert!(has(&boot, ProblemKind::SourcesContradict), "{:?}", boot.problems);
}

/// Units that are all later by the same time are those of another boot: no constant lies between the two clocks.
#[test]
fn units_that_fit_only_with_another_kernels_start_are_refused() {
    let boot = whole(&log(), &[source("later.txt", &units(5_000, 200))], None);
    assert_eq!(boot.whole.sources[0].refused, Some(SourceRefusal::OtherBoot { matched: 0, of: 12 }));
}

fn names(boot: &crate::Boot) -> Vec<StageName> {
    boot.whole.stages.iter().map(|s| s.name).collect()
}

const QUIET: &str = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
[    1.250000] systemd[1]: systemd 257.9 running in system mode
[    9.500000] acme-net 1-1: link up
";

fn manager(user_space_us: u64, more: &str) -> BootSource {
    let text = format!(
        "UserspaceTimestampMonotonic={user_space_us}\n{more}FinishTimestampMonotonic={}\n\n",
        user_space_us + 8_000_000
    );
    source("units.txt", &(text + &unit("base.service", 1_600, 2_000, "")))
}

#[test]
fn what_passes_between_init_and_systemd_is_an_initramfs_only_if_there_is_one() {
    use StageName::*;
    let boot = whole(QUIET, &[manager(1_120_000, "")], None);
    assert_eq!(stages(&boot)[2..], [(UserSpace, 1_000, 9_120)]);
    let in_ramdisk = QUIET.replace("/sbin/init", "/init");
    let boot = whole(&in_ramdisk, &[manager(1_120_000, "")], None);
    assert_eq!(stages(&boot)[2..], [(Initramfs, 1_000, 1_120), (UserSpace, 1_120, 9_120)]);
    let boot = whole(QUIET, &[manager(1_220_000, "InitRDTimestampMonotonic=1010000\n")], None);
    assert_eq!(stages(&boot)[2..], [(Initramfs, 1_000, 1_220), (UserSpace, 1_220, 9_220)]);
}

#[test]
fn systemd_that_was_executed_again_is_no_root_file_system() {
    let again = QUIET
        .replace("/sbin/init", "/init")
        .replace("[    9.500000]", "[86400.000000] systemd[1]: systemd 257.9 running in system mode\n[86401.000000]");
    let boot = whole(&again, &[], None);
    let root = boot.whole.stages.iter().find(|s| s.name == StageName::UserSpace).unwrap();
    assert_eq!(root.start, Dur::from_millis(1_250));
}

#[test]
fn a_container_and_a_soft_reboot_are_not_the_kernels_boot() {
    let plain = names(&whole(QUIET, &[], None));
    let ten_days = 864_000_000_000;
    let boot = whole(QUIET, &[manager(ten_days, "")], None);
    assert!(matches!(boot.whole.sources[0].refused, Some(SourceRefusal::NotThisKernel { .. })));
    assert_eq!((names(&boot), boot.whole.manager_finish), (plain.clone(), None));
    let boot = whole(QUIET, &[manager(1_120_000, "SoftRebootStartTimestampMonotonic=900000000\n")], None);
    assert_eq!(boot.whole.sources[0].refused, Some(SourceRefusal::SoftReboot));
    assert_eq!(names(&boot), plain);
    // Without a log, too.
    let alone = crate::Boot::analyse(crate::BootRecords::default(), &crate::BootOptions::default());
    let boot = alone.with_sources(&[manager(ten_days, "")], None);
    assert_eq!(names(&boot), []);
}

/// systemd runs in the initramfs, and there starts units of the same names.
const INITRAMFS: &str = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /init as init process
[    1.100000] systemd[1]: systemd 257.9 running in system mode
[    1.300000] systemd[1]: Starting udevd.service - Rules...
[    1.500000] systemd[1]: Started udevd.service - Rules.
[    1.600000] systemd[1]: Reached target sysinit.target - System Initialization.
[    1.700000] systemd[1]: Finished dracut-cmdline.service - Command line.
[    3.000000] systemd[1]: Switching root.
[    3.500000] systemd[1]: systemd 257.9 running in system mode
[    5.000000] systemd[1]: Starting udevd.service - Rules...
[    7.000000] systemd[1]: Started udevd.service - Rules.
[    7.100000] systemd[1]: Reached target sysinit.target - System Initialization.
[    7.300000] systemd[1]: Starting camera.service - Camera...
[    8.300000] systemd[1]: Started camera.service - Camera.
";

#[test]
fn units_of_the_initramfs_are_not_those_of_the_root_file_system() {
    let show = "InitRDTimestampMonotonic=1100000\nUserspaceTimestampMonotonic=3450000\n\n".to_owned()
        + &unit("udevd.service", 5_000, 7_000, "")
        + &unit("sysinit.target", 7_100, 7_100, "udevd.service")
        + &unit("camera.service", 7_300, 8_300, "sysinit.target");
    let of_initramfs = entry(1_300_000, "udevd.service", STARTING) + &entry(1_500_000, "udevd.service", STARTED);
    let of_root = entry(5_000_000, "udevd.service", STARTING) + &entry(7_000_000, "udevd.service", STARTED);
    let journal = journal("journal", &(of_initramfs + &of_root));
    for sources in [vec![source("units.txt", &show)], vec![source("units.txt", &show), journal]] {
        let boot = whole(INITRAMFS, &sources, Some("camera.service"));
        assert_eq!(boot.whole.application.as_ref().unwrap().at, Dur::from_millis(8_300));
        assert!(boot.whole.sources.iter().all(|s| s.refused.is_none()), "{:?}", boot.whole.sources);
        let udevd = boot.whole.unit("udevd.service").unwrap();
        assert_eq!((udevd.started_again, udevd.activating), (false, Some(Dur::from_millis(5_000))));
        assert!(boot.whole.unit("dracut-cmdline.service").is_some());
    }
    let boot = whole(INITRAMFS, &[], Some("udevd.service"));
    assert_eq!(boot.whole.application.as_ref().unwrap().at, Dur::from_millis(7_000));
}
