// SPDX-License-Identifier: MIT OR Apache-2.0
//! `plot` as a user runs it: what is written where, and what isn't overwritten. What the page does is tested in a browser.
use std::fs;
use std::path::Path;
use std::process::Output;

use bootline_testkit::isolated;

const LOG: &str = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,9600 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  acpi_init+0x0/0x4f0 @ 1
[    0.360000] initcall acpi_init+0x0/0x4f0 returned 0 after 50000 usecs
[    0.440000] Freeing unused kernel image (initmem) memory: 4132K
[    0.520000] Run /init as init process
[    1.000000] systemd[1]: Starting ssh.service - OpenBSD Secure Shell server...
[    1.250000] systemd[1]: Started ssh.service - OpenBSD Secure Shell server.
";

fn plot(folder: &Path, args: &[&str]) -> Output {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.current_dir(folder).arg("plot").args(args).output().unwrap()
}

#[track_caller]
fn check(out: &Output, status: i32, said: &str) {
    assert_eq!(String::from_utf8_lossy(&out.stderr), said);
    assert_eq!(out.status.code(), Some(status));
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("boot.log"), LOG).unwrap();
    folder
}

#[test]
fn the_name_comes_from_the_log_and_nothing_is_overwritten() {
    let folder = folder();
    for name in ["boot.html", "boot-2.html"] {
        let out = plot(folder.path(), &["boot.log"]);
        let size = fs::metadata(folder.path().join(name)).unwrap().len();
        check(&out, 0, &format!("written to {name}: 1 boot, {size} bytes\n"));
        assert!(out.stdout.is_empty());
    }
    let out = plot(folder.path(), &["boot.log", "-o", "boot.html"]);
    let said = "error: `boot.html` already exists\n  hint: give another name with `-o`, or `--force` to replace it\n";
    check(&out, 3, said);
    fs::write(folder.path().join("boot.html"), "old").unwrap();
    assert!(plot(folder.path(), &["boot.log", "-o", "boot.html", "--force"]).status.success());
    assert!(fs::read_to_string(folder.path().join("boot.html")).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn a_picture_is_written_by_name_or_by_format() {
    let folder = folder();
    assert!(plot(folder.path(), &["boot.log", "-o", "boot.svg"]).status.success());
    let by_name = fs::read_to_string(folder.path().join("boot.svg")).unwrap();
    let out = plot(folder.path(), &["boot.log", "--format", "svg", "-o", "-"]);
    assert_eq!(String::from_utf8(out.stdout).unwrap(), by_name);
    for words in ["acpi_init", "ssh.service", "phases", "waits for ttyS0", "console ttyS0"] {
        assert!(by_name.contains(words), "{words}");
    }
    // Two boots on one axis, each with its title.
    let out = plot(folder.path(), &["boot.log", "boot.log", "--format", "svg", "-o", "-"]);
    assert_eq!(String::from_utf8(out.stdout).unwrap().matches("class=\"title\"").count(), 2);
}

#[test]
fn an_unusable_input_is_told_and_the_others_are_drawn() {
    let folder = folder();
    fs::write(folder.path().join("empty.log"), "").unwrap();
    let out = plot(folder.path(), &["empty.log", "boot.log", "-o", "-"]);
    let said = "error: `empty.log` is empty\n  hint: record a boot: `bootline capture /dev/ttyUSB0 -o boot.cap`\n";
    check(&out, 3, said);
    assert_eq!(String::from_utf8(out.stdout).unwrap().matches("<canvas>").count(), 1);

    let out = plot(folder.path(), &["empty.log", "-o", "none.html"]);
    check(&out, 3, said);
    assert!(!folder.path().join("none.html").exists());

    let out = plot(folder.path(), &["boot.log", "-o", "no/such/folder/boot.html"]);
    check(
        &out,
        4,
        "error: can't write `no/such/folder/boot.html`: there is no folder `no/such/folder`\n  hint: make it first: `mkdir -p no/such/folder`\n",
    );
}
