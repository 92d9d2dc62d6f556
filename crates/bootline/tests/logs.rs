// SPDX-License-Identifier: MIT OR Apache-2.0
//! `explain`, `time` and `blame` as a user runs them: inputs, exit status, errors, streams.
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use bootline_analysis::rules::RULES;
use bootline_testkit::isolated;
use serde_json::Value;

#[path = "../../bootline-report/tests/schema/mod.rs"]
mod schema;

/// A small boot over a console of 9600 baud whose writers wait.
const LOG: &str = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,9600 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
[    0.260000] calling  acpi_init+0x0/0x4f0 @ 1
[    0.360000] initcall acpi_init+0x0/0x4f0 returned 0 after 50000 usecs
[    0.440000] Freeing unused kernel image (initmem) memory: 4132K
[    0.520000] Run /init as init process
";

fn bootline(args: &[&str]) -> Command {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.args(args).env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = bootline(args).spawn().unwrap();
    // One that refuses its arguments doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn stderr(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

fn file(dir: &Path, name: &str, content: &[u8]) -> String {
    let path = dir.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A gzip file of one stored block that ends before it says that it ends.
fn cut_off_gzip(content: &str) -> Vec<u8> {
    let length = content.len() as u16;
    let mut file = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\0".to_vec();
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(content.as_bytes());
    file
}

#[test]
fn a_damaged_archive_gives_what_it_has() {
    check_failure(
        &["explain", "-"],
        &cut_off_gzip("hello\n"),
        3,
        "error: no kernel records in standard input (1 line read), which is damaged or cut off\n  at: incomplete deflate stream\n",
    );
    let out = run(&["explain", "-"], &cut_off_gzip(LOG));
    assert!(stdout(&out).contains("archive-damaged"), "{}", stdout(&out));
}

/// Runs a verb on an input that has something wrong with it: the status, and all that is said.
#[track_caller]
fn check_failure(args: &[&str], input: &[u8], status: i32, said: &str) {
    let out = run(args, input);
    assert_eq!(stderr(&out), said);
    assert_eq!(out.status.code(), Some(status));
}

#[test]
fn a_good_log_is_explained_and_nothing_else_is_said() {
    for (verb, wanted) in [("explain", "Init started 0.5"), ("time", "(initcalls)"), ("blame", "initcall  acpi_init")] {
        let out = run(&[verb, "-"], LOG.as_bytes());
        assert!(stdout(&out).contains(wanted), "{verb}: {}", stdout(&out));
        assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)), "{verb}");
    }
}

#[test]
fn what_is_not_there() {
    let no = |words: &str, hint: &str| format!("error: {words}\n  hint: {hint}\n");
    let capture = "record a boot: `bootline capture /dev/ttyUSB0 -o boot.cap`";
    check_failure(&["explain", "-"], b"", 3, &no("standard input is empty", capture));
    check_failure(&["time", "no.log"], b"", 3, &no("no such file `no.log`", "`-` reads standard input"));
    check_failure(&["blame", "/"], b"", 3, &no("`/` is a folder", "name the logs in it: `/*`"));
}

#[test]
fn what_is_no_kernel_log() {
    let stamps = "boot with `printk.time=1`, or take the log with `dmesg`, which shows timestamps";
    check_failure(
        &["explain", "-"],
        b"Linux version 6.1.0\nand so on\n",
        3,
        &format!("error: no kernel timestamps in standard input (2 lines read)\n  hint: {stamps}\n"),
    );
    let out = run(&["explain", "-"], b"hello\n");
    assert!(stderr(&out).starts_with("error: no kernel records in standard input (1 line read)\n"), "{}", stderr(&out));
    assert_eq!((stdout(&out).as_str(), out.status.code()), ("", Some(3)));
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let out = run(&["explain", "-"], &noise);
    assert!(stderr(&out).contains("no kernel log in standard input: it is not text"), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn a_lava_job_without_a_kernel_is_no_boot() {
    let entry = |level: &str| {
        format!("- {{\"dt\": \"2026-03-01T10:00:00\", \"lvl\": \"{level}\", \"msg\": \"U-Boot 2024.01\"}}\n")
    };
    for level in ["info", "target", "error"] {
        let out = run(&["explain", "--json", "-"], entry(level).repeat(5).as_bytes());
        let what = "error: standard input is the log of a LAVA job in which no kernel started";
        assert!(stderr(&out).starts_with(what), "{level}: {}", stderr(&out));
        assert!(stdout(&out).contains("\"boots\":[]") || stdout(&out).contains("\"boots\": []"), "{}", stdout(&out));
        assert_eq!(out.status.code(), Some(3));
    }
}

#[test]
fn a_log_that_ends_early_is_shown_and_not_trusted() {
    let cut = &LOG.as_bytes()[..LOG.find("[    0.440000]").unwrap()];
    let out = run(&["explain", "-"], cut);
    assert!(stdout(&out).contains("The log ends before the boot does"), "{}", stdout(&out));
    let said = stderr(&out);
    assert!(said.starts_with("error: standard input ends before init's start was reached\n  at: record 4 "), "{said}");
    assert_eq!(out.status.code(), Some(3));
    // Initcalls can be compared without an end.
    assert_eq!(run(&["blame", "-"], cut).status.code(), Some(0));
    // The user may name another end.
    assert_eq!(run(&["explain", "--marker", "acpi_init", "-"], cut).status.code(), Some(0));
    let out = run(&["explain", "--marker", "login:", "-"], LOG.as_bytes());
    let said = "error: no record of standard input contains the marker `login:`\n  at: record 6 at 0.520000 s: `Run /init as init process`\n  hint: ";
    assert!(stderr(&out).starts_with(said), "{}", stderr(&out));
    assert!(stderr(&out).contains("; without `--marker` the boot ends at init's start\n"), "{}", stderr(&out));
    assert!(
        stdout(&out).contains("The marker was not reached: no record contains it; init started at "),
        "{}",
        stdout(&out)
    );
    // What ends before both is to be recorded for longer; the hint does not name the option that was given.
    let out = run(&["explain", "--marker", "login:", "-"], cut);
    assert!(
        stderr(&out).starts_with("error: standard input ends before the marker `login:` was reached\n"),
        "{}",
        stderr(&out)
    );
    assert!(stderr(&out).ends_with("  hint: record for longer\n"), "{}", stderr(&out));
}

#[test]
fn properties_of_units_are_to_be_added_to_a_log() {
    for (kind, text) in [
        ("systemctl show", "Type=simple\nRestart=no\nId=ssh.service\nAfter=basic.target\n"),
        ("systemctl show", "Version=257.9-1\nTainted=\nUserspaceTimestampMonotonic=4405123\n"),
        ("systemd-analyze", "Startup finished in 2.1s (kernel) + 5.2s (userspace) = 7.3s\n"),
    ] {
        let said = stderr(&run(&["explain", "-"], text.as_bytes()));
        assert!(
            said.starts_with(&format!("error: standard input is the output of {kind}: no kernel records")),
            "{said}"
        );
        let hint = "  hint: add it to the log of that boot: `bootline explain boot.cap --with FILE`\n";
        assert!(said.ends_with(hint), "{said}");
    }
}

#[test]
fn a_journal_that_is_cut_is_to_be_exported_again() {
    let entry = |n: u32, text: &str| {
        format!(
            "__REALTIME_TIMESTAMP=17700000000{n:05}\n__MONOTONIC_TIMESTAMP={n}000\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={n}000\nPRIORITY=6\nMESSAGE={text}\n\n"
        )
    };
    let journal = entry(10, "Linux version 6.12.1") + &entry(20, "ACPI: Core revision 20240827") + &entry(30, "");
    let out = run(&["explain", "-"], journal.as_bytes());
    let said = "  at: record 1 at 0.020000 s: `ACPI: Core revision 20240827`\n  hint: export the whole journal of the boot: `journalctl -b -o export`, or name";
    assert!(stderr(&out).contains(said), "{}", stderr(&out));
}

#[test]
fn a_quiet_console_is_sent_to_the_kernels_own_log() {
    let out = run(&["explain", "-"], b"[    3.100000] an error\n[    9.000000] reboot: Power down\n");
    assert!(
        stderr(&out).ends_with("  hint: take the kernel's own log: `dmesg | bootline explain -`\n"),
        "{}",
        stderr(&out)
    );
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn a_log_whose_beginning_is_lost_is_not_trusted() {
    let lines: String = (0..40).map(|n| format!("[   {:2}.000000] message {n}\n", n + 10)).collect();
    let out = run(&["explain", "-"], (lines + "[   60.000000] Run /init as init process\n").as_bytes());
    assert!(stdout(&out).contains("Do not trust these figures"), "{}", stdout(&out));
    assert!(
        stderr(&out).starts_with("error: the figures of standard input can't be trusted\n  at: "),
        "{}",
        stderr(&out)
    );
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn no_initcalls_to_blame() {
    let plain: String = LOG.lines().filter(|l| !l.contains("acpi")).map(|l| format!("{l}\n")).collect();
    let out = run(&["blame", "-"], plain.as_bytes());
    let said = "error: no initcalls in standard input (5 lines read)\n  hint: boot with `initcall_debug loglevel=8`, or with `initcall_debug` alone and read `dmesg` on the device\n";
    assert_eq!((stderr(&out).as_str(), out.status.code()), (said, Some(3)));
    // The kernel's own log is what `dmesg` reads.
    let kmsg = "6,0,0,-;Linux version 6.12.9\n6,1,200000,-;x\n6,2,400000,-;Run /init as init process\n";
    let said = "error: no initcalls in standard input (3 lines read)\n  hint: boot with `initcall_debug`\n";
    assert_eq!(stderr(&run(&["blame", "-"], kmsg.as_bytes())), said);
}

#[test]
fn several_files_in_order_and_the_worst_status() {
    let dir = tempfile::tempdir().unwrap();
    let good = file(dir.path(), "good.log", LOG.as_bytes());
    let two = file(dir.path(), "two.log", format!("{LOG}[    9.000000] reboot: Restarting\n{LOG}").as_bytes());
    let empty = file(dir.path(), "empty.log", b"");
    let out = run(&["explain", &good, &empty, &two, "-"], LOG.as_bytes());
    let titles: Vec<String> = stdout(&out).lines().filter(|l| l.contains(": Linux 6.1")).map(str::to_owned).collect();
    let title = |name: &str| format!("{name}: Linux 6.1.0-44-amd64");
    let wanted = [good.clone(), format!("{two}, boot 1"), format!("{two}, boot 2"), "standard input".to_owned()];
    assert_eq!(titles, wanted.map(|n| title(&n)));
    assert!(stderr(&out).starts_with(&format!("error: `{empty}` is empty\n")), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(3));

    let out = run(&["explain", "--json", &good, &empty, &two], b"");
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    let boots: Vec<_> = json["boots"].as_array().unwrap().iter().map(|b| (&b["source"], &b["index"])).collect();
    let pair = |name: &str, n: u64| (Value::from(name), Value::from(n));
    let wanted = [pair(&good, 0), pair(&two, 0), pair(&two, 1)];
    assert_eq!(boots, wanted.iter().map(|(s, i)| (s, i)).collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn json_is_whole_whatever_comes_in() {
    for input in [&b""[..], b"hello\n", LOG.as_bytes(), b"\xff\x00\xfe"] {
        for verb in ["explain", "time", "blame", "critical-chain"] {
            let out = run(&[verb, "--json", "-"], input);
            let json: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{verb}: {e}"));
            assert_eq!(json["schema"], format!("bootline-{verb}/1"));
        }
    }
}

#[test]
fn the_console_can_be_stated() {
    let log = LOG.replace("console=ttyS0,9600 ", "").replace("[ttyS0]", "[tty0]");
    let json = |args: &[&str]| -> Value {
        let out = run(&[&["explain", "--json"], args, &["-"]].concat(), log.as_bytes());
        serde_json::from_slice(&out.stdout).unwrap()
    };
    assert_eq!(json(&[])["boots"][0]["console"], Value::Null);
    let stated = json(&["--console", "ttyS1,57600n8"]);
    let console = &stated["boots"][0]["console"];
    assert_eq!((&console["name"], &console["declared_baud"]), (&"ttyS1".into(), &57600.into()));
    for bad in ["", ",9600", "ttyS0,fast", "tty S0"] {
        assert_eq!(run(&["explain", "--console", bad, "-"], b"").status.code(), Some(2), "{bad}");
    }
}

#[test]
fn a_format_can_be_stated() {
    let kmsg = "6,0,0,-;Linux version 6.1.0 #1\n6,1,500000,-;Run /init as init process\n";
    assert_eq!(run(&["time", "--input-format", "kmsg", "-"], kmsg.as_bytes()).status.code(), Some(0));
    assert_eq!(run(&["time", "--input-format", "telegram", "-"], b"").status.code(), Some(2));
}

#[test]
fn usage() {
    for args in [&["explain"][..], &["explain", "-", "-"], &["blame", "-n", "x", "-"], &["no-such-verb"]] {
        let out = run(args, LOG.as_bytes());
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", stderr(&out));
        assert!(out.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn color_only_where_it_is_wanted() {
    let colored = |args: &[&str], no_color: &str| {
        let mut command = bootline(&[args, &["explain", "-"]].concat());
        command.env("NO_COLOR", no_color);
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(LOG.as_bytes()).unwrap();
        stdout(&child.wait_with_output().unwrap()).contains('\x1b')
    };
    assert!(!colored(&[], ""), "a pipe is not a terminal");
    assert!(colored(&["--color", "always"], ""));
    assert!(colored(&["--color=always"], "1"), "who says always means it");
    assert!(!colored(&["--color=never"], ""));
}

#[test]
fn a_terminal_is_colored_unless_no_color_is_set() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "a.log", LOG.as_bytes());
    for (no_color, wanted) in [("", true), ("1", false)] {
        let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&pty).unwrap();
        unlockpt(&pty).unwrap();
        let name = ptsname(&pty, Vec::new()).unwrap();
        let tty = fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let mut child = bootline(&["explain", &log]).env("NO_COLOR", no_color).stdout(tty).spawn().unwrap();
        // The child's end is closed when it ends; then reading fails.
        let mut shown = Vec::new();
        let mut piece = [0; 4096];
        let mut terminal = fs::File::from(pty);
        while let Ok(n @ 1..) = terminal.read(&mut piece) {
            shown.extend_from_slice(&piece[..n]);
        }
        assert!(child.wait().unwrap().success());
        assert_eq!(shown.contains(&0x1b), wanted, "NO_COLOR={no_color}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    for verb in ["explain", "time"] {
        let mut child = bootline(&[verb, "-"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(LOG.repeat(5_000).as_bytes()));
        let mut reader = child.stdout.take().unwrap();
        reader.read_exact(&mut [0; 16]).unwrap();
        drop(reader);
        let out = child.wait_with_output().unwrap();
        assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)), "{verb}");
        // It stops to read as well.
        assert!(writer.join().unwrap().is_err(), "{verb} read all of it");
    }
}

/// The most memory in bytes that a verb has held when it has read so many of these boots.
fn peak_memory(verb: &str, boot: &str, boots: usize) -> usize {
    let mut child = bootline(&[verb, "-"]).spawn().unwrap();
    let (mut stdin, pid) = (child.stdin.take().unwrap(), child.id());
    let boot = boot.to_owned();
    let peak = std::thread::spawn(move || {
        (0..boots).for_each(|_| stdin.write_all(boot.as_bytes()).unwrap());
        // It waits for more, with all read but what is in the pipe.
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let kib = status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")).unwrap();
        kib.trim().parse::<usize>().unwrap() * 1024
    });
    let out = child.wait_with_output().unwrap();
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)), "{verb}");
    assert_eq!(stdout(&out).matches(&format!("boot {boots}: Linux")).count(), 1, "{verb}");
    peak.join().unwrap()
}

/// Many boots are shown one after the other: memory holds one of them.
#[test]
fn memory_does_not_grow_with_the_input() {
    let filler: String =
        (0..4000).map(|n| format!("[    0.4{n:05}] a message of the usual length, number {n}\n")).collect();
    let boot = LOG.replace("[    0.440000]", &format!("{filler}[    0.440000]"));
    for verb in ["time", "blame"] {
        let (few, many) = (peak_memory(verb, &boot, 20), peak_memory(verb, &boot, 300));
        assert!(boot.len() * 280 > few * 2, "{verb}: {few} bytes are too many to show anything");
        assert!(many < few + few / 4, "{verb}: {few} bytes for 20 boots, {many} for 300");
    }
}

#[test]
fn help_has_examples_and_pages_are_written() {
    for verb in ["explain", "time", "blame", "critical-chain", "boot", "capture", "kernels"] {
        let help = stdout(&run(&[verb, "--help"], b""));
        assert!(help.contains("Example"), "{verb}: {help}");
    }
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man");
    assert_eq!(run(&["man", pages.to_str().unwrap()], b"").status.code(), Some(0));
    for page in ["bootline.1", "bootline-explain.1", "bootline-kernels-fetch.1"] {
        assert!(fs::read_to_string(pages.join(page)).unwrap().contains(".TH"), "{page}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&run(&["completions", shell], b"")).contains("explain"), "{shell}");
    }
    let rules = stdout(&run(&["explain", "--rules"], b""));
    assert!(rules.starts_with("con001 synchronous-console\n"), "{rules}");
}

#[test]
fn the_rules_in_json() {
    let out = stdout(&run(&["explain", "--rules", "--json"], b""));
    let document: Value = serde_json::from_str(&out).unwrap();
    schema::check("rules", &document);
    let names: Vec<&str> = document["rules"].as_array().unwrap().iter().map(|r| r["rule"].as_str().unwrap()).collect();
    assert_eq!(names, RULES.iter().map(|r| r.id.title()).collect::<Vec<_>>());
    let refused = run(&["explain", "--rules", "-"], b"");
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
}

/// A verb that is a program of its own is found next to bootline, gets its arguments as they are, and its exit status is bootline's.
#[test]
fn verbs_that_are_programs_of_their_own() {
    use std::os::unix::fs::symlink;
    // Links, because a program that was just written may be busy: another test's child inherits the descriptor.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let own = folder.path().join("bootline");
    fs::hard_link(env!("CARGO_BIN_EXE_bootline"), &own).unwrap();
    let run = |verb: &str| {
        let mut command = isolated(own.to_str().unwrap());
        command.args([verb, "--json", "-x", "a  b"]).env("PATH", "").output().unwrap()
    };
    let missing = run("fleet");
    assert_eq!(missing.status.code(), Some(2));
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.contains("no program `bootline-fleet`") && said.contains("pip install 'bootline[fleet]'"), "{said}");
    symlink("/bin/echo", folder.path().join("bootline-fleet")).unwrap();
    let found = run("fleet");
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "--json -x a  b\n");
    symlink("/bin/false", folder.path().join("bootline-sql")).unwrap();
    assert_eq!(run("sql").status.code(), Some(1));
}
