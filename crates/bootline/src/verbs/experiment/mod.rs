// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline prove`
mod analyst;
mod catalogue;
mod failures;
mod page;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bootline_capture::units::Dur;
use bootline_lab::boot::{BootError, BootProgress, BootRequest, boot_valid};
use bootline_lab::experiment::{
    Experiment, ExperimentEnd, ExperimentPlan, ExperimentStatus, Outcome, ResultsDir, RunSelection, carry_out,
    evaluate, images, lock_host,
};
use bootline_report::{TextOptions, text};
use bootline_stats::{Verdict, VerdictKind};

use crate::exit::Exit;
use crate::failure::{Failure, unless_reader_left};
use crate::interruption::cancel_on_signals;
use crate::progress::ProgressLine;
use crate::terminal::Terminal;
use crate::verbs::{boot, kernels};
use analyst::Captures;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
An experiment is a file, docs/experiments.md says how to write one; a bare name means the file in
./experiments. Ctrl-C or a loss of power costs the run that is going on: the same command goes on
where it was. Results are in results/NAME: every capture, result.json, report.txt.

Examples:
  bootline prove --list
  bootline prove seed1-baud --quick
  bootline prove experiments/seed1-baud.toml -n 10 --arms 9600,115200 -o more
  bootline prove seed1-baud --report --json      what the runs so far say, without booting

Exit status 1: a claim or a prediction is refuted; 3: one is undecided because valid runs are
lacking; 4: the lab failed or was stopped, what was finished is kept.")]
pub struct Args {
    /// A file, or the name of one in ./experiments
    #[arg(value_name = "EXPERIMENT", required_unless_present = "list")]
    experiment: Option<PathBuf>,
    /// The experiment's short form: fewer arms, fewer runs
    #[arg(long)]
    quick: bool,
    /// Where the results go [default: results/NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Valid runs for each arm, whatever the experiment says
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// Only these arms
    #[arg(long, value_name = "ARM,..", value_delimiter = ',')]
    arms: Vec<String>,
    /// What the order of the runs is drawn from, in a new folder [default: the experiment's, else by chance]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Boot nothing: say what the runs that are there say
    #[arg(long, conflicts_with_all = ["fresh", "seed", "lock"])]
    report: bool,
    /// Start over; the results that are there get another name
    #[arg(long)]
    fresh: bool,
    /// Hold this file's lock during each boot, so that several experiments take turns on a host
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Write what is in result.json
    #[arg(long)]
    json: bool,
    /// Name the experiments in ./experiments, or in the folder that is given
    #[arg(long, conflicts_with_all = ["quick", "output", "repeats", "arms", "seed", "report", "fresh", "lock"])]
    list: bool,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    if args.list {
        return catalogue::list(args.experiment.as_deref(), args.json, terminal);
    }
    let path = catalogue::find(args.experiment.as_deref().unwrap_or(Path::new("")))?;
    let experiment = Experiment::read(&path).map_err(|e| failures::file(&e))?;
    let choice = RunSelection { quick: args.quick, repeats: args.repeats, arms: args.arms.clone() };
    let plan = ExperimentPlan::of(&experiment, &choice).map_err(|e| failures::arm(&e))?;
    let dir = args.output.clone().unwrap_or_else(|| Path::new("results").join(&experiment.name));
    let (results, ended) = if args.report {
        (ResultsDir::open(&dir, &experiment).map_err(|e| failures::results(&e))?, Ok(ExperimentEnd::Complete))
    } else {
        boot_what_lacks(&args, &experiment, &plan, &dir, terminal)?
    };
    let outcome = evaluate(&experiment, &plan, &results, &mut Captures);
    let shown = show(&outcome, &results, args.json, terminal);
    match ended {
        Err(failure) => Err(failure),
        Ok(ExperimentEnd::Stopped) => {
            let failure = Failure::new(Exit::LAB, format!("stopped; what was finished is in `{}`", dir.display()));
            shown.and(Err(failure.hint("the same command goes on where it was")))
        }
        Ok(ExperimentEnd::Complete) => shown.map(|()| exit_of(&outcome)),
    }
}

/// Boots what is not there yet. What keeps it from going on comes second, so that the runs so far are shown.
fn boot_what_lacks(
    args: &Args,
    experiment: &Experiment,
    plan: &ExperimentPlan,
    dir: &Path,
    terminal: &Terminal,
) -> Result<(ResultsDir, Result<ExperimentEnd, Failure>), Failure> {
    let mut steps = kernels::FetchSteps::new(terminal);
    let found = images(experiment, plan, &kernels::store()?, &mut |p| steps.tell(&p));
    steps.end();
    let images = found.map_err(|e| failures::image(&e))?;
    if args.fresh {
        if let Some(aside) = ResultsDir::set_aside(dir).map_err(|e| failures::results(&e))? {
            terminal.say(&format!(
                "the results so far are kept in `{}`",
                bootline_report::escaped(&aside.to_string_lossy())
            ));
        }
    }
    let results = ResultsDir::begin(dir, experiment, args.seed, &images).map_err(|e| failures::results(&e))?;
    let cancel = cancel_on_signals()?;
    let mut line = ProgressLine::new(false);
    let mut boot = |request: &BootRequest, attempts: u32, watch: &mut dyn FnMut(&BootProgress<'_>)| {
        let _turn = lock_host_at(args.lock.as_deref(), &cancel)?;
        boot_valid(request, attempts, &cancel, watch)
    };
    let mut before = String::new();
    let mut tell = |status: &ExperimentStatus<'_>| {
        let step = format!("{} {:?}", status.done, status.boot.map(|b| b.phase));
        if step == before {
            line.update(|| in_words(status));
        } else {
            line.step(&in_words(status));
            before = step;
        }
    };
    let ended = carry_out(experiment, plan, &images, &results, &cancel, &mut boot, &mut tell);
    line.clear();
    Ok((results, ended.map_err(|e| failures::run(&e, dir))))
}

fn lock_host_at(lock: Option<&Path>, cancel: &AtomicBool) -> Result<Option<std::fs::File>, BootError> {
    let Some(path) = lock else { return Ok(None) };
    lock_host(path, cancel).map_err(|source| BootError::Write { path: path.to_owned(), source })
}

fn in_words(status: &ExperimentStatus<'_>) -> String {
    let invalid = if status.invalid > 0 { format!(", {} invalid", status.invalid) } else { String::new() };
    let left = status.left.map(|left| format!(", about {} left", rough(left))).unwrap_or_default();
    let which = if status.warm_up { " (warming up)" } else { "" };
    let boot = status
        .boot
        .map(|b| format!(": {:.0} s, {}, {} characters", b.elapsed.as_secs_f64(), boot::phase(b.phase), b.bytes));
    let boot = boot.unwrap_or_default();
    format!("{} of {} runs done{invalid}{left}; arm {}{which}{boot}", status.done, status.wanted, status.arm)
}

/// `4 h 10 min`, `12 min`, `40 s`
fn rough(time: Dur) -> String {
    let seconds = time.as_secs_f64().round() as i64;
    let minutes = (seconds + 30) / 60;
    match seconds {
        0..90 => format!("{seconds} s"),
        90..3600 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

fn show(outcome: &Outcome, results: &ResultsDir, json: bool, terminal: &Terminal) -> Result<(), Failure> {
    let as_json = serde_json::to_string_pretty(outcome).expect("plain structs of numbers and strings always serialise");
    let as_json = as_json + "\n";
    let page = page::page(outcome, results.dir());
    let plain = text(&page, &TextOptions { width: page::WIDTH, color: false }) + "\n";
    let shown = if json {
        as_json.clone()
    } else {
        text(&page, &TextOptions { width: terminal.width, color: terminal.stdout_color }) + "\n"
    };
    // Where the disk is full the answer is at least seen.
    unless_reader_left(stdout().write_all(shown.as_bytes()))?;
    for (name, content) in [("result.json", &as_json), ("report.txt", &plain)] {
        results.write(name, content.as_bytes()).map_err(|e| failures::results(&e))?;
    }
    Ok(())
}

fn exit_of(outcome: &Outcome) -> Exit {
    if outcome.count(VerdictKind::Refuted) > 0 {
        Exit::GATE
    } else if !outcome.complete
        || outcome.arms.iter().any(|arm| arm.measured.is_none())
        || outcome.verdicts().any(Verdict::lacks_runs)
    {
        Exit::INPUT
    } else {
        Exit::FINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_times() {
        let check = |seconds, expected| assert_eq!(rough(Dur::from_secs(seconds)), expected);
        check(0, "0 s");
        check(89, "89 s");
        check(90, "2 min");
        check(3599, "60 min");
        check(15_000, "4 h 10 min");
    }

    #[test]
    fn progress_in_words() {
        let status =
            ExperimentStatus { arm: "9600", warm_up: false, done: 3, wanted: 10, invalid: 0, left: None, boot: None };
        assert_eq!(in_words(&status), "3 of 10 runs done; arm 9600");
        let later = ExperimentStatus { invalid: 2, left: Some(Dur::from_secs(600)), warm_up: true, ..status };
        assert_eq!(in_words(&later), "3 of 10 runs done, 2 invalid, about 10 min left; arm 9600 (warming up)");
    }
}
