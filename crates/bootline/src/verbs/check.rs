// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline check`
use std::fs;
use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};

use bootline_core::boot::{ConsoleArg, Options};
use bootline_core::compare::{Baseline, Budget, Checked, Outcome, RunSet, check};
use bootline_core::records::Format;
use bootline_core::report::{self, GateSource, TestSuites, escaped};
use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::exit::Exit;
use crate::failure::{Failure, unless_reader_left};
use crate::logs::parse_console;
use crate::run_sets::{self, Reading};
use crate::shape::TypedShape;
use crate::terminal::Terminal;
use crate::unusable;

#[derive(Debug, Args)]
#[command(after_help = "\
docs/gate.md says how to write a budget, and how often such a gate fires. Runs are named as for
`bootline compare`: captures, logs, folders of them, results of `prove`.

Examples:
  bootline check --write-baseline boot-baseline.json --note 'main, rack 3' base/*.cap
  bootline check --budget boot-budget.toml new/*.cap
  bootline check --budget boot-budget.toml --junit boot.xml new/
  bootline check --baseline results/base results/new        whatever the budget names

Exit status 1: a limit is broken; 3: one can't be judged (too few runs, a log that is incomplete, a
boot that failed).")]
pub struct Typed {
    /// The runs
    #[arg(value_name = "RUNS", required = true)]
    runs: Vec<PathBuf>,
    /// The budget
    #[arg(long, value_name = "FILE", default_value = "boot-budget.toml")]
    budget: PathBuf,
    /// What to compare with, instead of what the budget names: a stored baseline, or runs
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    baseline: Option<PathBuf>,
    /// Store the runs as a baseline; nothing is judged
    #[arg(long, value_name = "FILE", conflicts_with = "junit")]
    write_baseline: Option<PathBuf>,
    /// What to store with the baseline: a date, a machine, a revision
    #[arg(long, value_name = "TEXT", requires = "write_baseline")]
    note: Option<String>,
    /// Write the limits as JUnit's XML to this file, for a CI server
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// The arm of results of `prove`
    #[arg(long, value_name = "ARM")]
    arm: Option<String>,
    /// The serial console and its speed, where the logs lack them: ttyS0,115200n8
    #[arg(long, value_name = "NAME,BAUD", value_parser = parse_console)]
    console: Option<ConsoleArg>,
    /// The format of the logs, if it is not recognised
    #[arg(long, value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    format: Option<String>,
    #[command(flatten)]
    shape: TypedShape,
}

pub fn run(typed: Typed, terminal: &Terminal) -> Result<Exit, Failure> {
    let budget = match budget(&typed.budget) {
        // A first baseline may come before the budget.
        Err(_) if typed.write_baseline.is_some() && !typed.budget.exists() => None,
        budget => Some(budget?),
    };
    let reading = Reading {
        options: Options {
            marker: budget.as_ref().and_then(|b| b.end.clone()),
            console: typed.console.clone(),
            ..Options::default()
        },
        format: typed.format.as_ref().and_then(|name| name.parse().ok()),
        markers: budget.as_ref().map(Budget::markers).unwrap_or_default(),
    };
    let runs = reading.one_set(&typed.runs, typed.arm.as_deref())?;
    if runs.n() == 0 {
        return Err(run_sets::none(&runs));
    }
    if let Some(path) = &typed.write_baseline {
        return store(path, &runs, typed.note, terminal);
    }
    let Some(budget) = budget else { return Ok(Exit::USAGE) };
    let baseline = baseline(&typed, &budget, &reading)?;
    let checked = check(&budget, baseline.as_ref(), &runs);
    let name = typed.budget.display().to_string();
    let source = GateSource { budget: &name, runs: &runs, baseline: baseline.as_ref() };
    let document = report::check(&checked, source);
    let out = typed.shape.render(terminal, &document, || report::json_text(&report::check_json(&checked, source)));
    unless_reader_left(stdout().write_all(out.as_bytes()))?;
    if let Some(path) = &typed.junit {
        let suites =
            TestSuites { name: "bootline check".to_owned(), suites: vec![report::gate_suite(&checked, source)] };
        write(path, &report::junit(&suites))?;
    }
    let failures: Vec<Failure> = checked.iter().filter_map(failure).chain(run_sets::left_out(&runs)).collect();
    failures.iter().for_each(|f| f.show(terminal));
    // What is broken is broken, whatever else can't be told.
    Ok(if failures.iter().any(|f| f.exit == Exit::GATE) {
        Exit::GATE
    } else {
        failures.iter().map(|f| f.exit).max().unwrap_or(Exit::FINE)
    })
}

fn budget(path: &Path) -> Result<Budget, Failure> {
    let text = fs::read_to_string(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Failure::new(Exit::USAGE, format!("no budget `{}`", path.display()))
            .hint("docs/gate.md shows one; name it: `--budget FILE`"),
        _ => unusable::open_failed(path, &e),
    })?;
    Budget::parse(&text).map_err(|e| {
        let failure = Failure::new(Exit::USAGE, format!("`{}` is no budget: {}", path.display(), escaped(&e.what)));
        match e.line {
            Some((n, line)) => failure.at(format!("line {n}: `{}`", escaped(&line))),
            None => failure.hint("docs/gate.md shows one"),
        }
    })
}

/// What the budget or the command line names, read as the runs are. A path in the budget is relative to it.
fn baseline(typed: &Typed, budget: &Budget, reading: &Reading) -> Result<Option<RunSet>, Failure> {
    let beside = |name: &String| typed.budget.parent().unwrap_or(Path::new("")).join(name);
    let Some(path) = typed.baseline.clone().or_else(|| budget.baseline.as_ref().map(beside)) else { return Ok(None) };
    let set = reading.set(&path, None).map_err(|f| match f.exit {
        Exit::INPUT if !path.exists() => Failure::new(Exit::INPUT, format!("no baseline `{}`", path.display()))
            .hint(format!("store one: `bootline check --write-baseline {} RUNS...`", path.display())),
        _ => f,
    })?;
    if set.n() == 0 { Err(run_sets::none(&set)) } else { Ok(Some(set)) }
}

fn store(path: &Path, runs: &RunSet, note: Option<String>, terminal: &Terminal) -> Result<Exit, Failure> {
    write(path, &Baseline::of(runs, note).to_text())?;
    let word = if runs.n() == 1 { "run" } else { "runs" };
    terminal.say(&format!("{} {word} stored in `{}`", runs.n(), path.display()));
    let failure = run_sets::left_out(runs);
    failure.iter().for_each(|f| f.show(terminal));
    Ok(failure.map_or(Exit::FINE, |f| f.exit))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|e| Failure::new(Exit::LAB, format!("can't write `{}`: {e}", path.display())))
}

/// How a limit that isn't kept is told.
fn failure(checked: &Checked) -> Option<Failure> {
    let words = report::gate_words(checked)?;
    let exit = if checked.outcome == Outcome::Broken { Exit::GATE } else { Exit::INPUT };
    let failure = Failure::new(exit, escaped(&words.what).into_owned());
    Some(words.evidence.iter().fold(failure, |f, line| f.evidence(escaped(line))))
}
