// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces in the forms of several kernels and of trace-cmd, made up here.
use super::super::{Facts, SourceKind, read as read_source};
use super::*;
use proptest::prelude::*;

const TRACE: &str = "\
# tracer: nop
#
# entries-in-buffer/entries-written: 13/13   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
       swapper/0-1       [000] .....     0.100000: initcall_level: level=device
       swapper/0-1       [000] .....     0.200000: initcall_start: func=acpi_init+0x0/0x4f0
       swapper/0-1       [000] d..1.     0.210000: initcall_start: func=inner+0x0/0x10
       swapper/0-1       [000] .....     0.260000: initcall_finish: func=acpi_init+0x0/0x4f0 ret=0
       swapper/0-1       [000] .....     0.300000: initcall_start: func=late_one+0x0/0x4
       swapper/0-1       [000] .....     0.900000: sched_process_exec: filename=/sbin/init pid=1 old_pid=1
            init-1       [000] .....     1.000000: sched_process_fork: comm=init pid=1 child_comm=init child_pid=131
            init-1       [000] d..2.     1.000000: sched_switch: prev_comm=init prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a b next_pid=131 next_prio=120
            init-131     [000] .....     1.010000: sched_process_exec: filename=/usr/bin/my app pid=131 old_pid=131
          my app-131     [000] .....     1.020000: module_load: loop OE
          my app-131     [000] .....     1.030000: initcall_start: func=loop_init+0x0/0x1000 [loop]
          my app-131     [000] .....     1.040000: initcall_finish: func=loop_init+0x0/0x1000 [loop] ret=-19
          my app-131     [000] .....     1.050000: tracing_mark_write: app: first frame
          my app-131     [000] d..2.     1.070000: sched_switch: prev_comm=my app prev_pid=131 prev_prio=120 prev_state=R ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0       [001] .....     1.080000: sched_process_exit: comm=my app pid=131 prio=120
";

fn trace(text: &str) -> (KernelTrace, Vec<(ProblemKind, String)>) {
    let source = read_source(text.as_bytes());
    assert_eq!(source.kind, Some(SourceKind::Trace), "{text}");
    let Facts::Trace(trace) = source.facts else { panic!("{:?}", source.kind) };
    (*trace, source.problems.iter().map(|p| (p.kind, p.detail.clone())).collect())
}

fn ms(ms: i64) -> TraceTime {
    TraceTime::from_nanos(ms * 1_000_000)
}

#[test]
fn initcalls_programs_and_marks() {
    let (trace, problems) = trace(TRACE);
    assert_eq!(problems, Vec::new());
    let calls: Vec<_> = trace.initcalls.iter().map(|c| (c.name.as_str(), c.start, c.end, c.returned)).collect();
    assert_eq!(
        calls,
        [
            ("acpi_init", ms(200), Some(ms(260)), Some(0)),
            // Its end is not there.
            ("inner", ms(210), None, None),
            ("late_one", ms(300), None, None),
            ("loop_init", ms(1_030), Some(ms(1_040)), Some(-19)),
        ]
    );
    assert_eq!((trace.initcalls[0].level.as_deref(), trace.initcalls[3].level.as_deref()), (Some("device"), None));
    assert_eq!(trace.initcalls[3].module.as_deref(), Some("loop"));
    let [init, app] = trace.programs.as_slice() else { panic!("{:?}", trace.programs) };
    assert_eq!((init.path.as_str(), init.start, init.end), ("/sbin/init", ms(900), None));
    assert_eq!((app.path.as_str(), app.parent, app.end), ("/usr/bin/my app", Some(1), Some(ms(1_080))));
    // init from its execution to the switch, the application from its own execution.
    assert_eq!((init.cpu, app.cpu), (Some(Dur::from_millis(100)), Some(Dur::from_millis(60))));
    assert_eq!(trace.modules, [TraceMark { at: ms(1_020), task: 131, text: "loop".to_owned() }]);
    assert_eq!(trace.markers, [TraceMark { at: ms(1_050), task: 131, text: "app: first frame".to_owned() }]);
    assert_eq!((trace.reach, trace.times, &trace.clock), (Some((ms(100), ms(1_080))), TraceTimes::Seconds, &None));
}

#[test]
fn what_trace_cmd_prints() {
    let report = "version = 7\nCPU 1 is empty\ncpus=2\n\
        \x20      swapper/0-1     [000]     0.200000: initcall_start:       func=acpi_init+0x0/0x4f0\n\
        \x20      swapper/0-1     [000]     0.260000: initcall_finish:      func=acpi_init+0x0/0x4f0 ret=0\n\
        \x20           init-1     [000]     0.900000: sched_process_exec:   filename=/sbin/init pid=1 old_pid=1\n\
        \x20           init-1     [000]     1.000000: sched_switch:         init:1 [120] S ==> a b:131 [120]\n\
        \x20            a b-131   [000]     1.000000: bprint:               main: hello\n\
        CPU:1 [233 EVENTS DROPPED]\n";
    let (trace, problems) = trace(report);
    assert_eq!(problems, [(ProblemKind::RecordsLost, "233 events of CPU 1 were lost".to_owned())]);
    assert_eq!((trace.initcalls[0].end, trace.programs[0].cpu), (Some(ms(260)), Some(Dur::from_millis(100))));
    assert_eq!(trace.markers[0].text, "hello");
}

#[test]
fn clocks_and_forms_that_count_no_seconds() {
    let named = format!("local global counter uptime perf [mono] mono_raw boot x86-tsc\n{TRACE}");
    assert_eq!(trace(&named).0.clock.as_deref(), Some("mono"));
    let counts = "# tracer: nop\n   swapper/0-1  [000] ..... 123456: initcall_start: func=a+0x0/0x4\n";
    assert_eq!(trace(counts).0.times, TraceTimes::Counts);
    let latency = "# tracer: nop\n#\n# latency trace v1.1.5 on 6.1.0\n  init-1   0d..1.   12us : initcall_start: func=a+0x0/0x4\n";
    let (latency, problems) = trace(latency);
    assert_eq!((latency.times, problems.len()), (TraceTimes::Latency, 0));
}

#[test]
fn what_is_missing_is_named() {
    let check = |text: String, kind: ProblemKind, what: &str| {
        let (_, problems) = trace(&text);
        let is_it = |(k, detail): &(ProblemKind, String)| *k == kind && detail.contains(what);
        assert!(problems.iter().any(is_it), "{kind:?} {what}: {problems:?}");
    };
    check(format!("{TRACE}CPU:1 [LOST 233 EVENTS]\n"), ProblemKind::RecordsLost, "233 events of CPU 1");
    check(format!("{TRACE}CPU:1 [LOST EVENTS]\n"), ProblemKind::RecordsLost, "events of CPU 1 were lost");
    check(TRACE.replace("13/13", "13/93"), ProblemKind::BeginningLost, "80 events");
    check(TRACE.replace("initcall_start: func=acpi_init", "other: x="), ProblemKind::RecordsLost, "`acpi_init` ends");
    check(TRACE.replace("ret=-19", "ret=soon"), ProblemKind::BadLine, "initcall_finish");
    check(TRACE.replace("pid=131 old_pid=131", ""), ProblemKind::BadLine, "sched_process_exec");
    check(TRACE.replace("1.080000: ", "0.080000: "), ProblemKind::ClockJumpedBack, "go back");
    // Cut in the middle of a line.
    check(TRACE[..TRACE.len() - 60].to_owned(), ProblemKind::BadLine, "");
}

#[test]
fn what_is_no_trace() {
    for text in ["", "[    0.000000] Linux version 6.12\n", "CPU:1 [LOST 233 EVENTS]\n", "a-1 [000] 1.0: x: y\n"] {
        assert_ne!(read_source(text.as_bytes()).kind, Some(SourceKind::Trace), "{text}");
    }
}

#[test]
fn hostile_traces_are_bounded() {
    let one = "  a-1  [000] .....     0.200000: initcall_start: func=a+0x0/0x4\n";
    let (trace, problems) = trace(&format!("# tracer: nop\n{}", one.repeat(kernel_trace::MOST + 9)));
    assert_eq!((trace.initcalls.len(), problems[0].0), (kernel_trace::MOST, ProblemKind::TooManyRecords));
}

proptest! {
    #[test]
    fn nothing_panics(cuts in proptest::collection::vec((any::<prop::sample::Index>(), ".{0,12}"), 0..6)) {
        let mut text = TRACE.to_owned();
        for (at, with) in &cuts {
            let mut at = at.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, with);
        }
        if let Facts::Trace(trace) = read_source(text.as_bytes()).facts {
            prop_assert!(trace.initcalls.iter().all(|c| c.end.is_none_or(|end| end >= c.start)));
            prop_assert!(trace.programs.iter().all(|p| p.end.is_none_or(|end| end >= p.start)));
        }
    }
}
