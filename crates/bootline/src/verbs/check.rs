// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline check`
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use bootline_analysis::compare::{Baseline, Budget, CheckedLimit, GateOutcome, PartKey, RunSet, check};
use bootline_input::unusable::{self, BootNeeds};
use bootline_input::{Exit, Failure, LogFile, stdin_once};
use bootline_report::{GateSource, JsonEmitter, JunitEmitter, TestSuites, escaped};
use bootline_terminal::Terminal;

use crate::output_file::{OutputFile, print};
use crate::quantity;
use crate::reading::SourceArgs;
use crate::run_inputs::{RunInput, begins_baseline};
use crate::run_sets::{self, RunReader};
use crate::shape::ShapeArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/gate.md says how to write a budget, and how often such a gate fails. Runs are named as for
`bootline compare`: captures, logs, folders of them, results of `experiment`.

Examples:
  bootline check --write-baseline boot-baseline.json --note 'main, rack 3' base/*.cap
  bootline check --budget boot-budget.toml new/*.cap
  bootline check --budget boot-budget.toml --junit boot.xml new/
  bootline check --baseline results/base results/new        instead of the budget's baseline
  bootline check --baseline boot-baseline.json new/         no budget: at most 5 % more

Without a budget, neither the boot's time nor its bytes for the console may grow by more than
5 % (--increase-at-most) of the baseline's.

Exit status 1: a limit is exceeded; 3: one is inconclusive (too few runs, an incomplete log, a
failed boot).")]
pub struct Args {
    /// The runs to check
    #[arg(value_name = "RUNS", required = true)]
    runs: Vec<PathBuf>,
    /// The budget [default: boot-budget.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// How much the boot's time and its bytes may exceed the baseline, in percent, instead of a budget
    #[arg(long, value_name = "PERCENT", conflicts_with = "budget", requires = "baseline", value_parser = quantity::percent)]
    increase_at_most: Option<f64>,
    /// A stored baseline, or runs, to compare with instead of the budget's
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    baseline: Option<PathBuf>,
    /// Store the runs as a baseline instead of checking them; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "junit")]
    write_baseline: Option<PathBuf>,
    /// A note to store with the baseline: a date, a machine, a revision
    #[arg(long, value_name = "TEXT", requires = "write_baseline")]
    note: Option<String>,
    /// Write the limits as JUnit XML to this file, for a CI server; `-` is standard output, instead of the report
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// The arm, in results of `experiment`
    #[arg(long, value_name = "ARM")]
    arm: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    shape: ShapeArgs,
}

/// The limits that the runs are checked against.
struct Limits {
    budget: Budget,
    /// Name of the budget, as shown.
    name: String,
    /// Folder that the budget's paths are relative to.
    folder: PathBuf,
}

/// The default of `--increase-at-most`, as a share.
const GROWTH: f64 = 0.05;

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    // Before the runs are read: that may take a while.
    if let Some(path) = &args.write_baseline {
        let hint = "name the baseline first: `--write-baseline FILE RUNS...`";
        keep_others(path, "not a stored baseline", begins_baseline, hint)?;
    }
    if let Some(path) = &args.junit {
        keep_others(
            path,
            "not XML",
            |text| text.starts_with(b"<?xml"),
            "name the report first: `--junit FILE RUNS...`",
        )?;
    }
    let read_once = args.runs.iter().chain(&args.budget).chain(&args.baseline).map(PathBuf::as_path);
    stdin_once(read_once)?;
    let to_stdout = [&args.write_baseline, &args.junit].into_iter().flatten().any(|path| path.as_os_str() == "-");
    let limits = limits(&args)?;
    let budget = limits.as_ref().map(|l| &l.budget);
    let mut boots = args.source.clone().reader(budget.and_then(|b| b.end.clone()), BootNeeds::End);
    boots.whole.app = budget.and_then(|b| b.app.clone());
    let reader = RunReader { boots, asked: budget.map(Budget::asked).unwrap_or_default() };
    let arm = args.arm.as_deref();
    let inputs = args.runs.iter().map(|path| RunInput::resolve(path, arm)).collect::<Result<Vec<_>, _>>()?;
    let name = match args.runs.as_slice() {
        [path] => run_sets::set_name(path, arm),
        several => format!("{} inputs", several.len()),
    };
    let runs = reader.set(name, &inputs)?;
    if let Some(path) = &args.write_baseline {
        let keep = budget.map(Budget::spans).unwrap_or_default();
        return if runs.n() == 0 { Err(run_sets::none(&runs)) } else { store(path, &runs, args.note, &keep, terminal) };
    }
    let Some(Limits { budget, name, folder }) = limits else { return Err(no_budget(Path::new(USUAL))) };
    if runs.n() == 0 {
        // The report lets a CI server show why.
        let source = GateSource { budget: &name, runs: &runs, baseline: None };
        return Err(junit(&args, &[], source).err().unwrap_or_else(|| run_sets::none(&runs)));
    }
    let baseline = baseline(&args, &budget, &folder, &reader)?;
    let checked = check(&budget, baseline.as_ref(), &runs);
    let source = GateSource { budget: &name, runs: &runs, baseline: baseline.as_ref() };
    let document = bootline_report::check(&checked, source);
    let json = JsonEmitter(bootline_report::check_json(&checked, source));
    // If JUnit's XML goes to standard output, nothing else does.
    if !to_stdout {
        print(&*args.shape.emitter(terminal, &document, json))?;
    }
    let mut failures: Vec<Failure> = checked.iter().filter_map(failure).chain(run_sets::left_out(&runs)).collect();
    failures.extend(junit(&args, &checked, source).err());
    failures.iter().for_each(|f| terminal.show(f));
    // A failed limit is a failure, whatever else is inconclusive.
    Ok(if failures.iter().any(|f| f.exit == Exit::GATE) {
        Exit::GATE
    } else {
        failures.iter().map(|f| f.exit).max().unwrap_or(Exit::FINE)
    })
}

/// Writes the limits as JUnit tests, if requested.
fn junit(args: &Args, checked: &[CheckedLimit], source: GateSource<'_>) -> Result<(), Failure> {
    let Some(path) = &args.junit else { return Ok(()) };
    let suites =
        TestSuites { name: "bootline check".to_owned(), suites: vec![bootline_report::gate_suite(checked, source)] };
    OutputFile::replaced(path).write(&JunitEmitter(&suites)).map(drop)
}

/// The budget to use if none is named.
const USUAL: &str = "boot-budget.toml";

/// The limits from the budget's file or from the arguments; none with `--write-baseline`, which may come before any
/// budget.
fn limits(args: &Args) -> Result<Option<Limits>, Failure> {
    let path = args.budget.clone().unwrap_or_else(|| PathBuf::from(USUAL));
    let usual_missing = args.budget.is_none() && !path.exists();
    match &args.baseline {
        Some(baseline) if usual_missing || args.increase_at_most.is_some() => {
            let share = args.increase_at_most.unwrap_or(GROWTH);
            let name = format!("at most {} % more than {}", share * 100.0, baseline.display());
            Ok(Some(Limits { budget: Budget::of_increase(share), name, folder: PathBuf::new() }))
        }
        _ if usual_missing && args.write_baseline.is_some() => Ok(None),
        _ => {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            Ok(Some(Limits { budget: budget(&path)?, name: path.display().to_string(), folder }))
        }
    }
}

fn no_budget(path: &Path) -> Failure {
    Failure::new(Exit::USAGE, format!("no budget `{}`", path.display()))
        .hint("docs/gate.md shows one; or check against a baseline alone: `bootline check --baseline FILE RUNS...`")
}

fn budget(path: &Path) -> Result<Budget, Failure> {
    if path.as_os_str() != "-" && !path.exists() {
        return Err(no_budget(path));
    }
    if path.is_dir() {
        let usual = path.join(USUAL);
        return Err(Failure::new(Exit::USAGE, format!("`{}` is a folder, not a budget", path.display()))
            .hint(format!("name the file in it: `--budget {}`", usual.display())));
    }
    let text = LogFile::new(path).read()?;
    let text = String::from_utf8(text).map_err(|_| {
        Failure::new(Exit::USAGE, format!("`{}` is not a budget: it is not text", path.display()))
            .hint("docs/gate.md shows one")
    })?;
    Budget::parse(&text).map_err(|e| {
        let failure = Failure::new(Exit::USAGE, format!("`{}` is not a budget: {}", path.display(), e.what));
        match e.line {
            Some((n, line)) => failure.at(format!("line {n}: `{line}`")),
            None => failure.hint("docs/gate.md shows one"),
        }
    })
}

/// The baseline that the budget or the command line names, read in the same way as the runs. A path in the budget is
/// relative to it.
fn baseline(args: &Args, budget: &Budget, folder: &Path, reader: &RunReader) -> Result<Option<RunSet>, Failure> {
    let beside = |name: &String| folder.join(name);
    let Some(path) = args.baseline.clone().or_else(|| budget.baseline.as_ref().map(beside)) else { return Ok(None) };
    if path.as_os_str() != "-" && !path.exists() {
        return Err(Failure::new(Exit::INPUT, format!("no baseline `{}`", path.display()))
            .hint(format!("store one: `bootline check --write-baseline {} RUNS...`", path.display())));
    }
    let set = reader.set(run_sets::set_name(&path, None), &[RunInput::resolve(&path, None)?])?;
    if set.n() == 0 { Err(run_sets::none(&set)) } else { Ok(Some(set)) }
}

fn store(
    path: &Path,
    runs: &RunSet,
    note: Option<String>,
    keep: &BTreeSet<PartKey>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    OutputFile::replaced(path).write(&Baseline::of(runs, note, keep).to_text())?;
    if path.as_os_str() == "-" {
        return Ok(left_out(runs, terminal));
    }
    let word = if runs.n() == 1 { "run" } else { "runs" };
    terminal.say(&format!("{} {word} stored in `{}`", runs.n(), escaped(&path.to_string_lossy())));
    Ok(left_out(runs, terminal))
}

fn left_out(runs: &RunSet, terminal: &Terminal) -> Exit {
    let failure = run_sets::left_out(runs);
    failure.iter().for_each(|f| terminal.show(f));
    failure.map_or(Exit::FINE, |f| f.exit)
}

/// Refuses to replace a file of another kind. Outputs are overwritten each time; but if the option's FILE is forgotten,
/// the first of `RUNS` is taken for it, and a capture would be lost.
fn keep_others(path: &Path, what: &str, mine: impl Fn(&[u8]) -> bool, hint: &str) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    read.map_err(|e| unusable::open_failed(path, &e))?;
    // An empty file, as `mktemp` creates it, loses nothing.
    if start.is_empty() || mine(&start) {
        return Ok(());
    }
    let what = format!("`{}` exists and is {what}; it would be lost", path.display());
    Err(Failure::new(Exit::INPUT, what).hint(hint))
}

/// The error for a limit that does not pass.
fn failure(checked: &CheckedLimit) -> Option<Failure> {
    let words = bootline_report::gate_message(checked)?;
    let exit = if checked.outcome == GateOutcome::Fail { Exit::GATE } else { Exit::INPUT };
    let failure = Failure::new(exit, words.what);
    Some(words.evidence.into_iter().fold(failure, Failure::evidence))
}
