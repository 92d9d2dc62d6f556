// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `explain` says of the corpus against what the host's clock said on the channel that was not paced.
//!
//! `cargo test --test corpus_truth -- --nocapture` prints the table of docs/corpus.md; `BLESS=1` writes it.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bootline_testkit::isolated;
use serde_json::Value;

/// Times by arrival may be off by this share of the time to init.
const MOST: f64 = 0.03;

/// At least so many boots are to be in the corpus.
const LEAST_CASES: usize = 12;

struct Case {
    name: String,
    folder: PathBuf,
    truth: Value,
    explained: Value,
    silent_ns: Vec<f64>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn json(text: &[u8], what: &Path) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|e| panic!("{}: {e}", what.display()))
}

fn cases() -> Vec<Case> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.join("boot.cap").exists())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let capture = folder.join("boot.cap");
            let out =
                isolated(env!("CARGO_BIN_EXE_bootline")).args(["explain", "--json"]).arg(&capture).output().unwrap();
            let origin = std::fs::read_to_string(folder.join("origin.toml")).unwrap();
            let origin: toml::Table = origin.parse().unwrap();
            let silent = origin.get("silent_ns").and_then(|v| v.as_array()).cloned().unwrap_or_default();
            Case {
                name: folder.file_name().unwrap().to_string_lossy().into_owned(),
                truth: json(&std::fs::read(folder.join("truth.json")).unwrap(), &folder),
                explained: json(&out.stdout, &capture),
                silent_ns: silent.iter().map(|v| v.as_integer().unwrap() as f64).collect(),
                folder,
            }
        })
        .collect()
}

/// One figure beside its truth, in seconds.
struct Compared {
    explained: f64,
    low: f64,
    high: f64,
    truth: f64,
    /// How far the truth itself may be off (the spread of silent boots).
    truth_error: f64,
}

impl Case {
    fn boot(&self) -> &Value {
        &self.explained["boots"][0]
    }

    fn truth_s(&self, key: &str) -> Option<f64> {
        self.truth[key].as_f64().map(|ns| ns / 1e9)
    }

    fn writers_wait(&self) -> bool {
        self.boot()["console"]["printing"] == "synchronous"
    }

    fn time_to_init(&self) -> Compared {
        let t = &self.boot()["time_to_init"];
        let [low, explained, high] =
            interval(&t["elapsed_ns"]).unwrap_or_else(|| panic!("{}: no time to init", self.name));
        let truth = match t["since"].as_str().unwrap() {
            "kernel-first-byte" => self.truth_s("time_to_init_ns"),
            "power-on" => Some(self.truth_s("init_ns").unwrap() - self.truth_s("qemu_started_ns").unwrap()),
            other => panic!("{}: a capture's time counts from {other}", self.name),
        };
        Compared { explained, low, high, truth: truth.unwrap(), truth_error: 0.0 }
    }

    /// The console's cost: where each writer waits it is the time for which the line was occupied; elsewhere, what
    /// the same boot took less with nothing on the line.
    fn cost(&self) -> Option<Compared> {
        let console = &self.boot()["console"];
        let [low, explained, high] = interval(&console["cost_ns"])?;
        if self.writers_wait() {
            let truth = self.truth_s("console_busy_before_init_ns")?;
            return Some(Compared { explained, low, high, truth, truth_error: 0.0 });
        }
        let mut silent: Vec<f64> = self.silent_ns.iter().map(|ns| ns / 1e9).collect();
        silent.sort_by(f64::total_cmp);
        let (first, last) = (silent.first()?, silent.last()?);
        let whole = self.truth_s("init_ns")? - self.truth_s("qemu_started_ns")?;
        Some(Compared { explained, low, high, truth: whole - silent[silent.len() / 2], truth_error: last - first })
    }
}

/// Low, best, high in seconds.
fn interval(v: &Value) -> Option<[f64; 3]> {
    let s = |key: &str| v[key].as_f64().map(|ns| ns / 1e9);
    Some([s("low")?, s("best")?, s("high")?])
}

#[test]
fn explain_agrees_with_the_hosts_clock() {
    let cases = cases();
    assert!(cases.len() >= LEAST_CASES, "{} boots in {}", cases.len(), corpus().display());
    let mut table = String::from(
        "| case | time to init [s] | truth [s] | off | console cost [s] | truth [s] | off |\n| --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut wrong = Vec::new();
    for case in &cases {
        assert_eq!(case.truth["verdict"]["verdict"], "valid", "{}", case.folder.display());
        let init = case.time_to_init();
        let share = |c: &Compared| (c.explained - c.truth) / init.truth;
        write!(table, "| {} | {:.3} | {:.3} | {:+.2} % ", case.name, init.explained, init.truth, share(&init) * 100.0)
            .unwrap();
        if share(&init).abs() > MOST {
            wrong.push(format!("{}: time to init {:.3} s, truth {:.3} s", case.name, init.explained, init.truth));
        }
        let Some(cost) = case.cost() else {
            let [low, best, high] = interval(&case.boot()["console"]["cost_ns"]).unwrap_or_default();
            writeln!(table, "| {best:.3} ({low:.1}..{high:.1}) | | |").unwrap();
            continue;
        };
        let spread = if cost.truth_error > 0.0 { format!(" ± {:.1}", cost.truth_error) } else { String::new() };
        writeln!(
            table,
            "| {:.3} ({:.1}..{:.1}) | {:.3}{spread} | {:+.2} % |",
            cost.explained,
            cost.low,
            cost.high,
            cost.truth,
            share(&cost) * 100.0
        )
        .unwrap();
        // Where a thread prints, one log can't tell what it took from the boot: there the interval must hold the truth.
        let (low, high) = if case.writers_wait() { (cost.explained, cost.explained) } else { (cost.low, cost.high) };
        let slack = MOST * init.truth + cost.truth_error;
        if cost.truth < low - slack || cost.truth > high + slack {
            wrong.push(format!("{}: cost {low:.3}..{high:.3} s, truth {:.3} s{spread}", case.name, cost.truth));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "off by more than {} % of the time to init:\n{}", MOST * 100.0, wrong.join("\n"));
    check_doc(&table);
}

/// docs/corpus.md holds the table as it is now.
fn check_doc(table: &str) {
    let path = corpus().join("../docs/corpus.md");
    let doc = format!(
        "# The corpus against the truth\n\nBoots of stock Debian kernels in QEMU, captured in our lab (`corpus/`, `scripts/capture-corpus`). Each row compares\n\
         what `bootline explain` reads from the capture alone with the host's clock on a second, unpaced channel.\n\
         Differences are shares of the time to init; a cost has its bounds behind it. The truth of the cost is the time for which the line was occupied\n\
         before init, where each writer waits; where a thread prints it is the same boot's time less that of boots with\n\
         nothing on the line (median of three, ± their range). There the printing thread, which spins on the\n\
         transmitter, also takes a processor from a boot that runs in a translator; one log can't tell how much of that\n\
         the boot missed, so the best figure holds the waits that the log proves (with one processor all of the\n\
         thread's time), the upper bound all of the thread's time, and the test asks that the bounds hold the truth.\n\nThis page is written by `BLESS=1 cargo test --test corpus_truth`.\n\n{table}"
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &doc).unwrap();
    }
    let now = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(now == doc, "{} is stale: BLESS=1 cargo test --test corpus_truth", path.display());
}
