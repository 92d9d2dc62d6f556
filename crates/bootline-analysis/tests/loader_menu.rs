// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waits for a choice from a menu file, in what U-Boot 2025.01 prints.
use bootline_analysis::rules::{Finding, RuleId, findings};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

/// From U-Boot's banner to the kernel's end; `asked` lies between the countdown and the files.
fn log(asked: &str) -> Vec<u8> {
    format!(
        "[0.000003 0.000003] U-Boot 2025.01-3 (Jan 01 2026 - 12:00:00 +0000)
[0.020003 0.020000] DRAM:  512 MiB
[0.220003 0.200000] Hit any key to stop autoboot:  2 \u{8}\u{8}\u{8} 1 \u{8}\u{8}\u{8} 0 
[2.230003 2.010000] Scanning for bootflows in all bootdevs
[2.240003 0.010000]   1  extlinux     ready   virtio       1  virtio-blk#32.bootdev.par /extlinux/extlinux.conf
[2.250003 0.010000] ** Booting bootflow 'virtio-blk#32.bootdev.part_1' with extlinux
{asked}[7.400003 5.100000] Retrieving file: /kernel
[7.500003 0.100000] Retrieving file: /initramfs
[7.600003 0.100000] append: console=ttyAMA0,115200
[7.700003 0.100000] Starting kernel ...
[7.800003 0.100000] [    0.000000] Booting Linux on physical CPU 0x0000000000 [0x411fd070]
[7.800003 0.000000] [    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon Mar  2 10:00:00 UTC 2026
[7.800003 0.000000] [    0.000000] Kernel command line: console=ttyAMA0,115200
[7.900003 0.100000] [    0.102000] Freeing unused kernel memory: 2048K
[7.901003 0.001000] [    0.103000] Run /sbin/init as init process
"
    )
    .into_bytes()
}

fn waits(log: &[u8]) -> Vec<Finding> {
    let boot = Boot::analyse(BootRecords::all(log).remove(0), &BootOptions::default());
    findings(&boot).into_iter().filter(|f| f.rule == RuleId::Ldr001).collect()
}

#[test]
fn the_countdown_and_the_menu_are_two_waits_and_the_menus_file_is_named() {
    let menu = "[2.260003 0.010000] Boot menu
[2.270003 0.010000] 1:\tLinux
[2.300003 0.030000] Enter choice: 1:\tLinux
";
    let found = waits(&log(menu));
    let [menu, countdown] = &found[..] else { panic!("{found:?}") };
    assert_eq!(countdown.cost.best(), Dur::from_secs(2));
    assert!(countdown.remedies[0].action.contains("bootdelay 0"), "{countdown:?}");
    let took = menu.cost.best().as_secs_f64();
    assert!((took - 5.1).abs() < 0.02, "{took}");
    assert_eq!(
        menu.remedies[0].action,
        "do not wait for a choice: `prompt 0` after `menu title` in /extlinux/extlinux.conf"
    );
    assert!(menu.evidence.iter().any(|e| e.text.ends_with("/extlinux/extlinux.conf")), "{menu:?}");
}

#[test]
fn a_menu_file_without_a_question_is_no_wait() {
    let found = waits(&log("[2.270003 0.010000] 1:\tLinux\n"));
    assert!(found.iter().all(|f| f.title.ends_with("for a key")), "{found:?}");
}

/// Stamps of whole seconds, or made where a line ends: what follows the question under its stamp is other work, and so is the silence after it.
#[test]
fn work_that_has_the_questions_stamp_is_no_wait() {
    for next in ["switch to partitions #0, OK", ""] {
        let log = format!(
            "[0.000003 0.000001] U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)
[0.500000 0.000001] DRAM: 512 MiB
[4.000000 0.000001] Hit any key to stop autoboot:  3 \u{8}\u{8}\u{8} 2 \u{8}\u{8}\u{8} 1 \u{8}\u{8}\u{8} 0 
[4.000000 0.000001] {next}
[4.000000 0.000001] mmc0 is current device
[9.000000 0.000001] Starting kernel ...
[10.000000 0.000001] [    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon
[10.010000 0.000001] [    0.000000] Command line: console=ttyS0,115200
[10.300000 0.000001] [    0.200000] Freeing unused kernel memory: 2048K
[10.310000 0.000001] [    0.210000] Run /sbin/init as init process
"
        );
        assert_eq!(waits(log.as_bytes()), [], "{next}");
    }
}
