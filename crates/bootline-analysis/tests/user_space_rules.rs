// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the rules on user space must not say: costs counted twice or long after the boot, and advice that breaks the system.
use bootline_analysis::remedy::{Risk, SystemChange};
use bootline_analysis::rules::{Finding, RuleId, findings};
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;

const LOG: &str = "\
[    0.000000] Linux version 6.12.41 (gcc (GCC) 14.2.0) #1 SMP PREEMPT_DYNAMIC Mon Jan  1 00:00:00 UTC 2026
[    0.000000] Kernel command line: root=/dev/mmcblk0p2 ro
[    0.100000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
";

const MANAGER: &str = "\
Version=257.9
UserspaceTimestampMonotonic=1020000
UnitsLoadFinishTimestampMonotonic=1500000
FinishTimestampMonotonic=200000000

";

/// A unit that began and was up at these times, in milliseconds, with more properties, one a line.
fn unit(name: &str, activating: u64, up: u64, more: &str) -> String {
    format!(
        "Id={name}\nInactiveExitTimestampMonotonic={activating}000\nActiveEnterTimestampMonotonic={up}000\n{more}\n"
    )
}

fn boot(log: &str, units: &str, app: Option<&str>) -> Boot {
    let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &BootOptions::default());
    let content = SourceContent::Facts(bootline_records::source::read(units.as_bytes()));
    let source = BootSource::new("units", content);
    let app = app.map(|app| AppMarker::parse(app).unwrap());
    boot.with_sources(&Vec::from_iter((!units.is_empty()).then_some(source)), app.as_ref())
}

fn of(boot: &Boot, rule: RuleId) -> Option<Finding> {
    findings(boot).into_iter().find(|f| f.rule == rule)
}

fn changes(finding: &Finding) -> Vec<&SystemChange> {
    finding.remedies.iter().flat_map(|r| &r.changes).collect()
}

/// A service that runs for weeks has used more of the processor than the boot had.
#[test]
fn processor_time_from_after_the_boot_is_no_estimate() {
    let busy = "After=base.service\nCPUUsageNSec=7200000000000\n";
    let job = "After=base.service\nType=oneshot\nCPUUsageNSec=400000000\n";
    let app = unit("camera.service", 6_000, 7_000, "After=base.service\nWants=base.service\n");
    let base = unit("base.service", 1_600, 2_000, "");
    let always = [MANAGER, &base, &unit("web.service", 2_100, 2_110, busy), &app].concat();
    let found = of(&boot(LOG, &always, Some("camera.service")), RuleId::Usr003).unwrap();
    assert_eq!(found.cost.best(), Dur::ZERO, "{}", found.why);
    assert!(found.cost.high() <= Dur::from_millis(5_500));

    let with_job = [always, unit("keys.service", 2_100, 3_000, job)].concat();
    let found = of(&boot(LOG, &with_job, Some("camera.service")), RuleId::Usr003).unwrap();
    assert_eq!(found.cost.best(), Dur::from_millis(100), "half of it, on two processors: {}", found.why);
}

#[test]
fn what_another_unit_requires_is_not_masked_and_what_a_socket_starts_is_not_named() {
    let used = "After=base.service\nCPUUsageNSec=900000000\n";
    let units = [
        MANAGER,
        &unit("base.service", 1_600, 2_000, ""),
        &unit("nftables.service", 2_100, 3_000, used),
        &unit("watch.service", 3_100, 3_200, "Requires=nftables.service\nAfter=nftables.service\n"),
        &unit("web.service", 2_100, 3_000, used),
        &unit("cups.service", 2_100, 3_000, &format!("{used}TriggeredBy=cups.socket\n")),
        &unit("cups.socket", 2_000, 2_010, ""),
        &unit("camera.service", 6_000, 7_000, "After=base.service\nWants=base.service\n"),
    ];
    let found = of(&boot(LOG, &units.concat(), Some("camera.service")), RuleId::Usr003).unwrap();
    let masked: Vec<&str> = changes(&found)
        .into_iter()
        .filter_map(|c| if let SystemChange::MaskUnit(unit) = c { Some(unit.as_str()) } else { None })
        .collect();
    assert_eq!(masked, ["web.service", "watch.service"]);
    assert!(!found.why.contains("cups.service"), "{}", found.why);
    assert!(found.remedies.iter().all(|r| r.risk >= Risk::Medium));
}

#[test]
fn masking_what_a_unit_requires_is_a_high_risk() {
    let settle = |requires: &str| {
        let units = [
            MANAGER,
            &unit("base.service", 1_600, 2_000, ""),
            &unit("systemd-udev-settle.service", 2_100, 5_100, "After=base.service\n"),
            &unit("zfs-import.service", 5_200, 5_300, &format!("{requires}After=systemd-udev-settle.service\n")),
            &unit("camera.service", 5_400, 6_000, "After=zfs-import.service\n"),
        ];
        let found = of(&boot(LOG, &units.concat(), Some("camera.service")), RuleId::Usr005).unwrap();
        found.remedies.into_iter().find(|r| !r.changes.is_empty()).unwrap()
    };
    assert_eq!(settle("").risk, Risk::Medium);
    let required = settle("Requires=systemd-udev-settle.service\n");
    assert_eq!(required.risk, Risk::High);
    assert!(required.price.contains("zfs-import.service"), "{}", required.price);
}

#[test]
fn a_time_out_is_counted_once() {
    let units = [
        MANAGER,
        &unit("base.service", 1_600, 2_000, ""),
        "Id=systemd-udev-settle.service\nResult=timeout\nAfter=base.service\n\
         InactiveExitTimestampMonotonic=2100000\nInactiveEnterTimestampMonotonic=182100000\n\n",
        &unit("zfs-import.service", 182_200, 182_300, "After=systemd-udev-settle.service\n"),
        &unit("camera.service", 182_400, 183_400, "After=zfs-import.service\nWants=zfs-import.service\n"),
    ];
    let boot = boot(LOG, &units.concat(), Some("camera.service"));
    let timeout = of(&boot, RuleId::Usr007).unwrap();
    assert_eq!(timeout.cost.best(), Dur::from_millis(180_000));
    assert_eq!(of(&boot, RuleId::Usr005).unwrap().part_of, [RuleId::Usr007]);
    let total: Dur = findings(&boot).iter().filter(|f| f.part_of.is_empty()).map(|f| f.cost.best()).sum();
    assert!(total <= Dur::from_millis(183_400), "{total}");
}

#[test]
fn a_time_out_long_after_the_boot_is_none_of_its_costs() {
    let late = "Result=timeout\nNRestarts=0\n";
    let app = unit("camera.service", 7_300, 8_300, "After=basic.target\n");
    let units = [MANAGER, &unit("vpn.service", 172_800_000, 172_890_000, late), &app].concat();
    assert_eq!(of(&boot(LOG, &units, None), RuleId::Usr007), None);
    assert_eq!(of(&boot(LOG, &units, Some("camera.service")), RuleId::Usr007), None);
}

#[test]
fn time_outs_show_each_units_length_and_what_helps_its_kind() {
    let units = [
        MANAGER,
        &unit("slow.service", 2_000, 12_000, "Result=timeout\n"),
        &unit("vpn.service", 20_000, 110_000, "Result=timeout\n"),
        &unit("camera.service", 110_100, 111_000, ""),
    ];
    let found = of(&boot(LOG, &units.concat(), Some("camera.service")), RuleId::Usr007).unwrap();
    assert!(found.title.contains("slow.service ran into a time-out after 10.000 s"), "{}", found.title);
    assert!(found.title.contains("vpn.service ran into a time-out after 90.000 s"), "{}", found.title);
    assert_eq!(found.cost.high(), Dur::from_millis(100_000), "without the time between them");
    assert!(found.remedies.iter().all(|r| !r.action.contains("fstab")), "{:?}", found.remedies);
}

const FSCK: &str = "\
[    1.500000] systemd[1]: Starting systemd-fsck@dev-a.service - File System Check on /dev/a...
[    1.500000] systemd[1]: Starting systemd-fsck@dev-b.service - File System Check on /dev/b...
[    1.500000] systemd[1]: Starting systemd-fsck@dev-c.service - File System Check on /dev/c...
[    6.500000] systemd[1]: Finished systemd-fsck@dev-a.service - File System Check on /dev/a.
[    6.500000] systemd[1]: Finished systemd-fsck@dev-b.service - File System Check on /dev/b.
[    6.500000] systemd[1]: Finished systemd-fsck@dev-c.service - File System Check on /dev/c.
[    7.500000] systemd[1]: Started app.service - App.
";

#[test]
fn units_that_start_in_parallel_cost_their_time_once() {
    let found = of(&boot(&[LOG, FSCK].concat(), "", None), RuleId::Usr006).unwrap();
    assert_eq!(found.cost.high(), Dur::from_millis(5_000), "{}", found.title);
    assert!(found.remedies.iter().all(|r| !r.action.contains("read-only root")), "none of them is the root");
}

#[test]
fn checks_are_skipped_only_where_there_were_any() {
    let remount = "\
[    1.500000] systemd[1]: Starting systemd-remount-fs.service - Remount Root and Kernel File Systems...
[    1.700000] systemd[1]: Finished systemd-remount-fs.service - Remount Root and Kernel File Systems.
[    2.500000] systemd[1]: Started app.service - App.
";
    let skips = |boot: &Boot| {
        let found = of(boot, RuleId::Usr006).unwrap();
        changes(&found).iter().any(|c| c.to_string() == "fsck.mode=skip")
    };
    assert!(!skips(&boot(&[LOG, remount].concat(), "", None)));
    assert!(skips(&boot(&[LOG, FSCK].concat(), "", None)));
}

/// A capture may go on for an hour after the boot.
#[test]
fn output_after_the_boot_costs_it_nothing() {
    let fires = include_str!("rules/usr009_status_output/fires.log");
    let later: String =
        (0..600).map(|i| format!("[2026-05-06 11:{:02}:{:02}.000] what a program printed\n", i / 60, i % 60)).collect();
    let high = |log: &str| of(&boot(log, "", None), RuleId::Usr009).unwrap().cost.high();
    let (alone, with_later) = (high(fires), high(&[fires, &later].concat()));
    // The speed of the line is measured on all of them.
    assert!((with_later - alone).abs() < alone.scale(0.01), "{alone} {with_later}");
}

#[test]
fn user_space_ends_where_the_system_has_started() {
    let length = |messages: &str| {
        let log =
            [LOG, messages, "[  100.000000] usb 1-1: new high-speed USB device number 2 using xhci_hcd\n"].concat();
        let last = boot(&log, "", None).whole.stages.pop().unwrap();
        last.end - last.start
    };
    let started = "[    3.000000] systemd[1]: Started ssh.service - Secure shell.\n";
    let target = "[    4.000000] systemd[1]: Reached target multi-user.target - Multi-User System.\n";
    let later = "[    9.000000] systemd[1]: Started late.service - A timer's.\n";
    assert_eq!(length(""), Dur::from_millis(99_000), "nothing shows it");
    assert_eq!(length(started), Dur::from_millis(2_000));
    assert_eq!(length(&[started, target, later].concat()), Dur::from_millis(3_000));

    let capture = "\
[2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:08.100] [    1.000000] Run /sbin/init as init process
[2026-05-06 10:11:09.100] Starting everything
[2026-05-06 10:11:09.200] the login: service of this board is on its way
[2026-05-06 10:11:11.100] board login: root
[2026-05-06 10:15:11.100] board login: root
";
    let last = boot(capture, "", None).whole.stages.pop().unwrap();
    assert_eq!(last.end - last.start, Dur::from_millis(3_000));
}

/// A unit that failed has no time at which it was up: nothing shows how early the application could have started.
#[test]
fn an_application_is_not_late_if_the_end_of_a_dependency_is_unknown() {
    let of_app = |after: &str| {
        let app = unit("camera.service", 6_000, 7_000, &format!("After=sysinit.target{after}\n"));
        let units = [
            MANAGER,
            &unit("sysinit.target", 5_000, 5_000, ""),
            "Id=video.service\nInactiveExitTimestampMonotonic=1600000\n\n",
            &app,
        ]
        .concat();
        of(&boot(LOG, &units, Some("camera.service")), RuleId::Usr010)
    };
    let found = of_app("").expect("it declares nothing but what every service has");
    // Without systemd's own start of 480 ms, which is a finding of its own.
    assert!(found.cost.high() == Dur::from_millis(4_500) && found.cost.low() == Dur::ZERO, "{}", found.title);
    assert!(of_app(" video.service").is_none());
}

/// Debian's script of System V waits for udev; nothing else says so.
#[test]
fn scripts_wait_for_udev_too() {
    let log = |until: &str| {
        format!(
            "[2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n\
             [2026-05-06 10:11:07.200] [    0.100000] console [ttyS0] enabled\n\
             [2026-05-06 10:11:08.000] [    1.000000] Run /sbin/init as init process\n\
             [2026-05-06 10:11:08.300] Waiting for /dev to be fully populated...\n\
             [2026-05-06 10:11:08.310] [    1.310000] input: Power Button\n\
             [2026-05-06 10:11:{until}] done.\n"
        )
    };
    let found = |until| {
        let mut boots = BootRecords::all(log(until).as_bytes());
        of(&Boot::analyse(boots.remove(0), &BootOptions::default()), RuleId::Usr005)
    };
    let title = found("14.400").expect("six seconds are worth a finding").title;
    assert_eq!(title, "udev's coldplug and settle took up to 6.100 s");
    assert_eq!(found("08.350"), None);
}

/// systemd-time-wait-sync is wanted by sysinit.target, and nothing is ordered after it unless it asks for that.
#[test]
fn a_clock_that_nothing_waits_for_costs_nothing() {
    let wait = unit("systemd-time-wait-sync.service", 2_100, 40_000, "After=base.service\n");
    let app = unit("camera.service", 2_200, 3_000, "After=base.service\n");
    let units = [MANAGER, &unit("base.service", 1_600, 2_000, ""), &wait, &app].concat();
    assert_eq!(of(&boot(LOG, &units, Some("camera.service")), RuleId::Usr011), None);

    let messages = |until: &str| {
        format!(
            "{LOG}[    2.000000] systemd[1]: Starting systemd-time-wait-sync.service - Wait Until Kernel Time Synchronized...\n\
             [    4.000000] systemd[1]: Started camera.service - The camera.\n\
             [{until}] systemd[1]: Finished systemd-time-wait-sync.service - Wait Until Kernel Time Synchronized.\n\
             [    9.000000] systemd[1]: Reached target multi-user.target - Multi-User System.\n"
        )
    };
    let found = of(&boot(&messages("    8.000000"), "", None), RuleId::Usr011).expect("something may have waited");
    assert_eq!((found.cost.best(), found.cost.high()), (Dur::ZERO, Dur::from_millis(6_000)));
    let later = messages("    8.000000").replace("[    8.0", "[   38.0");
    assert_eq!(of(&boot(&later, "", None), RuleId::Usr011), None, "the boot had ended");
}

/// The console does not show what journald says of itself; a journal given with the log does.
#[test]
fn journald_says_in_the_journal_how_long_it_wrote() {
    let units = [
        MANAGER,
        &unit("base.service", 1_600, 2_000, ""),
        &unit("systemd-journal-flush.service", 2_100, 5_000, "After=base.service\n"),
        &unit("camera.service", 5_100, 6_000, "After=systemd-journal-flush.service\n"),
    ];
    let journal = "__CURSOR=c\n__REALTIME_TIMESTAMP=1790000004900000\n__MONOTONIC_TIMESTAMP=4900000\n_TRANSPORT=driver\n\
                   SYSLOG_IDENTIFIER=systemd-journald\n_PID=210\n\
                   MESSAGE=Time spent on flushing to /var/log/journal/0123 is 1.250s for 700 entries.\n\n";
    let sources = [
        BootSource::new("units", SourceContent::Facts(bootline_records::source::read(units.concat().as_bytes()))),
        BootSource::new("journal", SourceContent::Journal(BootRecords::all(journal.as_bytes()))),
    ];
    let app = AppMarker::parse("camera.service").unwrap();
    let log = Boot::analyse(BootRecords::all(LOG.as_bytes()).remove(0), &BootOptions::default());
    let boot = log.with_sources(&sources, Some(&app));
    let found = of(&boot, RuleId::Usr012).unwrap();
    assert_eq!((found.cost.best(), found.cost.high()), (Dur::from_millis(1_250), Dur::from_millis(2_900)));
    assert!(found.why.contains("(700 entries)"), "{}", found.why);
    let settings: Vec<String> = changes(&found).iter().map(|c| c.to_string()).collect();
    assert_eq!(settings, ["Storage=volatile in /etc/systemd/journald.conf"]);
}

#[test]
fn a_generator_whose_units_are_used_is_not_masked() {
    let manager = "Version=257.9\nUserspaceTimestampMonotonic=1020000\nGeneratorsStartTimestampMonotonic=1100000\n\
                   GeneratorsFinishTimestampMonotonic=1900000\nUnitsLoadFinishTimestampMonotonic=2000000\n\n";
    let masks = |more: &str| -> Vec<String> {
        let app = unit("camera.service", 2_500, 3_000, "After=base.service\n");
        let units = [manager, &unit("base.service", 2_100, 2_400, ""), more, &app].concat();
        let found = of(&boot(LOG, &units, Some("camera.service")), RuleId::Usr013).unwrap();
        changes(&found).iter().filter_map(|c| c.to_string().rsplit('/').next().map(str::to_owned)).collect()
    };
    let (gpt, crypt) = ("systemd-gpt-auto-generator", "systemd-cryptsetup-generator");
    assert_eq!(masks(""), [gpt, crypt, "systemd-hibernate-resume-generator"]);
    let volume = unit("systemd-cryptsetup@data.service", 2_100, 2_300, "");
    assert_eq!(masks(&volume), [gpt, "systemd-hibernate-resume-generator"]);
}

/// fastinit starts the application before it becomes systemd.
#[test]
fn an_application_that_runs_before_systemd_waits_for_no_part_of_it() {
    let units = [
        "Version=257.9\nUserspaceTimestampMonotonic=3020000\nGeneratorsStartTimestampMonotonic=4100000\n\
         GeneratorsFinishTimestampMonotonic=5900000\nUnitsLoadFinishTimestampMonotonic=7000000\n\n",
        &unit("base.service", 7_100, 7_400, ""),
    ];
    let log = [LOG, "[    2.000000] camera: the first picture\n"].concat();
    for rule in [RuleId::Usr013, RuleId::Usr014] {
        assert!(of(&boot(LOG, &units.concat(), None), rule).is_some(), "{rule}");
        assert_eq!(of(&boot(&log, &units.concat(), Some("the first picture")), rule), None);
    }
}

/// An old D-Bus daemon does not state its limit, and calls itself dbus.
#[test]
fn a_time_out_of_dbus_without_its_length_is_bounded_by_the_request() {
    let log = |request: &str| {
        format!(
            "{LOG}[    2.000000] systemd[1]: Started base.service - The base.\n{request}\
             [   40.000000] dbus[312]: [system] Failed to activate service 'org.example.Modem1': timed out\n\
             [   50.000000] systemd[1]: Started camera.service - The camera.\n"
        )
    };
    let request =
        "[   20.000000] dbus[312]: [system] Activating service name='org.example.Modem1' (using servicehelper)\n";
    let high = |log: &str| {
        let found = of(&boot(log, "", None), RuleId::Usr015).unwrap();
        assert_eq!(found.cost.best(), Dur::ZERO, "nothing started at once after it");
        found.cost.high()
    };
    assert_eq!(high(&log("")), Dur::from_secs(25));
    assert_eq!(high(&log(request)), Dur::from_secs(20));
}

/// Scripts of a boot with arrival times; each is its name, its start and its length in milliseconds.
fn scripts(lines: &[(u32, &str)]) -> String {
    let at = |ms: u32| format!("[2026-05-06 10:11:{:02}.{:03}] ", ms / 1_000, ms % 1_000);
    let head = format!(
        "{}[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n{}[    0.900000] Run /sbin/init as init process\n",
        at(1_000),
        at(1_900)
    );
    lines.iter().fold(head, |log, (ms, text)| log + &at(*ms) + text + "\n")
}

#[test]
fn scripts_count_up_to_the_application() {
    let begin = |name: &str| format!(" * Starting {name} ...");
    let ok = "                                     [ ok ]";
    let in_sequence = [
        (2_000, begin("a")),
        (4_000, ok.to_owned()),
        (4_010, begin("b")),
        (5_000, ok.to_owned()),
        (5_010, begin("c")),
        (6_000, ok.to_owned()),
        (6_010, begin("d")),
        (7_000, ok.to_owned()),
    ];
    let texts = |lines: &[(u32, String)]| scripts(&lines.iter().map(|(ms, t)| (*ms, t.as_str())).collect::<Vec<_>>());
    let found = of(&boot(&texts(&in_sequence), "", None), RuleId::Usr016).expect("four scripts");
    assert_eq!((found.cost.best(), found.cost.high()), (Dur::ZERO, Dur::from_millis(2_970)));
    let is_of_openrc = |c: &&SystemChange| matches!(c, SystemChange::FileSetting { .. });
    assert_eq!(changes(&found).into_iter().find(is_of_openrc), None, "it is not OpenRC for certain");

    // Lines of other inits, each broken by a record of the kernel.
    let system_v: Vec<(u32, String)> = (0..4)
        .flat_map(|i| {
            let at = 2_000 + i * 1_000;
            let kernel = format!("[    {}.500000] acme {i}: ready", at / 1_000);
            [(at, format!("Starting s{i}: ")), (at + 400, kernel), (at + 900, "OK".to_owned())]
        })
        .collect();
    let found = of(&boot(&texts(&system_v), "", None), RuleId::Usr016).expect("four scripts");
    assert_eq!(found.cost.high(), Dur::from_millis(2_700), "{}", found.why);

    // Two that end after the application do not count.
    let mut with_app = in_sequence.to_vec();
    with_app.insert(4, (5_005, "camera: the first picture".to_owned()));
    assert_eq!(of(&boot(&texts(&with_app), "", Some("the first picture")), RuleId::Usr016), None);
}

/// Remedies name scripts that `predict` can change, never those that all others need or the one that starts the application.
#[test]
fn remedies_of_scripts_are_predicted() {
    let ok = "                                     [ ok ]";
    let lines: Vec<(u32, String)> = ["mdev", "networking", "ntpd", "sshd", "camera"]
        .iter()
        .zip(0..)
        .flat_map(|(name, i)| {
            [(2_000 + i * 1_000, format!(" * Starting {name} ...")), (2_900 + i * 1_000, ok.to_owned())]
        })
        .chain([(7_500, "camera: the first picture".to_owned())])
        .collect();
    let log = scripts(&lines.iter().map(|(ms, t)| (*ms, t.as_str())).collect::<Vec<_>>());
    let boot = boot(&log, "", Some("the first picture"));
    let found = of(&boot, RuleId::Usr016).unwrap();
    let typed: Vec<&bootline_analysis::remedy::Remedy> =
        found.remedies.iter().filter(|r| !r.changes.is_empty()).collect();
    let settings: Vec<String> = typed.iter().flat_map(|r| &r.changes).map(ToString::to_string).collect();
    let named = ["networking", "ntpd", "sshd"];
    let expected: Vec<String> = [
        named.map(|n| format!("init script {n} after camera: the first picture")),
        named.map(|n| format!("no init script {n}")),
        named.map(|n| format!("init script {n} in the background")),
    ]
    .concat();
    assert_eq!(settings, expected);
    // All but the longest script is what the finding costs at most, and three of five are left out.
    let ms = Dur::from_millis;
    assert_eq!(typed[0].saves.map(|s| (s.low(), s.best(), s.high())), Some((Dur::ZERO, ms(2_700), ms(3_600))));
    assert_eq!(typed[0].saves, typed[1].saves);
    assert!(typed.iter().all(|r| !r.is_applicable()), "which file a script is depends on the init");
}

#[test]
fn a_script_that_sets_the_clock_can_be_left_out() {
    let log = scripts(&[
        (2_000, " * Starting net ..."),
        (2_900, "                                     [ ok ]"),
        (3_000, " * Setting clock via the NTP client 'ntpdate' ..."),
        (6_000, "                                     [ ok ]"),
        (7_000, "board login: "),
    ]);
    let found = of(&boot(&log, "", None), RuleId::Usr011).unwrap();
    let script = "Setting clock via the NTP client 'ntpdate'";
    assert_eq!(changes(&found), [&SystemChange::DisableScript(script.to_owned())]);
    let saves = found.remedies.iter().find_map(|r| r.saves).unwrap();
    assert_eq!((saves.low(), saves.best(), saves.high()), (Dur::ZERO, Dur::from_secs(3), Dur::from_secs(3)));
}

#[test]
fn services_that_write_to_the_console_are_named() {
    let fires = include_str!("rules/usr009_status_output/fires.log");
    let units = [
        "UserspaceTimestampMonotonic=2100000\nUnitsLoadFinishTimestampMonotonic=2200000\n\n",
        &unit("chatty.service", 2_300, 2_400, "StandardOutput=journal+console\n"),
        &unit("serial-getty@ttyS0.service", 2_300, 2_400, "StandardOutput=tty\n"),
        &unit("quiet.service", 2_300, 2_400, "StandardOutput=journal\n"),
    ];
    let found = of(&boot(fires, &units.concat(), None), RuleId::Usr009).unwrap();
    let settings: Vec<String> = changes(&found).iter().map(|c| c.to_string()).collect();
    assert_eq!(settings, ["systemd.show_status=auto", "StandardOutput=journal in chatty.service"]);
}

/// The kernel is told to trace programs; nothing else shows which generator is slow.
#[test]
fn a_trace_shows_which_generator_is_slow() {
    let event = |us: u32, event: &str| format!("     x-1       [000] .....  {}.{us:06}: {event}\n", 1);
    let folder = "/usr/lib/systemd/system-generators";
    let trace = [
        "# tracer: nop\n".to_owned(),
        event(150_000, &format!("sched_process_exec: filename={folder}/acme-generator pid=71 old_pid=71")),
        event(155_000, &format!("sched_process_exec: filename={folder}/systemd-fstab-generator pid=72 old_pid=72")),
        event(175_000, "sched_process_exit: comm=systemd-fstab-g pid=72 prio=120"),
        event(850_000, "sched_process_exit: comm=acme-generator pid=71 prio=120"),
    ]
    .concat();
    let manager = "Version=257.9\nUserspaceTimestampMonotonic=1020000\nGeneratorsStartTimestampMonotonic=1100000\n\
                   GeneratorsFinishTimestampMonotonic=1900000\nUnitsLoadFinishTimestampMonotonic=2000000\n\n";
    let sources = [("units", manager), ("trace", &trace)].map(|(name, text)| {
        BootSource::new(name, SourceContent::Facts(bootline_records::source::read(text.as_bytes())))
    });
    let log = Boot::analyse(BootRecords::all(LOG.as_bytes()).remove(0), &BootOptions::default());
    let found = of(&log.with_sources(&sources, None), RuleId::Usr013).unwrap();
    let shown = "; acme-generator ran for 0.700 s, systemd-fstab-generator ran for 0.020 s.";
    assert!(found.why.contains(shown), "{}", found.why);
}

/// Kernels before 6.2 do not list their security modules.
#[test]
fn without_the_list_of_security_modules_the_user_completes_it() {
    let log = [
        LOG,
        "[    1.100000] systemd[1]: Hostname set to <board>.\n[    1.450000] systemd[1]: bpf-lsm: LSM BPF program attached\n",
    ]
    .concat();
    let manager = "UserspaceTimestampMonotonic=1020000\nUnitsLoadFinishTimestampMonotonic=1500000\n\n";
    let found = of(&boot(&log, &[manager, &unit("base.service", 1_600, 2_000, "")].concat(), None), RuleId::Usr014);
    let remedy = found.unwrap().remedies.remove(0);
    assert!(!remedy.is_applicable(), "{remedy:?}");
    assert_eq!(remedy.setting().unwrap(), "lsm=<the list in /sys/kernel/security/lsm without bpf>");
}
