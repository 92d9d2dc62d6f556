// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chains whose links are known, because the boots are made up here.
use super::*;
use crate::critical_path::CriticalPath;
use crate::user_space::UnitChain;
use bootline_boot::{
    AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent, StageEvidence, WholeEnd, WholeOrigin,
};
use bootline_capture::units::Dur;
use bootline_records::source::read;
use proptest::prelude::*;

/// Firmware 0.5 s, U-Boot 3.5 s, decompression 2 s, the kernel 1 s, an initramfs without systemd 1.5 s, then systemd, whose clock is the
/// kernel's.
const CONSOLE: &str = "\
[2026-05-06 10:11:01.000] NOTICE:  BL1: v2.10
[2026-05-06 10:11:01.500] U-Boot 2024.01 (Jan 08 2024)
[2026-05-06 10:11:05.000] Starting kernel ...
[2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:07.100] [    0.100000] console [ttyS0] enabled
[2026-05-06 10:11:08.000] [    1.000000] Run /init as init process
[2026-05-06 10:11:09.500] Begin: Running /scripts/init-bottom ... done.
[2026-05-06 10:11:10.500]          Starting net.service - The network...
[2026-05-06 10:11:11.000] [  OK  ] Started log.service - A log.
[2026-05-06 10:11:12.000] [  OK  ] Started net.service - The network.
[2026-05-06 10:11:12.100]          Starting app.service - The application...
[2026-05-06 10:11:13.000] [  OK  ] Started app.service - The application.
[2026-05-06 10:11:13.100] [  OK  ] Reached target multi-user.target - Multi-User System.
[2026-05-06 10:11:13.500] app: first frame
";

const MANAGER: &str = "UserspaceTimestampMonotonic=2600000\nGeneratorsStartTimestampMonotonic=2700000\n\
                       GeneratorsFinishTimestampMonotonic=2900000\nUnitsLoadStartTimestampMonotonic=2900000\n\
                       UnitsLoadFinishTimestampMonotonic=3100000\nFinishTimestampMonotonic=6150000\n\n";

fn unit(name: &str, activating: u32, active: u32, after: &str) -> String {
    format!(
        "Id={name}\nAfter={after}\nInactiveExitTimestampMonotonic={activating}000\nActiveEnterTimestampMonotonic={active}000\n\
         CPUUsageNSec=20000000\n\n"
    )
}

fn units() -> String {
    [
        unit("net.service", 3_500, 5_000, "log.service"),
        unit("log.service", 3_900, 4_000, ""),
        unit("app.service", 5_100, 6_000, "net.service log.service"),
        unit("multi-user.target", 6_100, 6_100, "app.service"),
    ]
    .concat()
}

fn with(log: &str, source: &str, app: Option<&str>, marker: Option<&str>) -> Boot {
    let options = BootOptions { marker: marker.map(str::to_owned), ..BootOptions::default() };
    let records = BootRecords::all(log.as_bytes()).into_iter().next().unwrap_or_default();
    let app = app.map(|text| AppMarker::parse(text).unwrap());
    let sources = [BootSource::new("units.txt", SourceContent::Facts(read(source.as_bytes())))];
    let used = if source.is_empty() { &sources[..0] } else { &sources[..] };
    Boot::analyse(records, &options).with_sources(used, app.as_ref())
}

fn chain(boot: &Boot) -> Option<BootChain> {
    BootChain::of(boot, CriticalPath::of(boot).as_ref(), UnitChain::of(boot).as_ref())
}

/// Links without gap or overlap, none of which promises more than its length.
fn check_tiling(chain: &BootChain) {
    assert_eq!(chain.links.first().map_or(chain.end, |link| link.start), chain.start, "{chain:#?}");
    assert_eq!(chain.links.last().map_or(chain.start, |link| link.end), chain.end, "{chain:#?}");
    assert!(chain.links.windows(2).all(|pair| pair[0].end == pair[1].start), "{chain:#?}");
    for link in &chain.links {
        assert!(link.end >= link.start, "{link:?}");
        for part in [link.console, link.processor, link.max_saving].into_iter().flatten() {
            assert!(part >= Dur::ZERO && part <= link.length(), "{link:?}");
        }
    }
    assert_eq!(chain.links.iter().map(BootLink::length).sum::<Dur>(), chain.length());
    assert_eq!(ChainPart::ALL.into_iter().map(|part| chain.part(part)).sum::<Dur>(), chain.length());
}

/// The chain's links in short, with their ends in milliseconds; the kernel's segments as one.
fn links(boot: &Boot, chain: &BootChain) -> Vec<(String, i64)> {
    check_tiling(chain);
    let units = UnitChain::of(boot);
    let unit = |at: usize| boot.whole.units[units.as_ref().unwrap().links[at].unit].name.as_str();
    let mut found: Vec<(String, i64)> = Vec::new();
    for link in &chain.links {
        let name = match link.kind {
            LinkKind::Stage(stage) => stage.word().to_owned(),
            LinkKind::Segment { .. } => "segments".to_owned(),
            LinkKind::Queue { link } => format!("before {}", unit(link)),
            LinkKind::Unit { link } => unit(link).to_owned(),
            LinkKind::Application { link } => format!("application {}", link.map_or("-", unit)),
            kind => format!("{kind:?}"),
        };
        let end = link.end.as_nanos() / 1_000_000;
        match found.last_mut() {
            Some(last) if name == "segments" && last.0 == name => last.1 = end,
            _ => found.push((name, end)),
        }
    }
    found
}

fn check(log: &str, source: &str, app: Option<&str>, expected: &[(&str, i64)]) {
    let boot = with(log, source, app, None);
    let chain = chain(&boot).unwrap();
    let expected: Vec<(String, i64)> = expected.iter().map(|(name, end)| ((*name).to_owned(), *end)).collect();
    assert_eq!(links(&boot, &chain), expected);
}

/// From the first byte to systemd's start; each ends at so many milliseconds.
const TO_SYSTEMD: [(&str, i64); 5] =
    [("firmware", -5_500), ("loader", -2_000), ("decompression", 0), ("segments", 1_000), ("initramfs", 2_600)];
/// systemd's own start.
const SYSTEMD: [(&str, i64); 3] = [("ManagerSetUp", 2_700), ("Generators", 2_900), ("UnitsLoad", 3_100)];

#[test]
fn from_the_first_byte_to_the_application() {
    let units_of_it = [
        // log.service is before net.service by After=, and was up after that began: it did not wait for it.
        ("before net.service", 3_500),
        ("net.service", 5_000),
        ("before app.service", 5_100),
        ("application app.service", 6_000),
    ];
    let expected = [&TO_SYSTEMD[..], &SYSTEMD, &units_of_it].concat();
    check(CONSOLE, &format!("{MANAGER}{}", units()), Some("app.service"), &expected);
    let boot = with(CONSOLE, &format!("{MANAGER}{}", units()), Some("app.service"), None);
    let chain = chain(&boot).unwrap();
    assert_eq!((chain.since, chain.until), (WholeOrigin::FirstByte, ChainEnd::Reached(WholeEnd::Application)));
    let parts = ChainPart::ALL.map(|part| chain.part(part).as_nanos() / 1_000_000);
    assert_eq!(parts, [6_000, 1_000, 1_600, 500, 1_500, 500, 0, 900]);
    let app = chain.links.last().unwrap();
    assert_eq!((app.processor, app.max_saving), (Some(Dur::from_millis(20)), Some(Dur::from_millis(900))));
    let loader = &chain.links[1];
    assert_eq!((loader.max_saving, loader.console), (Some(loader.length()), None));
}

#[test]
fn systemd_is_read_and_linked_and_the_application_executed() {
    let record = "[2026-05-06 10:11:09.550] [    2.550000] Not activating Mandatory Access Control as /sbin/tomoyo-init does not exist.\n";
    let starting = "[2026-05-06 10:11:10.500]          Starting net.service";
    let start_later = MANAGER.replace("UserspaceTimestampMonotonic=2600000", "UserspaceTimestampMonotonic=2650000");
    let log = CONSOLE.replace(starting, &format!("{record}{starting}"));
    let simple = "Type=simple\nExecMainHandoffTimestampMonotonic=6300000\nInactiveExitTimestampMonotonic=5100000";
    let units = units().replace("InactiveExitTimestampMonotonic=5100000", simple);
    let units_of_it = [
        ("before net.service", 3_500),
        ("net.service", 5_000),
        ("before app.service", 5_100),
        ("application app.service", 6_000),
        ("ApplicationExecution", 6_300),
    ];
    // Within the error of the clocks systemd's start is init's.
    let at_once = [("ManagerSetUp", 2_700), ("Generators", 2_900), ("UnitsLoad", 3_100)];
    let to_init = [&TO_SYSTEMD[..4], &[("initramfs", 2_550)]].concat();
    let expected = [&to_init[..], &at_once, &units_of_it].concat();
    check(
        &log,
        &format!("{start_later}{units}"),
        Some("app.service"),
        &[&to_init[..], &[("ManagerLoad", 2_650)], &expected[5..]].concat(),
    );
    check(&log, &format!("{MANAGER}{units}"), Some("app.service"), &expected);
    let boot = with(&log, &format!("{start_later}{units}"), Some("app.service"), None);
    let own = chain(&boot).unwrap().part(ChainPart::Application);
    assert_eq!(own, Dur::from_millis(1_200));
    // A line that it prints.
    let by_line = with(CONSOLE, &format!("{MANAGER}{units}"), Some("app.service=first frame"), None);
    let chain = chain(&by_line).unwrap();
    check_tiling(&chain);
    let own: Vec<(LinkKind, Dur)> = chain.links[chain.links.len() - 2..].iter().map(|l| (l.kind, l.start)).collect();
    let (execution, program) = (LinkKind::ApplicationExecution, LinkKind::ApplicationProgram);
    assert_eq!(own, [(execution, Dur::from_millis(6_000)), (program, Dur::from_millis(6_300))]);
    assert_eq!(chain.end, Dur::from_millis(6_500));
}

#[test]
fn without_an_application_the_chain_ends_with_the_first_transaction() {
    let units_of_it = [
        ("before net.service", 3_500),
        ("net.service", 5_000),
        ("before app.service", 5_100),
        ("app.service", 6_000),
        ("before multi-user.target", 6_100),
        ("multi-user.target", 6_100),
        ("AfterUnits", 6_150),
    ];
    let expected = [&TO_SYSTEMD[..], &SYSTEMD, &units_of_it].concat();
    check(CONSOLE, &format!("{MANAGER}{}", units()), None, &expected);
}

#[test]
fn without_dependencies_user_space_is_one_link_with_its_units() {
    let plain: Vec<String> = units().lines().filter(|l| !l.starts_with("After=")).map(|l| format!("{l}\n")).collect();
    let source = format!("{MANAGER}{}", plain.concat());
    let tail = [("user-space", 5_100), ("application -", 6_000)];
    check(CONSOLE, &source, Some("app.service"), &[&TO_SYSTEMD[..], &SYSTEMD, &tail].concat());
    let boot = with(CONSOLE, &source, Some("app.service"), None);
    let chain = chain(&boot).unwrap();
    let undivided = &chain.links[chain.links.len() - 2];
    let names: Vec<&str> = undivided.units.iter().map(|i| boot.whole.units[*i].name.as_str()).collect();
    assert_eq!(names, ["net.service", "log.service"]);
}

#[test]
fn a_console_alone_shows_stages_and_the_end_that_it_reached() {
    // The initramfs's last word is the last that is known of it.
    let to_user_space = [&TO_SYSTEMD[..4], &[("initramfs", 2_500)]].concat();
    check(CONSOLE, "", Some("first frame"), &[&to_user_space[..], &[("user-space", 6_500)]].concat());
    check(CONSOLE, "", None, &[&to_user_space[..], &[("user-space", 6_100)]].concat());
}

#[test]
fn a_log_without_an_end_of_user_space_has_a_chain_to_init() {
    let log: String = CONSOLE.lines().take(7).map(|line| format!("{line}\n")).collect();
    check(&log, "", None, &TO_SYSTEMD[..4]);
    let boot = with(&log, "", None, None);
    assert_eq!(chain(&boot).unwrap().until, ChainEnd::Init);
    let cut: String = CONSOLE.lines().take(5).map(|line| format!("{line}\n")).collect();
    assert_eq!(chain(&with(&cut, "", None, None)), None);
}

#[test]
fn without_a_log_the_kernel_is_one_link() {
    let source = format!("FirmwareTimestampMonotonic=3000000\nLoaderTimestampMonotonic=1000000\n{MANAGER}{}", units());
    let before = [("firmware", -1_000), ("loader", 0), ("kernel", 2_600)];
    let units_of_it = [
        ("before net.service", 3_500),
        ("net.service", 5_000),
        ("before app.service", 5_100),
        ("application app.service", 6_000),
    ];
    check("", &source, Some("app.service"), &[&before[..], &SYSTEMD, &units_of_it].concat());
}

#[test]
fn stamps_that_contradict_one_another_are_not_used() {
    // Generators that ended after the units were loaded.
    let manager =
        MANAGER.replace("GeneratorsFinishTimestampMonotonic=2900000", "GeneratorsFinishTimestampMonotonic=3300000");
    let boot = with(CONSOLE, &format!("{manager}{}", units()), Some("app.service"), None);
    let found = links(&boot, &chain(&boot).unwrap());
    assert_eq!(found[5..7], [("ManagerStart".to_owned(), 3_100), ("before net.service".to_owned(), 3_500)]);
}

#[test]
fn a_unit_from_before_its_manager_is_cut() {
    let source = format!("{MANAGER}{}", units().replace("log.service", "disk.service"))
        + &unit("disk.service", 500, 3_200, "")
        + &unit("early.service", 300, 700, "");
    let source = source.replace("After=disk.service\n", "After=early.service\n");
    let boot = with(CONSOLE, &source, Some("app.service"), None);
    let found = links(&boot, &chain(&boot).unwrap());
    // early.service, up before init, takes no time of the chain.
    let of_units = [("early.service", 3_100), ("before net.service", 3_500), ("net.service", 5_000)];
    assert_eq!(found[8..11], of_units.map(|(name, end)| (name.to_owned(), end)));
}

#[test]
fn a_chain_of_units_that_does_not_lead_to_the_end_is_left_out() {
    let boot = with(CONSOLE, &format!("{MANAGER}{}", units()), None, Some("Started log.service"));
    let chain = chain(&boot).unwrap();
    assert_eq!(chain.until, ChainEnd::Reached(WholeEnd::Marker));
    let found = links(&boot, &chain);
    assert!(!chain.has_units(), "{found:?}");
    // The kernel's path goes on to the marker; it knows nothing of systemd's own start.
    let rest = [&[("segments", 2_600)], &SYSTEMD[..], &[("segments", 4_000)]].concat();
    assert_eq!(found[3..], rest.into_iter().map(|(name, end)| (name.to_owned(), end)).collect::<Vec<_>>());
}

/// A kernel's log with two initcalls, and a trace of them and of the application's program.
const TRACED: [&str; 2] = [
    "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.100000] calling  one_init+0x0/0x10 @ 1
[    0.200000] initcall one_init+0x0/0x10 returned 0 after 100000 usecs
[    0.300000] calling  two_init+0x0/0x10 @ 1
[    0.500000] initcall two_init+0x0/0x10 returned 0 after 200000 usecs
[    1.000000] Run /sbin/init as init process
[    3.000000] camera: first frame
",
    "# tracer: nop
     swapper/0-1       [000] .....  0.100000: initcall_start: func=one_init+0x0/0x10
     swapper/0-1       [000] .....  0.200000: initcall_finish: func=one_init+0x0/0x10 ret=0
     swapper/0-1       [000] .....  0.300000: initcall_start: func=two_init+0x0/0x10
     swapper/0-1       [000] .....  0.500000: initcall_finish: func=two_init+0x0/0x10 ret=0
        camera-131     [000] .....  2.000000: sched_process_exec: filename=/usr/bin/camera pid=131 old_pid=131
",
];

#[test]
fn a_trace_shows_when_the_applications_program_was_executed() {
    let [log, trace] = TRACED;
    let ends = [("segments", 1_000), ("user-space", 2_000), ("application -", 3_000)];
    check(log, trace, Some("camera: first frame|^camera$"), &ends);
    let boot = with(log, trace, Some("camera: first frame|^camera$"), None);
    let links = chain(&boot).unwrap().links;
    let app = links.last().unwrap();
    assert_eq!(app.start_by, Some(StageEvidence::Process(131)));
    assert_eq!(app.last, boot.whole.application.as_ref().unwrap().record);
}

proptest! {
    /// Whatever the stamps: out of order, before the kernel, after the end.
    #[test]
    fn links_tile_the_boot(
        lines in 0usize..15,
        manager in proptest::collection::vec(proptest::option::of(1u32..8_000), 6),
        stamps in proptest::collection::vec((1u32..8_000, 0u32..1_500), 5),
        edges in proptest::collection::vec((0usize..5, 0usize..5), 0..10),
        app in 0usize..5,
        marker in 0usize..4,
    ) {
        let log: String = CONSOLE.lines().take(lines).map(|line| format!("{line}\n")).collect();
        let names = ["Userspace", "GeneratorsStart", "GeneratorsFinish", "UnitsLoadFinish", "Finish", "Firmware"];
        let mut source: String = names
            .iter()
            .zip(&manager)
            .filter_map(|(name, at)| Some(format!("{name}TimestampMonotonic={}000\n", (*at)?)))
            .collect();
        source += "\n";
        for (i, (from, length)) in stamps.iter().enumerate() {
            let after: Vec<String> = edges.iter().filter(|(a, b)| *a == i && b != a).map(|(_, b)| format!("u{b}.service")).collect();
            let kind = if i == 4 { "multi-user.target".to_owned() } else { format!("u{i}.service") };
            source += &unit(&kind, *from, from + length, &after.join(" "));
        }
        let app = [None, Some("u1.service"), Some("first frame"), Some("BL1"), Some("Started net")][app];
        let marker = [None, Some("console"), Some("Started log"), Some("init-bottom")][marker];
        let boot = with(&log, &source, app, marker);
        let path = CriticalPath::of(&boot);
        let Some(chain) = chain(&boot) else {
            prop_assert!(path.is_none() && boot.whole.end().is_none());
            return Ok(());
        };
        check_tiling(&chain);
        prop_assert!(boot.whole.end().is_none_or(|end| chain.end == end.max(chain.start)));
        prop_assert!(boot.whole.stages.first().is_none_or(|first| chain.start <= first.start));
        for link in &chain.links {
            let LinkKind::Segment { segment } = link.kind else { continue };
            let segment = &path.as_ref().unwrap().segments[segment];
            prop_assert!(segment.start <= link.start && link.end <= segment.end);
        }
    }
}
