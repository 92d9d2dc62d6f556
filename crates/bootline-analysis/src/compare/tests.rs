// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of made-up boots.
use std::collections::BTreeSet;
use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

/// A boot with three initcalls of these lengths in ms, and so many characters more from the second.
fn log(lengths: [u32; 3], extra: usize) -> String {
    let mut out = String::from(
        "[    0.000000] Linux version 6.1.0-44-amd64 (x) #1 SMP\n\
         [    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8\n\
         [    0.100000] printk: console [ttyS0] enabled\n",
    );
    let mut at = 200_000;
    for (name, ms) in ["a_init", "b_init", "c_init"].iter().zip(lengths) {
        _ = writeln!(out, "[    {}.{:06}] calling  {name}+0x0/0x10 @ 1", at / 1_000_000, at % 1_000_000);
        if *name == "b_init" && extra > 0 {
            at += 20;
            _ = writeln!(out, "[    {}.{:06}] {}", at / 1_000_000, at % 1_000_000, "x".repeat(extra));
        }
        at += ms * 1000;
        _ = writeln!(
            out,
            "[    {}.{:06}] initcall {name}+0x0/0x10 returned 0 after {} usecs",
            at / 1_000_000,
            at % 1_000_000,
            ms * 1000
        );
        at += 5_000;
    }
    _ = writeln!(out, "[    {}.{:06}] Run /init as init process", at / 1_000_000, at % 1_000_000);
    out
}

fn asked(markers: &[&str]) -> Asked {
    Asked { markers: markers.iter().map(|&m| m.to_owned()).collect(), ..Asked::default() }
}

fn boot(log: &[u8]) -> Boot {
    BootRecords::all(log).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).next().unwrap()
}

fn set(name: &str, logs: impl IntoIterator<Item = String>) -> RunSet {
    let runs = logs.into_iter().enumerate();
    let runs =
        runs.map(|(n, log)| RunMeasures::of(&boot(log.as_bytes()), &format!("{name}/{n}"), &Asked::default()).unwrap());
    RunSet { name: name.to_owned(), runs: runs.collect(), ..RunSet::default() }
}

/// `n` boots whose first initcall varies by a few milliseconds.
fn boots(name: &str, n: u32, b_ms: u32, extra: usize) -> RunSet {
    set(name, (0..n).map(|i| log([40 + i * 7 % 5, b_ms, 30], extra)))
}

fn budget(rules: &str) -> Budget {
    Budget::parse(rules).unwrap()
}

#[test]
fn parts_add_up_to_the_time() {
    let run = RunMeasures::of(&boot(log([40, 100, 30], 0).as_bytes()), "x", &asked(&["c_init"])).unwrap();
    assert_eq!(run.parts.iter().map(|p| p.time().as_nanos()).sum::<i64>(), run.time());
    let of = |key: PartKey| run.parts.iter().find(|p| p.key == key).map(|p| p.time());
    assert_eq!(of(PartKey::Initcall("b_init".into())), Some(Dur::from_millis(100)));
    assert_eq!(run.parts.iter().map(|p| p.bytes as i64).sum::<i64>(), run.values[&Quantity::ConsoleBytes]);
    assert!(run.values[&Quantity::Marker("c_init".into())] < run.time());
}

#[test]
fn what_is_slower_is_named_and_the_rest_is_not() {
    let c = compare(&boots("base", 8, 100, 0), &boots("new", 8, 150, 0), Thresholds::default()).unwrap();
    let verdicts: Vec<_> = c.changes.iter().map(|c| (c.quantity.to_string(), c.verdict)).collect();
    for (name, verdict) in &verdicts {
        let expected = match name.as_str() {
            "time-to-init" | "phase:initcalls" | "initcall:b_init" => ChangeVerdict::More,
            _ => ChangeVerdict::NotSignificant,
        };
        assert_eq!(*verdict, expected, "{name}");
    }
    assert_eq!(c.decomposition.whole, Dur::from_millis(50));
    let first = &c.decomposition.contributions[0];
    assert_eq!((first.key.to_string().as_str(), first.observed), ("initcall `b_init`", ObservedChange::Slower));
    assert!(first.is_clear() && !c.decomposition.contributions[1].is_clear());
    assert!(first.records.is_some());
    assert_eq!(c.caveats, []);
}

#[test]
fn new_gone_and_moved() {
    let text = log([40, 100, 30], 0);
    let swapped = text.replace("a_init", "t_init").replace("c_init", "a_init").replace("t_init", "c_init");
    let other = text.replace("b_init", "d_init");
    let fates = |text: &str| -> Vec<(String, ObservedChange, Option<PartMove>)> {
        let c = compare(&set("base", [log([40, 100, 30], 0)]), &set("new", [text.to_owned()]), Thresholds::default());
        let list = c.unwrap().decomposition.contributions.into_iter();
        list.filter(|c| c.key.is_span()).map(|c| (c.key.to_string(), c.observed, c.moved)).collect()
    };
    let of = |list: &[(String, ObservedChange, Option<PartMove>)], name: &str| {
        list.iter().find(|(key, ..)| key.contains(name)).map(|(_, observed, moved)| (*observed, *moved))
    };
    let found = fates(&other);
    assert_eq!(
        (of(&found, "b_init"), of(&found, "d_init")),
        (Some((ObservedChange::Gone, None)), Some((ObservedChange::New, None)))
    );
    let found = fates(&swapped);
    assert_eq!(found.iter().filter(|(.., moved)| moved.is_some()).count(), 2, "{found:?}");
    let in_parallel = text.replace("calling  b_init+0x0/0x10 @ 1", "calling  b_init+0x0/0x10 @ 77");
    assert_eq!(of(&fates(&in_parallel), "b_init"), Some((ObservedChange::Same, Some(PartMove::Parallel))));
}

#[test]
fn what_must_be_known_is_said() {
    let few = compare(&boots("base", 3, 100, 0), &boots("new", 3, 150, 0), Thresholds::default()).unwrap();
    assert!(few.changes.iter().all(|c| c.verdict == ChangeVerdict::TooFew), "{:?}", few.changes);
    let said: Vec<String> = few.caveats.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["3 + 3 runs cannot distinguish a difference from chance: intervals cover the true value in at most \
         90.0 % of cases; against 3 of the first set, the second needs 5"]
    );
    let other = set(
        "new",
        (0..8).map(|_| log([40, 100, 30], 0).replace("6.1.0-44", "6.1.0-45").replace("loglevel=8", "quiet")),
    );
    let said: Vec<String> = compare(&boots("base", 20, 100, 0), &other, Thresholds::default())
        .unwrap()
        .caveats
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        said,
        [
            "20 runs against 8: the smaller set limits what can be detected",
            "the kernel differs: 6.1.0-44-amd64 before, 6.1.0-45-amd64 now",
            "the command line differs: loglevel=8 before, quiet now",
        ]
    );
    let two = set("new", (0..8).map(|i| log([40 + i % 3, if i % 2 == 0 { 100 } else { 300 }, 30], 0)));
    let said = compare(&boots("base", 8, 100, 0), &two, Thresholds::default()).unwrap().caveats[0].to_string();
    assert_eq!(said, "the runs of new fall into two groups by time-to-init, 4 and 4: no median represents them");
}

#[test]
fn small_and_noisy_differences_are_told_apart() {
    let verdict = |effect_ms, noise| {
        let thresholds = Thresholds { effect: Dur::from_millis(effect_ms), noise, ..Thresholds::default() };
        let c = compare(&boots("base", 8, 100, 0), &boots("new", 8, 120, 0), thresholds).unwrap();
        c.changes.iter().find(|c| c.quantity.is_time_to_end()).unwrap().verdict
    };
    assert_eq!(verdict(1, 0.01), ChangeVerdict::More);
    assert_eq!(verdict(30, 0.01), ChangeVerdict::TooSmall);
    assert_eq!(verdict(1, 0.2), ChangeVerdict::Noise);
}

#[track_caller]
fn check_gate(rule: &str, base: Option<&RunSet>, runs: &RunSet, expected: GateOutcome, words: &str) {
    let checked = check(&budget(&format!("[[budget]]\n{rule}")), base, runs).remove(0);
    let reason = checked.reason.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(checked.outcome, expected, "{rule}: {checked:?}");
    assert!(reason.contains(words) && reason.is_empty() == words.is_empty(), "{rule}: {reason:?}");
}

#[test]
fn limits_on_the_runs_alone() {
    let one = boots("new", 1, 100, 0);
    check_gate("of = \"time-to-init\"\nat_most = \"1 s\"", None, &one, GateOutcome::Pass, "");
    check_gate("of = \"time-to-init\"\nat_most = \"0.3 s\"", None, &one, GateOutcome::Fail, "");
    check_gate(
        "of = \"time-to-init\"\nat_most = \"0.3 s\"\nruns = 3",
        None,
        &one,
        GateOutcome::Inconclusive,
        "it takes 3",
    );
    check_gate("of = \"initcall:b_init\"\nat_most = \"90 ms\"", None, &one, GateOutcome::Fail, "");
    check_gate("of = \"initcall:z_init\"\nat_most = \"99 ms\"", None, &one, GateOutcome::Inconclusive, "no run has it");
    check_gate("of = \"console-bytes\"\nat_most = 100", None, &one, GateOutcome::Fail, "");
    let mixed = set("new", [100, 100, 300].map(|b| log([40, b, 30], 0)));
    check_gate("of = \"time-to-init\"\nat_most = \"0.4 s\"", None, &mixed, GateOutcome::Pass, "");
    let mixed = set("new", [100, 300, 300].map(|b| log([40, b, 30], 0)));
    check_gate(
        "of = \"time-to-init\"\nat_most = \"0.5 s\"",
        None,
        &mixed,
        GateOutcome::Inconclusive,
        "more runs can decide",
    );
    let two = set("new", (0..9).map(|i| log([40 + i % 3, if i % 2 == 0 { 100 } else { 300 }, 30], 0)));
    check_gate(
        "of = \"time-to-init\"\nat_most = \"0.5 s\"",
        None,
        &two,
        GateOutcome::Inconclusive,
        "two groups, 5 and 4",
    );
}

#[test]
fn limits_against_a_baseline() {
    let base = boots("base", 10, 100, 0);
    let of = |n, b| boots("new", n, b, 0);
    let limit = "of = \"time-to-init\"\nincrease_at_most = \"50 ms\"";
    check_gate(limit, Some(&base), &of(10, 100), GateOutcome::Pass, "");
    check_gate(limit, Some(&base), &of(10, 130), GateOutcome::Pass, "");
    check_gate(limit, Some(&base), &of(10, 170), GateOutcome::Fail, "");
    check_gate(limit, Some(&base), &of(10, 151), GateOutcome::Inconclusive, "more runs can decide");
    check_gate(
        limit,
        Some(&base),
        &of(1, 400),
        GateOutcome::Inconclusive,
        "1 run is too few against 10 of the baseline: it takes 2",
    );
    check_gate(limit, None, &of(10, 100), GateOutcome::Inconclusive, "no baseline");
    let noisy = set("new", (0..6).map(|i| log([40 + i * 37, 100, 30], 0)));
    check_gate(
        "of = \"time-to-init\"\nincrease_at_most = \"100 ms\"",
        Some(&noisy),
        &noisy,
        GateOutcome::Inconclusive,
        "twice the limit",
    );
    check_gate(
        "of = \"initcall:b_init\"\nincrease_at_most = \"10 %\"",
        Some(&base),
        &of(10, 120),
        GateOutcome::Fail,
        "",
    );
    check_gate(
        "of = \"initcall:z_init\"\nincrease_at_most = \"10 %\"",
        Some(&base),
        &of(10, 120),
        GateOutcome::Inconclusive,
        "no run",
    );
    check_gate(
        "of = \"console-bytes\"\nincrease_at_most = 500",
        Some(&base),
        &boots("new", 10, 100, 900),
        GateOutcome::Fail,
        "",
    );
    let went = set("new", (0..10).map(|_| log([40, 100, 30], 0).replace("b_init", "y_init")));
    check_gate("of = \"initcall:b_init\"\nincrease_at_most = \"1 ms\"", Some(&base), &went, GateOutcome::Pass, "");
    check_gate("of = \"initcall:y_init\"\nincrease_at_most = \"1 ms\"", Some(&base), &went, GateOutcome::Fail, "");
}

#[test]
fn the_largest_part_is_named() {
    let base = boots("base", 10, 100, 0);
    let largest = |of: &str, runs: &RunSet| {
        let budget = budget(&format!("[[budget]]\nof = \"{of}\"\nincrease_at_most = \"0 %\""));
        check(&budget, Some(&base), runs).remove(0).largest.unwrap()
    };
    let slow = largest("time-to-init", &boots("new", 10, 150, 0));
    assert_eq!((slow.part.as_str(), slow.adds), ("initcall `b_init`", 50_000_000));
    assert!(slow.records.is_some() && slow.run.is_some());
    let loud = largest("console-bytes", &boots("new", 10, 100, 900));
    assert_eq!(loud.part, "initcall `b_init`");
    assert!((900..1000).contains(&loud.adds), "{}", loud.adds);
}

#[test]
fn a_baseline_comes_back_as_it_went() {
    let base = boots("base", 6, 100, 0);
    let stored = Baseline::of(&base, Some("taken by hand".to_owned()), &BTreeSet::new());
    let read = Baseline::parse(stored.to_text().as_bytes()).unwrap();
    assert_eq!(read, stored);
    let runs = read.runs("base");
    assert_eq!((runs.n(), runs.short.len()), (6, 0));
    let new = boots("new", 6, 150, 0);
    let (direct, by_file) = (decompose(&base, &new), decompose(&runs, &new));
    assert_eq!(direct, by_file);
    // Short ones are summed up on both sides, and come out of the sum once they are long.
    // The line takes nearly all of these 4 ms.
    let short = boots("base", 6, 4, 0);
    let read = Baseline::parse(Baseline::of(&short, None, &BTreeSet::new()).to_text().as_bytes()).unwrap().runs("base");
    assert_eq!(read.short.iter().map(ToString::to_string).collect::<Vec<_>>(), ["initcall `b_init`"]);
    let c = decompose(&read, &boots("new", 6, 4, 0));
    assert!(c.contributions.iter().all(|c| c.observed == ObservedChange::Same), "{c:?}");
    // Nor is it gone where the baseline is the later one.
    let c = compare(&boots("new", 6, 4, 0), &read, Thresholds::default()).unwrap();
    assert!(c.decomposition.contributions.iter().all(|c| c.observed == ObservedChange::Same), "{:?}", c.decomposition);
    assert!(c.changes.iter().all(|c| c.verdict != ChangeVerdict::Gone), "{:?}", c.changes);
    assert_eq!(decompose(&new, &read).contributions[0].observed, ObservedChange::Faster);
    let c = decompose(&read, &new);
    assert_eq!(
        (c.contributions[0].key.to_string().as_str(), c.contributions[0].observed),
        ("initcall `b_init`", ObservedChange::Slower)
    );
    for (bad, words) in [("{}", "can't be read"), ("[", "can't be read")] {
        assert!(Baseline::parse(bad.as_bytes()).unwrap_err().to_string().contains(words));
    }
    let uneven = stored.to_text().replacen("\"runs\": [0,", "\"runs\": [0,0,", 1);
    assert!(Baseline::parse(uneven.as_bytes()).unwrap_err().to_string().contains("contradicts itself"));
    let other = stored.to_text().replace(BASELINE_SCHEMA, "bootline-baseline/9");
    assert!(Baseline::parse(other.as_bytes()).unwrap_err().to_string().contains("bootline-baseline/9"));
}

#[test]
fn what_never_returned_is_not_taken_for_fast() {
    let module = |end: &str| format!("[    0.900000] calling  foo_init+0x0/0x10 [foo] @ 99\n[    9.000000] {end}\n");
    let returned = "initcall foo_init+0x0/0x10 [foo] returned 0 after 8100000 usecs";
    let with =
        |name: &str, end: &'static str| set(name, (0..8).map(|i| log([40 + i * 7 % 5, 100, 30], 0) + &module(end)));
    let (base, hung) = (with("base", returned), with("hung", "still there"));
    let stored = Baseline::of(&hung, None, &BTreeSet::new());
    let read = Baseline::parse(stored.to_text().as_bytes()).unwrap();
    assert_eq!(read, stored);
    assert!(!Baseline::of(&base, None, &BTreeSet::new()).to_text().contains("unfinished"));
    for runs in [&hung, &read.runs("hung")] {
        let unknown = "8 of 8 runs don't have it: record them for longer";
        check_gate("of = \"initcall:foo_init\"\nat_most = \"1 s\"", None, runs, GateOutcome::Inconclusive, unknown);
        let increase = "of = \"initcall:foo_init\"\nincrease_at_most = \"1 s\"";
        check_gate(increase, Some(&base), runs, GateOutcome::Inconclusive, unknown);
        check_gate(increase, Some(runs), &base, GateOutcome::Inconclusive, "the baseline was stored without it");
        let c = compare(&base, runs, Thresholds::default()).unwrap();
        let foo = c.changes.iter().find(|c| c.quantity.to_string() == "initcall:foo_init").unwrap();
        assert!(foo.verdict != ChangeVerdict::Less, "{foo:?}");
    }
    let mut mixed = base.clone();
    mixed.runs[3] = hung.runs[3].clone();
    let one = "1 of 8 runs doesn't have it";
    check_gate("of = \"initcall:foo_init\"\nat_most = \"9 s\"", None, &mixed, GateOutcome::Inconclusive, one);
    check_gate("of = \"initcall:foo_init\"\nat_most = \"1 s\"", None, &mixed, GateOutcome::Fail, "");
}

/// One run in which `b_init` is another initcall.
fn without_b(n: u32) -> String {
    log([40 + n * 7 % 5, 100, 30], 0).replace("b_init", "y_init")
}

#[test]
fn ranks_and_medians_that_disagree_tell_nothing() {
    // By rank the later ones are greater beyond chance; their median is less.
    let of = |n: u32, few: u32, low: u32, high: u32| log([if n < few { low } else { high }, 100, 30 + n % 2], 0);
    let before = set("base", (0..40).map(|n| of(n, 19, 40, 60)));
    let after = set("new", (0..40).map(|n| of(n, 21, 59, 90)));
    let c = compare(&before, &after, Thresholds { noise: 0.0, ..Thresholds::default() }).unwrap();
    let a = c.changes.iter().find(|c| c.quantity.to_string() == "initcall:a_init").unwrap();
    assert!(a.p_value.unwrap() < 0.05 && a.difference.unwrap().best < 0.0, "{a:?}");
    assert_eq!(a.verdict, ChangeVerdict::NotSignificant);
}

#[test]
fn what_only_some_runs_have_may_be_chance() {
    let base = boots("base", 10, 100, 0);
    let now = |with: u32| {
        set("new", (0..10).map(move |n| if n < with { without_b(n) } else { log([40 + n * 7 % 5, 100, 30], 0) }))
    };
    let of = |with: u32| {
        let c = compare(&base, &now(with), Thresholds::default()).unwrap();
        let verdict = c.changes.iter().find(|c| c.quantity.to_string() == "initcall:y_init").unwrap().verdict;
        let part = c.decomposition.contributions.into_iter().find(|c| c.key.to_string().contains("y_init")).unwrap();
        (verdict, part.observed, part.is_clear(), part.runs)
    };
    assert_eq!(of(1), (ChangeVerdict::NotSignificant, ObservedChange::New, false, [0, 1]));
    assert_eq!(of(9), (ChangeVerdict::More, ObservedChange::New, true, [0, 9]));
    assert_eq!(of(10), (ChangeVerdict::New, ObservedChange::New, true, [0, 10]));
}

#[test]
fn so_many_that_none_can_be_told_alone_is_said() {
    // Thirty initcalls that vary by microseconds, of which one counts.
    let many = |name: &str| {
        let text = |n: u32| {
            let mut out = "[    0.000000] Linux version 6.1.0-44-amd64 (x) #1 SMP\n".to_owned();
            for i in 0..30 {
                let (from, took) = (200_000 + i * 100, 10 + (n * 7 + i) % 5);
                _ = writeln!(out, "[    0.{from:06}] calling  d{i}_init+0x0/0x10 @ 1");
                _ = writeln!(
                    out,
                    "[    0.{:06}] initcall d{i}_init+0x0/0x10 returned 0 after {took} usecs",
                    from + took
                );
            }
            out + "[    0.300000] Run /init as init process\n"
        };
        set(name, (0..5).map(text))
    };
    let said = |effect| {
        let c = compare(&many("base"), &many("new"), Thresholds { effect, ..Thresholds::default() }).unwrap();
        c.caveats.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        said(Dur::from_micros(1)),
        [
            "30 initcalls and probes vary by a relevant amount; to distinguish one of so many from chance takes 7 + 7 runs, not \
             5 + 5"
        ]
    );
    assert!(said(Dur::from_millis(1)).is_empty());
}

/// A boot with a boot loader and an application, whose times in ms are given.
fn whole_boots(name: &str, times: impl IntoIterator<Item = [u32; 2]>, until: &str) -> RunSet {
    let app = AppMarker::parse("camera: first").unwrap();
    let runs = times.into_iter().map(|[loader, app_at]| {
        let at = |ms: u32| format!("[2026-05-06 10:11:{:02}.{:03}]", ms / 1_000, ms % 1_000);
        let log = [
            format!("{} U-Boot 2024.01 (Jan 08 2024)\n", at(100)),
            format!("{} Starting kernel ...\n", at(100 + loader)),
            format!("{} [    0.000000] Linux version 6.6.1 (a@b) #1\n", at(200 + loader)),
            format!("{} [    0.100000] console [ttyS0] enabled\n", at(300 + loader)),
            format!("{} [    0.400000] Run /sbin/init as init process\n", at(600 + loader)),
            format!("{} camera: first frame\n", at(600 + loader + app_at)),
        ]
        .concat();
        let log = log.split_inclusive('\n').take_while(|l| until.is_empty() || !l.contains(until)).collect::<String>();
        let boot = boot(log.as_bytes()).with_sources(&[], Some(&app));
        RunMeasures::of(&boot, "x", &Asked { whole_boot: true, app: Some(app.clone()), ..Asked::default() }).unwrap()
    });
    RunSet { name: name.to_owned(), runs: runs.collect(), ..RunSet::default() }
}

#[test]
fn stages_of_the_whole_boot_are_gated() {
    let rule = |of: &str, limit: &str| format!("of = \"{of}\"\n{limit}");
    let check = |of: &str, limit: &str, runs: &RunSet, want: GateOutcome, why: &str| {
        let budget = budget(&format!("app = \"camera: first\"\n[[budget]]\n{}", rule(of, limit)));
        let found = super::check(&budget, Some(&whole_boots("base", (0..8).map(|i| [500 + i, 1000]), "")), runs);
        let reason = found[0].reason.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!(found[0].outcome, want, "{of} {limit}: {reason}");
        assert!(reason.contains(why), "{reason}");
        found[0].largest.as_ref().map(|l| l.part.clone())
    };
    let now = whole_boots("now", (0..8).map(|i| [900 + i, 1000]), "");
    assert_eq!(check("stage:loader", "at_most = \"500 ms\"", &now, GateOutcome::Fail, ""), None);
    check("stage:loader", "at_most = \"950 ms\"", &now, GateOutcome::Pass, "");
    check("stage:user-space", "at_most = \"1010 ms\"", &now, GateOutcome::Pass, "");
    let grown = "increase_at_most = \"200 ms\"";
    let largest = check("time-to-application", grown, &now, GateOutcome::Fail, "");
    assert_eq!(largest.as_deref(), Some("stage:loader"));
    check("stage:user-space", grown, &now, GateOutcome::Pass, "");
    // A log that ends before the application: how long user space took is not known.
    let cut = whole_boots("cut", (0..8).map(|i| [500 + i, 1000]), "camera");
    check("time-to-application", grown, &cut, GateOutcome::Inconclusive, "no run has it");
    check("stage:user-space", grown, &cut, GateOutcome::Inconclusive, "no run has it");
    check("stage:loader", grown, &cut, GateOutcome::Pass, "");
    // What begins with the kernel does not compare with what begins with the boot loader.
    let mut timer = whole_boots("timer", (0..8).map(|i| [500 + i, 1000]), "");
    timer.runs.iter_mut().for_each(|r| r.setup.stages_since = Some(bootline_boot::WholeOrigin::LoaderTimer));
    check("time-to-application", grown, &timer, GateOutcome::Inconclusive, "from the same moment");
    check("stage:user-space", grown, &timer, GateOutcome::Pass, "");
    check("stage:loader", grown, &timer, GateOutcome::Inconclusive, "from the same moment");
    timer.runs.iter_mut().for_each(|r| {
        (r.setup.stages_since, r.setup.stages_until) =
            (Some(bootline_boot::WholeOrigin::FirstByte), Some("radio".to_owned()));
    });
    check("time-to-application", grown, &timer, GateOutcome::Inconclusive, "to the same end");
    check("stage:kernel", grown, &timer, GateOutcome::Pass, "");
    // What came before the first byte is not in the figure.
    let from_power_on =
        "app = \"camera: first\"\nsince = \"power-on\"\n[[budget]]\nof = \"time-to-application\"\nat_most = \"9 s\"";
    let early =
        super::check(&budget(&from_power_on.replace("power-on", "kernel-start").replace("9 s", "1 s")), None, &now);
    assert_eq!(early[0].outcome, GateOutcome::Inconclusive, "the boot loader is in the figure");
    let late = super::check(&budget(&from_power_on.replace("9 s", "1 s")), None, &now);
    assert_eq!(late[0].outcome, GateOutcome::Fail, "with what came before it is longer still");
    let found = super::check(&budget(from_power_on), None, &now);
    assert_eq!(found[0].outcome, GateOutcome::Inconclusive);
    assert_eq!(
        found[0].reason.as_ref().unwrap().to_string(),
        "the stages count from the first byte on the console, not from what the budget demands"
    );
}

/// The kernel's echo of its command line reaches nothing.
#[test]
fn a_marker_in_the_command_line_is_no_marker() {
    let markers = asked(&["ready"]);
    let has = |log: String| {
        let run = RunMeasures::of(&boot(log.as_bytes()), "x", &markers).unwrap();
        run.values.contains_key(&Quantity::Marker("ready".to_owned()))
    };
    let hint =
        log([40, 100, 30], 0).replacen('\n', "\n[    0.000000] Kernel command line: console=ttyS0 acme.ready=1\n", 1);
    assert!(!has(hint.clone()));
    assert!(has(hint + "[    1.000000] acme: ready\n"));
}

#[test]
fn a_boot_that_never_got_there_was_no_fast_one() {
    let markers = asked(&["Run /init", "login:"]);
    let with = |n: usize| {
        let logs =
            (0..8).map(|i| log([40 + i as u32 % 3, 100, 30], 0) + if i < n { "[    1.000000] login:\n" } else { "" });
        let runs = logs.map(|l| RunMeasures::of(&boot(l.as_bytes()), "x", &markers).unwrap());
        RunSet { name: "new".to_owned(), runs: runs.collect(), ..RunSet::default() }
    };
    let at_most = "of = \"marker:login:\"\nat_most = \"2 s\"";
    let increase = "of = \"marker:login:\"\nincrease_at_most = \"2 s\"";
    for rule in [at_most, increase] {
        check_gate(rule, Some(&with(8)), &with(8), GateOutcome::Pass, "");
        check_gate(rule, Some(&with(8)), &with(7), GateOutcome::Inconclusive, "1 of 8 runs doesn't have it");
    }
    check_gate("of = \"marker:login:\"\nat_most = \"0.1 s\"", None, &with(6), GateOutcome::Fail, "");
    check_gate("of = \"marker:logn:\"\nat_most = \"2 s\"", None, &with(8), GateOutcome::Inconclusive, "no run has it");
}

#[test]
fn a_short_initcall_of_a_stored_baseline_is_not_taken_for_none() {
    // The line takes nearly all of these 4 ms.
    let short = boots("base", 8, 4, 0);
    let rule = |limit: &str| format!("of = \"initcall:b_init\"\nincrease_at_most = \"{limit}\"");
    let stored = |keep: &BTreeSet<PartKey>| {
        Baseline::parse(Baseline::of(&short, None, keep).to_text().as_bytes()).unwrap().runs("base")
    };
    let in_sum = stored(&BTreeSet::new());
    assert!(in_sum.short.contains(&PartKey::Initcall("b_init".into())));
    let slow = boots("new", 8, 50, 0);
    check_gate(&rule("20 ms"), Some(&in_sum), &slow, GateOutcome::Fail, "");
    check_gate(&rule("20 ms"), Some(&in_sum), &short, GateOutcome::Pass, "");
    check_gate(&rule("10 %"), Some(&in_sum), &slow, GateOutcome::Fail, "");
    check_gate(
        &rule("10 %"),
        Some(&in_sum),
        &short,
        GateOutcome::Inconclusive,
        "took less than 1 ms: store the baseline again",
    );
    let budget = budget(&format!("[[budget]]\n{}", rule("10 %")));
    let kept = stored(&budget.spans());
    assert!(!kept.short.contains(&PartKey::Initcall("b_init".into())));
    check_gate(&rule("10 %"), Some(&kept), &short, GateOutcome::Pass, "");
}

#[test]
fn the_records_of_a_part_are_those_of_the_median_run() {
    let to = boots("new", 5, 150, 40);
    let c = compare(&boots("base", 5, 100, 0), &to, Thresholds::default()).unwrap();
    let parts = &to.median_run().unwrap().parts;
    assert!(parts.iter().any(|p| p.records.is_some()));
    for part in &c.decomposition.contributions {
        let found = parts.iter().find(|p| p.key == part.key).and_then(|p| p.records);
        assert_eq!(part.records, found, "{}", part.key);
    }
}

#[test]
fn sums_beyond_all_numbers_are_cut_off() {
    let mut later = boots("new", 2, 150, 0);
    for part in later.runs.iter_mut().flat_map(|r| &mut r.parts) {
        part.bytes = i64::MAX as u64;
    }
    let c = compare(&boots("base", 2, 100, 0), &later, Thresholds::default()).unwrap();
    assert_eq!(PartSum::of(&c.decomposition.contributions).bytes, i64::MAX);
    for part in later.runs.iter_mut().flat_map(|r| &mut r.parts) {
        part.bytes = u64::MAX;
    }
    let spans = later.runs[0].parts.iter().map(|p| p.key.clone()).filter(PartKey::is_span).collect();
    later.sum_up(&spans);
    let short = later.runs[0].parts.iter().find(|p| p.key == PartKey::Short).unwrap();
    assert_eq!(short.bytes, u64::MAX);
}

#[test]
fn a_share_of_nothing_is_no_limit() {
    let base = boots("base", 8, 100, 0);
    let new = set("new", (0..8).map(without_b));
    check_gate(
        "of = \"initcall:y_init\"\nincrease_at_most = \"10 %\"",
        Some(&base),
        &new,
        GateOutcome::Inconclusive,
        "an amount",
    );
    check_gate("of = \"initcall:y_init\"\nincrease_at_most = \"10 ms\"", Some(&base), &new, GateOutcome::Fail, "");
    check_gate(
        "of = \"initcall:b_inti\"\nat_most = \"1 s\"",
        None,
        &base,
        GateOutcome::Inconclusive,
        "`initcall:b_init`",
    );
    let silent = |n: u32| log([40 + n, 100, 30], 0).replace("calling", "calls").replace("initcall ", "call ");
    let silent = set("new", (0..8).map(silent));
    check_gate(
        "of = \"initcall:b_init\"\nat_most = \"1 s\"",
        None,
        &silent,
        GateOutcome::Inconclusive,
        "boot with `initcall_debug",
    );
}

#[test]
fn what_is_noise_of_times_is_none_of_characters() {
    let (base, more) = (boots("base", 8, 100, 0), boots("new", 8, 100, 40));
    let gate = |of: &str, limit: &str| {
        let rule = format!("noise = \"50 %\"\n[[budget]]\nof = \"{of}\"\nincrease_at_most = {limit}");
        let checked = check(&Budget::parse(&rule).unwrap(), Some(&base), &more).remove(0);
        (checked.outcome, checked.reason)
    };
    assert_eq!(gate("console-bytes", "20").0, GateOutcome::Fail);
    let (outcome, reason) = gate("time-to-init", "\"20 ms\"");
    assert!(outcome == GateOutcome::Pass && matches!(reason, Some(GateReason::LimitInNoise { .. })), "{reason:?}");
    let c = compare(&base, &more, Thresholds { noise: 0.5, ..Thresholds::default() }).unwrap();
    let of = |q: Quantity| c.changes.iter().find(|c| c.quantity == q).unwrap().verdict;
    assert_eq!(of(Quantity::ConsoleBytes), ChangeVerdict::More);
}

#[test]
fn times_that_begin_elsewhere_are_not_judged() {
    let mut other = boots("base", 8, 100, 0);
    let new = boots("new", 8, 100, 0);
    other.runs.iter_mut().for_each(|r| r.setup.since = bootline_boot::TimeOrigin::PowerOn);
    let limit = "of = \"time-to-init\"\nincrease_at_most = \"50 ms\"";
    check_gate(limit, Some(&new), &new, GateOutcome::Pass, "");
    check_gate(limit, Some(&other), &new, GateOutcome::Inconclusive, "from the same beginning");
    check_gate("of = \"console-bytes\"\nincrease_at_most = 50", Some(&other), &new, GateOutcome::Pass, "");
    other.runs[0].setup.since = new.runs[0].setup.since;
    check_gate("of = \"time-to-init\"\nat_most = \"1 s\"", None, &other, GateOutcome::Inconclusive, "same beginning");
}

#[test]
fn baselines_that_are_none() {
    let check = |text: &str, words: &str| {
        let error = Baseline::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    // Of another version, whatever else is in it.
    check("{\"schema\": \"bootline-baseline/2\", \"boots\": []}", "its schema is `bootline-baseline/2`");
    let stored = Baseline::of(&boots("base", 4, 100, 0), None, &BTreeSet::new()).to_text();
    check(&stored[..stored.len() / 2], "can't be read");
    let many = format!("\"runs\": [{}0]", "0,".repeat(1000));
    check(&stored.replacen("\"runs\": [0,0,0,0]", &many, 1), "1001 runs");
}

proptest! {
    #[test]
    fn characters_add_up_as_times_do(extra in prop::collection::vec(0_usize..300, 1..6), other in prop::collection::vec(0_usize..300, 1..6)) {
        let base = set("base", extra.iter().map(|e| log([40, 100, 30], *e)));
        let new = set("new", other.iter().map(|e| log([40, 100, 30], *e)));
        let d = decompose(&base, &new);
        let mean = |s: &RunSet| s.runs.iter().map(|r| r.values[&Quantity::ConsoleBytes] as f64).sum::<f64>() / s.n() as f64;
        let sum: i64 = d.contributions.iter().map(|c| c.bytes).sum();
        prop_assert!((sum as f64 - (mean(&new) - mean(&base))).abs() <= 0.5 + 1e-6, "{sum}");
    }
}

proptest! {
    #[test]
    fn contributions_add_up_to_the_whole(
        from in prop::collection::vec((0_u32..300, 0_u32..300, 0_u32..300), 1..5),
        to in prop::collection::vec((0_u32..300, 0_u32..300, 0_u32..300), 1..5),
        extra in 0_usize..500,
    ) {
        let base = set("base", from.iter().map(|&(a, b, c)| log([a, b, c], 0)));
        let new = set("new", to.iter().map(|&(a, b, c)| log([a, b, c], extra)));
        for run in base.runs.iter().chain(&new.runs) {
            prop_assert_eq!(run.parts.iter().map(|p| p.time().as_nanos()).sum::<i64>(), run.time());
        }
        let d = decompose(&base, &new);
        prop_assert_eq!(d.contributions.iter().map(|c| c.total()).sum::<Dur>(), d.whole);
        let mean = |s: &RunSet| s.runs.iter().map(|r| r.time() as f64).sum::<f64>() / s.n() as f64;
        prop_assert!((d.whole.as_nanos() as f64 - (mean(&new) - mean(&base))).abs() < 2.0);
        let stored = Baseline::parse(Baseline::of(&base, None, &BTreeSet::new()).to_text().as_bytes()).unwrap().runs("base");
        let d = decompose(&stored, &new);
        prop_assert_eq!(d.contributions.iter().map(|c| c.total()).sum::<Dur>(), d.whole);
    }
}

#[test]
fn what_became_of_the_parts_adds_up() {
    let text = |b| log([40, b, 30], 0);
    let other = text(150).replace("c_init", "d_init");
    let base = set("base", (0..8).map(|i| log([40 + i % 3, 100, 30], 0)));
    let d = decompose(&base, &set("new", (0..8).map(|_| other.clone())));
    let sums = d.sums();
    let kinds: Vec<PartChange> = sums.iter().map(|s| s.0).collect();
    assert_eq!(
        kinds,
        [PartChange::New, PartChange::Gone, PartChange::Slower, PartChange::Faster, PartChange::Inconclusive]
    );
    assert_eq!(sums.iter().map(|(_, s)| s.total()).sum::<Dur>(), d.whole);
    assert_eq!(sums.iter().map(|(_, s)| s.parts).sum::<usize>(), d.contributions.len());
    let (shown, others) = d.fold(2);
    assert_eq!((shown.len(), shown.len() + others.len()), (2, d.contributions.len()));
    assert!(shown.iter().all(|c| others.iter().all(|o| c.total().abs() >= o.total().abs())));
    let mean = base.runs.iter().map(RunMeasures::time).sum::<i64>() as f64 / 8.0;
    assert!((d.before.as_nanos() as f64 - mean).abs() < 1.0);
}

#[test]
fn few_runs_can_not_tell_what_is_the_same() {
    let [base, new] = [100, 150].map(|b| boots("x", 2, b, 0));
    let c = compare(&base, &new, Thresholds::default()).unwrap();
    let of = |name: &str| c.changes.iter().find(|c| c.quantity.to_string() == name).unwrap();
    let may = |name| (of(name).differs(), of(name).may_differ(&c.thresholds));
    assert_eq!((may("initcall:b_init"), may("initcall:c_init")), ((false, true), (false, false)));
    let values = &of("initcall:b_init").to.as_ref().unwrap().values;
    assert!(values.len() == 2 && values.iter().all(|v| v.is_some_and(|v| v > 140_000_000)), "{values:?}");
    assert_eq!(c.sources[0], ["x/0", "x/1"]);
}
