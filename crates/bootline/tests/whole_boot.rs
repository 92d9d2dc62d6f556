// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other sources than the log, the boot of a machine (a folder that stands for one), and collections, as a user runs them.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use bootline_testkit::isolated;
use serde_json::Value;

/// A kernel's log with three of systemd's messages.
const LOG: &str = "\
[    0.000000] Linux version 6.12.9 (gcc-14) #1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1
[    0.000000] Kernel command line: root=/dev/vda ro
[    0.300000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
[    1.100000] systemd[1]: systemd 257.9 running in system mode
[    1.700000] systemd[1]: Starting net.service - The network...
[    3.000000] systemd[1]: Started net.service - The network.
[    3.200000] systemd[1]: Starting camera.service - The camera...
[    4.000000] systemd[1]: Started camera.service - The camera.
";

const MANAGER: &str = "Version=257.9\nFirmwareTimestampMonotonic=3500000\nLoaderTimestampMonotonic=1200000\nUserspaceTimestampMonotonic=1050000\n\
    UnitsLoadStartTimestampMonotonic=1200000\nUnitsLoadFinishTimestampMonotonic=1500000\nFinishTimestampMonotonic=5000000\n";

fn unit(name: &str, activating: u32, active: u32, after: &str) -> String {
    format!(
        "Id={name}\nAfter={after}\nWants={after}\nInactiveExitTimestampMonotonic={activating}000\n\
         ActiveEnterTimestampMonotonic={active}000\nCPUUsageNSec=20000000\n\n"
    )
}

fn units() -> String {
    [
        unit("net.service", 1_700, 3_000, ""),
        unit("camera.service", 3_200, 4_000, "net.service"),
        unit("late.service", 4_200, 4_900, ""),
    ]
    .concat()
}

fn run(args: &[&str]) -> Output {
    isolated(env!("CARGO_BIN_EXE_bootline")).args(args).output().unwrap()
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn stderr(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

fn json(out: &Output) -> Value {
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}\n{}", stdout(out), stderr(out)))
}

fn file(dir: &Path, name: &str, content: &str) -> String {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The names of the stages and their lengths in milliseconds.
fn stages(boot: &Value) -> Vec<(String, i64)> {
    let all = boot["whole"]["stages"].as_array().unwrap();
    all.iter().map(|s| (s["name"].as_str().unwrap().to_owned(), s["length_ns"].as_i64().unwrap() / 1_000_000)).collect()
}

#[test]
fn sources_and_an_application_make_a_boot_whole() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let out = run(&["explain", &log, "--with", &show, "--app", "camera.service", "--json"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let boot = &json(&out)["boots"][0];
    let expected = [
        ("firmware", 2_300),
        ("loader", 1_200),
        ("dark", 300),
        ("kernel", 700),
        ("user-space", 2_200),
        ("application", 800),
    ];
    assert_eq!(stages(boot), expected.map(|(name, length)| (name.to_owned(), length)));
    assert_eq!(boot["whole"]["sources"][0]["alignment"]["shared"], 4);
    assert_eq!(boot["whole"]["application"]["at_ns"], 4_000_000_000i64);
    let text = stdout(&run(&["time", &log, "--with", &show, "--app", "camera.service"]));
    assert!(text.contains("The application (camera.service) is up 7.500000 s after the firmware's start"), "{text}");
    let chain = stdout(&run(&["critical-chain", &log, "--with", &show, "--app", "camera.service"]));
    assert!(
        chain.contains("The application (camera.service) was up 7.500000 s (kernel clock) after the firmware's start"),
        "{chain}"
    );
    assert!(chain.replace('\n', " ").contains("0.500000 s in systemd's own start"), "{chain}");
    assert!(chain.contains("queue: no unit began"), "{chain}");
    let blame = json(&run(&["blame", &log, "--with", &show, "--json"]));
    assert_eq!(blame["boots"][0]["units"][1]["released_by"], "net.service");
    assert!(text.contains("/units.txt  systemctl show (the manager and units): its clock"), "{text}");
}

#[test]
fn units_are_counted_as_they_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let more = [unit("side.service", 2_000, 2_500, ""), unit("never.service", 3_000, 0, "")].concat();
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}{more}", units()));
    let blame = |more: &[&str]| stdout(&run(&[&["blame", &log, "--with", &show], more].concat()));
    // One of the five never was up.
    assert!(blame(&[]).contains("\n4 units, sorted by the time to start\n"), "{}", blame(&[]));
    let one = blame(&["-n", "1"]);
    assert!(one.contains("\n1 of 4 units, sorted by the time to start\n"), "{one}");
    let chain = stdout(&run(&["critical-chain", &log, "--with", &show, "--app", "net.service"])).replace('\n', " ");
    let off_path = "1 unit that net.service does not need began to start before it was up: side.service.";
    assert!(chain.contains(off_path), "{chain}");
}

#[test]
fn a_change_of_units_is_predicted_where_nothing_is_known_of_a_console() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let predict = |more: &[&str]| run(&[&["predict", &log, "--with", &show, "--app", "camera.service"], more].concat());
    let out = predict(&["--set", "no-wait=net.service", "--set", "stage:firmware=0.3s", "--json"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let boot = &json(&out)["boots"][0];
    assert_eq!(boot["prediction_error"], "the log shows no serial console");
    let [baseline, changed] = boot["whole_predictions"].as_array().unwrap().as_slice() else { panic!("{boot}") };
    let seconds = |value: &Value| value["best"].as_i64().unwrap() as f64 / 1e9;
    assert_eq!((baseline["change"].as_array().unwrap().len(), seconds(&baseline["length_ns"])), (0, 7.5));
    // The firmware's 2.0 s, and the 1.5 s for which camera.service waited for net.service after systemd had loaded its units.
    assert_eq!((seconds(&changed["saved_ns"]), seconds(&changed["length_ns"])), (3.5, 4.0));
    assert_eq!(changed["change"], serde_json::json!(["no-wait=net.service", "stage:firmware=0.3s"]));
    assert_eq!(changed["needs"][0]["unit"], "net.service");
    let text = stdout(&predict(&["--set", "no-wait=net.service", "--set", "stage:firmware=0.3s"]));
    assert!(text.contains("It takes 7.500000 s. With the change it would take 4.000 s"), "{text}");
    // Unasked: what the findings' remedies save, and the application before systemd.
    let all = json(&predict(&["--json"]));
    let changes: Vec<&str> = all["boots"][0]["whole_predictions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|p| p["change"][0].as_str())
        .collect();
    assert!(changes.contains(&"init=fastinit"), "{changes:?}");
}

#[test]
fn what_can_not_be_predicted_of_units_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let check = |args: &[&str], status: i32, said: &str| {
        let out = run(&[&["predict", log.as_str()], args].concat());
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(status), ""), "{}", stderr(&out));
        assert!(stderr(&out).contains(said), "{}", stderr(&out));
    };
    let with = ["--with", show.as_str(), "--app", "camera.service"];
    let set = |setting: &'static str| [with.as_slice(), &["--set", setting]].concat();
    check(&set("mask=nett.service"), 3, "this boot has no unit `nett.service`; the nearest is `net.service`");
    check(&set("mask=camera.service"), 3, "let it start earlier: `--set no-default-dependencies=camera.service`");
    check(&set("stage:initramfs=1s"), 3, "this boot shows no stage `initramfs`");
    check(&set("mask=net"), 3, "this boot has no unit `net`; the nearest is `net.service`");
    check(&set("masks=net.service"), 2, "known: baud, frame, loglevel");
    check(&["--set", "mask=net.service"], 3, "`--app camera.service`");
    check(&["--app", "camera.service", "--set", "mask=net.service"], 3, "systemctl show --all '*'");
    check(
        &[set("mask=net.service").as_slice(), &["--set", "no-wait=net.service"]].concat(),
        2,
        "contradict each other",
    );
}

/// The console of a system with BusyBox's init: each script prints what it does, and then how it ended.
const SCRIPTS: &str = "\
[2026-05-06 10:11:05.000] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:05.900] [    0.900000] Run /sbin/init as init process
[2026-05-06 10:11:06.000] [....] Starting network
[2026-05-06 10:11:08.000] [ ok ] Starting network
[2026-05-06 10:11:08.000] [....] Starting avahi-daemon
[2026-05-06 10:11:09.000] [ ok ] Starting avahi-daemon
[2026-05-06 10:11:09.500] camera: the first picture
[2026-05-06 10:11:10.000] board login: 
";

#[test]
fn a_change_of_init_scripts_is_predicted_from_the_console_alone() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", SCRIPTS);
    let predict = |more: &[&str]| run(&[&["predict", log.as_str(), "--app", "the first picture"], more].concat());
    let out = predict(&["--set", "mask=S50avahi-daemon", "--json"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let boot = &json(&out)["boots"][0];
    let changed = &boot["whole_predictions"][1];
    assert_eq!(changed["saved_ns"]["best"], 1_000_000_000i64);
    assert_eq!(changed["saved_ns"]["low"], 0);
    assert_eq!(
        (&changed["until"], &changed["until_title"]),
        (&"application".into(), &"camera: the first picture".into())
    );
    assert_eq!(changed["needs"][0], serde_json::json!({ "kind": "disable-script", "script": "avahi-daemon" }));
    let text = stdout(&predict(&["--set", "no-wait=network", "--cpus", "2"]));
    assert!(text.contains("nothing waits for network: init script network in the background"), "{text}");
    let check = |setting: &str, said: &str| {
        let out = predict(&["--set", setting]);
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""), "{}", stderr(&out));
        assert!(stderr(&out).contains(said), "{}", stderr(&out));
    };
    check("mask=avahi", "this boot shows no init script `avahi`; similar names: `avahi-daemon`");
    check("mask=avahi", "`bootline blame` with the same input lists the scripts");
    check("init=fastinit", "`init` is only for systemd");
    check("no-default-dependencies=a.service", "`mask=`, `after-app=`");
}

#[test]
fn what_does_not_fit_is_said_and_changes_the_status() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let notes = file(dir.path(), "notes.txt", "nothing known\n");
    let out = run(&["time", &log, "--with", &notes]);
    assert!(stdout(&out).contains("not recognised"), "{}", stdout(&out));
    assert_eq!(out.status.code(), Some(3), "what was given is not used");
    assert!(stderr(&out).contains("its kind is not recognised"), "{}", stderr(&out));
    let blank = file(dir.path(), "blank.txt", "");
    let out = run(&["time", &log, "--with", &blank]);
    assert!(
        stderr(&out).starts_with(&format!(
            "error: `{blank}` is empty, or holds only blanks\n  hint: run the command that writes it again"
        )),
        "{}",
        stderr(&out)
    );
    let folder = dir.path().to_str().unwrap();
    let said = format!("error: `{folder}` is a folder\n  hint: name each file in it: `--with {folder}/FILE`\n");
    assert_eq!(stderr(&run(&["time", &log, "--with", folder])), said);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let no_unit = "no source names the unit `radio.service`\n  hint: ";
    for (args, why) in [
        (&["radio.service"][..], &format!("{no_unit}add the units' properties: `systemctl show --all '*' >units.txt`")),
        (
            &["radio.service", "--with", &show],
            &format!("{no_unit}`bootline blame` with the same sources lists the units"),
        ),
        (
            &["radio is [u]p"],
            &"hint: record for longer, or check that a line of user space matches `radio is [u]p`".into(),
        ),
        (&["mark:ready"], &"the log holds no marks\n  hint: record them: `bootline capture --mark INPUT=NAME`".into()),
    ] {
        for verb in ["explain", "time"] {
            let out = run(&[&[verb, &log, "--app"], args].concat());
            assert_eq!(out.status.code(), Some(3));
            let what = format!("error: the application `{}` was not reached in `{log}`\n  ", args[0]);
            assert!(stderr(&out).starts_with(&format!("{what}{why}")), "{}", stderr(&out));
        }
    }
    let out = run(&["explain", &log, "--app", "("]);
    assert_eq!(out.status.code(), Some(2));
    let out = run(&["explain", &log, "--with", "no.txt"]);
    assert_eq!(out.status.code(), Some(3));
}

/// The lists and totals of the other verbs would lack something without a word.
#[test]
fn what_is_missing_is_said_by_every_verb() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let notes = file(dir.path(), "notes.txt", "nothing that is known\n");
    for verb in ["time", "blame", "critical-chain"] {
        let out = run(&[verb, &log, "--with", &notes]);
        assert!(stdout(&out).contains("Incomplete: "), "{verb}: {}", stdout(&out));
        assert!(!stdout(&run(&[verb, &log])).contains("Incomplete: "), "{verb}");
    }
}

#[test]
fn the_log_is_no_other_source() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let link = dir.path().join("link.log").display().to_string();
    std::os::unix::fs::symlink(&log, &link).unwrap();
    let other_name = dir.path().join(".").join("boot.log").display().to_string();
    for (same, name) in [(&log, "boot.log"), (&other_name, "boot.log"), (&link, "link.log")] {
        let out = run(&["time", &log, "--with", same]);
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(&format!("{name} is the log itself")), "{}", stderr(&out));
    }
}

/// Shares are of the time to what ends the figures.
#[test]
fn a_marker_is_not_called_init() {
    let log = LOG
        .replace("root=/dev/vda", "console=ttyS0,9600 root=/dev/vda")
        .replace("[    0.300000]", "[    0.200000] printk: console [ttyS0] enabled\n[    0.300000]");
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", &log);
    let shown = stdout(&run(&["explain", &log, "--marker", "Started camera"]));
    assert!(shown.contains(" bytes before the marker, "), "{shown}");
    assert!(!shown.contains("before init") && !shown.contains("the time to init"), "{shown}");
}

/// A folder that stands for a machine: files, and commands that print what systemd would.
fn machine(dir: &Path, with_kmsg: bool) -> String {
    let root = dir.join("root");
    fs::create_dir_all(root.join("run/systemd/system")).unwrap();
    if with_kmsg {
        let kmsg = LOG.lines().enumerate().map(|(n, line)| {
            let (stamp, text) = line[1..].split_once("] ").unwrap();
            let us = (stamp.trim().parse::<f64>().unwrap() * 1e6).round();
            format!("6,{n},{us},-;{text}\n")
        });
        file(&root, "dev/kmsg", &kmsg.collect::<String>());
    }
    file(&root, "proc/uptime", "59.0 43.0\n");
    let manager = file(&root, "manager.txt", MANAGER);
    let all = file(&root, "all.txt", &units());
    let script = format!("#!/bin/sh\ncase $* in *--all*) cat '{all}' ;; *) cat '{manager}' ;; esac\n");
    let systemctl = file(&root, "bin/systemctl", &script);
    let journal = file(&root, "bin/journalctl", "#!/bin/sh\necho 'No journal files were found.' >&2\nexit 1\n");
    for command in [systemctl, journal] {
        fs::set_permissions(command, fs::Permissions::from_mode(0o755)).unwrap();
    }
    root.to_str().unwrap().to_owned()
}

#[test]
fn without_a_file_the_boot_of_this_machine_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), true);
    let out = run(&["time", "--root", &root, "--app", "camera.service", "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("not read: journalctl -b -o export --no-pager: No journal files were found."),
        "{}",
        stderr(&out)
    );
    let boot = &json(&out)["boots"][0];
    assert_eq!(boot["source"], "this machine");
    assert_eq!(stages(boot).last().unwrap(), &("application".to_owned(), 800));
    let page = dir.path().join("page.html");
    let out = run(&["plot", "-o", page.to_str().unwrap(), dir.path().join("root/dev/kmsg").to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
}

#[test]
fn without_the_kernels_log_what_systemd_knows_is_shown_with_status_3() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), false);
    let out = run(&["time", "--root", &root, "--json"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("not read: /dev/kmsg: "), "{}", stderr(&out));
    assert!(stderr(&out).contains("no kernel log in `this machine`"), "{}", stderr(&out));
    let names: Vec<String> = stages(&json(&out)["boots"][0]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["firmware", "loader", "kernel", "user-space"]);
}

#[test]
fn a_machine_without_systemd_and_without_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(&["explain", "--root", dir.path().to_str().unwrap()]);
    assert_eq!((stdout(&out).as_str(), out.status.code()), ("", Some(3)));
    assert!(stderr(&out).contains("not read: systemd: systemd is not process 1: no units"), "{}", stderr(&out));
    assert!(stderr(&out).contains("neither a kernel log nor systemd's properties"), "{}", stderr(&out));
}

#[test]
fn a_collection_says_the_same_as_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), true);
    let tar = dir.path().join("boot.tar");
    let tar = tar.to_str().unwrap();
    let out = run(&["collect", "--root", &root, "-o", tar]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let of_tar = json(&run(&["explain", tar, "--app", "camera.service", "--json"]));
    let of_machine = json(&run(&["explain", "--root", &root, "--app", "camera.service", "--json"]));
    assert_eq!(of_tar["boots"][0]["whole"], of_machine["boots"][0]["whole"]);
    assert_eq!(of_tar["boots"][0]["source"], tar);
    // A file that exists is kept.
    assert_eq!(run(&["collect", "--root", &root, "-o", tar]).status.code(), Some(3));
    // Other programs read it, too.
    let listed = isolated("tar").args(["-tf", tar]).output().unwrap();
    assert!(stdout(&listed).starts_with("bootline-collect/bootline-collect.txt\n"), "{}", stdout(&listed));
}

/// A copy of an archive that broke off: what is left is shown, what is lost is named.
#[test]
fn a_cut_collection_is_an_error_and_what_is_left_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), true);
    let tar = dir.path().join("boot.tar");
    let name = tar.to_str().unwrap();
    assert_eq!(run(&["collect", "--root", &root, "-o", name]).status.code(), Some(0));
    let whole = fs::read(&tar).unwrap();
    assert_eq!(run(&["time", name]).status.code(), Some(0));
    // Between two members and within one; the last blocks of the archive alone are no loss.
    let units_from =
        whole.windows(20).position(|w| w == b"systemctl-show.txt\0\0").unwrap() - "bootline-collect/".len();
    for cut in [units_from, units_from + 512 + 100] {
        fs::write(&tar, &whole[..cut]).unwrap();
        let out = run(&["time", name, "--json"]);
        assert_eq!(out.status.code(), Some(3), "{cut}: {}", stderr(&out));
        assert!(stderr(&out).contains("is cut: `systemctl-show.txt` is not in it whole"), "{cut}: {}", stderr(&out));
        assert_eq!(json(&out)["boots"][0]["kernel_version"], "6.12.9", "{cut}");
    }
}

/// The kinds of CSV's rows, each with how many there are.
fn kinds(out: &Output) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    let text = stdout(out);
    let rows = text.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().to_owned());
    rows.for_each(|kind| *kinds.entry(kind).or_default() += 1);
    kinds
}

#[test]
fn a_whole_boot_is_exported_from_its_log_a_machine_or_a_collection() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let root = machine(dir.path(), true);
    let tar = dir.path().join("boot.tar").to_str().unwrap().to_owned();
    assert_eq!(run(&["collect", "--root", &root, "-o", &tar]).status.code(), Some(0));
    for input in [&[&log, "--with", &show][..], &["--root", &root], &[&tar]] {
        let export = |format: &str| {
            let out = run(&[&["export", "--app", "camera.service", "-f", format], input].concat());
            assert_eq!(out.status.code(), Some(0), "{input:?} {format}: {}", stderr(&out));
            out
        };
        let kinds = kinds(&export("csv"));
        assert_eq!((kinds["stage"], kinds["unit"], kinds["application"]), (6, 3, 1), "{input:?}");
        let trace = stdout(&export("chrome"));
        // From the firmware's start, 3.5 s before the kernel's.
        assert!(trace.contains("\"ts\":0.000,\"name\":\"firmware\",\"cat\":\"stage\""), "{trace}");
        assert!(trace.contains("\"axis_zero_ns\":3500000000"), "{trace}");
        assert_eq!(trace.matches("\"ph\":\"s\"").count(), 1, "net.service released camera.service: {trace}");
        let lava = stdout(&export("lava"));
        for (name, time) in [("stage-loader", "1.200000"), ("time-to-application", "7.500000")] {
            assert!(
                lava.contains(&format!("TEST_CASE_ID={name} RESULT=pass UNITS=seconds MEASUREMENT={time}>")),
                "{lava}"
            );
        }
        let page = stdout(&export("markdown"));
        assert!(page.contains("| boot loader |") && page.contains("The application ("), "{page}");
        let whole = json(&export("json"))["boots"][0].clone();
        assert_eq!(whole["explained"]["whole"]["until"], "the application");
        assert_eq!(whole["systemd"]["units_loaded_ns"], 1_500_000_000i64);
        assert_eq!(whole["units"][1]["after"], serde_json::json!(["net.service"]));
    }
    // The log of a collection.
    let text = stdout(&run(&["export", &tar, "-f", "text"]));
    assert!(text.starts_with("6,0,0,-;Linux version 6.12.9"), "{text}");
}

#[test]
fn what_an_export_of_a_whole_boot_can_not_have_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let show = file(dir.path(), "units.txt", &format!("{MANAGER}\n{}", units()));
    let check = |args: &[&str], status: i32, said: &str| {
        let out = run(&[&["export"], args].concat());
        assert_eq!(out.status.code(), Some(status), "{args:?}: {}", stderr(&out));
        assert!(stderr(&out).contains(said), "{args:?}: {}", stderr(&out));
        out
    };
    let unreached = check(&[&log, "--app", "radio.service", "-f", "junit"], 3, "`radio.service` was not reached");
    assert!(stdout(&unreached).contains("name=\"time-to-application\""), "{}", stdout(&unreached));
    assert!(stdout(&unreached).contains("<failure message=\"the application was not reached\""));
    check(&[&log, "--with", &show, "-f", "text"], 2, "`--with` and `--app` add nothing");
    check(&[&log, "--with", &show, "-f", "csv", "-o", &show], 2, "is the input; it would be lost");
    check(&[&log, "--boot", "-1", "-f", "csv"], 2, "are counted from 1");
    check(&["-", "--with", "-", "-f", "csv"], 2, "standard input `-` can be read only once");
    // Without the kernel's log: what systemd knows, in every format.
    let root = machine(dir.path(), false);
    for format in ["perfetto", "chrome", "csv", "markdown", "junit", "lava", "json"] {
        let out = check(&["--root", &root, "-f", format], 3, "no kernel log in `this machine`");
        assert!(!out.stdout.is_empty(), "{format}");
    }
    assert_eq!(kinds(&run(&["export", "--root", &root, "-f", "csv"]))["stage"], 4);
    for format in ["text", "dmesg", "grabserial"] {
        let out = check(&["--root", &root, "-f", format], 3, "no log in `this machine`");
        assert!(out.stdout.is_empty(), "{format}");
    }
    check(&["--root", &root, "-f", "csv", "--clock", "arrival"], 3, "no arrival times in `this machine`");
}

/// Power-on, boot loader and application are in what the firmware told systemd, not in the log.
#[test]
fn a_budget_limits_the_stages_of_collections() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), true);
    let name = |n: usize| dir.path().join(format!("boots/{n}.tar")).to_str().unwrap().to_owned();
    fs::create_dir(dir.path().join("boots")).unwrap();
    for n in 0..2 {
        assert_eq!(run(&["collect", "--root", &root, "-o", &name(n)]).status.code(), Some(0));
    }
    let rule = |of: &str, limit: &str| format!("[[budget]]\nof = \"{of}\"\nat_most = \"{limit}\"\n");
    let budget = |app: &str, loader: &str| {
        let rules =
            [rule("stage:loader", loader), rule("time-to-application", "7.5 s"), rule("stage:kernel", "700 ms")];
        file(dir.path(), "budget.toml", &format!("app = \"{app}\"\n{}", rules.concat()))
    };
    let boots = dir.path().join("boots");
    let boots = boots.to_str().unwrap();
    let check = |budget: String| run(&["check", "--budget", &budget, boots, "--json"]);
    let out = check(budget("camera.service", "1.2 s"));
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let figures =
        json(&out)["limits"].as_array().unwrap().iter().map(|l| l["estimate"]["best"].clone()).collect::<Vec<_>>();
    assert_eq!(figures, [1.2e9, 7.5e9, 0.7e9], "{}", stdout(&out));
    assert_eq!(
        (&json(&out)["whole_since"], &json(&out)["whole_until"]),
        (&"firmware".into(), &"camera.service".into())
    );
    // The suite takes as long as in an export of the boot, not only until init.
    let [xml, export] = [
        stdout(&run(&["check", "--budget", &budget("camera.service", "1.2 s"), boots, "--junit", "-"])),
        stdout(&run(&["export", &name(0), "--app", "camera.service", "-f", "junit"])),
    ];
    let suite_time = |xml: &str| {
        let suite = xml.lines().find(|l| l.contains("<testsuite ")).unwrap().to_owned();
        suite.split(" time=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(
        (suite_time(&xml), suite_time(&export)),
        ("7.500000".to_owned(), "7.500000".to_owned()),
        "{xml}{export}"
    );
    assert!(!export.contains("\"bootline.phase\" name=\"user-space\""), "{export}");
    let out = check(budget("camera.service", "1.1 s"));
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(stderr(&out).starts_with("error: gate `stage:loader` failed"), "{}", stderr(&out));
    let out = check(budget("radio.service", "1.2 s"));
    assert_eq!(out.status.code(), Some(3), "{}", stdout(&out));
    assert!(stderr(&out).contains("the application `radio.service` was not reached"), "{}", stderr(&out));
    let out = run(&["compare", &name(0), &name(1), "--app", "camera.service", "--json"]);
    let changes = json(&out)["changes"].clone();
    assert!(changes.as_array().unwrap().iter().any(|c| c["quantity"] == "time-to-application"), "{changes}");
    // One that was cut is not judged by what is left of it.
    let whole = fs::read(name(0)).unwrap();
    fs::write(name(0), &whole[..whole.len() - 4 * 512]).unwrap();
    let out = check(budget("camera.service", "1.2 s"));
    assert_eq!(out.status.code(), Some(3), "{}", stdout(&out));
    assert!(stderr(&out).contains("is cut"), "{}", stderr(&out));
}

/// Names, addresses and settings of a system are in it.
#[test]
fn a_collection_is_its_owners_alone_and_what_is_private_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), true);
    let tar = dir.path().join("boot.tar");
    let name = tar.to_str().unwrap();
    let mode = || fs::metadata(&tar).unwrap().permissions().mode() & 0o777;
    let out = run(&["collect", "--root", &root, "-o", name]);
    let said = stderr(&out);
    assert!(said.trim_end().ends_with("look before you send it to somebody"), "{said}");
    // The journal could not be read.
    assert!(said.contains("\nthe kernel's log, the units' properties, ") && !said.contains("the journal"), "{said}");
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&tar, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(run(&["collect", "--root", &root, "--force", "-o", name]).status.code(), Some(0));
    assert_eq!(mode(), 0o600);
    // What is named is in it, and all that is in it is counted: here the list and the kernel's log.
    fs::remove_dir_all(Path::new(&root).join("run")).unwrap();
    for entry in ["proc", "sys", "etc"] {
        let _ = fs::remove_dir_all(Path::new(&root).join(entry));
    }
    let said = stderr(&run(&["collect", "--root", &root, "--force", "-o", name]));
    assert!(said.contains(&format!("written to {name}: 2 files, ")), "{said}");
    assert!(
        said.ends_with("\nthe kernel's log in it describes this system: look before you send it to somebody\n"),
        "{said}"
    );
}

/// A user without rights sees his own messages only: they are no log of the boot.
#[test]
fn a_journal_without_the_kernels_records_is_not_taken_for_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let root = machine(dir.path(), false);
    let journal = "#!/bin/sh\nprintf '__MONOTONIC_TIMESTAMP=30000000\\n_BOOT_ID=1\\n_TRANSPORT=journal\\n_PID=900\\nMESSAGE=mine\\n\\n'\n";
    file(Path::new(&root), "bin/journalctl", journal);
    let out = run(&["time", "--root", &root, "--json"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("no kernel log in `this machine`"), "{}", stderr(&out));
    let names: Vec<String> = stages(&json(&out)["boots"][0]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["firmware", "loader", "kernel", "user-space"]);
}

/// The script needs a shell and tar: here with commands of a machine that has systemd's.
#[test]
fn the_script_collects_as_much() {
    let dir = tempfile::tempdir().unwrap();
    let script = file(dir.path(), "collect.sh", &stdout(&run(&["collect", "--script"])));
    let dmesg = file(dir.path(), "bin/dmesg", &format!("#!/bin/sh\ncat <<'END'\n{LOG}END\n"));
    fs::set_permissions(dmesg, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", dir.path().join("bin").display(), std::env::var("PATH").unwrap());
    let out = isolated("sh").arg(&script).env("PATH", path).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let tar = dir.path().join("boot.tar");
    fs::write(&tar, &out.stdout).unwrap();
    let boot = json(&run(&["time", tar.to_str().unwrap(), "--json"]));
    assert_eq!(boot["boots"][0]["kernel_version"], "6.12.9");
    // Its manifest lists what is in it.
    let manifest =
        isolated("tar").args(["-xOf", tar.to_str().unwrap(), "bootline-collect/bootline-collect.txt"]).output();
    let manifest = stdout(&manifest.unwrap());
    assert!(manifest.contains(&format!("file dmesg.txt {}\n", LOG.len())), "{manifest}");
}

/// The shells that are here, each as a command and its arguments.
fn shells() -> Vec<Vec<&'static str>> {
    let all = [vec!["sh"], vec!["dash"], vec!["bash"], vec!["busybox", "ash"]];
    let is_here = |shell: &Vec<&str>| {
        let out = std::process::Command::new(shell[0]).args(&shell[1..]).args(["-c", ":"]).output();
        out.is_ok_and(|out| out.status.success())
    };
    all.into_iter().filter(is_here).collect()
}

/// The script on a device that U-Boot started and that recorded its boot: a folder that stands for it.
#[test]
fn the_script_collects_what_boot_loader_and_recorders_left() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let write = |path: &str, content: &[u8]| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    for (n, name, property, cell) in [
        ("0", "start_kernel\0", "mark", [0, 0x26, 0x25, 0xa0]),
        ("1", "dm_r\0", "accum", [0, 0, 0x4a, 0xa0]),
        ("2", "board_init_f\0", "mark", [0, 0x0f, 0x6b, 0x4f]),
        ("11", "reset\0", "mark", [0; 4]),
    ] {
        write(&format!("proc/device-tree/bootstage/{n}/name"), name.as_bytes());
        write(&format!("proc/device-tree/bootstage/{n}/{property}"), &cell);
    }
    write("proc/stat", b"btime 1000\n");
    write("proc/cmdline", b"trace_event=initcall:*\n");
    write("proc/bootconfig", b"kernel.loglevel = \"3\"\n");
    write("sys/kernel/tracing/trace_clock", b"[local] global counter uptime perf mono mono_raw boot x86-tsc\n");
    let events = "# tracer: nop\n#\n            init-1     [000] .....     0.500000: tracing_mark_write: ready\n";
    write("sys/kernel/tracing/trace", events.as_bytes());
    let chart = bootchart();
    write("var/log/bootlog.tgz", &chart);
    let dmesg = file(dir.path(), "bin/dmesg", &format!("#!/bin/sh\ncat <<'END'\n{LOG}END\n"));
    fs::set_permissions(&dmesg, fs::Permissions::from_mode(0o755)).unwrap();
    // Paths stand in assignments, but for the two names of bootcharts.
    let script = stdout(&run(&["collect", "--script"])).replace("=/", &format!("={}/", root.display()));
    let script = script.replace(" /var/log/", &format!(" {}/var/log/", root.display()));
    // busybox's shell takes its own dmesg, whatever PATH says.
    let script = script.replace("dmesg -r 2>/dev/null || dmesg", &dmesg);
    let tar = dir.path().join("boot.tar");
    let collect = |shell: &[&str], script: &str| {
        let script = file(dir.path(), "collect.sh", script);
        let out = isolated(shell[0]).args(&shell[1..]).arg(&script).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{shell:?} {}", stderr(&out));
        fs::write(&tar, &out.stdout).unwrap();
        stderr(&out)
    };
    let member = |name: &str| {
        let name = format!("bootline-collect/{name}");
        isolated("tar").args(["-xOf", tar.to_str().unwrap(), &name]).output().unwrap().stdout
    };
    let log = file(dir.path(), "boot.log", LOG);
    for shell in shells() {
        collect(&shell, &script);
        let boot = json(&run(&["time", tar.to_str().unwrap(), "--json"]));
        let boot = &boot["boots"][0];
        assert_eq!(stages(boot)[..2], [("firmware".to_owned(), 1_010), ("loader".to_owned(), 1_489)], "{shell:?}");
        let used: Vec<(&str, bool)> = boot["whole"]["sources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| (s["name"].as_str().unwrap(), s["refused"].is_null()))
            .collect();
        assert_eq!(used, [("bootchart.tgz", true), ("bootstage-tree.txt", true), ("trace.txt", true)], "{shell:?}");
        assert_eq!(member("bootchart.tgz"), chart, "{shell:?}");
        assert!(!member("bootconfig.txt").is_empty(), "{shell:?}");
        // Added to another log of the boot: what is in it for people is no source.
        let out = run(&["time", &log, "--with", tar.to_str().unwrap(), "--json"]);
        assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)), "{shell:?}");
        assert_eq!(json(&out)["boots"][0]["whole"]["stages"], boot["whole"]["stages"], "{shell:?}");
    }
    // A file that is too large is cut, one of another boot is left out, and the manifest names both.
    write("proc/stat", b"btime 99999999999\n");
    write("sys/kernel/tracing/trace", events.repeat(20_000).as_bytes());
    let small = script.replace("\nlargest=16\n", "\nlargest=1\n");
    for shell in shells() {
        let said = collect(&shell, &small);
        assert!(said.contains("bootlog.tgz: by its date it is of an earlier boot"), "{shell:?} {said}");
        assert!(said.contains("tracing/trace: only its first 1 MiB were kept"), "{shell:?} {said}");
        assert_eq!((member("trace.txt").len(), member("bootchart.tgz").len()), (1 << 20, 0), "{shell:?}");
    }
}

/// The archive of a bootchart, as busybox's bootchartd packs it.
fn bootchart() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    file(dir.path(), "header", "version = 0.8\ntitle = Boot chart for board\nsystem.uname = Linux 6.12.9\n");
    let ps = "100\n1 (init) S 0 1 1 0 -1 4194560 801 0 3 0 12 7 0 0 20 0 1 0 100 9 9\n\n\
              150\n1 (init) S 0 1 1 0 -1 4194560 801 0 3 0 22 9 0 0 20 0 1 0 100 9 9\n\n";
    file(dir.path(), "proc_ps.log", ps);
    file(dir.path(), "proc_stat.log", "100\ncpu 10 0 10 80 0 0 0\n\n150\ncpu 40 0 20 90 0 0 0\n\n");
    let packed =
        isolated("tar").args(["-czf", "-", "header", "proc_ps.log", "proc_stat.log"]).current_dir(dir.path()).output();
    packed.unwrap().stdout
}

/// U-Boot's bootstage as its memory is: with a log it shows the stages before the kernel, alone it is named.
#[test]
fn a_bootstage_stash_is_a_source_and_no_log() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let records = [(0u32, 178u32, "reset"), (1_010_511, 185, "board_init_f"), (2_500_000, 193, "start_kernel")];
    // A board of 32 bits that counts from the high byte, before U-Boot wrote next_id.
    let rows = records.iter().flat_map(|(us, id, _)| [*us, 0, 0x8000_1000, 0, *id]);
    let names: String = records.iter().map(|(.., name)| format!("{name}\0")).collect();
    let size = 16 + 60 + names.len() as u32;
    let words = [0, 3, size, 0xb007_57a3].into_iter().chain(rows).flat_map(u32::to_be_bytes);
    let bytes: Vec<u8> = words.chain(names.bytes()).chain([0xff; 99]).collect();
    let stash = dir.path().join("stash.bin");
    fs::write(&stash, &bytes).unwrap();
    let stash = stash.to_str().unwrap();
    let out = run(&["explain", &log, "--with", stash, "--json"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let boot = &json(&out)["boots"][0];
    assert_eq!(stages(boot)[..2], [("firmware".to_owned(), 1_010), ("loader".to_owned(), 1_489)]);
    let out = run(&["explain", stash]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("is a bootstage stash of U-Boot: no kernel log is in it"), "{}", stderr(&out));
    assert!(stderr(&out).contains("--with FILE"), "{}", stderr(&out));
    // Why it is not used.
    fs::write(stash, [&[0, 0, 0, 2], &bytes[4..]].concat()).unwrap();
    let out = run(&["explain", &log, "--with", stash]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("version 2 of U-Boot's bootstage stash is not known"), "{}", stderr(&out));
}
