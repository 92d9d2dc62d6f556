// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of runs, read from the paths that name them.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use bootline_analysis::compare::{Asked, Excluded, MOST_RUNS, RunMeasures, RunSet};
use bootline_input::{AnalysedBoot, BootReader, Exit, Failure, LogFile, OpenInput};
use bootline_lab::boot::{RunVerdict, Truth};

use crate::run_inputs::{RunInput, RunLog};

/// Reads runs.
#[derive(Debug)]
pub struct RunReader {
    /// How the logs of runs are read.
    pub boots: BootReader,
    /// What is to be measured besides the usual.
    pub asked: Asked,
}

/// Name of the set of runs in one path.
pub fn set_name(path: &Path, arm: Option<&str>) -> String {
    let shown = path.to_string_lossy();
    let name = if shown == "-" { "standard input".into() } else { shown };
    arm.map_or_else(|| name.to_string(), |arm| format!("{name} {arm}"))
}

impl RunReader {
    /// The runs of several inputs, as one set of this name. A run that can't be used is not an error: it is listed as
    /// excluded.
    ///
    /// # Errors
    /// An input can't be read; or a boot is named twice: it would count as two that agree to the nanosecond.
    pub fn set(&self, name: String, inputs: &[RunInput]) -> Result<RunSet, Failure> {
        let mut set = RunSet { name, ..RunSet::default() };
        let mut seen = BTreeSet::new();
        for input in inputs {
            for file in input.files() {
                once(&mut seen, file)?;
            }
            match input {
                RunInput::Baseline { file, stored } => {
                    let stored = stored.runs(&file.to_string_lossy());
                    set.runs.extend(stored.runs);
                    set.short.extend(stored.short);
                    few(&set, file)?;
                }
                RunInput::Log(file) => self.add(&mut set, file)?,
                RunInput::Run(run) => self.add_run(&mut set, run)?,
                RunInput::Experiment(runs) | RunInput::Folder(runs) => {
                    runs.iter().try_for_each(|run| self.add_run(&mut set, run))?;
                }
            }
        }
        Ok(set)
    }

    fn add_run(&self, set: &mut RunSet, run: &RunLog) -> Result<(), Failure> {
        if let Some((why, expected)) = run.truth.as_deref().and_then(unbelievable) {
            set.excluded.push(Excluded { source: run.log.display().to_string(), why, expected });
            return Ok(());
        }
        self.add(set, &run.log)
    }

    fn add(&self, set: &mut RunSet, log: &Path) -> Result<(), Failure> {
        let OpenInput { log: file, name, sources, damage, .. } = OpenInput::new(&LogFile::new(log));
        let damage = damage.map(|damage| damage.what().to_owned());
        let file = match (file, damage) {
            (Some(file), None) => file,
            (_, damage) => {
                let why = damage.unwrap_or_else(|| "it holds no kernel log".to_owned());
                set.excluded.push(Excluded { source: name, why, expected: false });
                return Ok(());
            }
        };
        let mut boots = self.boots.boots(&file)?.with_sources(&sources);
        while let Some(found) = boots.next() {
            let AnalysedBoot { boot, label, unusable } = found?;
            let name = label.title();
            match unusable {
                Some(why) => boots.refuse(label, why),
                None => match RunMeasures::of(&boot, &name, &self.asked) {
                    Some(run) => set.runs.push(run),
                    // A log without an end was refused before.
                    None => debug_assert!(false, "{name} has an end and no measures"),
                },
            }
            few(set, log)?;
        }
        set.excluded.extend(boots.finish().into_iter().map(|(label, failure)| Excluded {
            source: label.title(),
            why: failure.what().to_owned(),
            expected: false,
        }));
        Ok(())
    }
}

fn once(seen: &mut BTreeSet<PathBuf>, path: &Path) -> Result<(), Failure> {
    if seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())) {
        return Ok(());
    }
    Err(Failure::new(Exit::USAGE, format!("`{}` is named twice", path.display()))
        .hint("each boot counts once: name the folder, or the files in it"))
}

/// Refuses too many runs: each is compared with each of the other set, and a larger baseline could not be read again.
fn few(set: &RunSet, last: &Path) -> Result<(), Failure> {
    if set.n() <= MOST_RUNS {
        return Ok(());
    }
    let what = format!("more than {MOST_RUNS} runs in one set; the first beyond that is in `{}`", last.display());
    Err(Failure::new(Exit::INPUT, what)
        .hint("name fewer files, or extract single boots: `bootline export --format text --boot N FILE`"))
}

/// Why the lab found a run unusable, and whether the fault is the lab's and not the boot's.
fn unbelievable(truth: &Path) -> Option<(String, bool)> {
    let read = fs::read(truth).ok().and_then(|text| serde_json::from_slice::<Truth>(&text).ok());
    let Some(truth) = read else { return Some(("its `truth.json` can't be read".to_owned(), true)) };
    let why = match truth.verdict {
        RunVerdict::Valid | RunVerdict::Unchecked => return None,
        RunVerdict::Invalid => ("the lab found the run invalid", true),
        RunVerdict::Interrupted => ("the run was interrupted", true),
        RunVerdict::Panicked { .. } => ("the kernel panicked", false),
        RunVerdict::ModuleFailed { .. } => ("the kernel refused a module", false),
        RunVerdict::NoSystem { .. } => ("the system could not be started", false),
        RunVerdict::TimedOut { .. } => ("the boot hung", false),
        RunVerdict::Stopped => ("the guest stopped before its end", false),
    };
    Some((why.0.to_owned(), why.1))
}

/// The error for a set without usable runs.
pub fn none(set: &RunSet) -> Failure {
    let failure = Failure::new(Exit::INPUT, format!("no usable run in `{}`", set.name));
    let evidence = set.excluded.iter().take(5).map(|e| format!("{}: {}", e.source, e.why));
    evidence.fold(failure, Failure::at).hint("`bootline explain FILE` shows more about a log")
}

/// The error that names the excluded runs.
pub fn left_out(set: &RunSet) -> Option<Failure> {
    let failed: Vec<&Excluded> = set.excluded.iter().filter(|e| !e.expected).collect();
    let first = failed.first()?;
    let what = match failed.len() {
        1 => format!("1 run of `{}` can't be used", set.name),
        n => format!("{n} runs of `{}` can't be used", set.name),
    };
    Some(Failure::new(Exit::INPUT, what).at(format!("{}: {}", first.source, first.why)))
}
