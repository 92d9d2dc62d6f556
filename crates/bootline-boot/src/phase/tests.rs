// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use crate::{Boot, BootOptions, BootRecords};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};
use bootline_records::ProblemKind;

fn boots(bytes: &[u8]) -> Vec<Boot> {
    BootRecords::all(bytes).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).collect()
}

/// A capture of lines, each with the microseconds at which it came.
fn capture<'a>(lines: impl IntoIterator<Item = (i64, &'a str)>) -> Vec<u8> {
    let mut bytes = encode_header(&Header::new("test", "a line"));
    for (at, line) in lines {
        let (first, line) = (HostTime::from_nanos(at * 1_000), format!("{line}\r\n"));
        let time = ChunkTime { first, span: Dur::from_micros(10) * line.len() as i64, uncertainty: Dur::ZERO };
        encode_chunk(&mut bytes, time, line.as_bytes());
    }
    bytes
}

#[track_caller]
fn check(bytes: &[u8], want: &[(PhaseName, &str, &str)]) {
    let boots = boots(bytes);
    assert_eq!(boots.len(), 1);
    let got: Vec<_> = boots[0].phases.iter().map(|p| (p.name, p.start.to_string(), p.end.to_string())).collect();
    let got: Vec<_> = got.iter().map(|(name, from, to)| (*name, from.as_str(), to.as_str())).collect();
    assert_eq!(got, want);
}

#[test]
fn a_log_without_a_serial_console_has_no_dark_kernel() {
    let log = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP
[    0.000000] Kernel command line: root=/dev/sda1
[    0.010000] ACPI: one
[    0.640000] Freeing unused kernel image (initmem) memory: 4132K
[    0.720000] Run /init as init process
[    0.820000] hello
";
    let want = [
        (PhaseName::Dark, "0.000000", "0.010000"),
        (PhaseName::Kernel, "0.010000", "0.640000"),
        (PhaseName::ToInit, "0.640000", "0.720000"),
        (PhaseName::UserSpace, "0.720000", "0.820000"),
    ];
    check(log.as_bytes(), &want);
}

#[test]
fn what_a_quiet_boot_says_first_is_not_firmware() {
    // Init speaks 3 s after power-on, the kernel for the first time half a second later.
    let lines = [(3_000_000, "bootline-init:start"), (3_500_000, "[    3.200000] reboot: Power down")];
    let boots = boots(&capture(lines));
    let phases = &boots[0].phases;
    assert_eq!(phases.iter().map(|p| p.name).collect::<Vec<_>>(), [PhaseName::Kernel, PhaseName::UserSpace]);
    assert_eq!(phases[0].start, Dur::ZERO);
    assert_eq!(phases[0].end, boots[0].end.as_ref().unwrap().at.best());
    assert_eq!(phases[1].start, phases[0].end);
}

#[test]
fn a_console_that_registers_behind_init_parts_nothing() {
    let log = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP
[    0.000000] Kernel command line: console=ttyS0,115200
[    0.010000] ACPI: one
[    0.720000] Run /init as init process
[    1.000000] printk: console [ttyS0] enabled
[    2.000000] hello
";
    let boots = boots(log.as_bytes());
    let names: Vec<_> = boots[0].phases.iter().map(|p| p.name).collect();
    assert_eq!(names, [PhaseName::Dark, PhaseName::Kernel, PhaseName::UserSpace]);
    // Nor did init wait for the console to print its record.
    assert_eq!(boots[0].end.as_ref().unwrap().at.best(), Dur::from_millis(720));
}

#[test]
fn initcalls_that_a_log_cuts_off_have_not_ended() {
    let log = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP
[    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  one_init+0x0/0x4f0 @ 1
[    0.560000] initcall one_init+0x0/0x4f0 returned 0 after 250000 usecs
[    0.700000] calling  two_init+0x0/0x4f0 @ 1
[    0.800000] two: hello
";
    check(log.as_bytes(), &[(PhaseName::Dark, "0.000000", "0.010000"), (PhaseName::Initcalls, "0.010000", "0.800000")]);
}

#[test]
fn init_begins_when_its_record_is_through() {
    let log = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP
[    0.000000] Kernel command line: console=ttyS0,9600
[    0.010000] printk: console [ttyS0] enabled
[    0.640000] Freeing unused kernel image (initmem) memory: 4132K
[    0.720000] Run /init as init process
[    0.820000] hello
";
    let boots = boots(log.as_bytes());
    let end = boots[0].end.as_ref().unwrap().at.best();
    let last = boots[0].phases.last().unwrap();
    assert_eq!((last.name, last.start), (PhaseName::UserSpace, end));
    assert!(end > Dur::from_millis(720));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Linux version 6.12.1 (gcc) #1 SMP".to_owned()),
        Just("Kernel command line: console=ttyS0,9600 initcall_debug".to_owned()),
        Just("printk: legacy console [ttyS0] enabled".to_owned()),
        Just("printk: legacy console [tty0] enabled".to_owned()),
        Just("Freeing unused kernel image (initmem) memory: 1K".to_owned()),
        Just("Freeing initrd memory: 12K".to_owned()),
        Just("Run /init as init process".to_owned()),
        Just("Kernel panic - not syncing: VFS: Unable to mount root fs".to_owned()),
        (0..5u32).prop_map(|n| format!("calling  f{n}+0x0/0x1 @ 1")),
        (0..5u32).prop_map(|n| format!("initcall f{n}+0x0/0x1 returned 0 after 12 usecs")),
        "[ -~]{0,30}",
    ]
}

fn other() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("U-Boot 2026.01".to_owned()),
        Just("systemd[1]: systemd 257 running".to_owned()),
        Just("bootline-init:start".to_owned()),
        "[a-z ]{1,20}",
    ]
}

/// (kernel time to the next, whether it has a stamp and is the kernel's, the host's time to the next, text)
fn logs() -> impl Strategy<Value = Vec<(i64, bool, i64, String)>> {
    let step = prop_oneof![3 => Just(0i64), 6 => 0..400_000i64, 1 => -300_000..0i64];
    let record = prop_oneof![
        4 => (step.clone(), Just(true), 0..400_000i64, line()),
        1 => (step, Just(false), 0..400_000i64, other()),
    ];
    proptest::collection::vec(record, 1..40)
}

proptest! {
    /// Whatever the log holds, lacks or says in the wrong order.
    #[test]
    fn phases_tile_the_time(log in logs(), arrives in any::<bool>()) {
        let (mut kernel, mut host) = (0i64, 0);
        let lines: Vec<(i64, String)> = log.into_iter().map(|(step, stamped, wait, text)| {
            let stamp = if stamped { format!("[{:5}.{:06}] ", kernel / 1_000_000, kernel % 1_000_000) } else { String::new() };
            let line = (host, stamp + &text);
            kernel = (kernel + step).max(0);
            host += wait;
            line
        }).collect();
        let bytes = if arrives {
            capture(lines.iter().map(|(at, line)| (*at, line.as_str())))
        } else {
            lines.iter().flat_map(|(_, line)| format!("{line}\n").into_bytes()).collect()
        };
        for boot in boots(&bytes) {
            let phases = &boot.phases;
            prop_assert!(phases.iter().all(|p| p.start <= p.end), "{phases:?}");
            prop_assert!(phases.windows(2).all(|p| p[0].end == p[1].start && p[0].name < p[1].name), "{phases:?}");
            let (Some(first), Some(last)) = (phases.first(), phases.last()) else {
                let was_set_back = boot.problems.iter().any(|p| p.kind == ProblemKind::EndBeforeStart);
                prop_assert!(was_set_back || boot.milestones.first_kernel.is_none() || boot.timeline.clock == crate::Clock::None);
                continue;
            };
            // Nothing happens outside of them.
            for at in (0..boot.records.len()).filter_map(|i| boot.timeline.stored(i)) {
                prop_assert!(first.start <= at && at <= last.end, "{at}: {phases:?}");
            }
            // Init's start parts the kernel from user space.
            if let Some(end) = boot.end.as_ref().filter(|e| e.at.best() > first.start) {
                let user_space = phases.iter().find(|p| p.name == PhaseName::UserSpace).map(|p| p.start);
                prop_assert_eq!(user_space, Some(end.at.best()));
            }
        }
    }
}
