// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole boots from a console and other sources, made up here so that the truth is known.
use super::*;
use crate::{Boot, BootOptions, BootRecords, Clock};
use bootline_capture::units::Dur;
use bootline_records::ProblemKind;
use bootline_records::source::read;
use proptest::prelude::*;

/// The kernel's log on an arrival clock that is 7 s ahead of the kernel's, with firmware, loader, an initramfs without systemd
/// and systemd's status lines, each 3 ms late.
pub(super) const CONSOLE: &str = "\
[2026-05-06 10:11:01.000] NOTICE:  BL1: v2.10
[2026-05-06 10:11:01.500] U-Boot 2024.01 (Jan 08 2024)
[2026-05-06 10:11:05.000] Starting kernel ...
[2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:07.100] [    0.100000] console [ttyS0] enabled
[2026-05-06 10:11:08.000] [    1.000000] Run /init as init process
[2026-05-06 10:11:09.500] Begin: Running /scripts/init-bottom ... done.
[2026-05-06 10:11:10.503]          Starting net.service - The network...
[2026-05-06 10:11:11.003] [  OK  ] Started log.service - A log.
[2026-05-06 10:11:12.003] [  OK  ] Started net.service - The network.
[2026-05-06 10:11:12.103]          Starting app.service - The application...
[2026-05-06 10:11:13.003] [  OK  ] Started app.service - The application.
[2026-05-06 10:11:13.004] [  OK  ] Reached target multi-user.target - Multi-User System.
[2026-05-06 10:11:13.500] app: first frame
";

pub(super) fn unit(name: &str, activating: u32, active: u32, after: &str) -> String {
    format!(
        "Id={name}\nDescription=D of {name}\nAfter={after}\nInactiveExitTimestampMonotonic={activating}000\n\
         ActiveEnterTimestampMonotonic={active}000\nCPUUsageNSec=20000000\n\n"
    )
}

pub(super) fn show() -> String {
    [
        "UserspaceTimestampMonotonic=2600000\nFinishTimestampMonotonic=6001000\nUnitsLoadStartTimestampMonotonic=2900000\n\
         UnitsLoadFinishTimestampMonotonic=3100000\n\n"
            .to_owned(),
        unit("net.service", 3_500, 5_000, "log.service"),
        unit("log.service", 3_900, 4_000, ""),
        unit("app.service", 5_100, 6_000, "net.service log.service"),
        unit("multi-user.target", 6_001, 6_001, "app.service"),
    ]
    .concat()
}

pub(super) fn boot(console: &str) -> Boot {
    let mut boots = BootRecords::all(console.as_bytes());
    assert_eq!(boots.len(), 1);
    Boot::analyse(boots.remove(0), &BootOptions::default())
}

pub(super) fn source(name: &str, text: &str) -> BootSource {
    BootSource::new(name, SourceContent::Facts(read(text.as_bytes())))
}

pub(super) fn journal(name: &str, text: &str) -> BootSource {
    BootSource::new(name, SourceContent::Journal(BootRecords::all(text.as_bytes())))
}

pub(super) fn whole(console: &str, sources: &[BootSource], app: Option<&str>) -> Boot {
    let app = app.map(|text| AppMarker::parse(text).unwrap());
    boot(console).with_sources(sources, app.as_ref())
}

pub(super) fn stages(boot: &Boot) -> Vec<(StageName, i64, i64)> {
    let ms = |d: Dur| d.as_nanos() / 1_000_000;
    boot.whole.stages.iter().map(|s| (s.name, ms(s.start), ms(s.end))).collect()
}

pub(super) fn has(boot: &Boot, kind: ProblemKind) -> bool {
    boot.problems.iter().any(|p| p.kind == kind)
}

#[test]
fn stages_from_the_console_alone() {
    use StageName::*;
    let boot = whole(CONSOLE, &[], Some("first frame"));
    assert_eq!(boot.timeline.clock, Clock::Arrival);
    assert_eq!(
        stages(&boot),
        [
            (Firmware, -6_000, -5_500),
            (Loader, -5_500, -2_000),
            (Decompression, -2_000, 0),
            (Dark, 0, 100),
            (Kernel, 100, 1_000),
            (Initramfs, 1_000, 2_500),
            (UserSpace, 2_500, 6_500),
        ]
    );
    assert_eq!(boot.whole.since, Some(WholeOrigin::FirstByte));
    let app = boot.whole.application.as_ref().unwrap();
    assert_eq!((app.at, app.unit, app.name.as_str()), (Dur::from_millis(6_500), None, "app: first frame"));
}

#[test]
fn units_stand_where_systemd_put_them_and_the_residual_is_shown() {
    let boot = whole(CONSOLE, &[source("units.txt", &show())], Some("app.service"));
    let used = &boot.whole.sources[0];
    let alignment = used.alignment.unwrap();
    assert_eq!((used.kind, &used.refused), (Some("systemctl show"), &None));
    assert_eq!((alignment.by, alignment.shared), (AlignedBy::UnitMessages, 6));
    // The lines are 3 ms late: so is the clock.
    assert_eq!((alignment.offset, alignment.residual), (Dur::from_millis(3), Dur::ZERO));
    let net = boot.whole.unit("net.service").unwrap();
    assert_eq!(net.activation(), Some(Dur::from_millis(1_500)));
    assert_eq!((net.by, net.activating), (UnitTimesBy::Systemd, Some(Dur::from_millis(3_503))));
    let app = boot.whole.unit("app.service").unwrap();
    let after: Vec<&str> = app.after.iter().map(|i| boot.whole.units[*i].name.as_str()).collect();
    assert_eq!(after, ["net.service", "log.service"]);
    let stages = stages(&boot);
    assert_eq!(
        stages[5..],
        [
            (StageName::Initramfs, 1_000, 2_603),
            (StageName::UserSpace, 2_603, 5_103),
            (StageName::Application, 5_103, 6_003),
        ]
    );
    assert!(boot.problems.iter().all(|p| !p.kind.spoils_the_answer()));
}

#[test]
fn stages_tile_the_time() {
    for app in [None, Some("app.service"), Some("first frame")] {
        let boot = whole(CONSOLE, &[source("units.txt", &show())], app);
        for pair in boot.whole.stages.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
        }
        let sum: Dur = boot.whole.stages.iter().map(Stage::length).sum();
        assert_eq!(Some(sum), boot.whole.length());
    }
}

#[test]
fn a_system_ends_by_its_init_in_whatever_order_its_last_lines_come() {
    let head = "\
        [2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n\
        [2026-05-06 10:11:08.000] [    1.000000] Run /sbin/init as init process\n";
    let until = |lines: &[&str]| {
        let mut log = head.to_owned();
        for (n, line) in lines.iter().enumerate() {
            log += &format!("[2026-05-06 10:11:{:02}.000] {line}\n", n + 10);
        }
        let boot = boot(&log);
        (boot.whole.until, boot.whole.stages.last().map(|last| last.end.as_nanos() / 1_000_000))
    };
    let target = "[  OK  ] Reached target multi-user.target - Multi-User System.";
    let (prompt, basic) = ("board login: ", "[  OK  ] Reached target basic.target - Basic System.");
    let systemds = Some(WholeEnd::Target("multi-user.target"));
    assert_eq!(until(&[basic, target, prompt]), (systemds, Some(4_900)));
    assert_eq!(until(&[basic, prompt, target]), (systemds, Some(4_900)));
    assert_eq!(until(&[basic, target]), (systemds, Some(3_900)));
    assert_eq!(until(&[basic, prompt]), (systemds, Some(3_900)));
    // System V's.
    assert_eq!(
        until(&["INIT: version 3.04 booting", "Starting sshd: OK", prompt]),
        (Some(WholeEnd::LoginPrompt), Some(4_900))
    );
    let complete = "[    3.000000] procd: - init complete -";
    let procds = Some(WholeEnd::Target("init complete"));
    assert_eq!(until(&["[    2.000000] procd: - early -", complete, "OpenWrt login: "]), (procds, Some(3_900)));
}

/// What nothing ends is as long as its log, although its last lines may have been written earlier.
#[test]
fn a_log_ends_when_its_last_line_came() {
    let mut log = CONSOLE.lines().take(7).map(|line| format!("{line}\n")).collect::<String>();
    for n in 0..200 {
        log += &format!("[2026-05-06 10:11:{:02}.{:03}] a program's line\n", 10 + n / 100, n % 100 * 10);
    }
    log += "[2026-05-06 10:11:12.000]          Starting b.service - B...\n[2026-05-06 10:11:20.000] [  OK  ] Started b.service - B.\n";
    let boot = boot(&log);
    let service = boot.services.iter().find(|s| s.name == "b.service").unwrap();
    assert!(service.waited.start > Dur::from_millis(500) && service.waited.end == Dur::ZERO, "{:?}", service.waited);
    assert_eq!(boot.whole.stages.last().map(|last| last.end), service.end);
}

#[test]
fn another_boots_units_are_refused() {
    let other = unit("net.service", 500, 900, "")
        + &unit("log.service", 5_900, 9_000, "")
        + &unit("app.service", 100, 9_900, "")
        + &unit("multi-user.target", 19_000, 19_000, "");
    let boot = whole(CONSOLE, &[source("units.txt", &other)], None);
    assert!(matches!(boot.whole.sources[0].refused, Some(SourceRefusal::OtherBoot { .. })), "{:?}", boot.whole.sources);
    assert!(has(&boot, ProblemKind::SourceNotUsed));
    // The console's own times are not mixed with them.
    assert_eq!(boot.whole.unit("net.service").unwrap().by, UnitTimesBy::Console);
}

#[test]
fn an_unknown_file_is_named_and_nothing_else_changes() {
    let plain = whole(CONSOLE, &[], None);
    let with = whole(CONSOLE, &[source("notes.txt", "hello\n")], None);
    assert_eq!(stages(&plain), stages(&with));
    assert_eq!(with.whole.sources[0].refused, Some(SourceRefusal::Unknown));
    assert!(has(&with, ProblemKind::SourceNotUsed));
}

pub(super) fn entry(us: u32, unit: &str, id: &str) -> String {
    format!(
        "__CURSOR=s={us}\n__MONOTONIC_TIMESTAMP={us}\n_BOOT_ID=1\n_PID=1\nMESSAGE_ID={id}\nUNIT={unit}\nMESSAGE=x\n\n"
    )
}

pub(super) const STARTING: &str = "7d4958e842da4a758f6c1cdc7b36dcc5";
pub(super) const STARTED: &str = "39f53479d3a045ac8e11786248231fbf";

fn kernel_entry(us: u32, text: &str) -> String {
    format!(
        "__CURSOR=s={us}\n__MONOTONIC_TIMESTAMP=3000000\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={us}\nMESSAGE={text}\n\n"
    )
}

fn journal_text(enabled: u32) -> String {
    kernel_entry(0, "Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon")
        + &kernel_entry(enabled, "console [ttyS0] enabled")
        + &kernel_entry(1_000_000, "Run /init as init process")
        + &entry(3_500_000, "net.service", STARTING)
        + &entry(5_000_000, "net.service", STARTED)
}

#[test]
fn a_journal_is_matched_by_the_kernels_records() {
    let boot = whole(CONSOLE, &[journal("journal", &journal_text(100_000))], None);
    assert_eq!(boot.whole.sources[0].refused, None);
    let net = boot.whole.unit("net.service").unwrap();
    assert_eq!((net.by, net.activation()), (UnitTimesBy::Journal, Some(Dur::from_millis(1_500))));
    let other = journal_text(200_000).replace("=1000000", "=1000001");
    let boot = whole(CONSOLE, &[journal("journal", &other)], None);
    assert_eq!(boot.whole.sources[0].refused, Some(SourceRefusal::OtherBoot { matched: 0, of: 1 }));
}

/// systemd's stamps are those of a unit's last activation.
#[test]
fn a_unit_that_was_started_again_has_the_times_of_its_first_start() {
    let later = show().replace("3500000", "60000000").replace("=5000000", "=61000000");
    let boot = whole(CONSOLE, &[source("units.txt", &later), journal("journal", &journal_text(100_000))], None);
    let net = boot.whole.unit("net.service").unwrap();
    assert!(net.started_again);
    assert_eq!((net.by, net.activation()), (UnitTimesBy::Journal, Some(Dur::from_millis(1_500))));
    let restarted = show().replace("Id=log.service", "Id=log.service\nNRestarts=1");
    let log = whole(CONSOLE, &[source("units.txt", &restarted)], None);
    let log = log.whole.unit("log.service").unwrap();
    assert_eq!((log.by, log.started_again), (UnitTimesBy::Console, true));
}

#[test]
fn what_two_sources_say_differently_is_named_and_not_used() {
    let early = show().replace("3500000", "1500000").replace("=5000000", "=1600000");
    let boot = whole(CONSOLE, &[source("units.txt", &early), journal("journal", &journal_text(100_000))], None);
    assert!(has(&boot, ProblemKind::SourcesContradict), "{:?}", boot.problems);
    assert_eq!(boot.whole.unit("net.service").unwrap().activation(), None);
}

#[test]
fn an_application_that_was_not_reached_is_named() {
    let boot = whole(CONSOLE, &[source("units.txt", &show())], Some("camera.service"));
    assert_eq!(boot.whole.application, None);
    assert!(has(&boot, ProblemKind::ApplicationNotReached));
    // The kernel's own command line is no sign of it.
    let echo = CONSOLE.replace(
        "[    0.100000] console",
        "[    0.050000] Kernel command line: app=pong\n[2026-05-06 10:11:07.100] [    0.100000] console",
    );
    assert_eq!(whole(&echo, &[], Some("pong")).whole.application, None);
}

const BOOTSTAGE: &str = "Timer summary in microseconds (4 records):\n       Mark    Elapsed  Stage\n          0          0  reset\n\
                         \x20   300,000    300,000  board_init_f\n  3,801,000  3,501,000  start_kernel\n";

#[test]
fn a_bootstage_report_stands_where_its_marks_were_printed() {
    let boot = whole(CONSOLE, &[source("bootstage.txt", BOOTSTAGE)], None);
    let alignment = boot.whole.sources[0].alignment.unwrap();
    assert_eq!((alignment.by, alignment.shared), (AlignedBy::LoaderLines, 2));
    // 1.5 s - 0.3 s and 5.0 s - 3.801 s on the wall: the zero is 1.199 s or 1.2 s.
    assert_eq!(alignment.offset, Dur::from_millis(-5_801));
    assert_eq!(stages(&boot)[0], (StageName::Firmware, -6_000, -5_500), "the console shows more");
    // Without arrival times nothing shows where it lies: its last mark is put at the kernel's start.
    let log: String = CONSOLE.lines().skip(3).map(|l| format!("{}\n", &l[26..])).take(3).collect();
    let boot = whole(&log, &[source("bootstage.txt", BOOTSTAGE)], None);
    let alignment = boot.whole.sources[0].alignment.unwrap();
    assert_eq!((alignment.by, alignment.offset), (AlignedBy::NextStage, Dur::from_millis(-3_801)));
    assert_eq!(stages(&boot)[..2], [(StageName::Firmware, -3_801, -3_501), (StageName::Loader, -3_501, 0)]);
    assert_eq!(boot.whole.since, Some(WholeOrigin::LoaderTimer));
}

/// One timer in several forms: that which goes on to the kernel is used, and the others are no second timer.
#[test]
fn of_u_boots_forms_the_longest_is_used() {
    let log: String = CONSOLE.lines().skip(3).map(|l| format!("{}\n", &l[26..])).take(3).collect();
    let tree = |marks: &[(&str, u32)]| {
        let lines = marks.iter().enumerate();
        let lines = lines.map(|(n, (name, us))| format!("bootstage/{n}/name:{name}\nbootstage/{n}/mark:{us}\n"));
        source("bootstage-tree.txt", &lines.collect::<String>())
    };
    let spl = tree(&[("reset", 0), ("spl", 200_000), ("end phase", 280_000)]);
    let boot = whole(&log, &[spl.clone(), source("bootstage.txt", BOOTSTAGE)], None);
    let [first, second] = boot.whole.sources.as_slice() else { panic!() };
    assert_eq!((&first.refused, &first.alignment, &first.note), (&Some(SourceRefusal::Second), &None, &None));
    assert_eq!((&second.refused, &second.note), (&None, &None));
    assert_eq!(stages(&boot)[..2], [(StageName::Firmware, -3_801, -3_501), (StageName::Loader, -3_501, 0)]);
    let boot = whole(&log, &[source("bootstage.txt", BOOTSTAGE), spl.clone()], None);
    assert_eq!(boot.whole.sources[1].refused, Some(SourceRefusal::Second));
    // Alone it is put before the kernel, with a note on what it lacks.
    let boot = whole(&log, &[spl], None);
    let used = &boot.whole.sources[0];
    assert_eq!(used.alignment.unwrap().offset, Dur::from_millis(-280));
    assert!(used.note.as_ref().unwrap().contains("its last mark, end phase,"), "{:?}", used.note);
}

#[test]
fn a_report_on_the_console_itself_is_read() {
    let with: String = CONSOLE.replace(
        "[2026-05-06 10:11:07.100] [    0.000000]",
        &BOOTSTAGE
            .lines()
            .map(|l| format!("[2026-05-06 10:11:05.100] {l}\n"))
            .collect::<String>()
            .add_after("[2026-05-06 10:11:07.100] [    0.000000]"),
    );
    let boot = whole(&with, &[], None);
    assert_eq!(boot.whole.since, Some(WholeOrigin::FirstByte));
    assert_eq!(stages(&boot)[2], (StageName::Decompression, -2_000, 0));
}

/// U-Boot prints its report between the mark of the kernel's start and the line that says so.
#[test]
fn a_report_delays_the_line_of_the_kernels_start() {
    let report = |at: &str| BOOTSTAGE.lines().map(|l| format!("[2026-05-06 10:11:0{at}] {l}\n")).collect::<String>();
    let start = "[2026-05-06 10:11:05.000] Starting kernel";
    // Only the kernel's start is in both.
    let offset = |before: &str| {
        let console = CONSOLE.replace("U-Boot 2024", "Boot 2024").replace(start, &format!("{before}{start}"));
        let boot = whole(&console, &[source("bootstage.txt", BOOTSTAGE)], None);
        let alignment = boot.whole.sources[0].alignment.unwrap();
        assert_eq!((alignment.by, alignment.shared), (AlignedBy::LoaderLines, 1));
        alignment.offset
    };
    let of_report = Dur::from_millis(4_900 - 7_000 - 3_801);
    assert_eq!(offset(&report("4.900")), of_report);
    // One that was asked for before, at the prompt, does not show when the kernel starts.
    let asked: String = report("3.000").lines().take(4).map(|l| format!("{l}\n")).collect();
    assert_eq!(offset(&(asked.clone() + &report("4.900"))), of_report);
    assert_eq!(offset(&asked), Dur::from_millis(5_000 - 7_000 - 3_801));
}

/// On MIPS and PowerPC, U-Boot's last mark is that of the function which starts the kernel.
#[test]
fn a_function_may_be_the_last_mark() {
    let log: String = CONSOLE.lines().skip(3).map(|l| format!("{}\n", &l[26..])).take(3).collect();
    let report = BOOTSTAGE.replace("start_kernel", "boot_jump_linux");
    let boot = whole(&log, &[source("bootstage.txt", &report)], None);
    assert_eq!((&boot.whole.sources[0].refused, &boot.whole.sources[0].note), (&None, &None));
    assert_eq!(stages(&boot)[..2], [(StageName::Firmware, -3_801, -3_501), (StageName::Loader, -3_501, 0)]);
}

trait AddAfter {
    fn add_after(self, text: &str) -> String;
}

impl AddAfter for String {
    fn add_after(self, text: &str) -> String {
        self + text
    }
}

#[test]
fn firmware_and_loader_as_systemd_reports_them() {
    let log: String = CONSOLE.lines().skip(3).map(|l| format!("{}\n", &l[26..])).take(3).collect();
    let with = format!("FirmwareTimestampMonotonic=3500000\nLoaderTimestampMonotonic=1200000\n{}", show());
    let boot = whole(&log, &[source("units.txt", &with)], None);
    use StageName::*;
    let names: Vec<_> = stages(&boot);
    assert_eq!(names[..3], [(Firmware, -3_500, -1_200), (Loader, -1_200, 0), (Dark, 0, 100)]);
    assert_eq!(names[3..5], [(Kernel, 100, 1_000), (Initramfs, 1_000, 2_600)]);
    assert_eq!(boot.whole.since, Some(WholeOrigin::Firmware));
}

#[test]
fn sums_of_another_boot_contradict() {
    let sums = |s: &str| source("time.txt", &format!("Startup finished in 2.6s (kernel) + {s}s (userspace) = 9s\n"));
    let fits = whole(CONSOLE, &[source("units.txt", &show()), sums("3.401")], None);
    assert!(!has(&fits, ProblemKind::SourcesContradict));
    let differs = whole(CONSOLE, &[source("units.txt", &show()), sums("9.0")], None);
    assert!(has(&differs, ProblemKind::SourcesContradict));
}

/// A boot of which only systemd's properties are known.
#[test]
fn without_any_log() {
    let boot = Boot::analyse(BootRecords::default(), &BootOptions::default());
    let with = format!("FirmwareTimestampMonotonic=3500000\nLoaderTimestampMonotonic=1200000\n{}", show());
    let app = AppMarker::parse("app.service").unwrap();
    let boot = boot.with_sources(&[source("units.txt", &with)], Some(&app));
    use StageName::*;
    assert_eq!(
        stages(&boot),
        [
            (Firmware, -3_500, -1_200),
            (Loader, -1_200, 0),
            (Kernel, 0, 2_600),
            (UserSpace, 2_600, 5_100),
            (Application, 5_100, 6_000)
        ]
    );
}

proptest! {
    /// Whatever the stamps, stages tile the time and positions of dependencies are units.
    #[test]
    fn any_stamps(stamps in proptest::collection::vec((0u32..20_000, 0u32..20_000), 4), swap in any::<bool>(), app in any::<bool>()) {
        let units: String = ["net.service", "log.service", "app.service", "multi-user.target"]
            .iter()
            .zip(&stamps)
            .map(|(name, (from, to))| unit(name, *from, *to, "net.service app.service"))
            .collect();
        let mut sources = vec![source("units.txt", &units), journal("journal", &journal_text(100_000))];
        if swap {
            sources.reverse();
        }
        let boot = whole(CONSOLE, &sources, app.then_some("app.service"));
        for pair in boot.whole.stages.windows(2) {
            prop_assert_eq!(pair[0].end, pair[1].start);
        }
        prop_assert!(boot.whole.stages.iter().all(|s| s.end > s.start));
        let n = boot.whole.units.len();
        for u in &boot.whole.units {
            prop_assert!(u.after.iter().chain(&u.requires).all(|i| *i < n));
        }
    }
}

/// systemd at log level debug says which unit holds another back, and its status lines may shorten a name.
#[test]
fn what_systemd_logs_of_units_that_are_held_back() {
    let console = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    1.000000] Run /sbin/init as init process
[    1.100000] systemd[1]: systemd 257.9 running in system mode
[    1.200000] systemd[1]: app.service: starting held back, waiting for: systemd-tmpfiles-setup.service
[    1.200100] systemd[1]: app.service: starting held back, waiting for: unseen.service
[    1.200200] systemd[1]: app.service: starting held back, waiting for: app.service
[    1.200300] systemd[1]: acme: starting held back, waiting for: more coffee
[    1.300000]          Starting systemd-tmpfiles-se\u{2026}te System Files and Directories...
[    1.400000]          Starting net.service - The network...
[    2.000000] [  OK  ] Finished systemd-tmpfiles-se\u{2026}te System Files and Directories.
[    2.000100] systemd[1]: app.service: starting held back, waiting for: net.service
[    3.000000] [  OK  ] Started net.service - The network.
[    3.050000] systemd[512]: app.service: starting held back, waiting for: user.service
[    3.060000] [  OK  ] Started systemd-fsck@\u{2026}data.service.
[    3.070000] [  OK  ] Started user.service - Of a user.
[    3.080000] systemd[1]: app.service: starting held back, waiting for: systemd-fsck@dev-sda1.service
[    3.100000]          Starting app.service - The application...
[    4.000000] [  OK  ] Started app.service - The application.
";
    let boot = Boot::analyse(BootRecords::all(console.as_bytes()).remove(0), &BootOptions::default());
    let boot = boot.with_sources(&[], AppMarker::parse("app.service").ok().as_ref());
    assert_eq!(boot.whole.dependencies, DependenciesKnown::Waits);
    let after = |name: &str| -> Vec<&str> {
        boot.whole.unit(name).unwrap().after.iter().map(|i| boot.whole.units[*i].name.as_str()).collect()
    };
    assert_eq!(after("app.service"), ["systemd-tmpfiles-setup.service", "net.service"]);
    assert_eq!(after("net.service"), [""; 0]);
    let plain = console.replace("held back", "held up");
    let boot =
        Boot::analyse(BootRecords::all(plain.as_bytes()).remove(0), &BootOptions::default()).with_sources(&[], None);
    assert_eq!(boot.whole.dependencies, DependenciesKnown::Nothing);
}
