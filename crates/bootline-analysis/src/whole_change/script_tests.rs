// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes to boots with init scripts whose answers are known, because the boots are made up here.
use super::*;
use crate::remedy::SystemChange;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords};
use bootline_capture::units::{Dur, Interval};
use proptest::prelude::*;

/// A boot with arrival times that prints these lines, each at so many milliseconds.
fn boot_of(lines: &[(u32, String)], app: Option<&str>, cpus: Option<u32>) -> Boot {
    let at = |ms: u32| format!("[2026-05-06 10:{:02}:{:02}.{:03}] ", ms / 60_000, ms / 1_000 % 60, ms % 1_000);
    let head = format!(
        "{}[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n{}[    0.900000] Run /sbin/init as init process\n",
        at(1_000),
        at(1_900)
    );
    let log = lines.iter().fold(head, |log, (ms, text)| log + &at(*ms) + text + "\n");
    let options = BootOptions { cpus, ..BootOptions::default() };
    let boot = Boot::analyse(BootRecords::all(log.as_bytes()).remove(0), &options);
    boot.with_sources(&[], app.map(|text| AppMarker::parse(text).unwrap()).as_ref())
}

fn script(name: &str, from: u32, to: u32) -> [(u32, String); 2] {
    [(from, format!("[....] Starting {name}")), (to, format!("[ ok ] Starting {name}"))]
}

/// net from 2.0 to 4.0 s, avahi-daemon from 4.0 to 5.0 s, camera from 5.0 to 5.5 s, late from 8.5 to 9.0 s. The application's line comes at
/// 7.0 s, the login prompt at 8.0 s.
fn lines() -> Vec<(u32, String)> {
    let scripts = [("net", 2_000, 4_000), ("avahi-daemon", 4_000, 5_000), ("camera", 5_000, 5_500)];
    let mut lines: Vec<(u32, String)> = scripts.iter().flat_map(|(name, from, to)| script(name, *from, *to)).collect();
    lines.push((7_000, "app: the first picture".to_owned()));
    lines.push((8_000, "board login: ".to_owned()));
    lines.extend(script("late", 8_500, 9_000));
    lines
}

fn predict_whole(boot: &Boot, change: &WholeChange) -> Result<WholePrediction, WholePredictionError> {
    super::predict_whole(boot, change, &FindingCosts::default())
}

fn change(words: &[&str]) -> WholeChange {
    WholeChange::of(words.iter().map(|word| word.parse::<AnySetting>().unwrap())).unwrap()
}

fn interval([low, best, high]: [i64; 3]) -> Interval {
    let ms = Dur::from_millis;
    Interval::new(ms(low), ms(best), ms(high))
}

/// What a change saves of the made-up boot, in ms, up to the login prompt on so many processors.
#[track_caller]
fn check(cpus: Option<u32>, words: &[&str], expected: [i64; 3]) {
    let boot = boot_of(&lines(), None, cpus);
    let predicted = predict_whole(&boot, &change(words)).unwrap();
    assert_eq!(predicted.saved, interval(expected), "{words:?}");
    assert_eq!(predicted.length.best(), boot.whole.length().unwrap() - predicted.saved.best(), "{words:?}");
}

#[test]
fn without_a_script_all_that_follows_comes_earlier() {
    // At worst the next one waits for the same; at best, what it left running took half of the only processor for 3.0 s.
    check(None, &["mask=avahi-daemon"], [0, 1_000, 2_500]);
    check(None, &["mask=S20avahi-daemon"], [0, 1_000, 2_500]);
    // A third of two processors.
    check(Some(2), &["mask=avahi-daemon"], [0, 1_000, 2_000]);
    check(Some(1), &["mask=net", "mask=avahi-daemon"], [0, 3_000, 5_000]);
    // It ran after the boot's end.
    check(None, &["mask=late"], [0, 0, 0]);
    check(None, &["unit:net=0.5s"], [0, 1_500, 1_500]);
    check(None, &["unit:net=+1s"], [-1_000, -1_000, 0]);
    check(None, &["unit:net=9s", "mask=avahi-daemon"], [-7_000, -6_000, 2_500]);
}

#[test]
fn a_script_in_the_background_still_takes_the_processor() {
    // All of it may be work for the only processor, which would also take it from the rest of 3.0 s.
    check(Some(1), &["no-wait=avahi-daemon"], [0, 0, 1_000]);
    // Of two, one is idle.
    check(Some(2), &["no-wait=avahi-daemon"], [0, 1_000, 1_000]);
    check(None, &["no-wait=late"], [0, 0, 0]);
    // The rest is 2.5 s: of 3.5 s of work in two tasks as much is done as the rest takes, each.
    check(Some(1), &["no-wait=net", "no-wait=camera"], [0, 0, 2_500]);
    let mut long = lines();
    long.retain(|(ms, _)| *ms < 4_000);
    long.extend(script("slow", 4_000, 9_000));
    long.push((10_000, "board login: ".to_owned()));
    let boot = boot_of(&long, None, Some(1));
    let saved = predict_whole(&boot, &change(&["no-wait=slow"])).unwrap().saved;
    // After the rest of 1.0 s, which then takes 2.0 s, 4.0 s of it are left.
    assert_eq!(saved, interval([0, 4_000, 5_000]));
}

#[test]
fn after_the_application_is_as_left_out() {
    let boot = boot_of(&lines(), Some("the first picture"), Some(1));
    let of = |words: &[&str]| predict_whole(&boot, &change(words)).unwrap();
    let (after, without) = (of(&["after-app=avahi-daemon"]), of(&["mask=avahi-daemon"]));
    assert_eq!((after.saved, without.saved), (interval([0, 1_000, 2_000]), interval([0, 1_000, 2_000])));
    assert_eq!(after.title, "avahi-daemon after app: the first picture");
    let needs =
        SystemChange::ScriptAfter { script: "avahi-daemon".to_owned(), after: "app: the first picture".to_owned() };
    assert_eq!(after.needs, [needs]);
    assert_eq!(without.needs, [SystemChange::DisableScript("avahi-daemon".to_owned())]);
    assert_eq!(of(&["no-wait=net"]).needs, [SystemChange::ScriptInBackground("net".to_owned())]);
}

#[test]
fn what_runs_in_parallel_with_the_application_may_save_or_cost() {
    let mut lines = lines();
    lines.insert(6, (5_600, String::new()));
    lines.splice(6..7, script("httpd", 5_600, 6_600));
    let of = |words: &[&str]| {
        let mut lines = lines.clone();
        let at = lines.iter().position(|(_, text)| text.starts_with("app: ")).unwrap();
        lines[at].1 = "camera: the first picture".to_owned();
        predict_whole(&boot_of(&lines, Some("the first picture"), Some(1)), &change(words)).map(|p| p.saved)
    };
    // camera had started what prints the line.
    assert_eq!(of(&["mask=httpd"]).unwrap(), interval([-1_000, 0, 1_000]));
    assert_eq!(of(&["no-wait=httpd"]).unwrap(), interval([-1_000, 0, 0]));
    assert_eq!(of(&["unit:httpd=0.7s"]).unwrap(), interval([-300, 0, 300]));
    assert_eq!(of(&["unit:httpd=+0.1s"]).unwrap(), interval([-100, 0, 100]));
    // The application takes 0.4 s after it.
    assert_eq!(of(&["unit:httpd=+100s"]).unwrap(), interval([-400, 0, 400]));
    assert_eq!(of(&["mask=net"]).unwrap(), interval([0, 2_000, 3_500]));
    let its = |setting: &str| of(&[setting]).unwrap_err();
    assert_eq!(its("mask=camera"), WholePredictionError::IsTheEndsScript("camera".to_owned()));
    assert_eq!(its("after-app=S50camera"), WholePredictionError::IsTheEndsScript("camera".to_owned()));
    assert_eq!(of(&["unit:camera=0.1s"]).unwrap(), interval([0, 400, 400]));
}

#[test]
fn a_script_that_ends_after_the_application_takes_only_what_it_takes_before() {
    let mut lines = lines();
    lines.retain(|(ms, _)| *ms < 7_000);
    lines.push((6_000, "[....] Starting httpd".to_owned()));
    lines.push((7_000, "camera: the first picture".to_owned()));
    lines.push((16_000, "[ ok ] Starting httpd".to_owned()));
    let boot = boot_of(&lines, Some("the first picture"), Some(1));
    let of = |word: &str| predict_whole(&boot, &change(&[word])).unwrap().saved;
    assert_eq!(of("mask=httpd"), interval([-1_000, 0, 1_000]));
    assert_eq!(of("unit:httpd=-0.2s"), interval([-200, 0, 200]));
    assert_eq!(of("unit:httpd=+1s"), interval([0, 0, 0]));
}

#[test]
fn a_script_within_another_is_left_out_once() {
    let ok = || "                        [ ok ]".to_owned();
    let begin = |name: &str| format!(" * Starting {name} ...");
    let lines = [
        (2_000, begin("outer")),
        (2_500, begin("inner")),
        (3_500, ok()),
        (4_000, ok()),
        (4_000, begin("next")),
        (5_000, ok()),
        (6_000, "board login: ".to_owned()),
    ];
    let boot = boot_of(&lines, None, None);
    let best = |words: &[&str]| predict_whole(&boot, &change(words)).unwrap().saved.best();
    assert_eq!(best(&["mask=inner"]), Dur::from_millis(1_000));
    assert_eq!(best(&["mask=inner", "mask=outer"]), Dur::from_millis(2_000));
    assert_eq!(best(&["no-wait=inner", "mask=outer"]), Dur::from_millis(2_000));
    assert_eq!(best(&["unit:inner=0s", "mask=outer"]), Dur::from_millis(2_000));
    assert_eq!(best(&["unit:inner=0s"]), Dur::from_millis(1_000));
    let nested = WholePredictionError::Nested { inner: "inner".to_owned(), outer: "outer".to_owned() };
    for inner in ["unit:inner=0s", "mask=inner", "no-wait=inner"] {
        assert_eq!(predict_whole(&boot, &change(&[inner, "unit:outer=1s"])), Err(nested.clone()), "{inner}");
    }
}

#[test]
fn what_cannot_be_predicted_of_scripts() {
    use WholePredictionError as E;
    let to_prompt = boot_of(&lines(), None, None);
    let error = |boot: &Boot, words: &[&str]| predict_whole(boot, &change(words)).unwrap_err();
    let close = vec!["avahi-daemon".to_owned()];
    assert_eq!(error(&to_prompt, &["mask=avahi"]), E::NoScript { script: "avahi".to_owned(), close });
    assert_eq!(
        error(&to_prompt, &["mask=avahi"]).to_string(),
        "this boot shows no init script `avahi`; similar names: `avahi-daemon`"
    );
    assert_eq!(error(&to_prompt, &["after-app=net"]), E::NoApplication);
    assert_eq!(error(&to_prompt, &["init=fastinit"]), E::OnlyOfSystemd("init"));
    let default = "no-default-dependencies=net.service";
    assert_eq!(error(&to_prompt, &[default]), E::OnlyOfSystemd("no-default-dependencies"));
    assert_eq!(error(&to_prompt, &["mask=net", "no-wait=S01net"]), E::TwoSettings("net".to_owned()));
    // A line at once: it was held back until its script had ended.
    let mut at_once = lines();
    at_once.push((8_100, "Starting syslogd: OK".to_owned()));
    assert_eq!(error(&boot_of(&at_once, None, None), &["mask=syslogd"]), E::NoLength("syslogd".to_owned()));
    // What the application's line comes from is not known, and it came while the script ran.
    let mut within = lines();
    within.insert(1, (3_000, "app: early".to_owned()));
    let within = boot_of(&within, Some("app: early"), None);
    assert_eq!(error(&within, &["mask=net"]), E::EndedWithin("net".to_owned()));
    assert_eq!(predict_whole(&within, &change(&["no-wait=net"])).unwrap().saved, interval([0, 0, 0]));
    let itself = boot_of(&lines(), Some("Starting avahi"), None);
    assert_eq!(error(&itself, &["mask=avahi-daemon"]), E::IsTheEndsScript("avahi-daemon".to_owned()));
    let mut of_kernel = lines();
    of_kernel.insert(6, (6_000, "[    5.000000] usb 1-1: new device".to_owned()));
    assert_eq!(error(&boot_of(&of_kernel, Some("new device"), None), &["mask=net"]), E::EndIsKernels);
    let mut parallel = lines();
    parallel.insert(1, (3_000, "[....] Starting other".to_owned()));
    parallel.insert(4, (4_500, "[ ok ] Starting other".to_owned()));
    let (first, second) = ("net".to_owned(), "other".to_owned());
    assert_eq!(error(&boot_of(&parallel, None, None), &["mask=net"]), E::InParallel { first, second });
    let prompt = boot_of(&[(2_000, "board login: ".to_owned())], None, None);
    assert_eq!(error(&prompt, &["mask=net"]), E::NothingStarted);
    let procd = [(2_000, "[    1.000000] procd: - early -"), (3_000, "[    2.000000] procd: - init complete -")];
    let procd = boot_of(&procd.map(|(ms, text)| (ms, text.to_owned())), None, None);
    assert!(error(&procd, &["mask=dnsmasq"]).to_string().starts_with("procd reports only its stages"));
}

proptest! {
    /// Time is conserved: what is left out and the rest are the whole; and leaving out more never saves less.
    #[test]
    fn time_left_out_and_the_rest_are_the_whole(
        // The line rests between two of their lines, which else may have been written at once.
        lengths in proptest::collection::vec((50u32..3_000, prop_oneof![Just(0), 50u32..200]), 2..8),
        cpus in 1u32..5,
        chosen in proptest::collection::vec(any::<bool>(), 8),
    ) {
        let mut lines = Vec::new();
        let mut at = 2_000;
        for (i, (length, gap)) in lengths.iter().enumerate() {
            lines.extend(script(&format!("s{i}"), at, at + length));
            at += length + gap;
        }
        lines.push((at + 500, "board login: ".to_owned()));
        let boot = boot_of(&lines, None, Some(cpus));
        let whole = boot.whole.length().unwrap();
        let of = |key: &str, which: &[usize]| {
            let words: Vec<String> = which.iter().map(|i| format!("{key}=s{i}")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            predict_whole(&boot, &change(&words)).unwrap()
        };
        let some: Vec<usize> = (0..lengths.len()).filter(|i| chosen[*i]).collect();
        let masked = of("mask", &some);
        let sum: u32 = some.iter().map(|i| lengths[*i].0).sum();
        prop_assert_eq!(masked.saved.best(), Dur::from_millis(i64::from(sum)));
        prop_assert_eq!(masked.saved.best() + masked.length.best(), whole);
        let each: Dur = some.iter().map(|i| of("mask", &[*i]).saved.best()).sum();
        prop_assert_eq!(masked.saved.best(), each);
        prop_assert!(masked.saved.low() >= Dur::ZERO && masked.saved.high() <= whole);
        let background = of("no-wait", &some).saved;
        prop_assert!(background.best() <= masked.saved.best() && background.high() <= masked.saved.high());
        let more: Vec<usize> = (0..lengths.len()).collect();
        let all = of("mask", &more).saved;
        prop_assert!(all.best() >= masked.saved.best(), "{:?} {:?}", all, masked.saved);
        prop_assert!(all.high() + Dur::from_nanos(10) >= masked.saved.high(), "{:?} {:?}", all, masked.saved);
    }
}
