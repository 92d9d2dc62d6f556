// SPDX-License-Identifier: MIT OR Apache-2.0
//! `-b`: earlier boots of a machine (a folder that stands for one), as a user asks for them.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use bootline_testkit::isolated;
use serde_json::Value;

/// What the journal of the boot before holds: the kernel's records, systemd's of a unit, and its sums.
fn journal() -> String {
    let boot = "_BOOT_ID=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    let kernel = [
        (0, "Linux version 6.12.9 (gcc-14) #1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1"),
        (300_000, "smp: Brought up 1 node, 2 CPUs"),
        (1_000_000, "Run /sbin/init as init process"),
    ];
    let unit = [
        (1_700_000, "7d4958e842da4a758f6c1cdc7b36dcc5", "Starting net.service - The network..."),
        (3_000_000, "39f53479d3a045ac8e11786248231fbf", "Started net.service - The network."),
    ];
    let mut text: String = kernel
        .iter()
        .map(|(us, message)| {
            format!(
                "__CURSOR=s={us}\n__MONOTONIC_TIMESTAMP=1400000\n{boot}\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={us}\n\
                 PRIORITY=6\nSYSLOG_IDENTIFIER=kernel\nMESSAGE={message}\n\n"
            )
        })
        .collect();
    text.extend(unit.iter().map(|(us, id, message)| {
        format!(
            "__CURSOR=s={us}\n__MONOTONIC_TIMESTAMP={us}\n{boot}\n_TRANSPORT=journal\n_PID=1\nSYSLOG_IDENTIFIER=systemd\n\
             UNIT=net.service\nMESSAGE_ID={id}\nMESSAGE={message}\n\n"
        )
    }));
    text + &format!(
        "__CURSOR=s=9\n__MONOTONIC_TIMESTAMP=9000000\n{boot}\n_TRANSPORT=journal\n_PID=1\nSYSLOG_IDENTIFIER=systemd\n\
         MESSAGE=Startup finished in 2.3s (firmware) + 1.2s (loader) + 1.0s (kernel) + 8s (userspace) = 12.5s.\n\n"
    )
}

/// A machine whose journalctl has the boot before, and says what systemd's says of another.
fn machine(dir: &Path, others: &str) -> String {
    let root = dir.join("root");
    fs::create_dir_all(root.join("run/systemd/system")).unwrap();
    fs::create_dir_all(root.join("bin")).unwrap();
    let boot_id = root.join("proc/sys/kernel/random/boot_id");
    fs::create_dir_all(boot_id.parent().unwrap()).unwrap();
    fs::write(boot_id, "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb\n").unwrap();
    let export = root.join("journal");
    fs::write(&export, journal()).unwrap();
    let journalctl = root.join("bin/journalctl");
    let script = format!(
        "#!/bin/sh\ncase $1 in --boot=-1 | --boot=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) cat '{}' ;; *) {others} ;; esac\n",
        export.display()
    );
    fs::write(&journalctl, script).unwrap();
    fs::set_permissions(&journalctl, fs::Permissions::from_mode(0o755)).unwrap();
    root.to_str().unwrap().to_owned()
}

const NO_SUCH: &str =
    "echo 'Data from the specified boot (-7) is not available: No such boot ID in journal' >&2; exit 1";

fn run(args: &[&str]) -> Output {
    isolated(env!("CARGO_BIN_EXE_bootline")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_boot_before_this_one() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), NO_SUCH);
    for choice in ["-1", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"] {
        let out = run(&["time", "--root", &root, "-b", choice, "--json", "--app", "net.service"]);
        let stderr = text(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("systemd has the properties of the running boot only; units of boot"), "{stderr}");
        let json: Value = serde_json::from_slice(&out.stdout).unwrap();
        let boot = &json["boots"][0];
        assert_eq!(boot["source"], format!("boot {} of this machine", choice.replace("a-a", "aa")));
        assert_eq!(boot["kernel_version"], "6.12.9");
        let stages = boot["whole"]["stages"].as_array().unwrap();
        let names: Vec<&str> = stages.iter().map(|s| s["name"].as_str().unwrap()).collect();
        // Firmware and boot loader are from systemd's sums in the journal.
        assert_eq!(names[..2], ["firmware", "loader"], "{names:?}");
        assert_eq!(stages[0]["length_ns"], 2_300_000_000i64);
        assert_eq!(boot["whole"]["application"]["at_ns"], 3_000_000_000i64);
    }
    for verb in ["explain", "blame", "critical-chain"] {
        let out = run(&[verb, "--root", &root, "--boot=-1"]);
        assert_eq!(out.status.code(), Some(0), "{verb}: {}", text(&out.stderr));
        assert!(text(&out.stdout).contains("boot -1 of this machine"), "{verb}: {}", text(&out.stdout));
    }
    let svg = dir.path().join("boot.svg");
    let out = run(&["plot", "--root", &root, "-b", "-1", "-o", svg.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(fs::read_to_string(svg).unwrap().contains("boot -1 of this machine"));
}

#[test]
fn this_boot_by_its_number_and_its_id() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), NO_SUCH);
    fs::create_dir_all(Path::new(&root).join("dev")).unwrap();
    let kmsg = "6,0,0,-;Linux version 6.18.1 (gcc)\n6,1,500000,-;Run /sbin/init as init process\n";
    fs::write(Path::new(&root).join("dev/kmsg"), kmsg).unwrap();
    for choice in ["0", "bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"] {
        let out = run(&["time", "--root", &root, "-b", choice]);
        assert!(text(&out.stdout).starts_with("this machine: Linux 6.18.1") || text(&out.stdout).contains("6.18.1"));
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    }
}

#[track_caller]
fn check_refused(others: &str, args: &[&str], status: i32, words: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), others);
    let out = run(&[&["explain", "--root", &root], args].concat());
    let stderr = text(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{stderr}");
    assert_eq!(text(&out.stdout), "");
    for words in words {
        assert!(stderr.contains(words), "{stderr}");
    }
}

#[test]
fn boots_that_can_not_be_read_are_named_with_what_to_do() {
    check_refused(
        NO_SUCH,
        &["-b", "-7"],
        3,
        &[
            "error: boot -7 of this machine can't be read: Data from the specified boot (-7) is not available: No such boot ID in journal",
            "hint: `journalctl --list-boots`",
        ],
    );
    check_refused(
        "echo 'Specifying boot ID or boot offset has no effect, no persistent journal was found.' >&2",
        &["-b", "-2"],
        3,
        &["no persistent journal was found\n", "hint: let the journal outlive a boot: `sudo mkdir -p /var/log/journal"],
    );
    check_refused(
        "echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1",
        &["-b", "-2"],
        3,
        &["insufficient permissions\n", "usermod -aG systemd-journal"],
    );
    // What a user sees who may read his own messages only.
    check_refused(
        "printf '__MONOTONIC_TIMESTAMP=3\\n_TRANSPORT=journal\\nMESSAGE=mine\\n\\n'",
        &["-b", "-2"],
        3,
        &["what this user may read of it has no record of the kernel"],
    );
    check_refused(NO_SUCH, &["-b", "yesterday"], 2, &["a boot is 0 for the one that runs, -1 for the one before"]);
    check_refused(NO_SUCH, &["-b", "-1", "boot.cap"], 2, &["cannot be used with"]);
}
