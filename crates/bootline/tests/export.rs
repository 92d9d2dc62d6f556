// SPDX-License-Identifier: MIT OR Apache-2.0
//! `export` as a user runs it: files, streams, refusals, several boots, and hostile text.
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use bootline_capture::units::{Dur, HostTime};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};
use bootline_testkit::isolated;
use serde_json::Value;

/// A boot with a text that each format could trip over.
fn log(hostile: &str) -> String {
    format!(
        "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,9600 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  {hostile}+0x0/0x4f0 @ 1
[    0.560000] initcall {hostile}+0x0/0x4f0 returned 0 after 250000 usecs
[    0.640000] Freeing unused kernel image (initmem) memory: 4132K
[    0.720000] Run /init as init process
"
    )
}

/// The log as a capture, a line each tenth of a second.
fn capture(log: &str) -> Vec<u8> {
    let mut bytes = encode_header(&Header::new("test", "a line"));
    for (n, line) in log.lines().enumerate() {
        let line = format!("{line}\r\n");
        let time = ChunkTime {
            first: HostTime::from_nanos(n as i64 * 100_000_000),
            span: Dur::from_micros(1_042) * line.len() as i64,
            uncertainty: Dur::from_micros(10),
        };
        encode_chunk(&mut bytes, time, line.as_bytes());
    }
    bytes
}

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // One that refuses its arguments doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn file(dir: &Path, name: &str, content: &[u8]) -> String {
    let path = dir.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

#[track_caller]
fn check_failure(args: &[&str], input: &[u8], status: i32, said: &str) {
    let out = run(args, input);
    assert_eq!(String::from_utf8_lossy(&out.stderr), said);
    assert_eq!(out.status.code(), Some(status));
    assert_eq!(stdout(&out), "");
}

const FORMATS: [&str; 10] =
    ["perfetto", "chrome", "csv", "markdown", "junit", "lava", "grabserial", "dmesg", "text", "json"];

#[test]
fn every_format_to_a_stream_and_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let input = capture(&log("acpi_init"));
    for format in FORMATS {
        let out = run(&["export", "-", "--format", format], &input);
        assert_eq!((String::from_utf8_lossy(&out.stderr).as_ref(), out.status.code()), ("", Some(0)), "{format}");
        assert!(!out.stdout.is_empty(), "{format}");
        let to = dir.path().join(format);
        let written = run(&["export", "-", "-f", format, "-o", to.to_str().unwrap()], &input);
        assert_eq!((written.status.code(), stdout(&written).as_str()), (Some(0), ""), "{format}");
        assert_eq!(fs::read(to).unwrap(), out.stdout, "{format}");
    }
}

#[test]
fn hostile_text_stays_text() {
    // A formula, markup of three languages, an order, a name to be notified, a signal's end, controls.
    let hostile = "=cmd|'/c'!A0<img/src=x>\"]]>|@all#1>`**\\`\u{1b}[2J\u{202e}";
    let input = capture(&log(hostile));
    let of = |format: &str| {
        let out = run(&["export", "-", "--format", format], &input);
        assert_eq!(out.status.code(), Some(0), "{format}: {}", String::from_utf8_lossy(&out.stderr));
        let text = if format == "perfetto" { String::new() } else { stdout(&out) };
        let obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{format}: {text:?}");
        text
    };
    for format in FORMATS {
        of(format);
    }
    // The guard stands within the quotes, and no row is parted.
    let csv = of("csv");
    let row = csv.lines().find(|l| l.starts_with("1,initcall,")).unwrap();
    assert!(row.contains(",\"'=cmd|"), "{row}");
    assert!(csv.lines().all(|l| l.starts_with("1,") || l.starts_with("boot,")), "{csv}");
    let junit = of("junit");
    assert!(!junit.contains("<img") && !junit.contains("]]>"), "{junit}");
    assert!(
        of("lava").lines().all(|l| l.starts_with("<LAVA_SIGNAL_") && l.ends_with('>') && l.matches('>').count() == 1)
    );
    let chrome: Value = serde_json::from_str(&of("chrome")).unwrap();
    assert!(chrome["traceEvents"].as_array().unwrap().len() > 10);
}

#[test]
fn text_is_what_was_received() {
    let dir = tempfile::tempdir().unwrap();
    let log = format!("U-Boot\r\n{}\x1b[0m\n", log("acpi_init"));
    let path = file(dir.path(), "boot.cap", &capture(&log));
    let raw = run(&["export", &path, "--format", "text", "--raw"], b"");
    let received: String = log.lines().map(|l| format!("{l}\r\n")).collect();
    assert_eq!(stdout(&raw), received);
    let shown = run(&["export", &path, "--format", "text"], b"");
    assert_eq!(stdout(&shown), log.replace('\r', "").replace('\x1b', "\\x1b"));
    // A log is its own text.
    let plain = run(&["export", "-", "--format", "text"], b"a log\n");
    assert_eq!((stdout(&plain).as_str(), plain.status.code()), ("a log\n", Some(0)));
}

#[test]
fn one_boot_of_several() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (log("one_init"), log("two_init"));
    let path = file(dir.path(), "boot.cap", &capture(&format!("{first}{second}")));
    let of = |args: &[&str]| stdout(&run(&[&["export", &path, "--format"], args].concat(), b""));
    let text = of(&["text", "--boot", "2"]);
    assert_eq!(text, second);
    assert_eq!(of(&["text", "--boot", "1"]), first);
    assert_eq!(of(&["text"]), first.clone() + &second);
    for (boot, has, hasnt) in [("1", "one_init", "two_init"), ("2", "two_init", "one_init")] {
        let csv = of(&["csv", "--boot", boot]);
        assert!(csv.contains(has) && !csv.contains(hasnt), "{csv}");
    }
    // All of them: processes of one trace, one behind the other.
    let chrome: Value = serde_json::from_str(&of(&["chrome"])).unwrap();
    let ends = |pid: u64, least: bool| {
        let all = chrome["traceEvents"].as_array().unwrap().iter();
        let times = all.filter(|e| e["pid"] == pid && e["ph"] == "B").map(|e| e["ts"].as_f64().unwrap());
        if least { times.fold(f64::MAX, f64::min) } else { times.fold(0.0, f64::max) }
    };
    assert!(ends(1, false) < ends(2, true));
    let holds =
        "error: no boot 3 in `FILE`, which holds 2 boots\n  hint: `--boot 2` is its last\n".replace("FILE", &path);
    check_failure(&["export", &path, "--format", "csv", "--boot", "3"], b"", 3, &holds);
    check_failure(&["export", &path, "--format", "text", "--boot", "3"], b"", 3, &holds);
}

#[test]
fn the_clock_is_the_one_asked_for() {
    let input = capture(&log("acpi_init"));
    let span = |clock: &str| -> String {
        let out = stdout(&run(&["export", "-", "-f", "csv", "--clock", clock], &input));
        let row = out.lines().find(|l| l.starts_with("1,initcall,")).unwrap().to_owned();
        assert!(row.ends_with(clock), "{row}");
        row.split(',').nth(9).unwrap().to_owned()
    };
    // 0.3 s by the kernel's stamps, a tenth by the host's clock: this kernel's would run three times too fast.
    assert_eq!(span("kernel"), "0.300000");
    assert_ne!(span("arrival"), "0.300000");
    let text = log("acpi_init");
    let stamps = "error: no arrival times in standard input\n  hint: take the kernel's stamps: `--clock kernel`; or record the boot with `bootline capture`\n";
    check_failure(&["export", "-", "-f", "perfetto", "--clock", "arrival"], text.as_bytes(), 3, stamps);
    check_failure(&["export", "-", "-f", "grabserial"], text.as_bytes(), 3, stamps);
    let stamped = stdout(&run(&["export", "-", "-f", "grabserial", "--clock", "kernel"], text.as_bytes()));
    assert!(stamped.contains("[0.260000 0.250000] [    0.260000] calling  acpi_init"), "{stamped}");
}

#[test]
fn refusals() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "boot.cap", &capture(&log("acpi_init")));
    let same = format!("error: `{path}` is the input; it would be lost\n  hint: write to another file: `-o FILE`\n");
    check_failure(&["export", &path, "-f", "csv", "-o", &path], b"", 2, &same);
    check_failure(&["export", &path, "-f", "csv", "--raw"], b"", 2, "error: only `--format text` can be `--raw`\n");
    let empty = "error: standard input is empty";
    for format in FORMATS {
        let out = run(&["export", "-", "-f", format], b"");
        assert!(String::from_utf8_lossy(&out.stderr).starts_with(empty), "{format}");
        assert_eq!((out.status.code(), out.stdout.len()), (Some(3), 0), "{format}");
    }
    // What can't be exported leaves no file, and spoils none.
    let kept = file(dir.path(), "kept", b"before");
    let out = run(&["export", "-", "-f", "perfetto", "-o", &kept, "--force"], b"no kernel\n");
    assert_eq!((out.status.code(), fs::read(&kept).unwrap().as_slice()), (Some(3), &b"before"[..]));
    let nowhere = dir.path().join("none/x");
    let nowhere = nowhere.to_str().unwrap();
    let folder = nowhere.strip_suffix("/x").unwrap();
    let said = format!(
        "error: can't write `{nowhere}`: there is no folder `{folder}`\n  hint: make it first: `mkdir -p {folder}`\n"
    );
    check_failure(&["export", &path, "-f", "lava", "-o", nowhere], b"", 4, &said);
    let said = format!("error: `{folder}` is a folder\n  hint: name a file in it with `-o`\n");
    check_failure(
        &["export", &path, "-f", "lava", "-o", dir.path().to_str().unwrap()],
        b"",
        3,
        &said.replace("/none`", "`"),
    );
    // A file of another export is kept, whatever the format.
    for format in FORMATS {
        let said = format!(
            "error: `{kept}` already exists\n  hint: give another name with `-o`, or `--force` to replace it\n"
        );
        check_failure(&["export", &path, "-f", format, "-o", &kept], b"", 3, &said);
        assert_eq!(fs::read(&kept).unwrap(), b"before", "{format}");
    }
}

#[test]
fn dmesg_is_by_the_clock_that_is_true() {
    // What the kernel's own tools look for (scripts/bootgraph.pl): when a call was made, in seconds, and by whom.
    let input = capture(&log("acpi_init"));
    let calling = |clock: &str| {
        let out = stdout(&run(&["export", "-", "-f", "dmesg", "--clock", clock], &input));
        let at =
            out.lines().find_map(|l| l.strip_prefix('[')?.split_once("] calling  acpi_init+0x0/0x4f0 @ 1")).unwrap();
        at.0.trim().parse::<f64>().unwrap()
    };
    assert_eq!(calling("kernel"), 0.26);
    // The line came a tenth of a second behind the console's registration at 0.01 s, which was the last to be stored before
    // the first character went out.
    assert!(calling("arrival") > 0.26, "{}", calling("arrival"));
}

#[test]
fn an_output_is_never_the_input_by_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let content = capture(&log("acpi_init"));
    let path = file(dir.path(), "boot.cap", &content);
    let (hard, soft) = (dir.path().join("hard"), dir.path().join("soft"));
    fs::hard_link(&path, &hard).unwrap();
    std::os::unix::fs::symlink(&path, &soft).unwrap();
    for other in [hard, soft] {
        let out = run(&["export", &path, "-f", "csv", "-o", other.to_str().unwrap()], b"");
        assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    }
    // What is appended would be read again, for ever.
    let append = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    let out = command.args(["export", &path, "-f", "text"]).stdout(append).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(fs::read(&path).unwrap(), content);
}

#[test]
fn a_file_that_was_there_is_replaced_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let input = capture(&log("acpi_init"));
    for format in FORMATS {
        let long = file(dir.path(), "out", &vec![b'x'; 1 << 20]);
        let out = run(&["export", "-", "-f", format, "-o", &long, "--force"], &input);
        assert_eq!(out.status.code(), Some(0), "{format}");
        assert_eq!(fs::read(&long).unwrap(), run(&["export", "-", "-f", format], &input).stdout, "{format}");
    }
}

#[test]
fn what_can_not_be_written_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "boot.cap", &capture(&log("acpi_init")));
    for format in FORMATS {
        // A full disk, by name and as standard output.
        let full = "error: can't write `/dev/full`: No space left on device (os error 28)\n";
        check_failure(&["export", &path, "-f", format, "-o", "/dev/full"], b"", 4, full);
        let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
        command.args(["export", &path, "-f", format]).stderr(Stdio::piped());
        let device = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = command.stdout(device).output().unwrap();
        let said = "error: can't write to standard output: No space left on device (os error 28)\n";
        assert_eq!((String::from_utf8_lossy(&out.stderr).as_ref(), out.status.code()), (said, Some(4)), "{format}");
        let folder = dir.path().to_str().unwrap();
        let out = run(&["export", &path, "-f", format, "-o", folder, "--force"], b"");
        assert_eq!(out.status.code(), Some(4), "{format}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    // More than a pipe holds.
    let lines: String = (0..20_000).map(|n| format!("[    1.{n:06}] line {n}\n")).collect();
    let path = file(dir.path(), "boot.log", (log("acpi_init") + &lines).as_bytes());
    for format in FORMATS.into_iter().filter(|f| !matches!(*f, "markdown" | "junit" | "lava")) {
        let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
        command.args(["export", &path, "-f", format]).stdout(Stdio::piped()).stderr(Stdio::piped());
        if format != "text" {
            command.args(["--clock", "kernel"]);
        }
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert_eq!((String::from_utf8_lossy(&out.stderr).as_ref(), out.status.code()), ("", Some(0)), "{format}");
    }
}

#[test]
fn bytes_that_are_no_text_become_none_of_a_formats_own() {
    let bad: Vec<u8> = (1..=255u8).filter(|b| !matches!(b, b'\n' | b'\r')).collect();
    let mut log = log("acpi_init").into_bytes();
    log.extend_from_slice(b"[    0.700000] ");
    log.extend_from_slice(&bad);
    log.extend_from_slice(b"\n[    0.710000] \xed\xa0\x80\xef\xbf\xbe\xf4\x90\x80\x80]]>\n");
    for format in FORMATS {
        let out = run(
            &["export", "-", "-f", format, if format == "text" { "--input-format=dmesg" } else { "--clock=kernel" }],
            &log,
        );
        assert_eq!(out.status.code(), Some(0), "{format}: {}", String::from_utf8_lossy(&out.stderr));
        if format == "perfetto" {
            continue;
        }
        let text = String::from_utf8(out.stdout).unwrap_or_else(|e| panic!("{format}: {e}"));
        assert!(!text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')), "{format}: {text:?}");
        if matches!(format, "chrome" | "json") {
            serde_json::from_str::<Value>(&text).unwrap();
        }
    }
}

#[test]
fn a_boot_that_does_not_end_is_a_case_that_fails() {
    let whole = log("acpi_init");
    let cut = whole.lines().take(5).map(|l| format!("{l}\n")).collect::<String>();
    let panicked = format!("{cut}[    0.800000] Kernel panic - not syncing: VFS: Unable to mount root fs\n");
    let after_init = format!("{whole}[    9.000000] Kernel panic - not syncing: Attempted to kill init!\n");
    let untimed = format!("{cut}INIT: version 3.04 booting\n");
    for (log, marker, result, message) in [
        (&whole, &[][..], "pass", ""),
        (&whole, &["--marker", "login:"], "fail", "no record contains the marker"),
        (&cut, &[], "fail", "the log ends before the boot does"),
        (&panicked, &[], "fail", "the kernel panicked"),
        (&after_init, &["--marker", "login:"], "fail", "the kernel panicked"),
        (&untimed, &[], "fail", "the record that ends the boot has no time"),
    ] {
        let lava = stdout(&run(&[&["export", "-", "-f", "lava"], marker].concat(), log.as_bytes()));
        assert!(lava.contains(&format!("TEST_CASE_ID=time-to-init RESULT={result}")), "{lava}");
        let junit = stdout(&run(&[&["export", "-", "-f", "junit"], marker].concat(), log.as_bytes()));
        assert_eq!(junit.contains("failures=\"1\""), result == "fail", "{junit}");
        assert!(junit.contains(message), "{junit}");
    }
}

#[test]
fn a_terminal_gets_no_binary() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "boot.cap", &capture(&log("acpi_init")));
    let (leader, follower) = terminal();
    for args in [&["perfetto"][..], &["text", "--raw"]] {
        let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
        command.args(["export", &path, "--format"]).args(args);
        command.stdout(follower.try_clone().unwrap()).stderr(Stdio::piped());
        let out = command.output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains("can't be shown on a terminal"));
    }
    drop(leader);
}

fn terminal() -> (std::os::fd::OwnedFd, std::os::fd::OwnedFd) {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let leader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&leader).unwrap();
    unlockpt(&leader).unwrap();
    let name = ptsname(&leader, Vec::new()).unwrap();
    let follower = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    (leader, follower)
}

#[test]
fn a_dash_is_standard_output_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    for more in [&["-f", "csv"][..], &["-f", "text"], &["--json"]] {
        let args = |output: &[&str]| {
            let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
            command.current_dir(dir.path()).arg("export").arg(corpus_boot()).args(more).args(output);
            command.output().unwrap()
        };
        let (dash, none) = (args(&["-o", "-"]), args(&[]));
        assert_eq!(dash.status.code(), Some(0), "{}", String::from_utf8_lossy(&dash.stderr));
        assert!(!dash.stdout.is_empty() && dash.stdout == none.stdout, "{more:?}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

fn corpus_boot() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/x86-6.12-9600/boot.cap")
}
