// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline experiment` as a user runs it: what is refused and how, what runs that are there say, and one small experiment.
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bootline_images::arch::Arch;
use bootline_testkit::{isolated, seed_kernel};
use serde_json::{Value, json};

#[path = "../../bootline-report/tests/schema/mod.rs"]
mod schema;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn experiment(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().unwrap()
}

/// In the folder `dir`, with the cache of kernels that is there.
fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    command.current_dir(dir).arg("experiment").args(args).env("BOOTLINE_CACHE", dir.join("cache"));
    command
}

const TWO: &str = "name = \"two\"\nabout = \"Which is slower?\"\nruns = 1\nwarm_up = 0\nrandom_seed = 3\nbase = \"slow\"\n\
    [defaults]\nkernel = \"6.1\"\n[[arm]]\nname = \"slow\"\nbaud = 9600\n[[arm]]\nname = \"fast\"\nbaud = 115200\n\
    [[claim]]\ntext = \"the slow one\"\narm = \"slow\"\nof = \"fast\"\nat_least = 2.0\n";

#[track_caller]
fn check(file: &str, args: &[&str], status: i32, said: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("two.toml"), file).unwrap();
    let out = experiment(dir.path(), args);
    let stderr = String::from_utf8(out.stderr).unwrap();
    for said in said {
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
    assert_eq!((out.status.code(), out.stdout.len()), (Some(status), 0), "{stderr}");
    assert!(!dir.path().join("results").exists(), "{args:?}");
}

#[test]
fn what_is_no_experiment_is_refused_by_line_and_key() {
    let wrong = TWO.replace("baud = 115200", "buad = 115200");
    let said = [
        "error: unknown key `buad` in experiment `two.toml`",
        "at: two.toml line 14: buad = 115200",
        "hint: did you mean `baud`?",
    ];
    check(&wrong, &["run", "two.toml"], 3, &said);
    let hostile = TWO.replace("name = \"fast\"", "name = \"\\u001b[2J../x\"");
    check(&hostile, &["run", "two.toml"], 3, &["error: name `\\x1b[2J../x` is not made of letters"]);
    check(
        TWO,
        &["run", "three"],
        3,
        &["error: no experiment `three` in ./experiments", "hint: `bootline experiment list`"],
    );
    check(TWO, &["run", "no/three.toml"], 3, &["error: no such experiment `no/three.toml`"]);
    check(TWO, &["run"], 2, &["required"]);
    check(TWO, &["run", "two.toml", "-o", "-"], 2, &["`-o -`: this verb writes a folder"]);
}

#[test]
fn what_can_not_be_run_is_refused_before_anything_is_booted() {
    let said = ["error: experiment `two` has no arm `fats`; it has slow, fast", "hint: did you mean `--arms fast`?"];
    check(TWO, &["run", "two.toml", "--arms", "slow,fats"], 2, &said);
    let file = TWO.replace("\"6.1\"", "\"./bzImage\"");
    check(&file, &["run", "two.toml"], 3, &["error: arm `slow`: can't read kernel `./bzImage`"]);
    let file = TWO.replace("\"6.1\"", "\"./two.toml\"");
    check(
        &file,
        &["run", "two.toml"],
        3,
        &["is neither an x86 bzImage, an arm64 Image nor an armhf zImage", "hint: name a kernel's image, or"],
    );
    check(TWO, &["report", "two.toml"], 3, &["error: no results in `results/two`", "hint: run it first"]);
    check(TWO, &["run", "two.toml", "-n", "0"], 2, &["0 is not in 1..=1000"]);
    check(TWO, &["report", "two.toml", "--fresh"], 2, &["unexpected argument"]);
}

#[test]
fn an_experiment_comes_from_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let check = |file: &str, args: &[&str], status: i32, said: &str| {
        let mut command = command(dir.path(), args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // One that refuses its arguments doesn't read.
        let _ = child.stdin.take().unwrap().write_all(file.as_bytes());
        let out = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert!(stderr.contains(said), "{args:?}: {stderr}");
        assert_eq!(out.status.code(), Some(status), "{stderr}");
        String::from_utf8(out.stdout).unwrap()
    };
    check(TWO, &["report", "-"], 3, "error: no results in `results/two`");
    check(TWO, &["run", "-", "-"], 2, "standard input `-` can be read only once");
    check("name = 1", &["run", "-"], 3, "in experiment `-`");
    // The kernel's path is relative to the current folder.
    check(&TWO.replace("\"6.1\"", "\"./bzImage\""), &["run", "-"], 3, "can't read kernel `./bzImage`");
    results_of_the_corpus(dir.path());
    let reported = experiment(dir.path(), &["report", "two.toml"]).stdout;
    assert_eq!(check(TWO, &["report", "-"], 3, "").into_bytes(), reported);
}

#[test]
fn without_qemu_it_says_so_and_can_go_on_later() {
    let dir = tempfile::tempdir().unwrap();
    let mut image = vec![0; 4096];
    image[0x202..0x206].copy_from_slice(b"HdrS");
    fs::write(dir.path().join("bzImage"), image).unwrap();
    fs::write(dir.path().join("two.toml"), TWO.replace("\"6.1\"", "\"./bzImage\"")).unwrap();
    let out = command(dir.path(), &["run", "two.toml"]).env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert!(stderr.contains("failed: `qemu-system-x86_64` is not installed"), "{stderr}");
    assert!(stderr.contains("hint: apt install qemu-system-x86"), "{stderr}");
    assert_eq!(out.status.code(), Some(4));
    let state: Value = read_json(&dir.path().join("results/two/state.json"));
    assert_eq!(state["random_seed"], 3);
}

#[test]
fn the_experiments_of_this_repository_are_listed() {
    let out = experiment(&root(), &["list", "--json"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let list: Value = serde_json::from_slice(&out.stdout).unwrap();
    schema::check("experiments", &list);
    let found = list["experiments"].as_array().unwrap();
    let there = fs::read_dir(root().join("experiments")).unwrap().map(|e| e.unwrap().path());
    assert_eq!(found.len(), there.filter(|p| p.extension().is_some_and(|e| e == "toml")).count());
    assert!(found.iter().any(|e| e["name"] == "seed1-baud"), "{list}");
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Results made of real boots that the corpus holds.
fn results_of_the_corpus(dir: &Path) {
    fs::write(dir.join("two.toml"), TWO).unwrap();
    let results = dir.join("results/two");
    for (run, case, loop_ns) in
        [("slow-01", "x86-6.1-9600", [6_000_000, 8_000_000]), ("fast-01", "x86-6.1-115200", [7_000_000, 5_000_000])]
    {
        let to = results.join("runs").join(run);
        fs::create_dir_all(&to).unwrap();
        for file in ["boot.cap", "dmesg.kmsg"] {
            fs::copy(root().join("corpus").join(case).join(file), to.join(file)).unwrap();
        }
        let mut truth = read_json(&root().join("corpus").join(case).join("truth.json"));
        truth["host"]["loop_ns"] = json!(loop_ns);
        fs::write(to.join("truth.json"), truth.to_string()).unwrap();
    }
    fs::create_dir_all(results.join("runs/fast-01/invalid-1")).unwrap();
    fs::write(results.join("experiment.toml"), TWO).unwrap();
    let state = json!({ "schema": "bootline-experiment-state/1", "random_seed": 3, "kernels": {} });
    schema::check("experiment-state", &state);
    fs::write(results.join("state.json"), state.to_string()).unwrap();
}

#[test]
fn a_report_needs_neither_qemu_nor_a_kernel() {
    let dir = tempfile::tempdir().unwrap();
    results_of_the_corpus(dir.path());
    let out = experiment(dir.path(), &["report", "two.toml", "--json"]);
    // One run of each arm decides nothing.
    assert_eq!(out.status.code(), Some(3), "{}", String::from_utf8_lossy(&out.stderr));
    let result: Value = serde_json::from_slice(&out.stdout).unwrap();
    schema::check("experiment", &result);
    assert_eq!(result, read_json(&dir.path().join("results/two/result.json")));
    let [slow, fast] = [0, 1].map(|i| &result["arms"][i]);
    for (arm, case) in [(slow, "x86-6.1-9600"), (fast, "x86-6.1-115200")] {
        let truth = read_json(&root().join("corpus").join(case).join("truth.json"));
        assert_eq!(arm["measured"]["median"], truth["time_to_init_ns"]);
        assert_eq!(arm["runs"][0]["verdict"], "valid");
    }
    assert_eq!((&slow["predicted"], &fast["predicted"]["change"]), (&Value::Null, &json!("baud=115200")));
    assert!(fast["predicted"]["error"].as_f64().unwrap().abs() < 0.25, "{fast}");
    assert_eq!((&fast["verdict"], &fast["invalid"]), (&json!("inconclusive"), &json!(1)));
    let ratio = result["claims"][0]["ratio"]["best"].as_f64().unwrap();
    assert!(ratio > 2.0, "{ratio}");
    assert_eq!(result["claims"][0]["verdict"], "inconclusive");
}

/// Without a claim or a prediction, too, an arm that gave no figure is no success.
#[test]
fn an_arm_without_a_valid_run_is_told_by_the_status() {
    let dir = tempfile::tempdir().unwrap();
    results_of_the_corpus(dir.path());
    let (file, _) = TWO.split_once("[[claim]]").unwrap();
    let file = file.replace("base = \"slow\"\n", "");
    for path in ["two.toml", "results/two/experiment.toml"] {
        fs::write(dir.path().join(path), &file).unwrap();
    }
    let status = || experiment(dir.path(), &["report", "two.toml"]).status.code();
    assert_eq!(status(), Some(0));
    let path = dir.path().join("results/two/runs/fast-01/truth.json");
    let mut truth = read_json(&path);
    truth["verdict"] = json!("stopped");
    fs::write(&path, truth.to_string()).unwrap();
    assert_eq!(status(), Some(3));
}

#[test]
fn a_report_reads_well() {
    let dir = tempfile::tempdir().unwrap();
    results_of_the_corpus(dir.path());
    let out = experiment(dir.path(), &["report", "two.toml"]);
    let text = String::from_utf8(out.stdout).unwrap();
    for part in [
        "two: 2 arms, 2 valid runs, 1 invalid, 2 inconclusive",
        "Which is slower?",
        "time-to-init: from the line's first byte to init, host clock",
        "prediction inconclusive: 1 valid runs of the 3 that it takes",
        "claim  the slow one",
        "inconclusive: claimed at least 2, measured",
        "the order was drawn from the seed 3",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let speed = "a fixed loop took 5.0 to 8.0 ms (+60 %)";
    assert!(words.join(" ").contains(speed), "{text}");
    assert!(fs::read_to_string(dir.path().join("results/two/report.txt")).unwrap().contains("Which is slower?"));
}

#[test]
fn a_changed_experiment_is_refused_and_what_is_there_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    results_of_the_corpus(dir.path());
    fs::write(dir.path().join("two.toml"), TWO.replace("at_least = 2.0", "at_least = 3.0")).unwrap();
    let out = experiment(dir.path(), &["report", "two.toml"]);
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{stderr}");
    assert!(stderr.contains("at: line 19: at_least = 3.0") && stderr.contains("`--fresh`"), "{stderr}");
    assert!(dir.path().join("results/two/runs/slow-01/boot.cap").exists());
}

/// Boots a stock kernel: ratios, and that the result is what was measured.
#[test]
fn a_small_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let kernel = seed_kernel(&dir.path().join("cache"), Arch::Amd64, "6.12");
    let file = TWO
        // A busy host spoils a run now and then.
        .replace("runs = 1", "runs = 1\nattempts = 20")
        .replace("kernel = \"6.1\"", &format!("kernel = \"{}\"", kernel.series))
        .replace("baud = 9600", "baud = 57600")
        .replace("baud = 115200", "baud = 460800")
        .replace("at_least = 2.0", "at_least = 1.0");
    fs::write(dir.path().join("two.toml"), file).unwrap();
    let out = experiment(dir.path(), &["run", "two.toml"]);
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(3), "{stderr}");
    let result = read_json(&dir.path().join("results/two/result.json"));
    schema::check("experiment", &result);
    assert_eq!(result["complete"], true);
    let truth = |run: &str| read_json(&dir.path().join("results/two/runs").join(run).join("truth.json"));
    let [slow, fast] = ["slow-01", "fast-01"].map(truth);
    for (arm, truth) in [&slow, &fast].into_iter().enumerate() {
        assert_eq!(result["arms"][arm]["measured"]["median"], truth["time_to_init_ns"], "{result}");
    }
    // The same log on a line eight times as fast.
    let busy = |truth: &Value| truth["console_busy_before_init_ns"].as_f64().unwrap();
    let ratio = busy(&slow) / busy(&fast);
    assert!((7.0..9.0).contains(&ratio), "{ratio}");
    // All is there: nothing is booted, and the answer is the same.
    let again = experiment(dir.path(), &["run", "two.toml", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), result);
    assert!(!String::from_utf8_lossy(&again.stderr).contains("booting"));
}
