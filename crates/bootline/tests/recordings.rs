// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bootcharts and traces as a user gives them: archives with `--with` and alone, text, JSON and page.
use std::fs;
use std::path::Path;
use std::process::Output;

use bootline_testkit::isolated;
use serde_json::Value;

const LOG: &str = "\
[    0.000000] Linux version 6.12.9 (gcc-14) #1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1
[    0.000000] Kernel command line: console=ttyS0 root=/dev/mmcblk0p2
[    0.300000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
[    3.000000] camera: first frame
";

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

fn stat(pid: u32, name: &str, parent: u32, cpu: u32, start: u32) -> String {
    format!("{pid} ({name}) S {parent} {}{cpu} 0 {}{start} 9 9\n", "0 ".repeat(9), "0 ".repeat(6))
}

/// An archive of busybox's bootchartd, or of bootchart2 with the kernel's log, by tar. Kernel threads whose numbers count up are in
/// each sample.
fn bootchart(dir: &Path, name: &str, dmesg: Option<&str>) -> String {
    let threads: String =
        (2..40).map(|pid| stat(pid, &format!("kworker/{pid}"), if pid == 2 { 0 } else { 2 }, 0, 1)).collect();
    let sample = |at: u32, rest: String| format!("{at}\n{}{threads}{rest}\n", stat(1, "init", 0, 30, 1));
    let ps = [
        sample(150, stat(131, "udevd", 1, 5, 120)),
        sample(250, stat(131, "udevd", 1, 25, 120) + &stat(140, "camera", 1, 10, 200)),
        sample(350, stat(140, "camera", 1, 90, 200)),
    ];
    let cpu = |at: u32, busy: u32, idle: u32, wait: u32| format!("{at}\ncpu  {busy} 0 0 {idle} {wait} 0 0 0\n\n");
    let disk = |at: u32, sectors: u32, ms: u32| format!("{at}\n 179 0 mmcblk0 9 0 {sectors} 5 1 0 8 2 0 {ms} 9\n\n");
    let folder = dir.join(name);
    let write = |member: &str, text: &str| _ = file(&folder, member, text);
    write(
        "header",
        "version = 0.8\ntitle = Boot chart for board (Mon Mar  2 10:00:00 UTC 2026)\nsystem.uname = Linux 6.12.9 #1 SMP armv7l\n",
    );
    write("proc_ps.log", &ps.concat());
    write("proc_stat.log", &[cpu(150, 100, 100, 10), cpu(250, 180, 110, 20), cpu(350, 190, 200, 20)].concat());
    write("proc_diskstats.log", &[disk(150, 0, 0), disk(250, 2_048, 500), disk(350, 2_048, 500)].concat());
    let mut members = vec!["header", "proc_diskstats.log", "proc_ps.log", "proc_stat.log"];
    if let Some(dmesg) = dmesg {
        write("dmesg", dmesg);
        members.insert(1, "dmesg");
    }
    let tgz = dir.join(format!("{name}.tgz")).to_str().unwrap().to_owned();
    let tar = isolated("tar").args(["-czf", &tgz, "-C", folder.to_str().unwrap()]).args(members).output().unwrap();
    assert!(tar.status.success(), "{}", stderr(&tar));
    tgz
}

fn trace() -> String {
    let event = |time: &str, event: &str| format!("       swapper/0-1       [000] .....     {time}: {event}\n");
    [
        "# tracer: nop\n#\n".to_owned(),
        event("0.400000", "initcall_start: func=mmc_init+0x0/0x10"),
        event("0.900000", "initcall_finish: func=mmc_init+0x0/0x10 ret=0"),
        event("1.000100", "sched_process_exec: filename=/sbin/init pid=1 old_pid=1"),
        event("2.000000", "sched_process_exec: filename=/usr/bin/camera pid=140 old_pid=140"),
        "CPU:1 [LOST 233 EVENTS]\n".to_owned(),
    ]
    .concat()
}

#[test]
fn a_bootchart_shows_processes_and_the_applications_start() {
    let dir = tempfile::tempdir().unwrap();
    let (log, chart) = (file(dir.path(), "boot.log", LOG), bootchart(dir.path(), "bootlog", None));
    let args = ["explain", &log, "--with", &chart, "--app", "first frame|^camera$"];
    let out = run(&[&args[..], &["--json"]].concat());
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let whole = &json(&out)["boots"][0]["whole"];
    let source = &whole["sources"][0];
    assert_eq!((&source["kind"], &source["alignment"]["by"]), (&"a bootchart".into(), &"kernel-start".into()));
    let names: Vec<&str> = whole["processes"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["init", "udevd", "camera"], "kernel threads are no processes of user space");
    assert_eq!(whole["processes"][2]["cpu_ns"], 900_000_000i64);
    assert_eq!(
        (&whole["resource_use"]["processor_busy"], &whole["resource_use"]["io_wait"]),
        (&0.8.into(), &0.1.into())
    );
    assert_eq!(whole["resource_use"]["disks"][0]["read_bytes"], 1u64 << 20);
    assert_eq!(whole["application"]["process"], 140);
    let last = whole["stages"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["name"], &last["start_ns"]), (&"application".into(), &2_000_000_000i64.into()));
    let text = stdout(&run(&args));
    assert!(text.contains("Processes by the processor time that they used"), "{text}");
    assert!(text.contains("the processors worked for 80 % of their time"), "{text}");
    let page = dir.path().join("page.html");
    let out = run(&["plot", &log, "--with", &chart, "-o", page.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(fs::read_to_string(&page).unwrap().contains("\"about\":\"process\""));
}

#[test]
fn a_trace_shows_initcalls_that_the_log_lacks_and_its_lost_events_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (log, trace) = (file(dir.path(), "boot.log", LOG), file(dir.path(), "trace.txt", &trace()));
    let out = run(&["explain", &log, "--with", &trace]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let text = stdout(&out);
    for words in ["mmc_init", "/usr/bin/camera", "233 events of CPU 1 were lost", "it names no clock: `local`"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let out = run(&["blame", &log, "--with", &trace, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let call = &json(&out)["boots"][0]["traced_initcalls"][0];
    let expected = (&"mmc_init".into(), &400_000_000i64.into(), &900_000_000i64.into(), &false.into());
    assert_eq!((&call["name"], &call["start_ns"], &call["end_ns"], &call["in_log"]), expected);
    let out = run(&["explain", &log, "--with", &trace, "--app", "^camera$"]);
    assert!(
        stdout(&out).contains("The application (/usr/bin/camera) starts, process 140, 2.000000 s after"),
        "{}",
        stdout(&out)
    );
}

#[test]
fn alone_a_bootchart_needs_the_kernels_log() {
    let dir = tempfile::tempdir().unwrap();
    let chart = bootchart(dir.path(), "bootlog", None);
    let out = run(&["explain", &chart]);
    assert_eq!((stdout(&out).as_str(), out.status.code()), ("", Some(3)));
    assert!(stderr(&out).contains("is a bootchart: no kernel log is in it"), "{}", stderr(&out));
    assert!(stderr(&out).contains("--with FILE"), "{}", stderr(&out));
    let chart = bootchart(dir.path(), "bootchart", Some(LOG));
    let out = run(&["explain", &chart, "--json"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    let boot = &json(&out)["boots"][0];
    assert_eq!((&boot["kernel_version"], &boot["source"]), (&"6.12.9".into(), &chart.as_str().into()));
    assert_eq!(boot["whole"]["processes"].as_array().unwrap().len(), 3);
}

#[test]
fn what_can_not_be_used_is_an_error_by_its_kind() {
    let dir = tempfile::tempdir().unwrap();
    let log = file(dir.path(), "boot.log", LOG);
    let check = |with: &str, words: &str| {
        let out = run(&["explain", &log, "--with", with]);
        assert_eq!(out.status.code(), Some(3), "{words}: {}", stdout(&out));
        assert!(stderr(&out).contains(words), "{words}: {}", stderr(&out));
    };
    let svg = "<?xml version=\"1.0\" standalone=\"no\"?>\n<svg>\n<!-- This file is a bootchart SVG file. It is -->\n\
               <text class=\"t1\" x=\"0\" y=\"30\">Bootchart for board - Mon, 02 Mar 2026 10:00:00 +0000</text>\n</svg>\n";
    let svg = file(dir.path(), "bootchart.svg", svg);
    check(&svg, "it is drawn, and holds no data");
    let out = run(&["explain", &svg]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("is a picture that systemd-bootchart drew"), "{}", stderr(&out));
    let out = run(&["explain", &file(dir.path(), "trace.txt", &trace())]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("is a trace of ftrace") && stderr(&out).contains("--with FILE"), "{}", stderr(&out));
    let other = LOG.replace("6.12.9 (", "6.1.2 (");
    let chart = bootchart(dir.path(), "bootlog", None);
    let out = run(&["explain", &file(dir.path(), "other.log", &other), "--with", &chart]);
    assert!(stderr(&out).contains("is of another kernel and was not used: of 6.12.9"), "{}", stderr(&out));
    check(&file(dir.path(), "header", "title = Boot chart for board\n"), "says nothing of a boot");
    let counts = trace().replace("0.400000", "400000");
    check(&file(dir.path(), "counts.txt", &counts), "its times are a counter's, not seconds");
    // A copy that broke off.
    let whole = fs::read(&chart).unwrap();
    let cut = dir.path().join("cut.tgz");
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    check(cut.to_str().unwrap(), "cut.tgz");
}
