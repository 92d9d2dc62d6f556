// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scripts whose names and places are known, because the boots are made up here.
use super::*;
use bootline_boot::{Boot, BootOptions, BootRecords};

/// A boot with arrival times that prints these lines, each at so many milliseconds.
fn boot(lines: &[(u32, &str)]) -> Boot {
    let at = |ms: u32| format!("[2026-05-06 10:11:{:02}.{:03}] ", ms / 1_000, ms % 1_000);
    let head = "[2026-05-06 10:11:01.000] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n\
                [2026-05-06 10:11:01.900] [    0.900000] Run /sbin/init as init process\n";
    let log = lines.iter().fold(head.to_owned(), |log, (ms, text)| log + &at(*ms) + text + "\n");
    Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default())
}

#[test]
fn a_script_is_found_by_what_it_prints_by_its_program_and_by_its_file() {
    let boot = boot(&[
        (2_000, "Starting avahi-daemon: OK"),
        (2_100, "Starting system message bus: dbus."),
        (2_200, "Starting S3sync: OK"),
        (2_300, "Starting web server: lighttpd."),
        (2_400, "Starting other server: lighttpd."),
        (2_500, "Running sysctl: OK"),
    ]);
    let check = |name: &str, expected: &str| {
        assert_eq!(named(&boot, name).map(|s| s.name.as_str()), Ok(expected), "{name}");
    };
    for name in ["avahi-daemon", "S20avahi-daemon", "/etc/init.d/S20avahi-daemon", "avahi-daemon.service"] {
        check(name, "avahi-daemon");
    }
    check("dbus", "system message bus: dbus");
    check("S30dbus", "system message bus: dbus");
    check("system message bus: dbus", "system message bus: dbus");
    check("S3sync", "S3sync");
    check("Running sysctl", "Running sysctl");
    let unnamed = |name: &str| named(&boot, name).map(|s| s.name.clone()).unwrap_err();
    let unknown = |close: &[&str]| Unnamed::Unknown(close.iter().map(|n| (*n).to_owned()).collect());
    assert_eq!(unnamed("avahi"), unknown(&["avahi-daemon"]));
    assert_eq!(unnamed("avahi-deamon"), unknown(&["avahi-daemon"]));
    assert_eq!(unnamed("S02sysctl"), unknown(&["Running sysctl"]));
    assert_eq!(unnamed("cups"), unknown(&[]));
    assert_eq!(unnamed("S"), unknown(&[]));
    let both = ["web server: lighttpd", "other server: lighttpd"].map(str::to_owned).to_vec();
    assert_eq!(unnamed("lighttpd"), Unnamed::Several(both));
}

#[test]
fn scripts_follow_one_another_or_run_in_parallel() {
    let of = |lines: &[(u32, &str)]| {
        let boot = boot(lines);
        let spans = spans_until(&boot, |_| true);
        let names = |spans: Vec<ScriptSpan<'_>>| spans.iter().map(|s| s.script.name.clone()).collect::<Vec<_>>();
        let found = in_sequence(&spans).map(names).map_err(|(a, b)| (a.name.clone(), b.name.clone()));
        (start_user_space(&boot), found)
    };
    let (begin, ok) = (|n: &'static str| n, "                               [ ok ]");
    let nested = [
        (2_000, begin(" * Starting a ...")),
        (2_100, " * Starting b ..."),
        (2_500, ok),
        (3_000, ok),
        (3_010, " * Starting c ..."),
        (4_000, ok),
    ];
    assert_eq!(of(&nested), (true, Ok(vec!["a".to_owned(), "c".to_owned()])));
    let parallel = [
        (2_000, "[....] Starting a"),
        (2_100, "[....] Starting b"),
        (2_500, "[ ok ] Starting a"),
        (3_000, "[ ok ] Starting b"),
    ];
    assert_eq!(of(&parallel), (true, Err(("a".to_owned(), "b".to_owned()))));
    assert_eq!(of(&[]), (false, Ok(Vec::new())));
    let units = [
        (2_000, "[....] Starting a"),
        (2_500, "[ ok ] Starting a"),
        (2_600, "[  OK  ] Started b.service - B."),
        (2_700, "[  OK  ] Started c.service - C."),
    ];
    assert!(!of(&units).0, "a manager that runs one script");
}
