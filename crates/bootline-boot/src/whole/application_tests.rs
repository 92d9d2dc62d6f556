// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application and the init that starts it, in boots made up here so that the truth is known.
use super::tests::{CONSOLE, journal, show, source, stages, unit, whole};
use super::*;
use bootline_capture::units::Dur;

/// The application's unit with further properties.
fn with_app(properties: &str) -> String {
    let app = unit("app.service", 5_100, 6_000, "net.service log.service");
    let fuller = app.replace("CPUUsageNSec", &format!("{properties}\nCPUUsageNSec"));
    show().replace(&app, &fuller)
}

/// systemd's clock is 3 ms late on the axis of that console.
const LATE: Dur = Dur::from_millis(3);

#[test]
fn a_simple_service_is_up_before_its_program_is_executed() {
    let check = |properties: &str, reached, at: i64| {
        let boot = whole(CONSOLE, &[source("units.txt", &with_app(properties))], Some("app.service"));
        let app = boot.whole.application.unwrap();
        assert_eq!((app.reached, app.at), (reached, Dur::from_millis(at) + LATE), "{properties}");
        assert_eq!(app.start, Some(Dur::from_millis(5_100) + LATE));
        assert_eq!(boot.whole.stages.last().unwrap().end, app.at);
    };
    check("Type=simple\nExecMainHandoffTimestampMonotonic=6400000", Reached::Executed, 6_400);
    check("Type=idle\nExecMainHandoffTimestampMonotonic=6400000", Reached::Executed, 6_400);
    // It says itself when it is ready, or systemd waits for the execution.
    check("Type=notify\nExecMainHandoffTimestampMonotonic=5200000", Reached::UnitUp, 6_000);
    check("Type=exec\nExecMainHandoffTimestampMonotonic=5999000", Reached::UnitUp, 6_000);
    // Before systemd 256, and stamps of an earlier activation.
    check("Type=simple", Reached::UnitUp, 6_000);
    check("Type=simple\nExecMainHandoffTimestampMonotonic=0", Reached::UnitUp, 6_000);
    check("Type=simple\nExecMainHandoffTimestampMonotonic=900000", Reached::UnitUp, 6_000);
}

#[test]
fn a_line_of_a_unit_is_one_after_its_start() {
    let units = source("units.txt", &show());
    let find = |log: &str, sources: &[BootSource], app: &str| whole(log, sources, Some(app)).whole.application;
    let app = find(CONSOLE, std::slice::from_ref(&units), "app.service=first frame").unwrap();
    assert_eq!((app.name.as_str(), app.reached), ("app.service", Reached::Line));
    assert_eq!((app.start, app.at), (Some(Dur::from_millis(5_103)), Dur::from_millis(6_500)));
    assert!(app.unit.is_some() && app.record.is_some());
    // The same words of somebody else, earlier.
    let earlier = CONSOLE.replace("Begin: Running", "first frame\n[2026-05-06 10:11:09.600] Begin: Running");
    let app = find(&earlier, std::slice::from_ref(&units), "app.service=first frame").unwrap();
    assert_eq!(app.at, Dur::from_millis(6_500));
    assert_eq!(find(CONSOLE, std::slice::from_ref(&units), "app.service=last frame"), None);
    assert_eq!(find(CONSOLE, std::slice::from_ref(&units), "radio.service=first frame"), None);
    // By the console's own units.
    let app = find(CONSOLE, &[], "app.service=first frame").unwrap();
    assert_eq!(app.start, Some(Dur::from_millis(5_103)));
    // In a journal.
    let entry = "__CURSOR=s=9\n__REALTIME_TIMESTAMP=7\n__MONOTONIC_TIMESTAMP=6300000\n_BOOT_ID=1\nSYSLOG_IDENTIFIER=app\nMESSAGE=picture\n\n";
    let app = find(CONSOLE, &[units, journal("journal.export", entry)], "app.service=^app: picture").unwrap();
    assert_eq!((app.at, app.record), (Dur::from_millis(6_300) + LATE, None));
}

/// The unit is masked: the line is of the program that fastinit started, and says so.
#[test]
fn a_line_of_a_program_that_fastinit_started_is_the_applications() {
    let started = |said: &str| {
        let line = format!("[2026-05-06 10:11:09.603] [    2.600000] fastinit: {said}\n");
        let picture = "[2026-05-06 10:11:10.000] app: first frame\n";
        let next = "[2026-05-06 10:11:10.503]          Starting net";
        CONSOLE.replace(next, &format!("{line}{picture}{next}")).replace(
            "[2026-05-06 10:11:09.500] Begin",
            "[2026-05-06 10:11:09.400] app: first frame\n[2026-05-06 10:11:09.500] Begin",
        )
    };
    let without =
        |log: &str| log.lines().filter(|l| !l.contains("app.service")).map(|l| format!("{l}\n")).collect::<String>();
    let masked = show()
        .replace(&unit("app.service", 5_100, 6_000, "net.service log.service"), "Id=app.service\nLoadState=masked\n\n");
    let sources = [source("units.txt", &masked.replace("\nAfter=app.service", ""))];
    let find = |log: &str, app: &str| whole(log, &sources, Some(app)).whole.application;
    for said in ["app: started after 0.050000 s, process 87", "app: starting after 0.050000 s, process 87"] {
        let app = find(&without(&started(said)), "app.service=first frame").unwrap();
        assert_eq!((app.name.as_str(), app.reached), ("app.service", Reached::Line), "{said}");
        assert_eq!(app.at, Dur::from_millis(3_000), "the first one after its start");
        assert!(app.start.is_some_and(|start| start < app.at) && app.unit.is_some());
    }
    // Of another program, or by somebody else's word.
    assert_eq!(
        find(&without(&started("radio: started after 0.050000 s, process 87")), "app.service=first frame"),
        None
    );
    assert_eq!(find(&without(CONSOLE), "app.service=first frame"), None);
    // systemd takes over what fastinit has started: its unit is up later than the program's line.
    let taken_over = whole(
        &started("app: started after 0.050000 s, process 87"),
        &[source("units.txt", &show())],
        Some("app.service=first frame"),
    );
    assert_eq!(taken_over.whole.application.unwrap().at, Dur::from_millis(3_000));
}

#[test]
fn names_of_an_application() {
    for text in ["app.service", "app.service=first frame", "mark:ready", "first .*frame", "a=b", "app=ready.service"] {
        assert_eq!(AppMarker::parse(text).unwrap().to_string(), text);
    }
    assert!(matches!(AppMarker::parse("app.service=x"), Ok(AppMarker::RecordOfUnit { .. })));
    assert!(matches!(AppMarker::parse("key=x"), Ok(AppMarker::Record(_))));
    assert!(AppMarker::parse("app.service=(").is_err());
    assert_eq!(AppMarker::parse("app.service=").unwrap_err().to_string(), "no expression after `app.service=`");
    assert_eq!(AppMarker::parse("a.service=x").unwrap(), AppMarker::parse("a.service=x").unwrap());
    assert_ne!(AppMarker::parse("a.service=x").unwrap(), AppMarker::parse("b.service=x").unwrap());
}

/// The console with a record of the kernel between the initramfs's last word and systemd's start.
fn with_record(text: &str) -> String {
    let line = "[2026-05-06 10:11:10.503]          Starting net";
    CONSOLE.replace(line, &format!("[2026-05-06 10:11:09.553] [    2.550000] {text}\n{line}"))
}

#[test]
fn the_kernel_says_when_it_executes_the_root_file_systems_init() {
    // When user space begins, in ms, and whether the kernel shows it. A record is stored a little before it has arrived.
    let user_space = |log: &str| {
        let boot = whole(log, &[source("units.txt", &show())], None);
        let (_, start, _) = stages(&boot).into_iter().find(|s| s.0 == StageName::UserSpace).unwrap();
        assert!(boot.whole.init_executed.is_none_or(|init| init.at.as_nanos() / 1_000_000 == start));
        (if (2_545..=2_553).contains(&start) { 2_550 } else { start }, boot.whole.init_executed.is_some())
    };
    let executed = (2_550, true);
    let check = |text: &str, expected| assert_eq!(user_space(&with_record(text)), expected, "{text}");
    check("Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.", executed);
    check("Not activating Mandatory Access Control now since /sbin/tomoyo-init doesn't exist.", executed);
    check("Calling /sbin/tomoyo-init to load policy. Please wait.", executed);
    // systemd's own first stamp.
    let by_systemd = (2_603, false);
    check("Calling initcall x", by_systemd);
    check("usb 1-1: new device", by_systemd);
    // fastinit, for example, which becomes systemd later.
    let with_init = |init: &str| {
        let line = format!("Kernel command line: console=ttyS0 init={init}");
        let log = with_record("Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.");
        log.replace(
            "console [ttyS0] enabled",
            &format!("console [ttyS0] enabled\n[2026-05-06 10:11:07.100] [    0.100000] {line}"),
        )
    };
    assert_eq!(user_space(&with_init("/usr/sbin/fastinit")), by_systemd);
    assert_eq!(user_space(&with_init("/sbin/init")), executed);
    // It says itself how long ago it began.
    for said in ["process 1 goes on after 0.050000 s", "camera: started after 0.050000 s, process 87"] {
        let log = with_record(&format!("fastinit: {said}")).replace("09.553] [    2.550000]", "09.603] [    2.600000]");
        assert_eq!(user_space(&log), executed, "{said}");
    }
    for said in ["process 1 goes on after 0.05", "process 1 goes on after x s", "camera: started after -1 s", "off"] {
        assert_eq!(user_space(&with_record(&format!("fastinit: {said}"))), by_systemd, "{said}");
    }
    // Long after systemd's start somebody else executes it.
    let late = with_record("Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.")
        .replace("10:11:09.553] [    2.550000]", "10:11:10.403] [    3.400000]");
    assert_eq!(user_space(&late), by_systemd);
    // Without an initramfs the kernel names it.
    let direct = CONSOLE
        .replace("Run /init as", "Run /sbin/init as")
        .replace("Begin: Running /scripts/init-bottom ... done.", "x");
    assert_eq!(user_space(&direct), (1_000, true));
    // fastinit is the initramfs's own init: its start is no hand-over.
    let own = with_record("fastinit: process 1 goes on after 1.550000 s").replace("Run /init as", "Run /fastinit as");
    let own = own.replace(
        "console [ttyS0] enabled",
        "console [ttyS0] enabled\n[2026-05-06 10:11:07.100] [    0.100000] Kernel command line: console=ttyS0 rdinit=/fastinit",
    );
    assert_eq!(user_space(&own), by_systemd);
    // The root file system has one, too, which executes systemd: the kernel's record is of that.
    let tomoyo = "[2026-05-06 10:11:09.604] [    2.601000] Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.";
    let before_tomoyo = |lines: &[&str]| {
        let own = "[2026-05-06 10:11:08.050] [    1.050000] fastinit: process 1 goes on after 0.050000 s";
        let begin = "[2026-05-06 10:11:09.500] Begin";
        let all = lines
            .iter()
            .map(|line| format!("[2026-05-06 10:11:09.603] [    2.600000] fastinit: {line}\n"))
            .collect::<String>();
        let next = "[2026-05-06 10:11:10.503]          Starting net";
        CONSOLE.replace(begin, &format!("{own}\n{begin}")).replace(next, &format!("{all}{tomoyo}\n{next}"))
    };
    let both = user_space(&before_tomoyo(&["process 1 goes on after 0.050000 s"]));
    assert_eq!(both, executed);
    // Only the initramfs has one.
    assert!(user_space(&before_tomoyo(&[])).1);
    // One that does not say when it began: what the kernel executes after it is not the first program.
    let unknown = with_record("fastinit: camera: cannot run `/bin/camera`: no such file or directory").replace(
        "[2026-05-06 10:11:10.503]          Starting net",
        &format!("{tomoyo}\n[2026-05-06 10:11:10.503]          Starting net"),
    );
    assert_eq!(user_space(&unknown), by_systemd);
    // Nor can anything have begun before the kernel's end.
    assert_eq!(user_space(&with_record("fastinit: camera: started after 3599 s, process 7")), by_systemd);
}

#[test]
fn on_the_console_alone_a_late_execution_is_somebody_elses() {
    let user_space = |log: &str| {
        let boot = whole(log, &[], None);
        stages(&boot).into_iter().find(|s| s.0 == StageName::UserSpace).map(|s| s.1)
    };
    let text = "Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.";
    let late = with_record(text).replace("10:11:09.553] [    2.550000]", "10:11:10.403] [    3.400000]");
    assert_eq!(user_space(&late), user_space(CONSOLE));
}
