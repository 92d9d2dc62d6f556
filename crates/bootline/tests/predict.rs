// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline predict` as a user runs it: what is asked, what is missing, exit status, streams.
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use bootline_testkit::isolated;
use serde_json::Value;

/// A boot over a console of 9600 baud whose writers wait, as its own log tells it.
const OWN: &str = "\
<5>[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
<6>[    0.000000] Kernel command line: console=ttyS0,9600
<6>[    0.010000] printk: console [ttyS0] enabled
<6>[    0.310000] a first message of the kernel
<7>[    0.360000] a message for debugging
<3>[    0.410000] an error -22
<6>[    0.480000] Freeing unused kernel image (initmem) memory: 4132K
<6>[    0.570000] Run /init as init process
";

/// The same as its console shows it.
fn console() -> String {
    OWN.lines().filter(|l| !l.starts_with("<7>")).map(|l| format!("{}\n", &l[3..])).collect()
}

fn run(args: &[&str], input: &str) -> Output {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.arg("predict").args(args).env("TERM", "dumb");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // One that refuses its arguments doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

/// Runs the verb on an input that it refuses: all that is said, nothing on stdout.
#[track_caller]
fn refused(args: &[&str], input: &str, said: &str) {
    let out = run(args, input);
    assert_eq!(String::from_utf8(out.stderr.clone()).unwrap(), said);
    assert_eq!((stdout(&out).as_str(), out.status.code()), ("", Some(3)));
}

fn json(args: &[&str], input: &str) -> Vec<Value> {
    let out = run(&[&["--json"], args].concat(), input);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let all: Value = serde_json::from_slice(&out.stdout).unwrap();
    all["boots"][0]["predictions"].as_array().unwrap().clone()
}

fn corpus(case: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(case).join(file);
    path.to_str().unwrap().to_owned()
}

struct Temporary(tempfile::TempDir);

impl Temporary {
    fn new() -> Temporary {
        Temporary(tempfile::tempdir().unwrap())
    }
    fn file(&self, name: &str, content: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

#[test]
fn all_ways_out_the_best_first_behind_today() {
    let predictions = json(&["-"], &console());
    assert_eq!(predictions[0]["change"], serde_json::json!([]));
    let saved: Vec<i64> = predictions.iter().skip(1).map(|p| p["saved_ns"]["best"].as_i64().unwrap()).collect();
    assert!(saved.len() >= 3 && saved.is_sorted_by(|a, b| a >= b), "{saved:?}");
    for p in &predictions {
        let ns = |key: &str| p["time_to_init_ns"][key].as_i64().unwrap();
        assert!(0 <= ns("low") && ns("low") <= ns("best") && ns("best") <= ns("high"), "{p}");
    }
    let out = run(&["-"], &console());
    assert!(stdout(&out).contains("\nAssumptions\n"), "{}", stdout(&out));
    assert_eq!((out.stderr.len(), out.status.code()), (0, Some(0)));
}

#[test]
fn several_settings_are_one_question() {
    let both = json(&["--set", "baud=115200", "--set", "quiet", "-"], &console());
    assert_eq!(both.len(), 2);
    assert_eq!(both[1]["change"], serde_json::json!(["baud=115200", "quiet"]));
    let quiet = json(&["--set", "quiet", "-"], &console());
    let init = |p: &Value| p["time_to_init_ns"]["best"].as_i64().unwrap();
    assert!(init(&both[1]) <= init(&quiet[1]) && init(&quiet[1]) < init(&quiet[0]));
}

#[test]
fn levels_come_from_the_kernels_own_log() {
    let dir = Temporary::new();
    let own = dir.file("own.log", OWN);
    let chars = |predictions: &[Value]| predictions[1]["bytes"].as_i64().unwrap();
    // The error, and what a plain log doesn't tell from it.
    let without = json(&["--set", "quiet", "-"], &console());
    let with = json(&["--set", "quiet", "--kernel-log", &own, "-"], &console());
    assert_eq!(chars(&without), 0);
    assert_eq!(chars(&with), "[    0.410000] an error -22\r\n".len() as i64);
    let names = |p: &Value| p["assumptions"].as_array().unwrap().iter().any(|a| a["name"] == "levels");
    assert!(names(&without[1]) && !names(&with[1]));
    // What the console didn't print can only be asked for where it is known.
    let more = json(&["--set", "loglevel=8", "--kernel-log", &own, "-"], &console());
    assert_eq!(
        chars(&more) - more[0]["bytes"].as_i64().unwrap(),
        "[    0.360000] a message for debugging\r\n".len() as i64
    );
    refused(
        &["--set", "loglevel=8", "-"],
        &console(),
        "error: no prediction for standard input: records of level 7 and up were not printed, so what they would cost is unknown\n\
         \x20 at: standard input record 1: `console=ttyS0,9600`\n\
         \x20 hint: supply the kernel's own log of that boot: run `dmesg -r >kernel.log` there, then add `--kernel-log kernel.log` here\n",
    );
}

#[test]
fn a_quiet_boot_with_its_own_log_is_predicted() {
    let (capture, own) = (corpus("x86-7.2-9600-quiet", "boot.cap"), corpus("x86-7.2-9600-quiet", "dmesg.kmsg"));
    let loud = json(&["--set", "loglevel=7", "--kernel-log", &own, &capture], "");
    let seconds = |p: &Value| p["time_to_init_ns"]["best"].as_f64().unwrap() / 1e9;
    // Some 20 000 characters at 9600 baud.
    assert!(seconds(&loud[1]) > seconds(&loud[0]) + 15.0, "{} {}", seconds(&loud[0]), seconds(&loud[1]));
}

#[test]
fn a_log_that_is_not_of_this_boot() {
    let dir = Temporary::new();
    let other = dir.file("other.log", &OWN.replace("0000] ", "1000] "));
    refused(
        &["--kernel-log", &other, "-"],
        &console(),
        &format!(
            "error: `{other}` is from another boot than standard input: 0 of 5 records are in both\n\
             \x20 at: record 2 is not in it: `printk: console [ttyS0] enabled`\n\
             \x20 hint: take it before that system reboots: `dmesg -r >kernel.log`\n"
        ),
    );
    let plain = dir.file("plain.log", &console());
    refused(
        &["--kernel-log", &plain, "-"],
        &console(),
        &format!(
            "error: `{plain}` contains no log levels\n\
             \x20 hint: take it with `dmesg -r`, `dmesg --json`, `journalctl -k -o json` or `cat /dev/kmsg`\n"
        ),
    );
}

#[test]
fn what_a_prediction_needs_and_the_log_lacks() {
    refused(
        &["-"],
        &console().replace("ttyS0,9600", "ttyAMA0 loglevel=7 root=/dev/x").replace("ttyS0", "ttyAMA0"),
        "error: no prediction for standard input: the speed of console `ttyAMA0` is unknown\n\
         \x20 at: standard input record 1: `console=ttyAMA0 loglevel=7`\n\
         \x20 hint: state it: `--console ttyAMA0,115200n8`\n",
    );
    let stated = ["--console", "ttyAMA0,9600n8", "-"];
    assert_eq!(
        run(&stated, &console().replace("ttyS0,9600", "ttyAMA0").replace("ttyS0", "ttyAMA0")).status.code(),
        Some(0)
    );
    let no_console: String = console().lines().filter(|l| !l.contains("enabled")).map(|l| format!("{l}\n")).collect();
    refused(
        &["-"],
        &no_console.replace("console=ttyS0,9600", "root=/dev/x"),
        "error: no prediction for standard input: the log shows no serial console\n\
         \x20 at: standard input record 1: `no console=`\n\
         \x20 hint: state it: `--console ttyS0,115200n8`\n",
    );
    let cut: String = console().lines().take(5).map(|l| format!("{l}\n")).collect();
    let out = run(&["-"], &cut);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.starts_with("error: standard input ends before init's start was reached\n  at: record 4 "), "{said}");
    assert_eq!(out.status.code(), Some(3));
    let no_times: String = console().lines().map(|l| format!("{}\n", &l[15..])).collect();
    let out = run(&["-"], &no_times);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.starts_with("error: no kernel timestamps in standard input"), "{said}");
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn lost_records_are_told_and_the_figures_not_trusted() {
    let dir = Temporary::new();
    let own = dir.file("own.log", OWN);
    let torn = console().replace("[    0.310000] a first message of the kernel\n", "");
    let out = run(&["--kernel-log", &own, "-"], &torn);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.starts_with("error: the figures of standard input can't be trusted\n  at: missing here"), "{said}");
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn what_makes_no_question() {
    for (args, said) in [
        (&["--set", "speed=1", "-"][..], "there is no setting `speed`; known: baud, frame"),
        (&["--set", "baud=fast", "-"], "`fast` is not a baud such as 115200 for `baud`"),
        (&["--set", "quiet", "--set", "loglevel=7", "-"], "`--set quiet` and `--set loglevel=7` contradict each other"),
        (&["--kernel-log", "-", "-"], "standard input `-` can be read only once"),
        (&["--cpus", "0", "-"], "0 is not in 1..=4096"),
    ] {
        let out = run(args, "");
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert!(stderr.contains(said), "{stderr}");
        assert_eq!(out.status.code(), Some(2), "{stderr}");
    }
}
