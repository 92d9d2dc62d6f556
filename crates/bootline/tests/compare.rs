// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline compare` and `bootline check` as they are used: sets on disk, exit statuses, what is said where.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use bootline_testkit::{check_goldens, isolated};
use serde_json::Value;

mod made_up_boot;

#[path = "../../bootline-report/tests/schema/mod.rs"]
mod schema;

/// A boot whose initcall `b_init` takes so many ms.
fn log(b_ms: u32, jitter_us: u32) -> String {
    made_up_boot::log(&[("a_init", 40), ("b_init", b_ms), ("c_init", 30)], jitter_us)
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
    isolated(env!("CARGO_BIN_EXE_bootline")).args(args).current_dir(dir).output().unwrap()
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
    let parts: i64 = value["parts"].as_array().unwrap().iter().map(|p| p["added_ns"].as_i64().unwrap()).sum();
    assert_eq!(
        (Value::from(parts), &value["difference_ns"]),
        (value["difference_ns"].clone(), &Value::from(50_000_000))
    );
    let out = run(dir.path(), &["compare", "--format", "markdown", "base", "new"]);
    assert!(stdout(&out).starts_with("## new"), "{}", stdout(&out));
}

/// What of a page changes with the comparison alone: neither its style nor its script.
fn inside_main(page: &str) -> &str {
    let (_, rest) = page.split_once("<main>").unwrap();
    rest.split_once("</main>").unwrap().0
}

#[test]
fn a_page_is_written_where_it_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 8, 100);
    folder(dir.path(), "new", 8, 150);
    let at = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let size = |name: &str| at(name).len();
    // By its name; and without one, the first that is free.
    let out = run(dir.path(), &["compare", "base", "new", "-o", "page.html"]);
    assert_eq!(stderr(&out), format!("written to page.html: 8 + 8 runs, {} bytes\n", size("page.html")));
    assert_eq!((stdout(&out).as_str(), out.status.code()), ("", Some(0)));
    for name in ["compare.html", "compare-2.html"] {
        let out = run(dir.path(), &["compare", "base", "new", "--format", "html"]);
        assert_eq!(stderr(&out), format!("written to {name}: 8 + 8 runs, {} bytes\n", size(name)));
        assert_eq!(at(name), at("page.html"));
    }
    let out = run(dir.path(), &["compare", "base", "new", "--format", "html", "-o", "-"]);
    assert_eq!((stderr(&out), stdout(&out)), (String::new(), at("page.html")));
    // What is there stays, unless it is told otherwise.
    fs::write(dir.path().join("page.html"), "old").unwrap();
    let out = run(dir.path(), &["compare", "base", "new", "-o", "page.html"]);
    let said = "error: `page.html` already exists\n  hint: give another name with `-o`, or `--force` to replace it\n";
    assert_eq!((stderr(&out).as_str(), out.status.code()), (said, Some(3)));
    assert!(run(dir.path(), &["compare", "base", "new", "-o", "page.html", "--force"]).status.success());
    assert_eq!(at("page.html"), at("compare.html"));
    // The other shapes by their names as well.
    for (name, begins) in [("c.md", "## new"), ("c.json", "{\n  \"schema\""), ("c.txt", "new (8 runs)")] {
        assert!(run(dir.path(), &["compare", "base", "new", "-o", name]).status.success());
        assert!(at(name).starts_with(begins), "{name}: {}", at(name));
    }
    // A boot that failed is told, and the others are drawn.
    fs::write(dir.path().join("new/99.log"), "").unwrap();
    let out = run(dir.path(), &["compare", "base", "new", "-o", "failed.html"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    assert!(at("failed.html").contains("`new/99.log` is empty"), "{}", stderr(&out));
}

/// The page of a small comparison, as its reader's browser gets it.
#[test]
fn the_golden_page() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 5, 100);
    folder(dir.path(), "new", 6, 150);
    let out = run(dir.path(), &["compare", "base", "new", "-n", "2", "--format", "html", "-o", "-"]);
    let page = stdout(&out);
    check("two-folders", &[("page.html", inside_main(&page))]);
}

/// Of a golden folder of `tests/compare`, whose files have no input there.
fn check(folder: &str, made: &[(&str, &str)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare").join(folder);
    check_goldens(
        &folder,
        |_| false,
        |goldens| made.iter().for_each(|(name, text)| goldens.check(&folder, name, text)),
    );
}

#[test]
fn single_files_are_taken_apart_but_not_judged() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), log(100, 0)).unwrap();
    fs::write(dir.path().join("b.log"), log(300, 0).replace("c_init", "d_init")).unwrap();
    let out = run(dir.path(), &["compare", "a.log", "b.log"]);
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    for words in ["which so few runs cannot confirm", "1 + 1 runs cannot distinguish", "gone", "new"] {
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
    let stored = fs::read(dir.path().join("base.json")).unwrap();
    schema::check("baseline", &serde_json::from_slice(&stored).unwrap());

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

    let said =
        "error: `base` is a folder, not a budget\n  hint: name the file in it: `--budget base/boot-budget.toml`\n";
    assert_eq!(stderr(&run(dir.path(), &["check", "--budget", "base", "one"])), said);
    let out = run(dir.path(), &["check", "one"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    assert!(stderr(&out).contains("1 run is too few against 8 of the baseline: it takes 2"), "{}", stderr(&out));
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
    assert!(stderr(&out).contains("1 run of `new` can't be used\n  at: new/99.log: "), "{}", stderr(&out));
    assert!(stdout(&out).contains("excluded"), "{}", stdout(&out));
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
    assert_eq!(value["difference_ns"], 0);
    let out = run(dir.path(), &["compare", "results", "results"]);
    assert!(stderr(&out).contains("have several arms\n  hint: choose one with `--arm`: a, b-c"), "{}", stderr(&out));
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
    assert!(stderr(&out).contains("; the nearest is `at_most`"), "{}", stderr(&out));
    assert!(stderr(&out).contains("  at: line 3: `at_mots = \"3 s\"`"), "{}", stderr(&out));
    assert_eq!(out.status.code(), Some(2));
    fs::write(dir.path().join("bad.json"), "{\"schema\": \"bootline-baseline/1\"}").unwrap();
    fs::write(dir.path().join("boot-budget.toml"), BUDGET.replace("base.json", "bad.json")).unwrap();
    let out = run(dir.path(), &["check", "a.log"]);
    assert!(stderr(&out).starts_with("error: `bad.json` is not a baseline: "), "{}", stderr(&out));
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
    assert_eq!(outcomes, ["pass", "fail"]);
}

/// Real boots: the same messages on two kernels, of which the later one has a lock that isn't held for so long.
#[test]
fn real_boots_beside_one_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let captures = ["corpus/x86-6.18-rt-9600-initcall/boot.cap", "corpus/x86-6.19-rt-9600-initcall/boot.cap"];
    let [text, markdown] = [&["--width", "120"][..], &["--format", "markdown"]].map(|args| {
        let out = run(&root, &[&["compare"][..], args, &captures].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        stdout(&out)
    });
    check("two-kernels", &[("compare.txt", &text), ("compare.md", &markdown)]);
    // The parts of a boot of hundreds of initcalls add up to it.
    let value = json(&run(&root, &[&["compare", "--json"][..], &captures].concat()));
    schema::check("compare", &value);
    let parts = value["parts"].as_array().unwrap();
    let sum: i64 = parts.iter().map(|p| p["added_ns"].as_i64().unwrap()).sum();
    assert!(parts.len() > 400 && value["difference_ns"] == sum, "{} parts", parts.len());
}

/// What a user types first: a baseline, and then nothing but that.
#[test]
fn a_baseline_alone_is_a_gate() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 8, 100);
    folder(dir.path(), "same", 8, 101);
    folder(dir.path(), "slow", 8, 150);
    // Whatever the file is called.
    let store = ["check", "--write-baseline", "boot-baseline", "base"];
    assert_eq!(run(dir.path(), &store).status.code(), Some(0));
    let against = |runs: &str, more: &[&str]| {
        let out = run(dir.path(), &[&["check", "--baseline", "boot-baseline"][..], more, &[runs]].concat());
        (out.status.code(), stdout(&out), stderr(&out))
    };
    let (status, out, _) = against("same", &[]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.starts_with("at most 5 % more than boot-baseline: 2 of 2 limits pass"), "{out}");
    let (status, _, said) = against("slow", &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.starts_with("error: gate `time-to-init` failed: +0.050 s (limit +0.0"), "{said}");
    assert_eq!(against("slow", &["--increase-at-most", "30"]).0, Some(0));
    assert_eq!(against("slow", &["--increase-at-most", "-1"]).0, Some(2));
    assert_eq!(run(dir.path(), &["check", "--increase-at-most", "3", "slow"]).status.code(), Some(2));
    // A budget that is there is what counts, unless the share is named.
    fs::write(dir.path().join("boot-budget.toml"), "[[budget]]\nof = \"time-to-init\"\nat_most = \"9 s\"\n").unwrap();
    assert_eq!(against("slow", &[]).0, Some(0));
    assert_eq!(against("slow", &["--increase-at-most", "5"]).0, Some(1));
    // Another version's is no log.
    let text = fs::read_to_string(dir.path().join("boot-baseline")).unwrap();
    fs::write(dir.path().join("boot-baseline"), text.replace("baseline/1", "baseline/2")).unwrap();
    let (status, _, said) = against("same", &[]);
    assert!(status == Some(3) && said.contains("`boot-baseline` is not a baseline: its schema is"), "{said}");
}

/// With limits on the whole boot, the baseline says what the stages count from and to.
#[test]
fn a_baseline_of_the_whole_boot_is_as_its_schema_says() {
    let dir = tempfile::tempdir().unwrap();
    let cases = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus-systems");
    fs::create_dir(dir.path().join("base")).unwrap();
    for n in 0..2 {
        let to = dir.path().join(format!("base/{n}.cap"));
        fs::copy(cases.join("x86-debian-systemd-38400/boot.cap"), to).unwrap();
    }
    let budget = "[[budget]]\nof = \"stage:kernel\"\nat_most = \"900 s\"\n";
    fs::write(dir.path().join("boot-budget.toml"), budget).unwrap();
    let out = run(dir.path(), &["check", "--write-baseline", "base.json", "base"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let stored: Value = serde_json::from_slice(&fs::read(dir.path().join("base.json")).unwrap()).unwrap();
    schema::check("baseline", &stored);
    let setup = &stored["setups"][0];
    assert!(setup["stages_since"].is_string() && setup["stages_until"].is_string(), "{setup}");
}

#[test]
fn a_boot_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 4, 100);
    let out = run(dir.path(), &["compare", "base", "base"]);
    assert_eq!(out.status.code(), Some(0), "a set beside itself: {}", stderr(&out));
    fs::write(dir.path().join("boot-budget.toml"), "[[budget]]\nof = \"time-to-init\"\nat_most = \"9 s\"\n").unwrap();
    for twice in [["base/00.log", "base/00.log"], ["base", "./base/03.log"]] {
        let out = run(dir.path(), &["check", twice[0], twice[1]]);
        assert_eq!(out.status.code(), Some(2), "{twice:?}: {}", stderr(&out));
        assert!(stderr(&out).contains("is named twice"), "{}", stderr(&out));
    }
    let out = run(dir.path(), &["check", "-", "-"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("standard input `-` can be read only once"), "{}", stderr(&out));
    assert_eq!(run(dir.path(), &["check", "base/00.log", "base/01.log"]).status.code(), Some(0));
}

/// A CI server gets its file whatever becomes of the runs, and what is broken is said and stays 1.
#[test]
fn the_report_for_a_server_is_written_in_any_case() {
    let dir = tempfile::tempdir().unwrap();
    let new = folder(dir.path(), "new", 2, 100);
    let budget = "[[budget]]\nof = \"time-to-init\"\nat_most = \"10 ms\"\n";
    fs::write(dir.path().join("boot-budget.toml"), budget).unwrap();
    let out = run(dir.path(), &["check", "--junit", "no/such/folder.xml", "new"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("gate `time-to-init` failed") && stderr(&out).contains("can't write"),
        "{}",
        stderr(&out)
    );
    for log in ["00.log", "01.log"] {
        fs::write(new.join(log), log).unwrap();
    }
    let out = run(dir.path(), &["check", "--junit", "boot.xml", "new"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    let xml = fs::read_to_string(dir.path().join("boot.xml")).unwrap();
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"2\""), "{xml}");
}

/// What a hostile or careless user puts in a budget is told with its line, and never taken for a pass.
#[test]
fn budgets_of_the_careless() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), log(100, 0)).unwrap();
    let check = |budget: &[u8], words: &str| {
        fs::write(dir.path().join("boot-budget.toml"), budget).unwrap();
        let out = run(dir.path(), &["check", "a.log"]);
        assert_eq!(out.status.code(), Some(2), "{}: {}", String::from_utf8_lossy(budget), stderr(&out));
        assert!(stderr(&out).contains(words), "{words}: {}", stderr(&out));
        assert!(!stderr(&out).contains('\x1b'), "{:?}", stderr(&out));
    };
    let rule = |rest: &str| format!("[[budget]]\nof = \"time-to-init\"\n{rest}\n").into_bytes();
    check(&rule("at_mots = \"3 s\""), "the nearest is `at_most`");
    check(&rule("at_most = nan"), "an amount is like");
    check(&rule("at_most = -1"), "not below zero");
    check(&rule("at_most = \"-1 s\""), "not below zero");
    check(&rule("at_most = \"1e999 s\""), "an amount is like");
    check(&rule("at_most = \"\x1b[2J s\""), "line 3");
    check(b"", "no `[[budget]]` in it");
    check(b"\xff\xfe", "it is not text");
    check(b"[[budget]]\nof = \"time-to-int\"\nat_most = \"3 s\"", "the nearest is `time-to-init`");
}

#[test]
fn what_is_read_is_never_written_over() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "base", 4, 100);
    folder(dir.path(), "new", 4, 100);
    let first = dir.path().join("base/00.log");
    let check = |args: &[&str], status: i32, said: &str| {
        let before = fs::read(&first).unwrap();
        let out = run(dir.path(), args);
        assert_eq!((out.status.code(), fs::read(&first).unwrap() == before), (Some(status), true), "{}", stderr(&out));
        assert!(stderr(&out).contains(said), "{}", stderr(&out));
    };
    // As `base/*.log` comes out where FILE was forgotten.
    let stored = "`base/00.log` exists and is not a stored baseline";
    check(&["check", "--write-baseline", "base/00.log", "base/01.log", "base/02.log"], 3, stored);
    check(&["check", "--baseline", "base", "--junit", "base/00.log", "new"], 3, "`base/00.log` exists and is not XML");
    let force = ["-o", "base/00.log", "--force"];
    check(&[&["compare", "base", "new"], &force[..]].concat(), 2, "is the input; it would be lost");
    check(&[&["compare", "new", "base/00.log"], &force[..]].concat(), 2, "is the input; it would be lost");
    check(&[&["plot", "new/00.log", "base/00.log"], &force[..]].concat(), 2, "is the input; it would be lost");
    // Their own files are written anew, and what was only made room for.
    fs::write(dir.path().join("empty"), "").unwrap();
    for file in ["base.json", "base.json", "empty"] {
        check(&["check", "--write-baseline", file, "base"], 0, "4 runs stored");
    }
    for _ in 0..2 {
        check(&["check", "--baseline", "base.json", "--increase-at-most", "50", "--junit", "boot.xml", "new"], 0, "");
    }
}

#[test]
fn names_and_contents_of_files_are_not_obeyed_by_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), "new", 4, 100);
    let name = "\x1b[2J";
    fs::write(dir.path().join(name), "{\"schema\": \"bootline-baseline/\\u001b[3J\"}").unwrap();
    fs::write(dir.path().join("\x1b[4J"), log(100, 0)).unwrap();
    fs::create_dir(dir.path().join("\x1b[5J")).unwrap();
    for (args, said) in [
        (&["compare", name, "new"][..], "its schema is `bootline-baseline/\\x1b[3J`"),
        (&["check", "--baseline", name, "new"], "`\\x1b[2J` is not a baseline"),
        (&["check", "--baseline", "new", "\x1b[4J", "\x1b[4J"], "`\\x1b[4J` is named twice"),
        (&["compare", "\x1b[5J", "new"], "no captures and no logs in `\\x1b[5J`"),
        (&["check", "--write-baseline", "\x1b[6J", "new"], "stored in `\\x1b[6J`"),
        (&["compare", "new", "new", "-o", "\x1b[7J.html"], "written to \\x1b[7J.html"),
        (&["compare", "new", "\x1b[8J"], "no such file `\\x1b[8J`"),
    ] {
        let told = stderr(&run(dir.path(), args));
        assert!(told.contains(said) && !told.contains('\x1b'), "{told:?}");
    }
}

#[test]
fn a_set_has_an_end() {
    let dir = tempfile::tempdir().unwrap();
    let boot =
        |n: u32| format!("[    0.000000] Linux version 6.1.0-{n} (x)\n[    0.5{n:05}] Run /init as init process\n");
    fs::write(dir.path().join("most.log"), (0..1000).map(boot).collect::<String>()).unwrap();
    fs::write(dir.path().join("one.log"), boot(0)).unwrap();
    let store = ["check", "--write-baseline", "base.json", "most.log", "one.log"];
    let out = run(dir.path(), &store);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    let said = "more than 1000 runs in one set; the first beyond that is in `one.log`";
    assert!(stderr(&out).contains(said) && !dir.path().join("base.json").exists(), "{}", stderr(&out));
    let out = run(dir.path(), &store[..4]);
    assert!(out.status.success() && stderr(&out).contains("1000 runs stored"), "{}", stderr(&out));
    let out = run(dir.path(), &["compare", "base.json", "one.log"]);
    assert!(out.status.success(), "what was stored can be read: {}", stderr(&out));
    assert!(stderr(&run(dir.path(), &["compare", "one.log", "base.json"])).is_empty());
    let out = run(dir.path(), &["check", "--baseline", "one.log", "base.json", "one.log"]);
    assert!(stderr(&out).contains(said), "{}", stderr(&out));
}
