// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline capture` as a user runs it.
#[path = "../../bootline-report/tests/schema/mod.rs"]
mod schema;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use bootline_capture::{Event, NoteKind, Reader};
use bootline_testkit::isolated;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

fn bootline(dir: &Path, args: &[&str]) -> Command {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.current_dir(dir).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `bootline capture`, with `input` on its standard input.
fn run(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = bootline(dir, &[&["capture"], args].concat()).spawn().unwrap();
    // A run that refuses its arguments doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The bytes and notes of a capture without damage.
fn read(file: &Path) -> (Vec<u8>, Vec<(NoteKind, String)>) {
    let (mut bytes, mut notes) = (Vec::new(), Vec::new());
    let mut sink = |event: Event<'_>| match event {
        Event::Chunk(_, b) => bytes.extend_from_slice(b),
        Event::Note(note) => notes.push((note.kind, note.detail)),
        Event::Header(_) => {}
        Event::Damage(damage) => panic!("{damage:?}"),
    };
    let mut reader = Reader::new();
    reader.push(&fs::read(file).unwrap(), &mut sink);
    reader.finish(&mut sink);
    (bytes, notes)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn check_failure(args: &[&str], input: &[u8], status: i32, last_words: &str) {
    let dir = tempfile::tempdir().unwrap();
    let out = run(dir.path(), args, input);
    let stderr = text(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{stderr}");
    assert!(stderr.trim_end().ends_with(last_words), "{stderr}");
}

/// Starts a capture from a new pseudo-terminal, writes `line` to it and waits until it is on the screen.
fn capture_of_a_terminal(dir: &Path, line: &str) -> (Child, fs::File) {
    let link = dir.join("board");
    let mut child = bootline(dir, &["capture", "pty:board", "-o", "a.cap"]).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "write to board\n");
    let mut board = fs::OpenOptions::new().write(true).open(link).unwrap();
    writeln!(board, "{line}").unwrap();
    let mut shown = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut shown).unwrap();
    assert!(shown.ends_with(&format!("] {line}\n")), "{shown}");
    (child, board)
}

#[test]
fn a_signal_leaves_a_complete_file() {
    for (signal, name) in [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM"), (Signal::HUP, "SIGHUP")] {
        let dir = tempfile::tempdir().unwrap();
        let (child, _board) = capture_of_a_terminal(dir.path(), "Linux version 6.18");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let (bytes, notes) = read(&dir.path().join("a.cap"));
        assert_eq!(bytes, b"Linux version 6.18\n");
        assert_eq!(notes, [(NoteKind::End, format!("stopped by {name}"))]);
        assert!(!dir.path().join("board").exists());
    }
}

#[test]
fn ctrl_c_ends_the_power_command_too_and_that_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let mut command =
        bootline(dir.path(), &["capture", "pty:board", "--power", "echo on; read x < fifo", "-o", "a.cap"]);
    mknodat(CWD, dir.path().join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let mut child = command.process_group(0).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    // It runs: a signal to what is about to become it would be lost.
    said.find(|line| line.as_ref().unwrap() == "on").unwrap().unwrap();
    let mut board = fs::OpenOptions::new().write(true).open(dir.path().join("board")).unwrap();
    writeln!(board, "Linux version 6.18").unwrap();
    let mut shown = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut shown).unwrap();
    // The terminal's Ctrl-C, to its job in the foreground.
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = said.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{rest:?}");
    assert_eq!(rest.last().unwrap(), "next: bootline explain a.cap");
    assert_eq!(read(&dir.path().join("a.cap")).1.last().unwrap().1, "stopped by SIGINT");
}

#[test]
fn a_kill_loses_at_most_the_last_chunk() {
    let dir = tempfile::tempdir().unwrap();
    let (mut child, _board) = capture_of_a_terminal(dir.path(), "Linux version 6.18");
    child.kill().unwrap();
    child.wait().unwrap();
    let (bytes, notes) = read(&dir.path().join("a.cap"));
    assert_eq!((&bytes[..], notes.len()), (&b"Linux version 6.18\n"[..], 0));
}

#[test]
fn standard_input_is_captured_and_shown_line_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(dir.path(), &["-"], b"one\n\x1b[31mtwo\x07\n");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let lines: Vec<String> = text(&out.stdout).lines().map(|l| l.split_once("] ").unwrap().1.to_owned()).collect();
    assert_eq!(lines, ["one", "two\\x07"]);
    assert_eq!(read(&dir.path().join("boot.cap")).0, b"one\n\x1b[31mtwo\x07\n");
    assert!(text(&out.stderr).ends_with("next: bootline explain boot.cap\n"));
    let short = run(dir.path(), &["-q", "-o", "short.cap", "-"], b"a\n");
    assert!(text(&short.stderr).contains("captured 2 bytes, 1 line, "), "{}", text(&short.stderr));

    let raw = run(dir.path(), &["--raw", "-"], b"\x1b[31mthree");
    assert_eq!(raw.stdout, b"\x1b[31mthree");
    assert!(dir.path().join("boot-2.cap").exists(), "a capture is never overwritten");
    assert_eq!(run(dir.path(), &["-q", "-"], b"four").stdout, b"");
}

#[test]
fn the_summary_in_json() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(dir.path(), &["--json", "-o", "x.cap", "--", "printf", "a\\nb\\n"], b"");
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    schema::check("capture", &json);
    assert_eq!(json["bytes"].as_u64(), Some(4));
    assert_eq!((json["file"].as_str(), json["ended"].as_str()), (Some("x.cap"), Some("source")));
}

#[test]
fn a_capture_that_is_not_what_was_wanted_says_so() {
    check_failure(&["-"], b"", 3, "error: nothing arrived from `-`\n  hint: is the board on?");
    check_failure(
        &["--until", "login:", "-"],
        b"Kernel panic\n",
        3,
        "error: no line matched `login:` before the capture ended: the source ended",
    );
    check_failure(
        &["cmd:echo one; exit 3"],
        b"",
        4,
        "error: the command `cmd:echo one; exit 3` failed: exit status: 3",
    );
    let no_power = "error: the power command `exit 9` failed: exit status: 9";
    check_failure(&["--power", "exit 9", "pty"], b"", 4, no_power);
    // Whichever ends first.
    check_failure(&["--power", "exit 9", "-q", "--", "sh", "-c", "echo hi"], b"", 4, no_power);
}

#[test]
fn what_cant_be_captured_is_named() {
    check_failure(&["/dev/null"], b"", 4, "error: `/dev/null` is a device other than a terminal, not a serial device");
    check_failure(
        &["unix:none"],
        b"",
        4,
        "error: there is no socket `none`\n  hint: start the program that listens there; `--wait` waits for it",
    );
    let no_folder =
        "error: can't write `none/a.cap`: there is no folder `none`\n  hint: make it first: `mkdir -p none`";
    check_failure(&["-o", "none/a.cap", "-"], b"", 4, no_folder);
    check_failure(&["-b", "0", "-"], b"", 2, "For more information, try '--help'.");
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old.cap"), "").unwrap();
    let out = run(dir.path(), &["-o", "old.cap", "-"], b"");
    assert_eq!(out.status.code(), Some(3));
    assert!(text(&out.stderr).starts_with("error: `old.cap` already exists; a capture is never overwritten\n  hint: "));
}

#[test]
fn a_dash_writes_the_capture_to_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(dir.path(), &["-", "-o", "-"], b"one\ntwo\n");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let file = dir.path().join("from-stdout.cap");
    fs::write(&file, &out.stdout).unwrap();
    let (bytes, notes) = read(&file);
    assert_eq!((text(&bytes).as_str(), notes.last().map(|n| n.0)), ("one\ntwo\n", Some(NoteKind::End)));
    check_failure(&["-", "-o", "-", "--json"], b"", 2, "hint: write the capture to a file: `-o boot.cap`");
}

/// Marks need modem control inputs; without them nothing is recorded.
#[test]
fn marks_that_nothing_can_show_are_refused_before_recording() {
    use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    unlockpt(&master).unwrap();
    let device = text(ptsname(&master, Vec::new()).unwrap().as_bytes());
    let dir = tempfile::tempdir().unwrap();
    let out = run(dir.path(), &[&device, "--mark", "dsr=app-ready"], b"");
    let stderr = text(&out.stderr);
    assert_eq!(out.status.code(), Some(4), "{stderr}");
    let words = format!("error: `{device}` has no modem control inputs to mark by: Inappropriate ioctl for device");
    assert!(stderr.contains(&words) && stderr.contains("hint: a pseudo-terminal has none"), "{stderr}");
    assert!(!dir.path().join("boot.cap").exists());

    check_failure(
        &["--mark", "dsr=app-ready", "tcp:board:2000"],
        b"",
        2,
        "error: mark `app-ready`: `tcp:board:2000` has no modem control inputs\n  hint: take a serial device, such as /dev/ttyUSB0, or a GPIO line: --mark gpio:CHIP/LINE=NAME",
    );
    check_failure(
        &["--mark", "dsr=a", "--mark", "cts=a", "ttyUSB0"],
        b"",
        2,
        "error: two marks are named `a`\n  hint: name one of them differently: --mark cts=NAME",
    );
    let dtr = run(dir.path(), &["--mark", "dtr", "ttyUSB0"], b"");
    assert_eq!(dtr.status.code(), Some(2));
    assert!(text(&dtr.stderr).contains("`dtr` is no input; there are cts, dsr, dcd, ri and gpio:CHIP/LINE"));
}

/// A GPIO line is asked for before the source is opened, whatever the source is: here nothing would ever connect.
#[test]
fn gpio_lines_that_are_not_there_are_refused_before_the_source_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |mark: &str, status: i32, words: &str| {
        let out = run(dir.path(), &["--mark", mark, "unix:none"], b"");
        let stderr = text(&out.stderr);
        assert_eq!(out.status.code(), Some(status), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
        assert!(!dir.path().join("boot.cap").exists());
    };
    refused("gpio:gpiochip4096/17=app-ready", 4, "error: no such GPIO chip `/dev/gpiochip4096`");
    refused(
        "!gpio:/dev/null/17=app-ready",
        4,
        "error: `/dev/null` is not a GPIO chip\n  hint: `gpiodetect` lists the chips",
    );
    refused("gpio:17=app-ready", 2, "`gpio:17` names no GPIO line: the chip is missing");
    check_failure(
        &["--mark", "gpio:gpiochip0/1=a", "--mark", "!gpio:gpiochip0/2=a", "pty"],
        b"",
        2,
        "error: two marks are named `a`\n  hint: name one of them differently: --mark gpio:gpiochip0/2=NAME",
    );
}
