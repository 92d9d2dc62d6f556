// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline experiment`
mod analyst;
mod catalogue;
mod failures;
mod page;

use std::io::stdin;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bootline_capture::units::Dur;
use bootline_input::{Exit, Failure, LogFile, stdin_once};
use bootline_lab::boot::{BootError, BootProgress, BootRequest, boot_valid};
use bootline_lab::experiment::{
    ArmImages, ArmLoaderImage, ArmRoot, ArmSystem, ArmSystemImage, Experiment, ExperimentEnd, ExperimentPlan,
    ExperimentStatus, Outcome, ResultsDir, RunSelection, carry_out, evaluate, images, loaders, lock_host, systems,
    until_decided,
};
use bootline_report::{Emitter, JsonEmitter, TextOptions, text};
use bootline_stats::{Verdict, VerdictKind};
use bootline_terminal::{ProgressLine, Terminal, cancel_on_signals, or_interrupted};

use crate::output_file::{folder, print};
use crate::verbs::loaders as loader_store;
use crate::verbs::{boot, kernels};
use analyst::Captures;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/experiments.md describes how to write an experiment.

Examples:
  bootline experiment list
  bootline experiment run seed1-baud --quick
  bootline experiment run experiments/seed1-baud.toml -n 10 --arms 9600,115200 -o more
  bootline experiment report seed1-baud --json      the runs so far, without booting

Exit status 1: a claim or a prediction is refuted; 3: too few valid runs for a verdict; 4: the lab
failed or was stopped; finished runs are kept.")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the experiments in a folder
    List(List),
    /// Boots the missing runs of experiments, and reports on all runs
    #[command(after_help = "\
Results go to results/NAME: every capture, result.json, report.txt. Ctrl-C or a power failure costs
the current run only: the same command continues where it stopped.")]
    Run(Run),
    /// Reports on the finished runs of experiments, without booting
    Report(Report),
}

#[derive(Debug, clap::Args)]
struct List {
    /// The folder
    #[arg(value_name = "DIR", default_value = catalogue::FOLDER)]
    folder: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Run {
    #[command(flatten)]
    selection: Selection,
    /// The seed of the random order of the runs, for a new results folder [default: the experiment's, else drawn]
    #[arg(long, value_name = "N")]
    random_seed: Option<u64>,
    /// Then more runs of the arms about which a claim or a prediction is undecided, until none is, or they have N runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    until_decided: Option<u32>,
    /// Start over, and rename the existing results
    #[arg(long)]
    fresh: bool,
    /// Lock this file during each boot, so that several experiments on one host take turns
    #[arg(long, value_name = "FILE")]
    host_lock: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct Report {
    #[command(flatten)]
    selection: Selection,
}

/// Which runs of which experiments, where their results are, and how to show them.
#[derive(Debug, clap::Args)]
struct Selection {
    /// Experiment files, or names of files in ./experiments; `-` is standard input
    #[arg(required = true, value_name = "NAME")]
    names: Vec<PathBuf>,
    /// Use the experiment's short form: fewer arms, fewer runs
    #[arg(long)]
    quick: bool,
    /// The folder of the results, for a single experiment [default: results/NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Valid runs per arm, instead of the number in the file
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Use only these arms; `*` matches anything
    #[arg(long, value_name = "ARM,..", value_delimiter = ',')]
    arms: Vec<String>,
    /// Write JSON, as in result.json; for several experiments, one document after the other
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.action {
        Action::List(list) => catalogue::list(&list.folder, list.json, terminal),
        Action::Run(run) => run.selection.each(|selected| run.carry_out(&selected, terminal)),
        Action::Report(report) => report.selection.each(|selected| {
            let results = ResultsDir::open(&selected.dir, &selected.experiment).map_err(|e| failures::results(&e))?;
            selected.evaluate(&results, report.selection.json, terminal)
        }),
    }
}

/// An experiment, the selected runs, and their folder.
struct Selected {
    experiment: Experiment,
    plan: ExperimentPlan,
    dir: PathBuf,
}

impl Selection {
    /// Processes one experiment after the other; all are read before the first begins. Returns the worst exit status.
    fn each(&self, mut action: impl FnMut(Selected) -> Result<Exit, Failure>) -> Result<Exit, Failure> {
        if self.names.len() > 1 && self.output.is_some() {
            return Err(Failure::new(Exit::USAGE, "`-o` names the results of one experiment, not of several")
                .hint("omit it: each experiment has its own folder, results/NAME"));
        }
        stdin_once(self.names.iter().map(PathBuf::as_path))?;
        let output = self.output.as_deref().map(folder).transpose()?;
        let selected = self.names.iter().map(|name| self.select(name, output)).collect::<Result<Vec<_>, _>>()?;
        let mut exit = Exit::FINE;
        for experiment in selected {
            exit = exit.max(action(experiment)?);
        }
        Ok(exit)
    }

    fn select(&self, name: &Path, output: Option<&Path>) -> Result<Selected, Failure> {
        let experiment = if LogFile::new(name) == LogFile::Stdin {
            Experiment::read_stream(stdin().lock())
        } else {
            Experiment::read(&catalogue::find(name)?)
        }
        .map_err(|e| failures::file(&e))?;
        let selection = RunSelection { quick: self.quick, runs: self.runs, arms: self.arms.clone() };
        let plan = ExperimentPlan::of(&experiment, &selection).map_err(|e| failures::arm(&e))?;
        let dir = output.map_or_else(|| Path::new("results").join(&experiment.name), Path::to_owned);
        Ok(Selected { experiment, plan, dir })
    }
}

impl Selected {
    /// Evaluates the runs in the folder, shows the result, and stores it there.
    fn evaluate(&self, results: &ResultsDir, json: bool, terminal: &Terminal) -> Result<Exit, Failure> {
        let outcome = evaluate(&self.experiment, &self.plan, results, &mut Captures);
        show(&outcome, results, json, terminal)?;
        Ok(exit_of(&outcome))
    }
}

impl Run {
    fn carry_out(&self, selected: &Selected, terminal: &Terminal) -> Result<Exit, Failure> {
        let cancel = cancel_on_signals()?;
        let (results, ended) = self.boot_missing(selected, &cancel, terminal).map_err(or_interrupted)?;
        let exit = selected.evaluate(&results, self.selection.json, terminal);
        match ended? {
            ExperimentEnd::Complete => exit,
            ExperimentEnd::Stopped => {
                exit?;
                let what = format!("stopped; finished runs are in `{}`", selected.dir.display());
                Err(Failure::new(Exit::LAB, what).hint("use the same command again to continue"))
            }
        }
    }

    /// Boots the missing runs. An error is returned next to the count, so that the runs so far can be shown.
    fn boot_missing(
        &self,
        Selected { experiment, plan, dir }: &Selected,
        cancel: &AtomicBool,
        terminal: &Terminal,
    ) -> Result<(ResultsDir, Result<ExperimentEnd, Failure>), Failure> {
        let mut steps = kernels::FetchSteps::new(terminal);
        let found = images(experiment, plan, &kernels::store()?, &mut |p| steps.tell(&p));
        steps.end();
        let kernels = found.map_err(|e| failures::image(&e))?;
        let loaders = loaders(experiment, plan, &mut |arm, loader| {
            let image = loader_store::image(loader, terminal).map_err(|failure| failures::system(arm, failure))?;
            Ok(ArmLoaderImage::of(image))
        })?;
        // Images of the user's own that had to be packed, changed copies of the lab's, and initramfs: removed when the last run is
        // done.
        let mut kept = Vec::new();
        let images = systems(experiment, kernels, &mut |arm, booted, kernel| {
            let ArmSystem { hardware, format, changes, .. } = booted;
            let system = match &booted.root {
                ArmRoot::Lab(system) => *system,
                ArmRoot::Own { path, partition } => {
                    let own = boot::own_image(path, *partition, hardware, kernel, terminal);
                    let (image, folder) = own.map_err(|failure| failures::system(arm, failure))?;
                    kept.push(folder);
                    return Ok(image);
                }
            };
            let kernel =
                kernel.stock.as_ref().expect("a system goes with a stock kernel, which the file's checks demand");
            // Building one and booting it for the first time would disturb what others measure.
            let lock = || lock_host_at(self.host_lock.as_deref(), cancel);
            let image = boot::in_state(system, booted.state, *format, kernel, &lock, terminal);
            let image = image.map_err(|failure| failures::system(arm, failure))?;
            let (initramfs, folder) = boot::initramfs_for(&image, hardware, kernel, terminal)
                .map_err(|failure| failures::system(arm, failure))?;
            kept.extend(folder);
            let of_image = if changes.is_empty() {
                ArmSystemImage::of(&image, initramfs)
            } else {
                let changed = boot::changed(&image, changes);
                let (copy, folder) = changed.map_err(|failure| failures::system(arm, failure))?;
                kept.push(folder);
                ArmSystemImage::of_changed(&image, changes, copy, initramfs)
            };
            of_image.map_err(|e| Failure::new(Exit::LAB, e.to_string()))
        })?;
        let images = ArmImages { loaders, ..images };
        if self.fresh {
            if let Some(aside) = ResultsDir::set_aside(dir).map_err(|e| failures::results(&e))? {
                let aside = aside.to_string_lossy();
                terminal.say(&format!("the earlier results are in `{}`", bootline_report::escaped(&aside)));
            }
        }
        let results =
            ResultsDir::begin(dir, experiment, self.random_seed, &images).map_err(|e| failures::results(&e))?;
        let mut line = ProgressLine::new(false);
        let mut boot = |request: &BootRequest, attempts: u32, watch: &mut dyn FnMut(&BootProgress<'_>)| {
            let _locked = lock_host_at(self.host_lock.as_deref(), cancel)?;
            boot_valid(request, attempts, cancel, watch)
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
        let mut carry_out =
            |plan: &ExperimentPlan| carry_out(experiment, plan, &images, &results, cancel, &mut boot, &mut tell);
        let mut so_far = |plan: &ExperimentPlan| evaluate(experiment, plan, &results, &mut Captures);
        let ended = until_decided(plan, self.until_decided.unwrap_or(0), &mut carry_out, &mut so_far);
        line.clear();
        Ok((results, ended.map_err(|e| failures::run(&e, dir))))
    }
}

fn lock_host_at(lock: Option<&Path>, cancel: &AtomicBool) -> Result<Option<std::fs::File>, BootError> {
    let Some(path) = lock else { return Ok(None) };
    lock_host(path, cancel).map_err(|source| BootError::Write { path: path.to_owned(), source })
}

fn in_words(status: &ExperimentStatus<'_>) -> String {
    let invalid = if status.invalid > 0 { format!(", {} invalid", status.invalid) } else { String::new() };
    let left = status.left.map(|left| format!(", about {} left", rough(left))).unwrap_or_default();
    let which = if status.warm_up { " (warming up)" } else { "" };
    let boot =
        status.boot.map(|b| format!(": {:.0} s, {}, {} bytes", b.elapsed.as_secs_f64(), boot::phase(b.phase), b.bytes));
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
    let as_json = JsonEmitter(outcome);
    let page = page::page(outcome, results.dir());
    let as_text = |options: &TextOptions| text(&page, options) + "\n";
    // If the disk is full, the result is at least shown.
    match json {
        true => print(&as_json)?,
        false => print(&as_text(&terminal.text_options()))?,
    };
    let plain = as_text(&TextOptions { width: page::WIDTH, color: false });
    for (name, content) in [("result.json", as_json.to_text()), ("report.txt", plain)] {
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
