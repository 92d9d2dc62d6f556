// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline compare` and `bootline check` as they are used: sets on disk, exit statuses, what is said where.
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

#[path = "../../bootline-core/tests/schema/mod.rs"]
mod schema;

/// A boot whose initcall `b_init` takes so many ms.
fn log(b_ms: u32, jitter_us: u32) -> String {
    let mut out = String::from(
        "[    0.000000] Linux version 6.1.0-44-amd64 (x) #1 SMP\n\
         [    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8\n\
         [    0.100000] printk: console [ttyS0] enabled\n",
    );
    let mut at = 200_000 + jitter_us;
    for (name, ms) in [("a_init", 40), ("b_init", b_ms), ("c_init", 30)] {
        let stamp = |at: u32| format!("[    {}.{:06}]", at / 1_000_000, at % 1_000_000);
        _ = writeln!(out, "{} calling  {name}+0x0/0x10 @ 1", stamp(at));
        at += ms * 1000;
        _ = writeln!(out, "{} initcall {name}+0x0/0x10 returned 0 after {} usecs", stamp(at), ms * 1000);
        at += 8_000;
    }
    _ = writeln!(out, "[    {}.{:06}] Run /init as init process", at / 1_000_000, at % 1_000_000);
    out
}

fn folder(dir: &Path, name: &str, runs: u32, b_ms: u32) -> PathBuf {
    let folder = dir.join(name);
    fs::create_dir(&folder).unwrap();
    for n in 0..runs {
        fs::write(folder.join(format!("{n:02}.log")), log(b_ms, n * 7 % 5 * 900)).unwrap();
    }
    folder
}

fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bootline")).args(args).current_dir(dir).output().unwrap()
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn stderr(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

fn json(out: &Output) -> Value {
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(out)))
}

const BUDGET: &str = "baseline = \"base.json\"\n[[budget]]\nof = \"time-to-init\"\nat_most = \"1 s\"\n\
                      increase_at_most = \"20 ms\"\n[[budget]]\nof = \"initcall:b_init\"\nincrease_at_most = \"20 ms\"\n";

#[test]
fn two_folders_are_compared_in_every_shape() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 8, 100);
    folder(dir.path(), "new", 8, 150);
    let out = run(dir.path(), &["compare", "base", "new"]);
    let text = stdout(&out);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)));
    assert!(text.contains("Time to init is 0.050 s longer"), "{text}");
    let part = text.lines().find(|l| l.contains("initcall `b_init`")).unwrap_or_default();
    assert!(part.contains("+0.050 s") && part.contains("slower"), "{text}");
    let out = run(dir.path(), &["compare", "--json", "base", "new"]);
    let value = json(&out);
    schema::check("compare", &value);
    let parts: i64 = value["parts"].as_array().unwrap().iter().map(|p| p["adds_ns"].as_i64().unwrap()).sum();
    assert_eq!((Value::from(parts), &value["whole_ns"]), (value["whole_ns"].clone(), &Value::from(50_000_000)));
    let out = run(dir.path(), &["compare", "--output-format", "markdown", "base", "new"]);
    assert!(stdout(&out).starts_with("## base"), "{}", stdout(&out));
}

#[test]
fn single_files_are_taken_apart_but_not_judged() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), log(100, 0)).unwrap();
    fs::write(dir.path().join("b.log"), log(300, 0).replace("c_init", "d_init")).unwrap();
    let out = run(dir.path(), &["compare", "a.log", "b.log"]);
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    for words in ["of which too few runs tell nothing", "1 + 1 runs can't tell", "gone", "new"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(run(dir.path(), &["compare", "a.log", "none.log"]).status.code(), Some(3));
    assert_eq!(run(dir.path(), &["compare", "-", "-"]).status.code(), Some(2));
    assert_eq!(run(dir.path(), &["compare", "a.log"]).status.code(), Some(2));
    fs::create_dir(dir.path().join("empty")).unwrap();
    assert!(stderr(&run(dir.path(), &["compare", "a.log", "empty"])).contains("no captures and no logs in `empty`"));
}

#[test]
fn a_gate_keeps_breaks_and_refuses_to_judge() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 8, 100);
    folder(dir.path(), "slow", 8, 150);
    folder(dir.path(), "one", 1, 100);
    fs::write(dir.path().join("boot-budget.toml"), BUDGET).unwrap();
    let out = run(dir.path(), &["check", "slow"]);
    assert!(stderr(&out).starts_with("error: no baseline `base.json`\n  hint: store one: "), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(3));
    let out = run(dir.path(), &["check", "--write-baseline", "base.json", "--note", "by hand", "base"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("8 runs stored in `base.json`\n", Some(0)));

    let out = run(dir.path(), &["check", "base"]);
    assert_eq!((stderr(&out).as_str(), out.status.code()), ("", Some(0)), "{}", stdout(&out));

    let out = run(dir.path(), &["check", "--junit", "boot.xml", "slow"]);
    let said = stderr(&out);
    assert_eq!(out.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().take(3).collect();
    assert_eq!(lines[0], "error: gate `time-to-init` failed: +0.050 s (limit +0.020 s)");
    assert!(lines[1].starts_with("  95 % interval +0.0") && lines[1].ends_with("s, 8 + 8 boots"), "{said}");
    assert!(lines[2].starts_with("  largest part: initcall `b_init` +0.050 s, records "), "{said}");
    let xml = fs::read_to_string(dir.path().join("boot.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"2\" errors=\"0\""), "{xml}");

    let out = run(dir.path(), &["check", "one"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    assert!(stderr(&out).contains("1 run is too few beside 8 of the baseline: it takes 2"), "{}", stderr(&out));
    let out = run(dir.path(), &["check", "--json", "one"]);
    schema::check("check", &json(&out));
    schema::check("check", &json(&run(dir.path(), &["check", "--json", "slow"])));
    // Runs will do as a baseline.
    assert_eq!(run(dir.path(), &["check", "--baseline", "slow", "slow"]).status.code(), Some(0));
}

#[test]
fn a_boot_that_failed_is_seen_and_one_that_the_lab_calls_invalid_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 6, 100);
    let new = folder(dir.path(), "new", 6, 100);
    fs::write(dir.path().join("boot-budget.toml"), BUDGET.replace("base.json", "base")).unwrap();
    let cut = log(100, 0).replace("[    0.394000] Run /init as init process", "");
    assert!(!cut.contains("Run /init"));
    fs::write(new.join("99.log"), cut).unwrap();
    let out = run(dir.path(), &["check", "new"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    assert!(stderr(&out).contains("1 run of new can't be used\n  at: new/99.log: "), "{}", stderr(&out));
    assert!(stdout(&out).contains("left out"), "{}", stdout(&out));
    assert_eq!(run(dir.path(), &["compare", "base", "new"]).status.code(), Some(3));
}

#[test]
fn the_arms_of_an_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/x86-7.2-921600");
    let capture = fs::read(corpus.join("boot.cap")).unwrap();
    let truth = fs::read_to_string(corpus.join("truth.json")).unwrap();
    let results = dir.path().join("results");
    for (run, valid) in [("a-01", true), ("a-02", true), ("b-c-01", true), ("b-c-02", false)] {
        let folder = results.join("runs").join(run);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("boot.cap"), &capture).unwrap();
        let truth = if valid { truth.clone() } else { truth.replacen("\"valid\"", "\"invalid\"", 1) };
        fs::write(folder.join("truth.json"), truth).unwrap();
    }
    fs::write(results.join("state.json"), "{}").unwrap();
    let out = run(dir.path(), &["compare", "--json", "results", "--arm", "a", "--arm", "b-c"]);
    let value = json(&out);
    // The lab's own verdict says nothing of the boot.
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!((&value["from"]["runs"], &value["to"]["runs"]), (&2.into(), &1.into()));
    assert_eq!(value["to"]["excluded"][0]["expected"], true);
    assert_eq!(value["whole_ns"], 0);
    let out = run(dir.path(), &["compare", "results", "results"]);
    assert!(stderr(&out).contains("have several arms\n  hint: choose: `--arm ARM`, one of a, b-c"), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(2));
    // What `bootline boot` leaves is a set of one.
    assert_eq!(run(dir.path(), &["compare", "results/runs/a-01", "results/runs/a-02"]).status.code(), Some(0));
}

#[test]
fn budgets_that_are_none() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), log(100, 0)).unwrap();
    let out = run(dir.path(), &["check", "a.log"]);
    assert!(stderr(&out).starts_with("error: no budget `boot-budget.toml`\n  hint: "), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(2));
    fs::write(dir.path().join("boot-budget.toml"), "[[budget]]\nof = \"time-to-init\"\nat_mots = \"3 s\"\n").unwrap();
    let out = run(dir.path(), &["check", "a.log"]);
    assert!(stderr(&out).contains("unknown field `at_mots`"), "{}", stderr(&out));
    assert!(stderr(&out).contains("  at: line 3: `at_mots = \"3 s\"`"), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(2));
    fs::write(dir.path().join("bad.json"), "{\"schema\": \"bootline-baseline/1\"}").unwrap();
    fs::write(dir.path().join("boot-budget.toml"), BUDGET.replace("base.json", "bad.json")).unwrap();
    let out = run(dir.path(), &["check", "a.log"]);
    assert!(stderr(&out).starts_with("error: `bad.json` is no baseline: "), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn the_markers_of_a_budget_are_measured() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), log(100, 0)).unwrap();
    let budget = "end = \"calling  c_init\"\n[[budget]]\nof = \"marker:calling  b_init\"\nat_most = \"1 s\"\n\
                  [[budget]]\nof = \"time-to-marker\"\nat_most = \"10 ms\"\n";
    fs::write(dir.path().join("boot-budget.toml"), budget).unwrap();
    let out = run(dir.path(), &["check", "--json", "a.log"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    let outcomes: Vec<Value> = json(&out)["limits"].as_array().unwrap().iter().map(|l| l["outcome"].clone()).collect();
    assert_eq!(outcomes, ["kept", "broken"]);
}

/// Real boots: the same messages on two kernels, of which the later one has a lock that isn't held for so long.
#[test]
fn real_boots_beside_one_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare");
    let captures = ["corpus/x86-6.18-rt-9600-initcall/boot.cap", "corpus/x86-6.19-rt-9600-initcall/boot.cap"];
    for (file, args) in
        [("two-kernels.txt", &["--width", "120"][..]), ("two-kernels.md", &["--output-format", "markdown"])]
    {
        let out = run(&root, &[&["compare"][..], args, &captures].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        let path = golden.join(file);
        if std::env::var_os("BLESS").is_some() {
            fs::create_dir_all(&golden).unwrap();
            fs::write(&path, &out.stdout).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), stdout(&out), "{}", path.display());
    }
    // The parts of a boot of hundreds of initcalls add up to it.
    let value = json(&run(&root, &[&["compare", "--json"][..], &captures].concat()));
    schema::check("compare", &value);
    let parts = value["parts"].as_array().unwrap();
    let sum: i64 = parts.iter().map(|p| p["adds_ns"].as_i64().unwrap()).sum();
    assert!(parts.len() > 400 && value["whole_ns"] == sum, "{} parts", parts.len());
}

/// The examples are what they say they are, as far as no forge is needed to tell.
#[test]
fn the_examples_for_ci() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("bootline check") || !path.extension().is_some_and(|e| e == "yml" || e == "yaml"),
            "{path:?}"
        );
    }
    let budget = fs::read_to_string(folder.join("boot-budget.toml")).unwrap();
    bootline_core::compare::Budget::parse(&budget).unwrap();
    let check = "import sys, yaml\nfor f in sys.argv[1:]:\n    d = yaml.safe_load(open(f))\n    assert isinstance(d, dict), f\n";
    let yaml = ["github-actions.yml", "gitlab-ci.yml", "lava-job.yaml"].map(|f| folder.join(f));
    let out =
        Command::new("python3").args(["-c", check]).args(yaml).output().expect("python3, as `make setup` installs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// The fixture passes, fails, and errors as the gate does.
#[test]
fn the_fixture_of_pytest() {
    let dir = tempfile::tempdir().unwrap();
    let conftest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci/conftest.py");
    fs::copy(conftest, dir.path().join("conftest.py")).unwrap();
    fs::write(dir.path().join("fast.log"), log(100, 0)).unwrap();
    fs::write(dir.path().join("slow.log"), log(900, 0)).unwrap();
    fs::write(dir.path().join("cut.log"), log(100, 0).replace("Run /init", "Ran /init")).unwrap();
    fs::write(dir.path().join("boot-budget.toml"), "[[budget]]\nof = \"time-to-init\"\nat_most = \"0.6 s\"\n").unwrap();
    let tests = "def test_fast(boot_budget):\n    assert boot_budget('fast.*')[0]['outcome'] == 'kept'\n\
                 def test_slow(boot_budget):\n    boot_budget('slow.log')\n\
                 def test_cut(boot_budget):\n    boot_budget('cut.log')\n";
    fs::write(dir.path().join("test_boot.py"), tests).unwrap();
    let bootline = env!("CARGO_BIN_EXE_bootline");
    let out = Command::new("python3")
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", &format!("--bootline={bootline}"), "."])
        .current_dir(dir.path())
        .output()
        .expect("python3 and pytest, as `make setup` installs");
    let text = stdout(&out);
    assert!(text.contains("2 failed, 1 passed"), "{text}{}", stderr(&out));
    assert!(text.contains("gate `time-to-init` failed: 1.") && text.contains("CantTell"), "{text}");
}
