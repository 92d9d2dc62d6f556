// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bootcharts and traces next to a kernel's log, made up here so that the truth is known.
use super::tests::{has, source, stages, whole};
use super::*;
use crate::BootRecords;
use bootline_capture::units::Dur;
use bootline_records::ProblemKind;
use bootline_records::source::{ChartMember, read_bootchart};

/// The kernel's log with two initcalls that only it times, and one that fails.
const LOG: &str = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] calling  one_init+0x0/0x10 @ 1
[    0.200000] initcall one_init+0x0/0x10 returned 0 after 100000 usecs
[    0.300000] calling  two_init+0x0/0x10 @ 1
[    0.500000] initcall two_init+0x0/0x10 returned -19 after 200000 usecs
[    0.600000] calling  three_init+0x0/0x10 @ 1
[    0.700000] initcall three_init+0x0/0x10 returned 0 after 100000 usecs
[    1.000000] Run /sbin/init as init process
[    3.000000] camera: first frame
";

fn ms(ms: i64) -> Dur {
    Dur::from_millis(ms)
}

/// An event by the trace's clock, in microseconds.
fn event(us: i64, event: &str) -> String {
    format!("     swapper/0-1       [000] .....  {}.{:06}: {event}\n", us / 1_000_000, us % 1_000_000)
}

/// The log's initcalls on a clock that is 2 ms ahead, one that the log lacks, and the application's program.
fn trace() -> String {
    let call = |from: i64, to: i64, name: &str, returned: i32| {
        event(from, &format!("initcall_start: func={name}+0x0/0x10"))
            + &event(to, &format!("initcall_finish: func={name}+0x0/0x10 ret={returned}"))
    };
    [
        "# tracer: nop\n".to_owned(),
        call(102_000, 202_000, "one_init", 0),
        call(302_000, 502_000, "two_init", -19),
        call(602_010, 702_000, "three_init", 0),
        call(802_000, 902_000, "four_init", -2),
        event(1_002_000, "sched_process_exec: filename=/sbin/init pid=1 old_pid=1"),
        event(2_002_000, "sched_process_exec: filename=/usr/bin/camera pid=131 old_pid=131"),
        event(2_502_000, "tracing_mark_write: camera: sensor is up"),
    ]
    .concat()
}

#[test]
fn initcalls_in_both_place_a_trace_and_the_rest_of_it_is_added() {
    let boot = whole(LOG, &[source("trace.txt", &trace())], None);
    let used = &boot.whole.sources[0];
    let alignment = used.alignment.unwrap();
    assert_eq!((used.kind, &used.refused), (Some("a trace of ftrace"), &None));
    assert_eq!((alignment.by, alignment.shared, alignment.offset), (AlignedBy::Initcalls, 3, ms(-2)));
    assert_eq!((alignment.residual, alignment.residual_p95), (Dur::ZERO, Dur::from_micros(10)));
    assert!(used.note.as_ref().unwrap().contains("names no clock: `local`"), "{:?}", used.note);
    let calls: Vec<_> =
        boot.whole.traced_initcalls.iter().map(|c| (c.name.as_str(), c.start, c.length(), c.in_log)).collect();
    assert_eq!(calls[1], ("two_init", ms(300), Some(ms(200)), true));
    assert_eq!(calls[3], ("four_init", ms(800), Some(ms(100)), false));
    let names: Vec<_> = boot.whole.processes.iter().map(|p| (p.path_name(), p.start)).collect();
    assert_eq!(names, [("init", Some(ms(1_000))), ("camera", Some(ms(2_000)))]);
    assert_eq!((boot.whole.trace_marks[0].at, boot.whole.trace_marks[0].kind), (ms(2_500), MarkKind::Marker));
    assert!(!boot.problems.iter().any(|p| p.kind.is_of_sources()), "{:?}", boot.problems);
}

#[test]
fn what_log_and_trace_say_differently_is_named_and_not_used() {
    let check = |text: String, what: &str| {
        let boot = whole(LOG, &[source("trace.txt", &text)], None);
        let problem = boot.problems.iter().find(|p| p.kind == ProblemKind::SourcesContradict);
        assert!(problem.is_some_and(|p| p.detail.contains(what)), "{what}: {:?}", boot.problems);
        assert!(boot.whole.traced_initcalls.iter().all(|c| c.name != "two_init"));
    };
    check(trace().replace("ret=-19", "ret=0"), "returned -19 by the log and 0 by the trace");
    check(trace().replace("0.502000", "0.792000"), "took 0.200000 s by the log and 0.490000 s by the trace");
}

#[test]
fn a_trace_of_another_boot_or_clock_is_refused() {
    let check = |text: String, log: &str, expected: SourceRefusal| {
        let boot = whole(log, &[source("trace.txt", &text)], None);
        assert_eq!(boot.whole.sources[0].refused, Some(expected), "{text}");
        assert!(boot.whole.traced_initcalls.is_empty() && boot.whole.processes.is_empty());
        assert!(has(&boot, ProblemKind::SourceNotUsed));
    };
    // All of it 20 s later: no clock that starts with the kernel says so.
    let late = trace().replace("  0.", " 20.");
    check(late, LOG, SourceRefusal::OtherBoot { matched: 0, of: 3 });
    let of = |name: &str| SourceRefusal::TraceClock(Some(name.to_owned()));
    check(format!("local [tai] mono\n{}", trace()), LOG, of("tai"));
    let command_line = "[    0.000000] Kernel command line: trace_clock=x86-tsc\n[    0.100000] calling";
    check(trace(), &LOG.replacen("[    0.100000] calling", command_line, 1), of("x86-tsc"));
    let counts = trace().replace("  0.", "  0").replace("  1.", "  1").replace("  2.", "  2");
    check(counts, LOG, SourceRefusal::TraceClock(None));
    check("# tracer: irqsoff\n# latency trace v1.1.5 on 6.12\n".to_owned(), LOG, SourceRefusal::LatencyFormat);
    check("# tracer: nop\n".to_owned(), LOG, SourceRefusal::Empty);
    let svg = "<?xml version=\"1.0\"?>\n<svg>\n<!-- This file is a bootchart SVG file. -->\n";
    check(svg.to_owned(), LOG, SourceRefusal::Picture);
}

#[test]
fn without_initcalls_in_the_log_the_kernels_start_is_shared() {
    let log: String = LOG.lines().filter(|l| !l.contains("init+0x0")).map(|l| format!("{l}\n")).collect();
    let boot = whole(&log, &[source("trace.txt", &trace())], None);
    let alignment = boot.whole.sources[0].alignment.unwrap();
    assert_eq!((alignment.by, alignment.offset, alignment.shared), (AlignedBy::KernelStart, Dur::ZERO, 0));
    assert_eq!(boot.whole.traced_initcalls.len(), 4);
    assert!(boot.whole.traced_initcalls.iter().all(|c| !c.in_log));
}

#[test]
fn the_applications_process_begins_its_stage() {
    let with = |app: &str| whole(LOG, &[source("trace.txt", &trace())], Some(app));
    // The record, from the start of the process.
    let boot = with("^camera");
    let app = boot.whole.application.as_ref().unwrap();
    assert_eq!((app.name.as_str(), app.start, app.at), ("camera: first frame", Some(ms(2_000)), ms(3_000)));
    assert_eq!(stages(&boot).last(), Some(&(StageName::Application, 2_000, 3_000)));
    assert_eq!(boot.whole.stages.last().unwrap().evidence.title(), "process 131");
    // A whole name comes before a part of one.
    let setup = trace().replace("/sbin/init", "/sbin/camera-setup");
    let app = whole(LOG, &[source("trace.txt", &setup)], Some("camera")).whole.application.unwrap();
    assert_eq!((app.start, app.at), (Some(ms(2_000)), ms(3_000)));
    // The marker, without a process of that name.
    let app = with("sensor is up").whole.application.unwrap();
    assert_eq!((app.name.as_str(), app.start, app.at), ("camera: sensor is up", None, ms(2_500)));
    // The process alone.
    let app = with("bin/camera$").whole.application.unwrap();
    assert_eq!((app.name.as_str(), app.start, app.at), ("/usr/bin/camera", Some(ms(2_000)), ms(2_000)));
}

fn stat(pid: u32, name: &str, cpu: u32, start: u32) -> String {
    format!("{pid} ({name}) S 1 {}{cpu} 0 {}{start} 9 9\n", "0 ".repeat(9), "0 ".repeat(6))
}

/// Three samples from 1.50 s to 3.50 s, a header, and the kernel's log if there is one.
fn chart(release: &str, log: Option<&str>) -> BootSource {
    let sample = |at: u32, processes: &[String]| format!("{at}\n{}\n", processes.concat());
    let ps = [
        sample(150, &[stat(131, "udevd", 5, 120)]),
        sample(250, &[stat(131, "udevd", 25, 120), stat(140, "camera", 10, 200)]),
        sample(350, &[stat(140, "camera", 90, 200)]),
    ];
    let cpu = |at: u32, busy: u32, idle: u32, wait: u32| format!("{at}\ncpu  {busy} 0 0 {idle} {wait} 0 0 0\n\n");
    let stat = [cpu(150, 100, 100, 10), cpu(250, 180, 110, 20), cpu(350, 190, 200, 20)].concat();
    let header = format!("version = 0.8\ntitle = Boot chart for board\nsystem.uname = Linux {release} #1 SMP armv7l\n");
    let members = [(ChartMember::Header, header), (ChartMember::ProcPs, ps.concat()), (ChartMember::ProcStat, stat)];
    let facts = read_bootchart(&members.map(|(member, text)| (member, text.into_bytes())));
    let mut source = BootSource::new("bootchart.tgz", SourceContent::Facts(facts));
    source.log = log.and_then(|log| BootRecords::all(log.as_bytes()).pop());
    source
}

#[test]
fn a_bootchart_shows_processes_and_how_busy_the_machine_was() {
    let boot = whole(LOG, &[chart("6.12.9", Some(LOG))], Some("first frame|^camera$"));
    let used = &boot.whole.sources[0];
    assert_eq!((used.kind, &used.refused), (Some("a bootchart"), &None));
    assert_eq!(used.alignment, Some(Alignment::unchecked(Dur::ZERO, AlignedBy::KernelStart)));
    let note = used.note.as_ref().unwrap();
    assert!(note.contains("whole hundredths of a second") && note.contains("in its dmesg, too"), "{note}");
    let [udevd, camera] = boot.whole.processes.as_slice() else { panic!("{:?}", boot.whole.processes) };
    assert_eq!((udevd.start, udevd.end, udevd.cpu), (Some(ms(1_200)), Some(ms(3_500)), Some(ms(250))));
    assert_eq!((camera.start, camera.end, camera.start_error), (Some(ms(2_000)), None, ms(10)));
    // Up to the application, at 3 s: the last sample is later.
    assert_eq!(stages(&boot).last(), Some(&(StageName::Application, 2_000, 3_000)));
    let load = boot.whole.resource_use.as_ref().unwrap();
    assert_eq!((load.from, load.to, load.processor_busy, load.io_wait), (ms(1_500), ms(2_500), Some(0.8), Some(0.1)));
    // Without an end of the boot it is all of the recording.
    let load = whole(LOG, &[chart("6.12.9", None)], None).whole.resource_use.unwrap();
    assert_eq!((load.to, load.processor_busy), (ms(3_500), Some(90.0 / 200.0)));
}

#[test]
fn a_bootchart_of_another_boot_is_refused() {
    let check = |source: BootSource, expected: SourceRefusal| {
        let boot = whole(LOG, &[source], None);
        assert_eq!(boot.whole.sources[0].refused, Some(expected));
        assert!(boot.whole.processes.is_empty() && boot.whole.resource_use.is_none());
    };
    let other = SourceRefusal::OtherKernel { theirs: "6.1.2".to_owned(), ours: "6.12.9".to_owned() };
    check(chart("6.1.2", None), other);
    // The same kernel's log, with other times.
    check(chart("6.12.9", Some(&LOG.replace("00000]", "03000]"))), SourceRefusal::OtherBoot { matched: 0, of: 8 });
    let log = LOG.replace("    1.000000", "    9.000000").replace("    3.000000", "   12.000000");
    let boot = whole(&log, &[chart("6.12.9", None)], None);
    assert_eq!(boot.whole.sources[0].refused, Some(SourceRefusal::NotSinceBoot));
    let twice = whole(LOG, &[chart("6.12.9", None), chart("6.12.9", None)], None);
    assert_eq!(twice.whole.sources[1].refused, Some(SourceRefusal::Second));
}

#[test]
fn a_process_in_a_bootchart_and_in_a_trace_is_one() {
    let chart = BootSource { content: chart("6.12.9", None).content, name: "chart".to_owned(), log: None };
    let text = trace().replace("pid=131 old_pid=131", "pid=140 old_pid=140");
    let boot = whole(LOG, &[chart, source("trace.txt", &text)], None);
    let camera: Vec<_> = boot.whole.processes.iter().filter(|p| p.pid == 140).collect();
    assert_eq!(camera.len(), 1, "{camera:?}");
    assert_eq!((camera[0].by, camera[0].start, camera[0].cpu), (ProcessBy::Trace, Some(ms(2_000)), Some(ms(900))));
}

#[test]
fn a_sources_defects_are_named() {
    let boot = whole(LOG, &[source("trace.txt", &format!("{}CPU:1 [LOST 9 EVENTS]\n", trace()))], None);
    let problem = boot.problems.iter().find(|p| p.kind == ProblemKind::SourceIncomplete).unwrap();
    assert_eq!(problem.detail, "`trace.txt`: 9 events of CPU 1 were lost");
    assert!(boot.problems.iter().all(|p| !p.kind.spoils_the_answer()));
}
