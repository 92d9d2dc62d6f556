// SPDX-License-Identifier: MIT OR Apache-2.0
//! How well predictions from one capture meet boots that were measured: docs/accuracy.md.
//!
//! `make accuracy` boots the matrix of experiments/accuracy.toml and runs this over its results:
//! `cargo run --release --example accuracy -- results/accuracy > docs/accuracy.md`
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bootline_analysis::boot::{Boot, BootOptions, BootRecords};
use bootline_analysis::predict::{Change, Prediction, baseline, predict};
use bootline_console::{Behaviour, Driver, Series};
use bootline_lab::boot::{RunVerdict, Truth};
use bootline_stats::Samples;

/// What was booted: `6.18-rt-9600-default-2cpu`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    kernel: String,
    cpus: u32,
    baud: u32,
    label: String,
}

/// One measured boot.
struct Run {
    capture: PathBuf,
    truth: Truth,
}

/// The folder of a run, `ARM-NN`, as `experiment` names it.
fn cell(folder: &str) -> Option<Cell> {
    let (arm, number) = folder.rsplit_once('-')?;
    number.parse::<u32>().ok()?;
    let (arm, cpus) = match arm.rsplit_once('-').and_then(|(rest, n)| Some((rest, n.strip_suffix("cpu")?))) {
        Some((rest, n)) => (rest, n.parse().ok()?),
        None => (arm, 1),
    };
    let (rest, label) = arm.rsplit_once('-')?;
    let (kernel, baud) = rest.rsplit_once('-')?;
    Some(Cell { kernel: kernel.to_owned(), cpus, baud: baud.parse().ok()?, label: label.to_owned() })
}

fn read(results: &Path) -> std::io::Result<BTreeMap<Cell, Vec<Run>>> {
    let mut cells: BTreeMap<Cell, Vec<Run>> = BTreeMap::new();
    for entry in std::fs::read_dir(results.join("runs"))? {
        let folder = entry?.path();
        let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let (Some(cell), Ok(text)) = (cell(name), std::fs::read(folder.join("truth.json"))) else { continue };
        let truth: Truth = serde_json::from_slice(&text).map_err(std::io::Error::other)?;
        if truth.verdict == RunVerdict::Valid {
            cells.entry(cell).or_default().push(Run { capture: folder.join("boot.cap"), truth });
        }
    }
    for runs in cells.values_mut() {
        runs.sort_by(|a, b| a.capture.cmp(&b.capture));
    }
    Ok(cells)
}

fn boot(capture: &Path) -> Option<Boot> {
    let bytes = std::fs::read(capture).ok()?;
    BootRecords::all(&bytes).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).next()
}

fn median(values: Vec<f64>) -> Option<f64> {
    Samples::new(values).map(|s| s.median())
}

fn before_first_byte(truth: &Truth) -> Option<f64> {
    Some((truth.first_byte_ns? - truth.qemu_started_ns).as_secs_f64())
}

/// One prediction beside what was measured, in seconds.
struct Row {
    group: &'static str,
    from: String,
    change: String,
    to: String,
    predicted: [f64; 3],
    measured: f64,
    boots: usize,
    /// Until the whole log had arrived: predicted, measured.
    log: Option<(f64, f64)>,
}

impl Row {
    fn error(&self) -> f64 {
        self.predicted[1] / self.measured - 1.0
    }
    fn inside(&self) -> bool {
        (self.predicted[0]..=self.predicted[2]).contains(&self.measured)
    }
}

fn name(c: &Cell) -> String {
    let cpus = if c.kernel.ends_with("-rt") { format!(", {} CPU", c.cpus) } else { String::new() };
    format!("{} {} {}{cpus}", c.kernel, c.baud, c.label)
}

/// The settings that turn one cell into another; none where nothing predicts it.
fn settings(from: &Cell, to: &Cell) -> Option<String> {
    let mut set = Vec::new();
    if from.kernel != to.kernel {
        set.push(format!("kernel={}", to.kernel));
    }
    if from.cpus != to.cpus {
        set.push(format!("cpus={}", to.cpus));
    }
    if from.baud != to.baud {
        set.push(format!("baud={}", to.baud));
    }
    match (from.label.as_str(), to.label.as_str()) {
        (a, b) if a == b => {}
        ("default", "quiet") => set.push("quiet".to_owned()),
        ("initcall_debug", "default") => set.extend(["initcall_debug=0".to_owned(), "loglevel=7".to_owned()]),
        ("initcall_debug", "quiet") => set.extend(["initcall_debug=0".to_owned(), "quiet".to_owned()]),
        _ => return None,
    }
    Some(set.join(" "))
}

fn group(from: &Cell, to: &Cell) -> &'static str {
    match (from.kernel == to.kernel, to.kernel.ends_with("-rt"), to.cpus, to.label.as_str()) {
        (false, ..) => "another kernel",
        (_, _, _, "quiet") => "a silent console",
        (_, false, ..) => "the writer waits",
        (_, true, 1, _) => "a thread, one processor",
        (_, true, ..) => "a thread, two processors",
    }
}

fn row(from: (&Cell, &Run, &Boot), to: (&Cell, &[Run]), refused: &mut Vec<String>) -> Option<Row> {
    let set = settings(from.0, to.0)?;
    let change = set.parse::<Change>().expect("settings");
    let p: Prediction = match predict(from.2, &change) {
        Ok(p) => p,
        Err(refusal) => {
            refused.push(format!("{}, {set}: {refusal}", name(from.0)));
            return None;
        }
    };
    let quiet = to.0.label == "quiet";
    let offset = if quiet { before_first_byte(&from.1.truth)? + p.first_byte_shift.best().as_secs_f64() } else { 0.0 };
    let measured: Vec<f64> = if quiet {
        to.1.iter().filter_map(|r| Some(r.truth.since_start()?.as_secs_f64())).collect()
    } else {
        to.1.iter().filter_map(|r| Some(r.truth.time_to_init_ns?.as_secs_f64())).collect()
    };
    let t = p.time_to_init;
    let arrived = || {
        median(
            to.1.iter()
                .filter_map(|r| Some(baseline(&boot(&r.capture)?).ok()?.log_complete?.best().as_secs_f64()))
                .collect(),
        )
    };
    Some(Row {
        group: group(from.0, to.0),
        from: name(from.0),
        change: set,
        to: name(to.0),
        predicted: [t.low(), t.best(), t.high()].map(|d| d.as_secs_f64() + offset),
        boots: measured.len(),
        measured: median(measured)?,
        log: p.log_complete.filter(|_| !quiet).and_then(|l| Some((l.best().as_secs_f64(), arrived()?))),
    })
}

/// Whether the console behaves differently in the other kernel, or with the other number of processors.
fn prints_otherwise(from: &Cell, to: &Cell) -> bool {
    let behaviour = |c: &Cell| {
        let (series, rt) = c.kernel.strip_suffix("-rt").map_or((c.kernel.as_str(), false), |s| (s, true));
        let (major, minor) = series.split_once('.')?;
        let series = Series::new(major.parse().ok()?, minor.parse().ok()?);
        Behaviour::for_driver(series, rt, Driver::Uart8250, true)
    };
    behaviour(from) != behaviour(to) || from.cpus != to.cpus
}

/// The captures that predictions start from: of each kernel one at 9600 baud with the default messages, and one with
/// initcall_debug; and for each pair of kernels whose consoles behave differently the former.
fn rows(cells: &BTreeMap<Cell, Vec<Run>>, refused: &mut Vec<String>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (from, runs) in cells {
        let base = match from.label.as_str() {
            "default" => from.baud == 9600,
            "initcall_debug" => from.baud == 38400,
            _ => false,
        };
        let Some(run) = runs.first().filter(|_| base) else { continue };
        let Some(b) = boot(&run.capture) else {
            refused.push(format!("{}: no boot in its capture", name(from)));
            continue;
        };
        for (to, measured) in cells {
            let same = to.kernel == from.kernel && to.cpus == from.cpus;
            let other_kernel = !same && prints_otherwise(from, to) && to.label == from.label && to.baud == from.baud;
            if to != from && (same || other_kernel) {
                rows.extend(row((from, run, &b), (to, measured), refused));
            }
        }
    }
    rows.sort_by_key(|r| r.group);
    rows
}

fn markdown(rows: &[Row], refused: &[String], cells: &BTreeMap<Cell, Vec<Run>>, runs: usize) -> String {
    let mut out = String::from(HEAD);
    let errors = |of: &dyn Fn(&Row) -> bool| -> (usize, f64, f64, usize) {
        let chosen: Vec<&Row> = rows.iter().filter(|r| of(r)).collect();
        let all: Vec<f64> = chosen.iter().map(|r| r.error().abs()).collect();
        let worst = all.iter().copied().fold(0.0, f64::max);
        (chosen.len(), median(all).unwrap_or(0.0), worst, chosen.iter().filter(|r| r.inside()).count())
    };
    let mut groups: Vec<&str> = rows.iter().map(|r| r.group).collect();
    groups.dedup();
    _ = writeln!(out, "{} predictions against {runs} measured boots.\n", rows.len());
    out += "| what is predicted | predictions | median error | worst | measured within the interval |\n| --- | --- | --- | --- | --- |\n";
    let mut line = |title: &str, (n, median, worst, inside): (usize, f64, f64, usize)| {
        _ = writeln!(out, "| {title} | {n} | {:.1} % | {:.1} % | {inside} of {n} |", median * 100.0, worst * 100.0);
    };
    for g in &groups {
        line(g, errors(&|r| r.group == *g));
    }
    line("**all**", errors(&|_| true));
    let logs: Vec<f64> = rows.iter().filter_map(|r| r.log).map(|(p, m)| (p / m - 1.0).abs()).collect();
    let worst = logs.iter().copied().fold(0.0, f64::max);
    if let Some(m) = median(logs.clone()) {
        _ = writeln!(
            out,
            "| the log's full arrival | {} | {:.1} % | {:.1} % | |",
            logs.len(),
            m * 100.0,
            worst * 100.0
        );
    }
    let booted: Vec<String> = cells.iter().map(|(c, runs)| format!("{} ({})", name(c), runs.len())).collect();
    _ = writeln!(out, "\nBooted (runs): {}. Other cells of the matrix were not.", booted.join(", "));
    if !refused.is_empty() {
        _ = writeln!(out, "\nNot predicted: {}.", refused.join("; "));
    }
    for g in groups {
        _ = writeln!(out, "\n## {g}\n");
        out += "| from | change | predicted [s] | measured [s] | boots | error | log arrived, predicted / measured [s] |\n";
        out += "| --- | --- | --- | --- | --- | --- | --- |\n";
        for r in rows.iter().filter(|r| r.group == g) {
            let [low, best, high] = r.predicted;
            let log = r.log.map_or(String::new(), |(p, m)| format!("{p:.2} / {m:.2}"));
            let mark = if r.inside() { "" } else { " (outside)" };
            _ = writeln!(
                out,
                "| {} | {} | {best:.2} ({low:.2}..{high:.2}) | {:.2} | {} | {:+.1} %{mark} | {log} |",
                r.from,
                r.change,
                r.measured,
                r.boots,
                r.error() * 100.0
            );
            debug_assert!(!r.to.is_empty());
        }
    }
    out
}

const HEAD: &str = "\
# Accuracy of predictions

Generated by `make accuracy`: not to be edited. The aim is a median error of 3 % and a worst one of 8 %. Each prediction
starts from ONE capture, nothing else (no levels, no second boot), and is set against the median of boots of the lab in
which that change was made. Times are from the kernel's first
byte to init by the host's clock on the unpaced port; where the console stays silent, from QEMU's start (the time before
the first byte is taken from the truth of the boot that the prediction starts from). The guest's
processor is a translator on a shared host: own work differs by 10 % and more between boots, which weighs most where the
console costs least (115200 baud, a silent console).

";

fn main() -> ExitCode {
    let Some(results) = std::env::args_os().nth(1) else {
        eprintln!("usage: accuracy RESULTS");
        return ExitCode::from(2);
    };
    match read(Path::new(&results)) {
        Ok(cells) if !cells.is_empty() => {
            let runs = cells.values().map(Vec::len).sum();
            let mut refused = Vec::new();
            let rows = rows(&cells, &mut refused);
            print!("{}", markdown(&rows, &refused, &cells, runs));
            ExitCode::SUCCESS
        }
        Ok(_) => {
            eprintln!("error: no valid runs in `{}`", Path::new(&results).display());
            ExitCode::from(3)
        }
        Err(e) => {
            eprintln!("error: `{}`: {e}", Path::new(&results).display());
            ExitCode::from(3)
        }
    }
}
