// SPDX-License-Identifier: MIT OR Apache-2.0
//! `critical-chain` over the whole boots of `corpus-systems/`: one chain from power-on to the application.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_testkit::isolated;
use serde_json::Value;

/// What the systems said of themselves.
const SOURCES: [&str; 3] = ["journal.export.gz", "systemctl-manager.txt.gz", "systemctl-show.txt.gz"];

fn cases() -> Vec<PathBuf> {
    bootline_testkit::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus-systems"), 3)
}

/// What shows the application, by the case's `origin.toml`.
fn application(case: &Path) -> String {
    let origin = fs::read_to_string(case.join("origin.toml")).unwrap();
    let line = origin.lines().find_map(|line| line.strip_prefix("app = \"")).unwrap();
    line.trim_end_matches('"').to_owned()
}

fn run(verb: &str, case: &Path, sources: &[&str], more: &[&str]) -> String {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.current_dir(case).args([verb, "boot.cap"]).args(more);
    for source in sources.iter().filter(|name| case.join(name).is_file()) {
        command.args(["--with", source]);
    }
    let out = command.output().unwrap();
    assert!(out.status.success(), "{} {verb}: {}", case.display(), String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn boot(verb: &str, case: &Path, sources: &[&str], more: &[&str]) -> Value {
    let more = [more, &["--json"]].concat();
    let document: Value = serde_json::from_str(&run(verb, case, sources, &more)).unwrap();
    document["boots"][0].clone()
}

fn ns(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no time"))
}

/// Links without gap or overlap, that end where the stages end.
fn check_chain(case: &Path, sources: &[&str], more: &[&str]) -> Value {
    let chain = boot("critical-chain", case, sources, more)["boot_chain"].clone();
    let what = format!("{} {sources:?} {more:?}", case.display());
    let links = chain["links"].as_array().unwrap_or_else(|| panic!("{what}: no chain"));
    assert_eq!(ns(&links[0]["start_ns"]), ns(&chain["start_ns"]), "{what}");
    assert_eq!(ns(&links[links.len() - 1]["end_ns"]), ns(&chain["end_ns"]), "{what}");
    for pair in links.windows(2) {
        assert_eq!(ns(&pair[0]["end_ns"]), ns(&pair[1]["start_ns"]), "{what}: {} {}", pair[0], pair[1]);
    }
    let parts: i64 = chain["parts"].as_array().unwrap().iter().map(|part| ns(&part["length_ns"])).sum();
    assert_eq!(parts, ns(&chain["length_ns"]), "{what}");
    let whole = boot("time", case, sources, more)["whole"].clone();
    let stages = whole["stages"].as_array().unwrap();
    assert_eq!(ns(&chain["start_ns"]), ns(&stages[0]["start_ns"]), "{what}");
    if chain["until"] != "init" {
        assert_eq!(ns(&chain["end_ns"]), ns(&stages[stages.len() - 1]["end_ns"]), "{what}");
    }
    chain
}

fn kinds(chain: &Value) -> Vec<&str> {
    let mut found: Vec<&str> =
        chain["links"].as_array().unwrap().iter().map(|link| link["kind"].as_str().unwrap()).collect();
    found.dedup();
    found
}

#[test]
fn one_chain_from_power_on_to_the_application() {
    for case in cases() {
        let app = application(&case);
        let chain = check_chain(&case, &SOURCES, &["--app", &app]);
        assert_eq!((&chain["since"], &chain["until"]), (&"power-on".into(), &"application".into()));
        let found = kinds(&chain);
        if !case.join(SOURCES[2]).is_file() {
            assert_eq!(found, ["stage", "segment", "stage"], "{}", case.display());
            continue;
        }
        let of_systemd = ["manager-load", "manager-set-up", "generators", "units-load"];
        let begins = [&["stage", "segment", "stage"][..], &of_systemd, &["queue", "unit"]].concat();
        assert_eq!(found[..begins.len()], begins, "{}", case.display());
        assert_eq!(found[found.len() - 2..], ["application", "application-execution"], "{}", case.display());
    }
}

/// With the sources that there are, whatever is missing.
#[test]
fn a_missing_source_makes_the_chain_coarser_and_never_breaks_it() {
    for case in cases() {
        let app = application(&case);
        for left_out in SOURCES {
            let sources: Vec<&str> = SOURCES.into_iter().filter(|name| *name != left_out).collect();
            check_chain(&case, &sources, &[]);
        }
        check_chain(&case, &SOURCES, &[]);
        check_chain(&case, &[], &[]);
        check_chain(&case, &SOURCES, &["--marker", "bootline-app"]);
        check_chain(&case, &SOURCES, &["--marker", "console", "--app", &app]);
    }
}

#[test]
fn what_the_chain_divides_into_is_said() {
    for case in cases().iter().filter(|case| case.join(SOURCES[2]).is_file()) {
        let text = run("critical-chain", case, &SOURCES, &["--width", "140", "--app", &application(case)]);
        for words in [
            "The application (bootline-app.service) was executed",
            "after power-on: ",
            "in the initramfs, ",
            "in systemd's own start, ",
            "in units' queues and ",
            "in the application's own start. Its unit, of Type=simple, was up ",
            "`systemd-analyze critical-chain` does not show this time.",
            "systemd: generators",
            "queue: ",
            "firmware (the capture's note of power-on)",
            "Not critical: each of these could be up later by its slack",
            "does not need began to start before it was up",
        ] {
            assert!(text.replace('\n', " ").contains(words), "{}: {words}\n{text}", case.display());
        }
    }
}

/// Releasing what waited for a unit never makes the boot longer, nor saves more than the whole boot; a shorter stage saves what it is shorter.
#[test]
fn changes_of_units_of_the_chain_are_predicted() {
    for case in cases() {
        let app = application(&case);
        let predicted = |setting: &str| {
            let boot = boot("predict", &case, &SOURCES, &["--app", &app, "--set", setting]);
            let [baseline, changed] = boot["whole_predictions"].as_array().unwrap().as_slice() else {
                panic!("{boot}")
            };
            let saved = ["low", "best", "high"].map(|bound| ns(&changed["saved_ns"][bound]));
            (saved, ns(&baseline["length_ns"]["best"]))
        };
        let chain = boot("critical-chain", &case, &SOURCES, &["--app", &app])["unit_chain"].clone();
        let links = chain["links"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut most = 0;
        for unit in links.iter().map(|link| link["unit"].as_str().unwrap()) {
            let ([low, best, high], length) = predicted(&format!("no-wait={unit}"));
            assert!(
                0 <= low && low <= best && best <= high && high <= length,
                "{unit}: {low} {best} {high} of {length}"
            );
            most = most.max(high);
        }
        assert_eq!(most > 0, !links.is_empty(), "{}: nothing in the chain was waited for", case.display());
        let stage = boot("time", &case, &SOURCES, &["--app", &app])["whole"]["stages"][0].clone();
        let (saved, _) = predicted(&format!("stage:{}=0s", stage["name"].as_str().unwrap()));
        assert_eq!(saved, [ns(&stage["length_ns"]); 3], "{}", case.display());
    }
}
