// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bootcharts as busybox and as bootchart2 write them, made up here.
use super::super::{Facts, read as read_source, read_bootchart};
use super::*;
use crate::ProblemKind;
use bootline_capture::units::{Dur, UptimeTime};
use proptest::prelude::*;

fn at(hundredths: i64) -> UptimeTime {
    UptimeTime::from_nanos(hundredths * 10_000_000)
}

/// A line of /proc/PID/stat up to the 42nd field.
fn stat(pid: u32, name: &str, parent: u32, cpu: (u32, u32), start: u32, io_wait: u32) -> String {
    let zeros = |n: usize| "0 ".repeat(n);
    format!(
        "{pid} ({name}) S {parent} {}{} {} {}{start} {}{io_wait} 0 0\n",
        zeros(9),
        cpu.0,
        cpu.1,
        zeros(6),
        zeros(19)
    )
}

fn chart(members: &[(ChartMember, &str)]) -> (Bootchart, Vec<ProblemKind>) {
    let members: Vec<_> = members.iter().map(|(m, text)| (*m, text.as_bytes().to_vec())).collect();
    let source = read_bootchart(&members);
    let Facts::Bootchart(chart) = source.facts else { panic!("{:?}", source.kind) };
    (*chart, source.problems.iter().map(|p| p.kind).collect())
}

#[test]
fn processes_of_proc_ps() {
    let ps = [
        "310\n".to_owned(),
        stat(1, "init", 0, (3, 4), 2, 5),
        stat(2, "kthreadd", 0, (0, 0), 2, 0),
        stat(7, "kworker/0:1", 2, (9, 9), 2, 0),
        "\n330\n".to_owned(),
        stat(1, "init", 0, (3, 6), 2, 5),
        stat(131, "a (b) c", 1, (1, 2), 315, 1),
        "\n350\n".to_owned(),
        stat(1, "systemd", 0, (3, 6), 2, 5),
        "\n".to_owned(),
        // What the recorder was writing when it was stopped.
        format!("370\n{}", stat(1, "init", 0, (9, 9), 2, 5)),
    ]
    .concat();
    let (chart, problems) = chart(&[(ChartMember::ProcPs, &ps)]);
    assert_eq!((problems, chart.is_relative), (Vec::new(), false));
    assert_eq!(chart.sampled, Some((at(330), at(350))));
    let [init, child] = chart.processes.as_slice() else { panic!("{:?}", chart.processes) };
    assert_eq!((init.pid, init.name.as_str(), init.parent, init.start), (1, "systemd", 0, Some(at(2))));
    assert_eq!((init.cpu, init.io_wait, init.gone), (Dur::from_millis(90), Dur::from_millis(50), None));
    assert_eq!((child.name.as_str(), child.parent, child.start), ("a (b) c", 1, Some(at(315))));
    assert_eq!((child.last_seen, child.gone, child.start_error), (at(330), Some(at(350)), Dur::from_millis(10)));
}

#[test]
fn processes_of_taskstats_start_between_two_samples() {
    let stats = "310\n1 0 init 5000000 2000000 0\n7 2 kworker/0:1 1 0 0\n\n312\n131 1 my udevd 1000 0 0\n\n\
                 400\n131 1 my udevd 9000 500 0\n\n402\n131 1 other 10 0 0\n\n";
    let commands = "131\n:/usr/sbin/udevd\n:udevd\0--daemon\0\n\n131\n:/bin/other\n:\n\n";
    let (chart, problems) = chart(&[(ChartMember::Taskstats, stats), (ChartMember::Cmdline2, commands)]);
    assert_eq!(problems, Vec::new());
    let [init, udevd, other] = chart.processes.as_slice() else { panic!("{:?}", chart.processes) };
    assert_eq!((init.start, init.cpu, init.args.as_deref()), (None, Dur::from_millis(5), None));
    assert_eq!(
        (udevd.name.as_str(), udevd.start, udevd.start_error),
        ("my udevd", Some(at(312)), Dur::from_millis(20))
    );
    assert_eq!((udevd.cpu, udevd.io_wait, udevd.gone), (Dur::from_nanos(9_000), Dur::from_nanos(500), None));
    // A sum that shrinks is another process's; so is the last command line.
    assert_eq!((other.name.as_str(), other.start, other.args.as_deref()), ("other", Some(at(402)), Some("/bin/other")));
    assert_eq!(udevd.args, None);
}

#[test]
fn processors_and_disks() {
    let stat = "310\ncpu  100 0 200 500 50 1 2 0 0 0\ncpu0 1 1 1 1\nbtime 1\n\n410\ncpu  150 10 210 520 80 1 2 3\n\n";
    let disks = "310\n 179 0 mmcblk0 10 0 100 5 1 0 8 2 0 7 9\n 179 1 mmcblk0p1 9 0 90 5 1 0 8 2 0 7 9\n   7 0 loop0 1 0 1 1 0 0 0 0 0 1 1\n\n\
                 410\n 179 0 mmcblk0 20 0 2148 9 1 0 16 2 0 507 9 0 0 0 0\n\n";
    let header = "version = 0.8\ntitle = Boot chart for board (Mon Mar  2 10:00:00 UTC 2026)\nsystem.uname = Linux 6.6.30 #1 SMP armv7l\n\
                  system.kernel.options = console=ttyS0 init=/sbin/bootchartd\n";
    let members = [(ChartMember::ProcStat, stat), (ChartMember::ProcDiskstats, disks), (ChartMember::Header, header)];
    let (chart, problems) = chart(&members);
    assert_eq!(problems, Vec::new());
    assert_eq!(
        chart.processor,
        [
            ProcessorSample { at: at(310), busy: 303, io_wait: 50, total: 853 },
            ProcessorSample { at: at(410), busy: 373, io_wait: 80, total: 976 },
        ]
    );
    assert_eq!(chart.disks, ["mmcblk0"]);
    assert_eq!(
        chart.disk[1],
        DiskSample { at: at(410), disk: 0, read: 2148 * 512, written: 16 * 512, busy: Dur::from_millis(507) }
    );
    assert_eq!(chart.header.release(), Some("6.6.30"));
    assert_eq!(chart.header.kernel_options.as_deref(), Some("console=ttyS0 init=/sbin/bootchartd"));
    assert_eq!(read_source(header.as_bytes()).kind, Some(super::super::SourceKind::Bootchart));
}

#[test]
fn a_recording_that_counts_from_its_own_start_is_recognised() {
    let (chart, _) = chart(&[(ChartMember::ProcPs, &format!("2\n{}\n", stat(1, "init", 0, (3, 4), 9_000, 0)))]);
    assert!(chart.is_relative);
}

#[test]
fn damage_is_named() {
    let check = |member, text: &str, expected: ProblemKind| {
        let (_, problems) = chart(&[(member, text)]);
        assert_eq!(problems, [expected], "{text}");
    };
    check(ChartMember::ProcPs, "310\nno process\n\n", ProblemKind::BadLine);
    check(ChartMember::ProcPs, "310\n-1 (a) S 1 0\n\n", ProblemKind::BadLine);
    check(ChartMember::Taskstats, "310\n1 0 init 5\n\n", ProblemKind::BadLine);
    check(ChartMember::ProcStat, "early\ncpu  1 2 3 4\n\n", ProblemKind::BadLine);
    check(ChartMember::ProcStat, "310\nintr 7\n\n", ProblemKind::BadLine);
    check(ChartMember::ProcStat, "310\ncpu  1 2 3 4\n\n290\ncpu  1 2 3 4\n\n", ProblemKind::ClockJumpedBack);
    check(ChartMember::ProcStat, "99999999999999999999\ncpu  1 2 3 4\n\n", ProblemKind::BadLine);
    let (empty, problems) = chart(&[]);
    assert_eq!((empty, problems), (Bootchart::default(), Vec::new()));
}

#[test]
fn hostile_archives_are_bounded() {
    let many: String = (0..60_000).map(|pid| format!("{pid} 1 a 1 0 0\n")).collect();
    let (chart, problems) = chart(&[(ChartMember::Taskstats, &format!("1\n{many}\n"))]);
    assert_eq!((chart.processes.len(), problems), (chart::MOST_PROCESSES, vec![ProblemKind::TooManyRecords]));
}

proptest! {
    #[test]
    fn no_bytes_panic(data in proptest::collection::vec(any::<u8>(), 0..400), which in 0usize..6) {
        use ChartMember::*;
        let member = [Header, ProcStat, ProcDiskstats, ProcPs, Taskstats, Cmdline2][which];
        read_bootchart(&[(member, [b"310\n1 (init) S 0 ".as_slice(), &data, b"\n\n"].concat())]);
        read_bootchart(&[(member, data)]);
    }
}
