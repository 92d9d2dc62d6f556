// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every reader of a source must hold, and each on an excerpt in the form that its tool writes.
use super::systemd_state::{MOST_DEPENDENCIES, MOST_UNITS};
use super::*;
use crate::ProblemKind;
use bootline_capture::units::{Dur, LoaderTime, MonotonicTime};
use proptest::prelude::*;

pub(super) const SHOW: &str = "\
Version=257.9-1~deb13u1
FirmwareTimestampMonotonic=3500000
LoaderTimestampMonotonic=1200000
UserspaceTimestampMonotonic=4405123
FinishTimestampMonotonic=24405123

Id=ssh.service
Description=OpenBSD Secure Shell server
Requires=sysinit.target system.slice
Wants=sshd-keygen.service
After=basic.target network.target -.mount
InactiveExitTimestampMonotonic=11023456
ActiveEnterTimestampMonotonic=11123456
InactiveEnterTimestampMonotonic=0
CPUUsageNSec=38123000
NRestarts=2
ExecStart={ path=/usr/sbin/sshd ; argv[]=/usr/sbin/sshd
-D }

Id=keys.service
CPUUsageNSec=[not set]
InactiveExitTimestampMonotonic=1
ActiveEnterTimestampMonotonic=0
InactiveEnterTimestampMonotonic=501
";

const PLOT: &str = r#"[{"name":"ssh.service","activated":11123000,"activating":11023456,"time":99544,"deactivated":0,"deactivating":0}]
119 Units listed.
"#;

const BLAME: &str = "1min 30.012s dev-sda3.device\n      2.345s systemd-udev-settle.service\n       532ms 9p.mount\n";

const CHAIN: &str = "\
The time when unit became active or started is printed after the \"@\" character.
The time the unit took to start is printed after the \"+\" character.

graphical.target @5.123s
\u{2514}\u{2500}multi-user.target @5.122s
  \u{251c}\u{2500}ssh.service @1min 4.900s +222ms
  \u{2514}\u{2500}-.mount @1.000s
";

const TIME: &str = "Startup finished in 3.456s (firmware) + 1.2s (loader) + 2.1s (kernel) + 3s (initrd) + 1min 5.2s (userspace) = 1min 14.956s \n\
                    graphical.target reached after 5.1s in userspace.\n";

const DUMP: &str = "Manager: systemd 257\n-> Unit ssh.service:\n\tDescription: OpenBSD Secure Shell server\n\
                    \tAfter: network.target (origin-file)\n\tRequires: sysinit.target (origin-default)\n";

const BOOTSTAGE: &str = "Timer summary in microseconds (4 records):\n       Mark    Elapsed  Stage\n          0          0  reset\n\
                         \x20 1,010,511  1,010,511  board_init_f\n  2,500,000  1,489,489  start_kernel\n\nAccumulated time:\n\
                         \x20               19,104  dm_r\n";

const CBMEM: &str = "3 entries total:\n\n   0:1st timestamp                                     1,234\n\
                     \x20  1:start of romstage                                 5,678 (4,444)\n\
                     \x20 99:selfboot jump                                     905,678 (900,000)\n\nTotal Time: 904,444\n";

const PARSEABLE: &str =
    "0\t1234\t1234\t1st timestamp\n1\t5678\t4444\tstart of romstage\n99\t905678\t900000\tselfboot jump\n";

const FPDT: &str = "/sys/firmware/acpi/fpdt/boot/bootloader_launch_ns:3200000000\n\
                    /sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000\n";

const TREE: &str = "/proc/device-tree/bootstage/0/name:start_kernel\n/proc/device-tree/bootstage/0/mark:2500000\n\
                    /proc/device-tree/bootstage/1/name:dm_r\n/proc/device-tree/bootstage/1/accum:19104\n\
                    /proc/device-tree/bootstage/2/name:board_init_f\n/proc/device-tree/bootstage/2/mark:1010511\n\
                    /proc/device-tree/bootstage/3/name:reset\n/proc/device-tree/bootstage/3/mark:0\n";

fn excerpts() -> [(&'static str, SourceKind); 11] {
    [
        (SHOW, SourceKind::SystemctlShow),
        (PLOT, SourceKind::AnalyzePlot),
        (BLAME, SourceKind::AnalyzeBlame),
        (CHAIN, SourceKind::AnalyzeCriticalChain),
        (TIME, SourceKind::AnalyzeTime),
        (DUMP, SourceKind::AnalyzeDump),
        (BOOTSTAGE, SourceKind::Bootstage),
        (CBMEM, SourceKind::Cbmem),
        (PARSEABLE, SourceKind::Cbmem),
        (FPDT, SourceKind::AcpiFpdt),
        (TREE, SourceKind::BootstageTree),
    ]
}

fn state(text: &str) -> SystemdState {
    match read(text.as_bytes()).facts {
        Facts::Systemd(state) => *state,
        other => panic!("{other:?}"),
    }
}

fn us(us: i64) -> Option<MonotonicTime> {
    Some(MonotonicTime::from_nanos(us * 1_000))
}

#[test]
fn each_is_recognised_by_its_content() {
    for (text, kind) in excerpts() {
        let source = read(text.as_bytes());
        assert_eq!(source.kind, Some(kind), "{text}");
        assert!(source.problems.is_empty(), "{:?}", source.problems);
        assert_eq!(read(text.replace('\n', "\r\n").as_bytes()).kind, Some(kind), "with carriage returns: {text}");
    }
    for text in ["", "\n \n"] {
        assert_eq!(read(text.as_bytes()), Source { facts: Facts::Blank, ..Source::default() }, "{text}");
    }
    for text in ["hello\n", "[    0.000000] Linux version 6.12\n", "A=1\nB=2\nC=3\n", "1s of anything\n"] {
        assert_eq!(read(text.as_bytes()), Source::default(), "{text}");
    }
}

#[test]
fn properties() {
    let state = state(SHOW);
    let manager = state.manager.as_ref().unwrap();
    assert_eq!(manager.version.as_deref(), Some("257.9-1~deb13u1"));
    assert_eq!(manager.firmware_before_kernel, Some(Dur::from_millis(3_500)));
    assert_eq!((manager.initrd, manager.user_space, manager.finish), (None, us(4_405_123), us(24_405_123)));
    let [ssh, keys] = state.units.as_slice() else { panic!("{:?}", state.units) };
    assert_eq!((ssh.activating, ssh.active, ssh.up()), (us(11_023_456), us(11_123_456), us(11_123_456)));
    assert_eq!(ssh.after, ["basic.target", "network.target", "-.mount"]);
    assert_eq!((ssh.requires.len(), ssh.wants.len(), ssh.restarts), (2, 1, 2));
    assert_eq!(ssh.cpu, Some(Dur::from_nanos(38_123_000)));
    let with =
        |line: &str| match read(format!("Id=a.service\nActiveEnterTimestampMonotonic=1\n{line}\n").as_bytes()).facts {
            Facts::Systemd(state) => (state.units[0].main_handoff, state.units[0].bytes_read),
            other => panic!("{other:?}"),
        };
    assert_eq!(with("ExecMainHandoffTimestampMonotonic=3000"), (us(3_000), None));
    assert_eq!(with("IOReadBytes=4096"), (None, Some(4_096)));
    for none in ["IOReadBytes=[not set]", "IOReadBytes=18446744073709551615", "ExecMainHandoffTimestampMonotonic=0"] {
        assert_eq!(with(none), (None, None), "{none}");
    }
    // A job that ended was up when it was inactive again.
    assert_eq!((keys.cpu, keys.active, keys.up()), (None, None, us(501)));
    assert!(state.has_dependencies);
}

#[test]
fn a_value_that_is_no_time_is_a_problem_and_no_time() {
    let source = read(SHOW.replace("=11023456", "=soon").as_bytes());
    let Facts::Systemd(state) = source.facts else { panic!() };
    assert_eq!(state.units[0].activating, None);
    assert_eq!(source.problems.iter().count(), 1);
    let far = read(SHOW.replace("=11023456", "=99999999999999999").as_bytes());
    assert_eq!(far.problems.iter().count(), 1, "more than a clock can show");
}

#[test]
fn what_systemd_analyze_prints() {
    let plotted = state(PLOT);
    assert_eq!((plotted.units[0].activating, plotted.units[0].active), (us(11_023_456), us(11_123_000)));
    let blamed = state(BLAME);
    let took: Vec<_> = blamed.units.iter().map(|u| (u.name.as_str(), u.took.unwrap())).collect();
    assert_eq!(
        took,
        [
            ("dev-sda3.device", Dur::from_millis(90_012)),
            ("systemd-udev-settle.service", Dur::from_millis(2_345)),
            ("9p.mount", Dur::from_millis(532)),
        ]
    );
    let chained = state(CHAIN);
    let since: Vec<_> = chained.units.iter().map(|u| (u.name.as_str(), u.since_user_space, u.took)).collect();
    let ms = |n| Some(Dur::from_millis(n));
    assert_eq!(
        since,
        [
            ("graphical.target", ms(5_123), None),
            ("multi-user.target", ms(5_122), None),
            ("ssh.service", ms(64_900), ms(222)),
            ("-.mount", ms(1_000), None),
        ]
    );
    let Facts::Startup(times) = read(TIME.as_bytes()).facts else { panic!() };
    assert_eq!((times.firmware, times.initrd, times.user_space), (ms(3_456), ms(3_000), ms(65_200)));
    assert_eq!(state(DUMP).units[0].after, ["network.target"]);
}

#[test]
fn marks_of_a_loader() {
    let marks = |text: &str| match read(text.as_bytes()).facts {
        Facts::LoaderMarks(marks) => marks,
        other => panic!("{other:?}"),
    };
    let us = |n: i64| LoaderTime::from_nanos(n * 1_000);
    assert_eq!(marks(BOOTSTAGE).at("start_kernel"), Some(us(2_500_000)));
    assert_eq!(marks(BOOTSTAGE).marks.len(), 3, "accumulated times are no marks");
    assert_eq!(marks(TREE), marks(BOOTSTAGE), "one timer in two forms");
    assert_eq!(marks(CBMEM), marks(PARSEABLE));
    assert_eq!(marks(CBMEM).at("selfboot jump"), Some(us(905_678)));
    let console =
        ["U-Boot 2024.01", "Starting kernel ...", ""].into_iter().chain(BOOTSTAGE.lines()).chain(["[    0.0] x"]);
    assert_eq!(bootstage_in(console), Some(marks(BOOTSTAGE)));
    assert_eq!(bootstage_in(["U-Boot 2024.01"]), None);
    // Asked for at the prompt, and printed again when the kernel starts.
    let (prompt, _) = BOOTSTAGE.split_once("  2,500,000").unwrap();
    let twice = format!("=> bootstage report\n{prompt}\nAccumulated time:\n=> boot\n{BOOTSTAGE}");
    assert_eq!(bootstage_in(twice.lines()), Some(marks(BOOTSTAGE)));
    // One that is cut before its first mark says nothing.
    assert_eq!(bootstage_in(twice.lines().chain(prompt.lines().take(2))), Some(marks(BOOTSTAGE)));
    // A mark that is earlier than the one before it, where U-Boot subtracts without a sign.
    let below = BOOTSTAGE
        .replace("  1,489,489  start_kernel", "  1,489,489  start_kernel\n    100,000 18,446,744,073,707,151,616  spl");
    assert_eq!(marks(&below).at("spl"), Some(us(100_000)));
}

/// Files of a few megabytes, in which each byte asks for as much memory as it can.
#[test]
fn hostile_sources_are_bounded() {
    let bounded = |text: &str, kind: ProblemKind| {
        let source = read(text.as_bytes());
        assert!(source.problems.iter().any(|p| p.kind == kind), "{:?}", source.problems);
        let Facts::Systemd(state) = source.facts else { panic!("{:?}", source.kind) };
        let names = |u: &UnitState| u.requires.len() + u.wants.len() + u.after.len() + u.triggered_by.len();
        let names: usize = state.units.iter().map(names).sum();
        assert!(state.units.len() <= MOST_UNITS && names <= MOST_DEPENDENCIES, "{} {names}", state.units.len());
        assert!(state.units.len() == MOST_UNITS || names > MOST_DEPENDENCIES * 9 / 10, "{}", state.units.len());
    };
    let lists = ["After", "Wants", "Requires"].map(|list| format!("{list}={}\n", "a.swap ".repeat(4_000)));
    let unit = format!("Id=a.swap\nInactiveExitTimestampMonotonic=1\n{}\n", lists.concat());
    bounded(&unit.repeat(MOST_DEPENDENCIES / 12_000 + 2), ProblemKind::TooManyRecords);
    let unit = format!("-> Unit a.swap:\n{}", "\tAfter: a.swap\n".repeat(4_000));
    bounded(&unit.repeat(MOST_DEPENDENCIES / 4_000 + 2), ProblemKind::TooManyRecords);
    let row = r#"{"name":"a.swap","activating":1},"#.repeat(MOST_UNITS + 1);
    bounded(&format!("[{}]", row.trim_end_matches(',')), ProblemKind::BadLine);
}

proptest! {
    #[test]
    fn nothing_panics_and_all_is_bounded(
        which in 0usize..11,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), ".{0,12}"), 0..6),
    ) {
        let mut text: String = excerpts()[which].0.to_owned();
        for (at, with) in &cuts {
            let mut at = at.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, with);
        }
        let source = read(text.as_bytes());
        if let Facts::Systemd(state) = source.facts {
            prop_assert!(state.units.iter().all(|u| is_unit_name(&u.name)));
        }
    }

    #[test]
    fn a_part_of_a_source_gives_no_more_than_the_whole(cut in any::<prop::sample::Index>()) {
        let whole = state(SHOW);
        let part = &SHOW[..cut.index(SHOW.len())];
        if let Facts::Systemd(part) = read(part.as_bytes()).facts {
            prop_assert!(part.units.len() <= whole.units.len());
        }
    }
}
