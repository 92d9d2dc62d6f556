// SPDX-License-Identifier: MIT OR Apache-2.0
//! Made-up runs.
use bootline_capture::units::{Baud, Frame, HostTime};

use super::*;
use crate::kmsg;

const RATE_9600: f64 = 960.0;
/// The command line of a kernel whose kthread prints.
const THREADED: &str = "threaded";

/// A run of a guest whose log is `log`, with `wire` on the line at `rate` characters a second.
fn run(log: &str, received: &str, rate: f64, cmdline: &str) -> Fidelity {
    run_with_init(log, received, rate, cmdline, None)
}

fn run_with_init(log: &str, received: &str, rate: f64, cmdline: &str, init_at: Option<HostTime>) -> Fidelity {
    run_with_times(log, received, |i| i as f64 / rate, cmdline, init_at)
}

/// With the time of each byte, in seconds.
fn run_with_times(
    log: &str,
    received: &str,
    time: impl Fn(usize) -> f64,
    cmdline: &str,
    init_at: Option<HostTime>,
) -> Fidelity {
    let (records, skipped) = kmsg::parse(log.as_bytes());
    assert_eq!(skipped, 0);
    let mut lines = ReceivedLines::default();
    for (i, b) in received.replace('\n', "\r\n").bytes().enumerate() {
        let at = HostTime::from_nanos((time(i) * 1e9) as i64);
        lines.push(at, &[b], &mut |_| ());
    }
    check(&RunEvidence {
        received: &lines,
        log: &records,
        console_loglevel: Some(7),
        command_line: cmdline,
        console: "ttyS0",
        rate: LineRate::of(Baud::new(9600).unwrap(), Frame::default()),
        slots: 1,
        translated: true,
        slowed: false,
        threaded: cmdline == THREADED,
        init_at,
        loaded: received.starts_with("U-Boot"),
        lateness: LatenessSummary::default(),
    })
}

const LOG: &str = "5,0,0,-;Linux version 6.12\n6,1,0,-;twice\n6,2,0,-;twice\n7,3,10,-;debugging\n\
                   6,4,1500000,-;two\\x0alines\n SUBSYSTEM=x\n6,5,1500001,-;legacy console [ttyS0] enabled\n";
const WIRE: &str = "[    0.000000] Linux version 6.12\n[    0.000000] twice\n[    0.000000] twice\n\
                    [    1.500000] two\n[    1.500000] lines\n[    1.500001] legacy console [ttyS0] enabled\n";

fn check_flaws(received: &str, cmdline: &str, expected: &[FidelityFlaw]) {
    assert_eq!(run(LOG, received, RATE_9600, cmdline).flaws, expected, "{received}");
}

#[test]
fn a_faithful_run_is_kept() {
    let fidelity = run(LOG, WIRE, RATE_9600, "");
    assert_eq!((fidelity.expected_lines, fidelity.found_lines), (6, 6));
    assert_eq!(fidelity.decide(1, 3), RetryDecision::Keep);
    assert_eq!(fidelity.flush_rate_ratio, None, "too short to tell");
    let with_callers: String = WIRE.lines().map(|l| format!("{}[    T1]{}\n", &l[..14], &l[14..])).collect();
    check_flaws(&with_callers, "", &[]);
    check_flaws(&format!("SeaBIOS\n{WIRE}[    9.000000] reboot: Power down\n"), "", &[]);
}

#[test]
fn a_lost_character_is_a_lost_line() {
    let first = "[1.500000] lines".to_owned();
    let lost = |lines| FidelityFlaw::Lost { lines, first: first.clone() };
    check_flaws(&WIRE.replace("lines", "lnes"), "", &[lost(1)]);
    check_flaws(&WIRE.replace(" lines\n[", "["), "", &[lost(2)]);
    let once = WIRE.replacen("[    0.000000] twice\n", "", 1);
    check_flaws(&once, "", &[FidelityFlaw::Lost { lines: 1, first: "[0.000000] twice".into() }]);
}

#[test]
fn what_the_kernel_dropped_was_not_lost_on_the_line() {
    let received = WIRE.replace("[    0.000000] twice\n[    0.000000] twice\n", "** 2 printk messages dropped **\n");
    let fidelity = run(LOG, &received, RATE_9600, "");
    assert_eq!((fidelity.dropped_by_kernel, fidelity.found_lines, &fidelity.flaws[..]), (2, 4, &[][..]));
}

#[test]
fn a_drop_is_no_excuse_for_what_is_lost_elsewhere() {
    // The two were dropped and are no longer in the log when it is read.
    let later = LOG.replace("6,1,0,-;twice\n6,2,0,-;twice\n", "");
    let received = WIRE
        .replace("[    0.000000] twice\n[    0.000000] twice\n", "** 2 printk messages dropped **\n")
        .replace("[    1.500000] lines\n", "");
    let fidelity = run(&later, &received, RATE_9600, "");
    assert_eq!(fidelity.flaws, [FidelityFlaw::Lost { lines: 1, first: "[1.500000] lines".into() }]);
    // Of three that are missing where two were dropped, one was lost.
    let fewer = WIRE
        .replace("[    0.000000] twice\n[    0.000000] twice\n", "** 2 printk messages dropped **\n")
        .replace("[    1.500000] two\n", "");
    check_flaws(&fewer, "", &[FidelityFlaw::Lost { lines: 1, first: "[1.500000] two".into() }]);
    let at_the_end =
        WIRE.replace("[    1.500001] legacy console [ttyS0] enabled\n", "** 1 printk messages dropped **\n");
    check_flaws(&at_the_end, "", &[]);
}

#[test]
fn levels_decide_what_belongs_on_the_console() {
    let first = "[0.000010] debugging".to_owned();
    check_flaws(WIRE, "quiet ignore_loglevel", &[FidelityFlaw::Lost { lines: 1, first }]);
}

#[test]
fn doubled_and_disordered_lines_are_flaws() {
    let doubled = format!("{WIRE}[    1.500000] two\n");
    let flaw = FidelityFlaw::Duplicated { lines: 1, first: "[1.500000] two".into() };
    check_flaws(&doubled, "", &[flaw]);
    check_flaws(&doubled, "earlycon", &[]);
    let swapped =
        WIRE.replace("[    1.500000] two\n[    1.500000] lines\n", "[    1.500000] lines\n[    1.500000] two\n");
    check_flaws(&swapped, "", &[FidelityFlaw::OutOfOrder { lines: 1, first: "[1.500000] lines".into() }]);
}

#[test]
fn a_console_that_registers_again_prints_its_log_again() {
    let again = "6,6,2000000,-;legacy console [ttyS0] disabled\n6,7,2000001,-;legacy console [ttyS0] enabled\n";
    let [left, back] =
        ["[    2.000000] legacy console [ttyS0] disabled\n", "[    2.000001] legacy console [ttyS0] enabled\n"];
    let log = format!("{LOG}{again}");
    let fidelity = run(&log, &format!("{WIRE}{left}{WIRE}{left}{back}"), RATE_9600, "");
    assert_eq!(fidelity.flaws, [FidelityFlaw::PrintedAgain { lines: 7 }]);
    assert_eq!(fidelity.decide(1, 3), RetryDecision::GiveUp);
    assert_eq!(run(&log, &format!("{WIRE}{left}{back}"), RATE_9600, "").flaws, []);
}

#[test]
fn a_log_without_stamps_is_compared_by_its_text() {
    let plain: String = WIRE.lines().map(|l| format!("{}\n", &l[15..])).collect();
    check_flaws(&plain, "printk.time=0", &[]);
    let first = "Linux version 6.12".to_owned();
    check_flaws(&plain.replacen("Linux", "Lnux", 1), "printk.time=0", &[FidelityFlaw::Lost { lines: 1, first }]);
}

/// A log long enough for its rate to be judged.
fn long() -> (String, String) {
    let mut log = String::new();
    let mut received = String::new();
    for i in 0..100 {
        log += &format!("6,{i},{i},-;a message of some length, number {i}\n");
        received += &format!("[    0.{i:06}] a message of some length, number {i}\n");
    }
    log += "6,100,100,-;printk: console [ttyS0] enabled\n";
    received += "[    0.000100] printk: console [ttyS0] enabled\n";
    (log, received)
}

#[test]
fn the_flush_must_run_at_the_lines_rate() {
    let (log, received) = long();
    for (factor, kept) in [(1.0, true), (0.97, true), (0.94, false), (1.05, false)] {
        let fidelity = run(&log, &received, RATE_9600 * factor, "");
        let ratio = fidelity.flush_rate_ratio.unwrap();
        assert!((ratio - factor).abs() < 0.001, "{ratio}");
        assert_eq!(fidelity.decide(1, 1) == RetryDecision::Keep, kept, "{factor}");
    }
}

#[test]
fn a_kthread_may_be_kept_from_printing_between_lines() {
    let (log, received) = long();
    let wire = received.replace('\n', "\r\n");
    let line_end = wire.match_indices('\n').nth(50).unwrap().0;
    // The line idles for two seconds before byte `from`.
    let flaws = |from: usize, factor: f64, cmdline| {
        let time = |i: usize| i as f64 / (RATE_9600 * factor) + if i >= from { 2.0 } else { 0.0 };
        run_with_times(&log, &received, time, cmdline, None).flaws
    };
    assert_eq!(flaws(line_end + 1, 1.0, THREADED), []);
    assert_ne!(flaws(line_end + 1, 1.0, ""), [], "only a kthread");
    assert_ne!(flaws(line_end - 5, 1.0, THREADED), [], "in the middle of a line");
    assert_ne!(flaws(line_end + 1, 0.94, THREADED), [], "a slow line");
    assert_ne!(flaws(line_end + 1, 1.05, THREADED), [], "a fast line");
}

#[test]
fn a_replay_may_be_slow_but_not_faster_than_the_line() {
    let (log, received) = long();
    let flaws = |factor, init_at| run_with_init(&log, &received, RATE_9600 * factor, "", Some(init_at)).flaws;
    let (before, after) = (HostTime::ORIGIN, HostTime::from_nanos(1));
    assert_eq!(flaws(0.5, before), []);
    assert!(matches!(flaws(0.5, after)[..], [FidelityFlaw::WrongRate { .. }]), "the boot's own flush");
    assert!(matches!(flaws(1.05, before)[..], [FidelityFlaw::WrongRate { .. }]));
    let built_in = |append| run_with_init(&log, &received, RATE_9600 * 0.5, append, Some(after)).flaws;
    assert_eq!(built_in("quiet nbcon_8250.replay=1"), []);
    assert!(matches!(built_in("quiet nbcon_8250.replay=0")[..], [FidelityFlaw::WrongRate { .. }]));
}

#[test]
fn a_clock_that_stands_at_zero_is_a_flaw() {
    let (log, received) = long();
    let still =
        |text: &str, stamp: fn(u32) -> String| (0..=100).fold(text.to_owned(), |t, i| t.replace(&stamp(i), &stamp(0)));
    let log = (0..=100).fold(log, |t, i| t.replace(&format!(",{i},{i},-"), &format!(",{i},0,-")));
    let received = still(&received, |i| format!("0.{i:06}]"));
    assert_eq!(run(&log, &received, RATE_9600, "").flaws, [FidelityFlaw::StampsAtZero]);
}

#[test]
fn a_breakpoint_of_the_emulators_making_is_the_labs_flaw() {
    let oops = "[    2.000000] Oops: int3: 0000 [#1] SMP NOPTI\n";
    check_flaws(&format!("{WIRE}{oops}"), "", &[FidelityFlaw::EmulatorBreakpoint]);
    check_flaws(&format!("{WIRE}{}", oops.replace("Oops: ", "")), "", &[FidelityFlaw::EmulatorBreakpoint]);
    check_flaws(&format!("{WIRE}{}", oops.replace("int3", "0000")), "", &[]);
}

#[test]
fn attempts_run_out() {
    let flawed = Fidelity { flaws: vec![FidelityFlaw::StampsAtZero], ..Fidelity::default() };
    assert_eq!(flawed.decide(1, 3), RetryDecision::Retry);
    assert_eq!(flawed.decide(3, 3), RetryDecision::GiveUp);
    let hopeless = Fidelity { flaws: vec![FidelityFlaw::TooMuchOutput], ..Fidelity::default() };
    assert_eq!(hopeless.decide(1, 3), RetryDecision::GiveUp);
}

#[test]
fn without_a_log_nothing_is_claimed() {
    let fidelity = run("", WIRE, RATE_9600, "");
    assert!(!fidelity.compared);
    assert_eq!(fidelity.flaws, []);
}

#[test]
fn a_storage_has_its_speed_or_the_run_is_flawed() {
    let flaws = |ratio| {
        let mut fidelity = Fidelity::default();
        fidelity.check_storage(ratio);
        fidelity.flaws
    };
    assert_eq!((flaws(Some(0.96)), flaws(Some(1.04))), (vec![], vec![]));
    for ratio in [0.9, 1.1] {
        assert_eq!(flaws(Some(ratio)), [FidelityFlaw::WrongStorageRate { ratio }]);
    }
    assert_eq!(flaws(None), [FidelityFlaw::UncheckedStorage]);
}

#[test]
fn a_storage_answers_in_time_or_the_run_is_flawed() {
    let flaws = |late| {
        let mut fidelity = Fidelity::default();
        let late_ns = Dur::from_millis(late);
        let at = |s| HostTime::ORIGIN + Dur::from_secs(s);
        fidelity.check_answers(&StorageUse { late_ns, until_ns: at(12), ..StorageUse::default() }, at(2));
        fidelity.flaws
    };
    assert_eq!(flaws(200), []);
    assert_eq!(flaws(201), [FidelityFlaw::LateStorage { late_ns: Dur::from_millis(201) }]);
}

#[test]
fn what_a_boot_loader_prints_is_no_part_of_the_flush() {
    let (log, received) = long();
    let alone = run(&log, &received, RATE_9600, "");
    let loaded = run(&log, &format!("U-Boot 2025.01\n\nHit any key to stop autoboot:  0\n{received}"), RATE_9600, "");
    assert_eq!(loaded.flush_bytes, alone.flush_bytes);
    // The made-up times are rounded.
    assert!(loaded.flush_ns - alone.flush_ns <= Dur::from_nanos(1), "{:?}", loaded.flush_ns);
    assert_eq!(loaded.flaws, []);
    // Without stamps nobody knows where the kernel's messages begin.
    let plain: String = received.lines().map(|l| format!("{}\n", &l[15..])).collect();
    assert_eq!(run(&log, &format!("U-Boot 2025.01\n{plain}"), RATE_9600 / 2.0, "printk.time=0").flaws, []);
    assert!(matches!(run(&log, &plain, RATE_9600 / 2.0, "printk.time=0").flaws[..], [FidelityFlaw::WrongRate { .. }]));
}

#[test]
fn all_memory_that_is_to_be_added_has_to_be_there() {
    let check = |memory_mib, added_mib, total_kib, expected| {
        let mut fidelity = Fidelity::default();
        fidelity.check_added_memory(memory_mib, added_mib, total_kib);
        let flaws =
            if expected == RetryDecision::Keep { vec![] } else { vec![FidelityFlaw::MemoryNotAdded { total_kib }] };
        assert_eq!((fidelity.flaws.as_slice(), fidelity.decide(1, 3)), (flaws.as_slice(), expected));
    };
    check(512, 1536, Some(1_963_096), RetryDecision::Keep);
    check(512, 1536, Some(470_000), RetryDecision::GiveUp);
    check(1024, 7168, Some(1_100_000), RetryDecision::GiveUp);
    check(1024, 128, Some(964_000), RetryDecision::GiveUp);
    check(1024, 128, Some(1_095_000), RetryDecision::Keep);
    check(512, 1536, None, RetryDecision::Retry);
}
