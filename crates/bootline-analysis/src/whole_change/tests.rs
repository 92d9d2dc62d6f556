// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes to boots whose answers are known, because the boots are made up here.
use super::*;
use crate::predict::SettingError;
use crate::rule_id::RuleId;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::{Dur, Interval};
use bootline_records::source::read;
use proptest::prelude::*;

const MANAGER: &str = "UserspaceTimestampMonotonic=1000000\nUnitsLoadStartTimestampMonotonic=1100000\n\
                       UnitsLoadFinishTimestampMonotonic=2000000\nFinishTimestampMonotonic=9000000\n\n";

/// A unit from and until when, in ms, with its processor time in ms and further properties.
fn unit(name: &str, activating: u32, active: u32, cpu: u32, rest: &str) -> String {
    format!(
        "Id={name}\nInactiveExitTimestampMonotonic={activating}000\nActiveEnterTimestampMonotonic={active}000\n\
         CPUUsageNSec={cpu}000000\n{rest}\n\n"
    )
}

/// app (5.0 to 6.0 s) waits for net (3.1 to 4.8, which waits for bus, up at 3.0) and for disk (2.1 to 4.0); basic.target is what every
/// service waits for. other is nobody's and works for 1 s.
fn units(further: &str) -> String {
    [
        MANAGER.to_owned(),
        unit("basic.target", 2_050, 2_050, 0, ""),
        unit("bus.service", 2_200, 3_000, 40, "After=basic.target"),
        unit("net.service", 3_100, 4_800, 40, "After=bus.service"),
        unit("disk.service", 2_100, 4_000, 40, "After=basic.target"),
        unit("other.service", 2_500, 3_500, 1_000, "Type=oneshot\nRemainAfterExit=yes"),
        unit("app.service", 5_000, 6_000, 100, "After=net.service disk.service basic.target\nRequires=disk.service"),
        unit("late.service", 8_000, 8_500, 40, ""),
        further.to_owned(),
    ]
    .concat()
}

fn boot(units: &str, app: Option<&str>) -> Boot {
    let app = app.map(|text| AppMarker::parse(text).unwrap());
    let source = BootSource::new("units.txt", SourceContent::Facts(read(units.as_bytes())));
    let options = BootOptions { cpus: Some(2), ..BootOptions::default() };
    Boot::analyse(BootRecords::default(), &options).with_sources(&[source], app.as_ref())
}

fn predict_whole(boot: &Boot, change: &WholeChange) -> Result<WholePrediction, WholePredictionError> {
    super::predict_whole(boot, change, &FindingCosts::default())
}

fn change(words: &str) -> WholeChange {
    WholeChange::of(words.split_whitespace().map(|word| word.parse::<AnySetting>().unwrap())).unwrap()
}

/// What a change saves of the made-up boot, in ms.
#[track_caller]
fn check(further: &str, words: &str, expected: [i64; 3]) {
    let boot = boot(&units(further), Some("app.service"));
    let predicted = predict_whole(&boot, &change(words)).unwrap();
    let [low, best, high] = expected.map(Dur::from_millis);
    assert_eq!(predicted.saved, Interval::new(low, best, high), "{words}");
    let whole = boot.whole.length().unwrap();
    assert_eq!(predicted.length.best(), (whole - best).max_zero(), "{words}");
}

#[test]
fn what_ends_a_wait_saves_it() {
    // Nothing shows how busy the processors were: at worst nothing is saved, at best the wait and the work.
    check("", "no-wait=net.service", [0, 800, 800]);
    check("", "no-wait=net.service no-wait=disk.service", [0, 2_750, 2_750]);
    check("", "mask=net.service", [0, 800, 840]);
    check("", "no-wait=disk.service", [0, 0, 0]);
    check("", "unit:net.service=0.85s", [0, 800, 820]);
    check("", "unit:net.service=1.275s", [0, 425, 435]);
    check("", "unit:app.service=3s", [-2_000, -2_000, -2_000]);
}

#[test]
fn a_wait_that_gets_longer_costs_what_exceeds_the_slack() {
    check("", "unit:disk.service=2.7s", [0, 0, 0]);
    check("", "unit:disk.service=3.7s", [-1_000, -1_000, -1_000]);
    check("", "unit:late.service=60s", [0, 0, 0]);
    check("", "unit:disk.service=+1800ms", [-1_000, -1_000, -1_000]);
    check("", "unit:app.service=-9s", [0, 1_000, 1_100]);
}

#[test]
fn what_nobody_waits_for_leaves_its_work_to_the_others() {
    // It has ended, so that all of its work was done before the application was up: on two processors half of it, and half of that.
    check("", "mask=other.service", [0, 250, 1_000]);
    check("", "after-app=other.service", [0, 250, 1_000]);
    check("", "mask=late.service", [0, 0, 0]);
    // Busy for half of 7.5 s on two processors, by the accounting of the slice of everything.
    let half = unit("-.slice", 1_000, 1_000, 7_500, "");
    check(&half, "mask=other.service", [0, 250, 1_000]);
    let all = unit("-.slice", 1_000, 1_000, 15_000, "");
    check(&all, "mask=other.service", [0, 500, 1_000]);
}

#[test]
fn what_a_busy_machine_fills_is_not_saved() {
    // No time was idle: at worst the processors go on with other work.
    let all = unit("-.slice", 1_000, 1_000, 15_000, "");
    let boot = boot(&units(&all), Some("app.service"));
    let saved = predict_whole(&boot, &change("no-wait=net.service")).unwrap().saved;
    assert_eq!((saved.low(), saved.high()), (Dur::ZERO, Dur::from_millis(800)));
    // Of two processors' 4 s each, what the application still waits for takes: app 100 ms, and half of disk's 40.
    assert_eq!(saved.best(), Dur::from_millis(800).scale(1.0 - 0.07 / 8.0));
}

#[test]
fn the_application_without_default_dependencies_and_before_systemd() {
    let needs_nothing = unit("free.service", 4_000, 5_000, 10, "After=basic.target bus.service -.mount");
    let of = |words: &str, app: &str| {
        let boot = boot(&units(&needs_nothing), Some(app));
        predict_whole(&boot, &change(words)).unwrap().saved
    };
    // It still waits for the bus.
    assert_eq!(of("no-default-dependencies=free.service", "free.service"), Interval::exact(Dur::ZERO));
    let bus = Interval::new(Dur::ZERO, Dur::from_millis(950), Dur::from_millis(990));
    assert_eq!(
        of("no-default-dependencies=free.service mask=bus.service", "free.service").high(),
        Dur::from_millis(1_040)
    );
    assert_eq!(of("mask=bus.service", "free.service"), bus);
    // From systemd's start at 1.0 s: its declared dependency may be needed.
    assert_eq!(of("init=fastinit", "free.service"), Interval::new(Dur::ZERO, Dur::ZERO, Dur::from_millis(3_000)));
}

#[test]
fn what_declares_nothing_is_executed_where_systemd_is() {
    let saved = |further: &str| {
        let alone = unit("alone.service", 4_000, 4_100, 10, &format!("After=basic.target -.mount\n{further}"));
        predict_whole(&boot(&units(&alone), Some("alone.service")), &change("init=fastinit")).unwrap().saved
    };
    assert_eq!(saved(""), Interval::exact(Dur::from_millis(3_000)));
    let handoff = "Type=simple\nExecMainHandoffTimestampMonotonic=4500000";
    assert_eq!(saved(handoff), Interval::exact(Dur::from_millis(3_500)));
}

#[test]
fn another_number_of_processors() {
    let load =
        |busy, manager| processor_load::ProcessorLoad { cpus: 2, busy, manager_busy: manager, manager_each: Dur::ZERO };
    let s = Dur::from_secs;
    let check = |busy, manager, cpus, expected: [i64; 3]| {
        let [low, best, high] = expected.map(Dur::from_millis);
        assert_eq!(
            load(busy, manager).with_cpus(cpus, s(10)),
            Interval::new(low, best, high),
            "{busy:?} {manager:?} {cpus}"
        );
    };
    check(Some(1.0), None, 1, [-10_000, -10_000, -10_000]);
    check(Some(0.5), None, 1, [-5_000, -2_500, 0]);
    check(Some(1.0), None, 4, [0, 2_500, 5_000]);
    // systemd alone keeps one of them busy for 9 s.
    check(Some(1.0), Some(0.9), 4, [0, 500, 1_000]);
    check(None, None, 1, [-10_000, 0, 0]);
    check(None, Some(0.4), 4, [0, 0, 6_000]);
    check(Some(0.7), None, 2, [0, 0, 0]);
}

#[test]
fn processors_without_a_serial_console() {
    let all = unit("-.slice", 1_000, 1_000, 10_000, "");
    let boot = boot(&units(&all), Some("app.service"));
    let predicted = predict_whole(&boot, &change("cpus=1")).unwrap();
    assert!(predicted.saved.best() < Dur::ZERO, "{predicted:?}");
    assert!(predicted.assumptions.iter().any(|a| a.name == "kernel-work"));
    assert!(matches!(predict_whole(&boot, &change("cpus=1 quiet")), Err(WholePredictionError::Console(_))));
}

#[test]
fn a_stage_takes_the_given_time() {
    let boot = boot(&units(""), Some("app.service"));
    let now = boot.whole.stages.iter().find(|s| s.name.word() == "application").unwrap().length();
    let saved = predict_whole(&boot, &change("stage:application=0.25s")).unwrap().saved;
    assert_eq!(saved, Interval::exact(now - Dur::from_millis(250)));
}

#[test]
fn what_cannot_be_predicted() {
    use WholePredictionError as E;
    let whole = boot(&units(""), Some("app.service"));
    let error = |boot: &Boot, words: &str| predict_whole(boot, &change(words)).unwrap_err();
    let required = |unit: &str| E::Required { unit: unit.to_owned(), by: "app.service".to_owned() };
    assert_eq!(error(&whole, "mask=disk.service"), required("disk.service"));
    let end = || E::IsTheEnd("app.service".to_owned());
    assert_eq!(error(&whole, "mask=app.service"), end());
    assert_eq!(error(&whole, "after-app=app.service"), end());
    // Without an application the boot ends with the last target.
    let to_target = boot(&units(&unit("multi-user.target", 8_900, 8_900, 0, "After=app.service")), None);
    assert_eq!(error(&to_target, "after-app=late.service"), E::NoApplication);
    assert_eq!(error(&to_target, "init=fastinit"), E::NoApplication);
    assert!(predict_whole(&to_target, &change("no-wait=net.service")).unwrap().saved.high() > Dur::ZERO);
    let nearest = Some("disk.service".to_owned());
    let whole_name = Some("net.service".to_owned());
    assert_eq!(error(&whole, "mask=net"), E::NoUnit { unit: "net".to_owned(), nearest: whole_name });
    assert_eq!(error(&whole, "mask=disc.service"), E::NoUnit { unit: "disc.service".to_owned(), nearest });
    assert_eq!(error(&whole, "stage:loader=1s"), E::NoStage(bootline_boot::StageName::Loader));
    let plain: String = units("").lines().filter(|l| !l.starts_with("After=")).map(|l| format!("{l}\n")).collect();
    let plain = plain.replace("Requires=disk.service\n", "");
    assert_eq!(error(&boot(&plain, Some("app.service")), "mask=net.service"), E::NoDependencies);
    assert_eq!(error(&Boot::analyse(BootRecords::default(), &BootOptions::default()), "mask=a.service"), E::NoEnd);
}

#[test]
fn the_notation() {
    let check = |text: &str, expected: Result<&str, &str>| {
        let found = text.parse::<AnySetting>().map(|s| s.to_string()).map_err(|e: SettingError| e.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    };
    for same in [
        "mask=a.service",
        "after-app=b@c.socket",
        "no-wait=d.mount",
        "no-default-dependencies=e.service",
        "init=fastinit",
    ] {
        check(same, Ok(same));
    }
    check("unit:a.service=1500ms", Ok("unit:a.service=1.5s"));
    check("unit:a.service=+1500ms", Ok("unit:a.service=+1.5s"));
    check("unit:a.service=-2s", Ok("unit:a.service=-2s"));
    check("stage:loader=0s", Ok("stage:loader=0s"));
    check("baud=9600", Ok("baud=9600"));
    check("mask=system message bus: dbus", Ok("mask=system message bus: dbus"));
    check("unit:system message bus: dbus=1s", Ok("unit:system message bus: dbus=1s"));
    check(
        "mask= ",
        Err("` ` is not the name of a unit or an init script, such as camera.service or networking for `mask`"),
    );
    check(
        "no-default-dependencies=avahi",
        Err("`avahi` is not the full name of a unit, such as camera.service for `no-default-dependencies`"),
    );
    check("init=systemd", Err("`systemd` is not fastinit for `init`"));
    check("stage:loader=1", Err("`1` is not a time such as 0.5s or 500ms for `stage:loader`"));
    check("stage:loader=+1s", Err("`+1s` is not a time such as 0.5s or 500ms for `stage:loader`"));
    check("stage:loader=-1s", Err("`-1s` is not a time such as 0.5s or 500ms for `stage:loader`"));
    check("without=ldr001", Ok("without=ldr001"));
    check("without=ldr999", Err("`ldr999` is not the code of a rule, such as ldr001 for `without`"));
    check("stage:lader=1s", Err("there is no setting `stage:lader`"));
    check("masc=a.service", Err("there is no setting `masc`"));
    let two = |words: &str| {
        WholeChange::of(words.split(' ').map(|w| w.parse::<AnySetting>().unwrap())).map_err(|e| e.to_string())
    };
    assert_eq!(two("mask=a.service mask=a.service quiet").unwrap().to_string(), "quiet mask=a.service");
    assert_eq!(
        two("mask=a.service after-app=a.service").unwrap_err(),
        "`mask=a.service` contradicts `after-app=a.service`"
    );
    assert_eq!(two("stage:loader=1s stage:loader=2s").unwrap_err(), "`stage:loader=1s` contradicts `stage:loader=2s`");
    for pair in [
        "stage:kernel=0s quiet",
        "stage:loader=0s without=ldr001",
        "no-wait=a.service stage:user-space=0s",
        "init=fastinit mask=a.service",
        "cpus=1 stage:application=1s",
    ] {
        assert!(two(pair).is_err(), "{pair}");
    }
    assert!(two("stage:loader=0s quiet mask=a.service cpus=1").is_ok());
    assert_eq!(two("baud=9600 init=fastinit baud=300").unwrap_err(), "`baud=9600` contradicts `baud=300`");
}

/// A unit that an initramfs left running is up before systemd has loaded its units. What waits for it alone begins no earlier than what
/// waits for nothing.
#[test]
fn what_was_up_before_systemd_lets_nothing_begin_before_it() {
    let text = MANAGER.to_owned()
        + &unit("left.service", 2, 4, 0, "After=")
        + &unit("slow.service", 1_600, 4_000, 0, "After=")
        + &unit("app.service", 4_100, 4_200, 0, "After=left.service slow.service");
    let boot = boot(&text, Some("app.service"));
    let saved = |words: &str| predict_whole(&boot, &change(words)).unwrap().saved.high();
    assert_eq!(saved("no-wait=slow.service"), saved("no-wait=slow.service no-wait=left.service"));
}

proptest! {
    /// Whatever ends a wait never makes the boot longer, saves no more than there was, and two such changes may save no less than one.
    #[test]
    fn less_to_wait_for_is_never_later(
        stamps in proptest::collection::vec((1u32..4_500, 0u32..1_500, 0u32..2_000), 7),
        edges in proptest::collection::vec((0usize..7, 0usize..7), 0..20),
        total in proptest::option::of(0u32..40_000),
        (first, second) in (0usize..7, 0usize..7),
    ) {
        let mut text = MANAGER.to_owned();
        for (i, (from, length, cpu)) in stamps.iter().enumerate() {
            let after: Vec<String> =
                edges.iter().filter(|(a, b)| *a == i && *b != i).map(|(_, b)| format!("u{b}.service")).collect();
            text += &unit(&format!("u{i}.service"), 2 * from, 2 * (from + length), *cpu, &format!("After={}", after.join(" ")));
        }
        text += "Id=x.service\nAfter=u0.service\n\n";
        text += &total.map(|ms| unit("-.slice", 1_000, 1_000, ms, "")).unwrap_or_default();
        let boot = boot(&text, Some("u3.service"));
        let saved = |words: &str| predict_whole(&boot, &change(words)).unwrap().saved;
        let one = saved(&format!("no-wait=u{first}.service"));
        prop_assert!(one.low() >= Dur::ZERO && one.high() <= boot.whole.length().unwrap(), "{one:?}");
        if first != second {
            let two = saved(&format!("no-wait=u{first}.service no-wait=u{second}.service"));
            prop_assert!(two.high() >= one.high(), "{one:?} {two:?}");
        }
        prop_assert_eq!(predict_whole(&boot, &change("")).unwrap().saved, Interval::exact(Dur::ZERO));
    }
}

#[test]
fn what_findings_cost_is_saved_without_them() {
    let boot = boot(&units(""), Some("app.service"));
    let ms = |[low, best, high]: [i64; 3]| {
        Interval::new(Dur::from_millis(low), Dur::from_millis(best), Dur::from_millis(high))
    };
    let costs = FindingCosts::of([
        (RuleId::Ldr001, ms([0, 100, 200])),
        (RuleId::Ldr007, ms([50, 50, 50])),
        (RuleId::Ldr001, ms([10, 20, 30])),
    ]);
    let of = |words: &str| super::predict_whole(&boot, &change(words), &costs);
    let predicted = of("without=ldr001 without=ldr007").unwrap();
    assert_eq!(predicted.saved, ms([60, 170, 280]), "of all findings of these rules");
    assert_eq!(predicted.title, "without ldr001 autoboot-delay, without ldr007 loader-output");
    assert_eq!(predicted.assumptions.len(), 2);
    let units = of("mask=other.service").unwrap().saved;
    assert_eq!(of("without=ldr007 mask=other.service").unwrap().saved, units + ms([50, 50, 50]));
    let error = of("without=ini002").unwrap_err();
    assert_eq!(error.to_string(), "this boot has no finding `ini002 crypto-self-tests`");
}

/// A board at 9600 baud: `kernel` records up to init, then these lines of user space, one each 200 ms, and its prompt.
fn printing_board(parameters: &str, user_space: &[&str]) -> Boot {
    let mut log = String::new();
    let mut at = 5_000;
    let mut add = |text: &str, ms: u32| {
        at += ms;
        log += &format!("[2026-05-06 10:11:{:02}.{:03}] {text}\n", at / 1000, at % 1000);
    };
    add("[    0.000000] Linux version 6.12.1 (gcc)", 0);
    add(&format!("[    0.000000] Command line: console=ttyS0,9600 {parameters}"), 50);
    add("[    0.300000] printk: legacy console [ttyS0] enabled", 70);
    for n in 0..20 {
        add(&format!("[    0.{}0000] a driver has found the device with the number {n}", 40 + n), 80);
    }
    add("[    0.900000] Run /sbin/init as init process", 100);
    for text in user_space {
        add(text, 200);
    }
    add("board login: ", 200);
    let app = AppMarker::parse("login:").unwrap();
    let options = BootOptions { cpus: Some(2), ..BootOptions::default() };
    Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &options).with_sources(&[], Some(&app))
}

const STATUS: &str = "[  OK  ] Started bootline-app.service - The application that this board is for.";
const PROGRAM: &str = "bootline-app: it prints a line that is as long as those of systemd, or longer yet";

/// What a change saves of that board's whole boot beyond what it saves up to init.
fn saved_after_init(boot: &Boot, words: &str) -> Interval {
    let change = change(words);
    let to_init = crate::predict::predict(boot, change.console()).unwrap().saved;
    predict_whole(boot, &change).unwrap().saved + -to_init
}

#[test]
fn another_console_changes_user_space_too() {
    let board = printing_board("", &[STATUS, PROGRAM, STATUS, PROGRAM]);
    let faster = saved_after_init(&board, "baud=115200");
    let slower = saved_after_init(&board, "baud=2400");
    assert!(faster.best() > Dur::ZERO && slower.best() < Dur::ZERO, "{faster:?} {slower:?}");
    // The two status lines, but not what the program prints.
    let quiet = saved_after_init(&board, "quiet");
    assert!(quiet.best() > Dur::ZERO && quiet.best() < faster.best(), "{quiet:?} {faster:?}");
    let shown = printing_board("systemd.show_status=1", &[STATUS, PROGRAM, STATUS, PROGRAM]);
    assert_eq!(saved_after_init(&shown, "quiet").best(), Dur::ZERO);
    let named = |words| {
        predict_whole(&board, &change(words)).unwrap().assumptions.iter().any(|a| a.name == "user-space-output")
    };
    assert!(named("baud=115200") && !named("cpus=1"));
}

#[test]
fn user_space_stays_where_its_waits_are_unknown_or_its_length_is_given() {
    let board = printing_board("", &[STATUS, PROGRAM, STATUS, PROGRAM]);
    for words in ["cpus=1", "console=nbcon_8250", "console=nbcon_8250+replay", "kernel=7.2-rt"] {
        let change = change(words);
        let to_init = crate::predict::predict(&board, change.console()).unwrap().saved;
        let whole = predict_whole(&board, &change).unwrap();
        assert!(whole.assumptions.iter().all(|a| a.name != "user-space-output"), "{words}");
        assert!(words == "cpus=1" || whole.saved == to_init, "{words}: {:?} {to_init:?}", whole.saved);
    }
    let stated = predict_whole(&board, &change("stage:user-space=0.1s baud=115200")).unwrap();
    assert!(stated.assumptions.iter().all(|a| a.name != "user-space-output"));
}
