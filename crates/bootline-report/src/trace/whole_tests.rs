// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole boots as traces: a log, systemd's properties, a trace and a bootchart, made up here.
use proptest::prelude::*;

use super::checked_sink::{CheckedSink, checked};
use super::traced_boot::{TraceOrigin, TracedBoot, nanos};
use crate::critical_chain::DecidingChain;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;
use bootline_records::source::{ChartMember, read, read_bootchart};

const LOG: &str = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] calling  one_init+0x0/0x10 @ 1
[    0.200000] initcall one_init+0x0/0x10 returned 0 after 100000 usecs
[    0.300000] calling  two_init+0x0/0x10 @ 1
[    0.500000] initcall two_init+0x0/0x10 returned -19 after 200000 usecs
[    1.000000] Run /sbin/init as init process
[    1.100000] systemd[1]: systemd 257.9 running in system mode
[    2.000000] systemd[1]: Starting u0.service - A unit...
[    3.000000] systemd[1]: Started u0.service - A unit.
[    3.500000] systemd[1]: Starting only-here.service - A unit...
";

/// Firmware and boot loader came before the kernel's zero.
const MANAGER: &str = "Version=257.9\nFirmwareTimestampMonotonic=3500000\nLoaderTimestampMonotonic=1200000\nUserspaceTimestampMonotonic=1050000\n\
    UnitsLoadStartTimestampMonotonic=1200000\nUnitsLoadFinishTimestampMonotonic=1500000\nFinishTimestampMonotonic=5000000\n\n";

/// The log's initcalls and one that it lacks, two programs, one marker.
const TRACE: &str = "\
# tracer: nop
     swapper/0-1       [000] .....  0.100000: initcall_start: func=one_init+0x0/0x10
     swapper/0-1       [000] .....  0.200000: initcall_finish: func=one_init+0x0/0x10 ret=0
     swapper/0-1       [000] .....  0.300000: initcall_start: func=two_init+0x0/0x10
     swapper/0-1       [000] .....  0.500000: initcall_finish: func=two_init+0x0/0x10 ret=-19
     swapper/0-1       [000] .....  0.800000: initcall_start: func=three_init+0x0/0x10
     swapper/0-1       [000] .....  1.000000: sched_process_exec: filename=/sbin/init pid=1 old_pid=1
     swapper/0-1       [000] .....  2.000000: sched_process_exec: filename=/usr/bin/cam\u{1b}[2Jera pid=131 old_pid=131
     swapper/0-1       [000] .....  2.500000: tracing_mark_write: camera: sensor is up
";

fn unit(name: &str, activating: i64, active: i64, after: &str) -> String {
    let stamp = |key: &str, ms: i64| if ms > 0 { format!("{key}={ms}000\n") } else { String::new() };
    let (from, up) =
        (stamp("InactiveExitTimestampMonotonic", activating), stamp("ActiveEnterTimestampMonotonic", active));
    format!("Id={name}\nType=notify\nAfter={after}\n{from}{up}CPUUsageNSec=20000000\n\n")
}

fn facts(name: &str, text: &str) -> BootSource {
    BootSource::new(name, SourceContent::Facts(read(text.as_bytes())))
}

/// Samples in which one process comes, one goes, and one was there before.
fn chart() -> BootSource {
    let stat = |pid: u32, name: &str, start: u32| {
        format!("{pid} ({name}) S 1 {}5 0 {}{start} 9 9\n", "0 ".repeat(9), "0 ".repeat(6))
    };
    let sample = |at: u32, all: &[String]| format!("{at}\n{}\n", all.concat());
    let ps = [
        sample(150, &[stat(2, "early", 0), stat(132, "udevd", 120)]),
        sample(250, &[stat(132, "udevd", 120), stat(140, "helper", 200)]),
        sample(350, &[stat(140, "helper", 200)]),
    ];
    let header = "version = 0.8\ntitle = Boot chart for board\nsystem.uname = Linux 6.12.9 #1 SMP\n";
    let members = [(ChartMember::Header, header.as_bytes().to_vec()), (ChartMember::ProcPs, ps.concat().into_bytes())];
    BootSource::new("chart.tgz", SourceContent::Facts(read_bootchart(&members)))
}

fn boot(sources: &[BootSource]) -> Boot {
    let app = AppMarker::parse("u1.service").unwrap();
    let records = BootRecords::all(LOG.as_bytes()).pop().unwrap();
    Boot::analyse(records, &BootOptions::default()).with_sources(sources, Some(&app))
}

/// Everything of the whole boot that has a time is in the trace, once.
fn check_whole(boot: &Boot, got: &CheckedSink) {
    let whole = &boot.whole;
    assert_eq!(got.slices_of("stages"), whole.stages.len());
    assert_eq!(got.length.get("stages").copied(), whole.length());
    assert_eq!(got.instants_of("application"), usize::from(whole.application.is_some()));
    let deciding = DecidingChain::of(boot).shown(boot).map(|shown| shown.chain.length());
    assert_eq!(got.length.get("critical path").copied(), deciding);
    let timed = |is: fn(&bootline_boot::Unit) -> bool| whole.units.iter().filter(|u| is(u)).count();
    assert_eq!(got.slices_of("units"), timed(|u| u.activating.is_some()));
    assert_eq!(got.instants_of("units"), timed(|u| u.activating.is_none() && u.up.is_some()));
    assert_eq!(got.slices_of("processes"), whole.processes.iter().filter(|p| p.start.is_some()).count());
    let only_ended = whole.processes.iter().filter(|p| p.start.is_none() && p.end.is_some()).count();
    assert_eq!(got.instants_of("processes"), only_ended);
    assert_eq!(got.slices_of("traced initcalls"), whole.traced_initcalls.iter().filter(|c| !c.in_log).count());
    assert_eq!(got.instants_of("trace marks"), whole.trace_marks.len());
    // A service is there as itself only where no unit stands for it.
    let services = got.slices_of("services") + got.instants_of("services");
    let with_time = boot.services.iter().filter(|s| s.start.or(s.end).is_some()).count();
    let stood_for = timed(|u| u.begins().is_some() && u.first.is_some());
    assert_eq!(services, with_time - stood_for.min(with_time));
}

#[test]
fn all_sources_are_in_the_trace() {
    let units =
        [MANAGER, &unit("u0.service", 2_000, 3_000, ""), &unit("u1.service", 3_200, 4_000, "u0.service")].concat();
    let boot = boot(&[facts("units.txt", &units), facts("trace.txt", TRACE), chart()]);
    let got = checked(&boot);
    check_whole(&boot, &got);
    assert_eq!((got.slices_of("traced initcalls"), got.instants_of("trace marks")), (1, 1));
    assert!(got.slices_of("processes") >= 4, "{:?}", boot.whole.processes);
    assert_eq!((got.slices_of("units"), got.slices_of("services")), (3, 0), "{:?}", boot.whole.units);
    assert_eq!(got.flows.len(), 1, "u0.service released u1.service");
    // From firmware that began 3.5 s before the kernel.
    let mut origin = TraceOrigin::default();
    let traced = TracedBoot::new(&boot, &[]);
    assert_eq!((traced.first, origin.zero(&traced)), (Dur::from_millis(-3_500), Dur::from_millis(3_500)));
}

#[test]
fn a_later_boot_that_begins_earlier_is_moved_alone() {
    let (plain, whole) = (boot(&[]), boot(&[facts("units.txt", MANAGER)]));
    let (plain, whole) = (TracedBoot::new(&plain, &[]), TracedBoot::new(&whole, &[]));
    let mut origin = TraceOrigin::default();
    let zeros = [&plain, &whole, &plain].map(|traced| origin.zero(traced));
    assert_eq!(zeros, [Dur::ZERO, Dur::from_millis(3_500), Dur::ZERO]);
    assert_eq!((nanos(zeros[1], whole.first), origin.shift()), (0, Dur::ZERO));
}

proptest! {
    #[test]
    fn any_whole_boot_is_a_trace(
        stamps in proptest::collection::vec((-1i64..6_000, -1i64..6_000), 7),
        edges in proptest::collection::vec((0usize..7, 0usize..7), 0..20),
        with in 0..8u32,
    ) {
        let names: Vec<String> = (0..7).map(|i| format!("u{i}.service")).collect();
        let mut units = MANAGER.to_owned();
        for (i, (activating, active)) in stamps.into_iter().enumerate() {
            let after: Vec<&str> = edges.iter().filter(|(a, _)| *a == i).map(|(_, b)| names[*b].as_str()).collect();
            units += &unit(&names[i], activating, active, &after.join(" "));
        }
        let all = [facts("units.txt", &units), facts("trace.txt", TRACE), chart()];
        let sources: Vec<BootSource> =
            all.into_iter().enumerate().filter(|(i, _)| with & (1 << i) != 0).map(|(_, source)| source).collect();
        let boot = boot(&sources);
        check_whole(&boot, &checked(&boot));
    }
}
