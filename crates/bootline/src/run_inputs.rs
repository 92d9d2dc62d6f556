// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a path that names runs refers to: a stored baseline, a log, a run of the lab, the results of an experiment, a
//! folder of logs. Each path is examined once.
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bootline_analysis::compare::{BASELINE_SCHEMA, Baseline};
use bootline_input::unusable;
use bootline_input::{Exit, Failure};

/// What a path refers to.
#[derive(Debug)]
pub enum RunInput {
    /// Runs that `check --write-baseline` stored.
    Baseline { file: PathBuf, stored: Box<Baseline> },
    /// A capture or a log, with all boots in it; `-` is standard input.
    Log(PathBuf),
    /// A run in the folder that `bootline boot` wrote.
    Run(RunLog),
    /// The runs of one arm in the results of an experiment.
    Experiment(Vec<RunLog>),
    /// A folder of captures, runs or logs.
    Folder(Vec<RunLog>),
}

/// One log to read, and what the lab knows about it.
#[derive(Clone, Debug)]
pub struct RunLog {
    pub log: PathBuf,
    pub truth: Option<PathBuf>,
}

impl RunInput {
    /// Examines the path; of the results of an experiment, takes the runs of `arm`.
    ///
    /// # Errors
    /// The path is none of these, or the results have no such arm.
    pub fn resolve(path: &Path, arm: Option<&str>) -> Result<RunInput, Failure> {
        if path.is_dir() {
            let runs = path.join("runs");
            if path.join("state.json").exists() && runs.is_dir() {
                return of_results(path, &runs, arm).map(RunInput::Experiment);
            }
            if let Some(run) = run_folder(path) {
                return Ok(RunInput::Run(run));
            }
            return logs_in(path).map(RunInput::Folder);
        }
        Ok(match stored(path)? {
            Some(stored) => RunInput::Baseline { file: path.to_owned(), stored: Box::new(stored) },
            None => RunInput::Log(path.to_owned()),
        })
    }

    /// The files to read.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            RunInput::Baseline { file, .. } | RunInput::Log(file) => vec![file],
            RunInput::Run(run) => vec![&run.log],
            RunInput::Experiment(runs) | RunInput::Folder(runs) => runs.iter().map(|run| run.log.as_path()).collect(),
        }
    }
}

/// The stored baseline, if the file is one, whatever its name.
fn stored(path: &Path) -> Result<Option<Baseline>, Failure> {
    if !path.is_file() {
        return Ok(None);
    }
    let failed = |e: io::Error| unusable::open_failed(path, &e);
    let mut file = fs::File::open(path).map_err(failed)?;
    let mut text = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut text).map_err(failed)?;
    if !begins_baseline(&text) {
        return Ok(None);
    }
    file.take(LARGEST_BASELINE).read_to_end(&mut text).map_err(failed)?;
    baseline(path, &text).map(Some)
}

/// Whether a file that begins with `text` is a stored baseline of any version, so that no baseline is taken for a log.
pub fn begins_baseline(text: &[u8]) -> bool {
    let mark = BASELINE_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit());
    text.windows(mark.len()).any(|w| w == mark.as_bytes())
}

/// Largest size of a baseline, in bytes: ten times that of a thousand boots with hundreds of initcalls.
const LARGEST_BASELINE: u64 = 256 << 20;

fn baseline(path: &Path, text: &[u8]) -> Result<Baseline, Failure> {
    Baseline::parse(text).map_err(|e| {
        Failure::new(Exit::INPUT, format!("`{}` is not a baseline: {e}", path.display()))
            .hint("store it again: `bootline check --write-baseline FILE RUNS...`")
    })
}

/// The logs in a folder that is not a run's and not an experiment's.
fn logs_in(path: &Path) -> Result<Vec<RunLog>, Failure> {
    let entries = sorted(path).map_err(|e| unusable::open_failed(path, &e))?;
    let folders: Vec<RunLog> = entries.iter().filter_map(|e| run_folder(e)).collect();
    let ending = |e: &Path, wanted: &[&str]| {
        e.is_file() && e.extension().is_some_and(|x| wanted.iter().any(|w| x.eq_ignore_ascii_case(w)))
    };
    let files = |wanted: &[&str]| -> Vec<RunLog> {
        entries.iter().filter(|e| ending(e, wanted)).map(|e| RunLog { log: e.clone(), truth: None }).collect()
    };
    let mut found = files(&["cap"]);
    found.extend(folders);
    if found.is_empty() {
        found = files(&["log", "txt", "dmesg", "kmsg"]);
    }
    if found.is_empty() {
        found = files(&["tar"]);
    }
    if found.is_empty() {
        return Err(Failure::new(Exit::INPUT, format!("no captures and no logs in `{}`", path.display()))
            .hint("captures end in .cap, logs in .log, .txt, .dmesg or .kmsg, collections in .tar; or name the files themselves"));
    }
    Ok(found)
}

/// The run in a folder that `bootline boot` wrote.
fn run_folder(path: &Path) -> Option<RunLog> {
    let (log, truth) = (path.join("boot.cap"), path.join("truth.json"));
    log.is_file().then(|| RunLog { log, truth: truth.is_file().then_some(truth) })
}

fn of_results(path: &Path, runs: &Path, arm: Option<&str>) -> Result<Vec<RunLog>, Failure> {
    let entries = sorted(runs).map_err(|e| unusable::open_failed(runs, &e))?;
    let mut arms: Vec<String> = entries.iter().filter_map(|e| arm_of(e)).collect();
    arms.dedup();
    let wanted = match (arm, arms.as_slice()) {
        (Some(arm), all) if all.iter().any(|a| a == arm) => arm,
        (None, [only]) => only,
        (arm, all) => {
            let what = match arm {
                Some(arm) => format!("the results in `{}` have no arm `{arm}`", path.display()),
                None => format!("the results in `{}` have several arms", path.display()),
            };
            return Err(Failure::new(Exit::USAGE, what).hint(format!("choose one with `--arm`: {}", all.join(", "))));
        }
    };
    let mine = entries.iter().filter(|e| arm_of(e).is_some_and(|a| a == wanted));
    // A run in progress has no truth yet.
    Ok(mine.filter_map(|e| run_folder(e)).filter(|s| s.truth.is_some()).collect())
}

/// `ARM-NN`
fn arm_of(folder: &Path) -> Option<String> {
    let (arm, number) = folder.file_name()?.to_str()?.rsplit_once('-')?;
    number.parse::<u32>().is_ok().then(|| arm.to_owned())
}

fn sorted(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(dir)?.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
