// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of an experiment's results. Nothing in it is ever deleted, and a complete run is never repeated.
//!
//! ```text
//! experiment.toml     the file, as it was when the first run began
//! state.json          the seed of the order, the kernels, host and programs
//! lock                held while runs are being added
//! warm-up/01/         runs that were thrown away
//! runs/ARM-01/        a run: what a boot leaves (boot.cap, truth.json, ..), with its invalid-N and unfinished-N
//! result.json         what they say, and report.txt the same for people
//! ```
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::Experiment;
use super::images::ArmKernel;
use super::loaders::ArmLoaderImage;
use super::plan::{PlannedRun, draw_seed};
use super::systems::{ArmImages, ArmSystemImage};
use crate::boot::{BootError, KMSG, RunVerdict, Truth, replace, set_aside};

const EXPERIMENT: &str = "experiment.toml";
const STATE: &str = "state.json";

/// The folder of an experiment's results.
#[derive(Debug)]
pub struct ResultsDir {
    dir: PathBuf,
    state: ExperimentState,
    /// Keeps the folder locked.
    lock: Option<FolderLock>,
}

/// The content of `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentState {
    /// `bootline-experiment-state/1`
    pub schema: String,
    /// Seed of the order of the runs.
    pub random_seed: u64,
    /// The kernels, by the names of their arms.
    pub kernels: BTreeMap<String, ArmKernel>,
    /// The images of whole systems, by the names of their arms.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub systems: BTreeMap<String, ArmSystemImage>,
    /// The boot loaders, by the names of their arms.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub loaders: BTreeMap<String, ArmLoaderImage>,
}

/// Why a folder can't hold the results.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder contains something else.
    #[error("`{}` does not contain the results of an experiment", dir.display())]
    NotResults {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder contains the results of another experiment, or of another version of this one.
    #[error("experiment `{name}` is not the one whose results are in `{}`", dir.display())]
    Changed {
        /// The experiment.
        name: String,
        /// The folder.
        dir: PathBuf,
        /// The first line that differs, as it is now.
        line: Option<(usize, String)>,
    },
    /// The order was drawn from another seed.
    #[error("the order of the runs in `{}` was drawn from the seed {recorded}, not {wanted}", dir.display())]
    OtherSeed {
        /// The folder.
        dir: PathBuf,
        /// The folder's.
        recorded: u64,
        /// The user's.
        wanted: u64,
    },
    /// A kernel has changed since.
    #[error("arm `{arm}` was booted with {before}, but would now boot {now}", before = words(before), now = words(now))]
    OtherKernel {
        /// The arm.
        arm: String,
        /// The one of the folder's runs.
        before: Box<ArmKernel>,
        /// The one that would be booted now.
        now: Box<ArmKernel>,
    },
    /// A system was built again since.
    #[error("arm `{arm}` was booted with {before}, but would now boot {now}")]
    OtherSystem {
        /// The arm.
        arm: String,
        /// The one of the folder's runs.
        before: Box<ArmSystemImage>,
        /// The one that would be booted now.
        now: Box<ArmSystemImage>,
    },
    /// A boot loader was built again since, and differs.
    #[error("arm `{arm}` was booted with {before}, but would now boot with {now}")]
    OtherLoader {
        /// The arm.
        arm: String,
        /// The one of the folder's runs.
        before: Box<ArmLoaderImage>,
        /// The one that would be used now.
        now: Box<ArmLoaderImage>,
    },
    /// Another process is adding runs.
    #[error("another bootline is adding runs to `{}`", dir.display())]
    InUse {
        /// The folder.
        dir: PathBuf,
    },
    /// There are no results.
    #[error("no results in `{}`", dir.display())]
    None {
        /// The folder.
        dir: PathBuf,
    },
    /// A file can't be read or written.
    #[error("can't {action} `{}`: {source}", path.display())]
    File {
        /// Such as `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn words(kernel: &ArmKernel) -> String {
    let name = kernel.release.clone().unwrap_or_else(|| kernel.path.display().to_string());
    format!("{name} (sha256 {})", kernel.sha256.get(..12).unwrap_or_default())
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ResultsError {
    move |source| ResultsError::File { action, path: path.to_owned(), source }
}

impl ResultsError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ResultsError::NotResults { .. } => Some("name another folder with `-o DIR`".to_owned()),
            ResultsError::Changed { .. }
            | ResultsError::OtherSeed { .. }
            | ResultsError::OtherKernel { .. }
            | ResultsError::OtherSystem { .. }
            | ResultsError::OtherLoader { .. } => {
                Some("start over with `--fresh` (what is there is kept under another name), or use `-o DIR`".to_owned())
            }
            ResultsError::None { .. } => Some("run it first: `bootline experiment run NAME`".to_owned()),
            ResultsError::InUse { .. } => Some("let it end, or name another folder with `-o DIR`".to_owned()),
            ResultsError::File { .. } => None,
        }
    }
}

impl ResultsDir {
    /// Opens or creates the folder, to add runs. `seed` is the user's choice for the order.
    ///
    /// # Errors
    /// It contains something else, is in use, or can't be written.
    pub fn begin(
        dir: &Path,
        experiment: &Experiment,
        seed: Option<u64>,
        images: &ArmImages,
    ) -> Result<ResultsDir, ResultsError> {
        refuse_what_is_not_results(dir)?;
        fs::create_dir_all(dir).map_err(failed("make", dir))?;
        let lock = lock(dir)?;
        let mut results = if dir.join(STATE).exists() {
            ResultsDir::open(dir, experiment)?
        } else {
            let copy = dir.join(EXPERIMENT);
            replace(&copy, experiment.source.as_bytes()).map_err(failed("write", &copy))?;
            let random_seed = seed.or(experiment.random_seed).unwrap_or_else(draw_seed);
            let schema = "bootline-experiment-state/1".to_owned();
            let state = ExperimentState {
                schema,
                random_seed,
                kernels: BTreeMap::new(),
                systems: BTreeMap::new(),
                loaders: BTreeMap::new(),
            };
            ResultsDir { dir: dir.to_owned(), state, lock: None }
        };
        results.lock = Some(lock);
        let recorded = results.state.random_seed;
        if let Some(wanted) = seed.filter(|s| *s != recorded) {
            return Err(ResultsError::OtherSeed { dir: dir.to_owned(), recorded, wanted });
        }
        for (arm, now) in &images.kernels {
            let before = results.state.kernels.insert(arm.clone(), now.clone());
            if let Some(before) = before.filter(|b| b.sha256 != now.sha256) {
                let (before, now) = (Box::new(before), Box::new(now.clone()));
                return Err(ResultsError::OtherKernel { arm: arm.clone(), before, now });
            }
        }
        for (arm, now) in &images.systems {
            let before = results.state.systems.insert(arm.clone(), now.clone());
            if let Some(before) = before.filter(|b| b.file_system != now.file_system) {
                let (before, now) = (Box::new(before), Box::new(now.clone()));
                return Err(ResultsError::OtherSystem { arm: arm.clone(), before, now });
            }
        }
        for (arm, now) in &images.loaders {
            let before = results.state.loaders.insert(arm.clone(), now.clone());
            if let Some(before) = before.filter(|b| b.sha256 != now.sha256) {
                let (before, now) = (Box::new(before), Box::new(now.clone()));
                return Err(ResultsError::OtherLoader { arm: arm.clone(), before, now });
            }
        }
        results.write_json(STATE, &results.state)?;
        Ok(results)
    }

    /// Opens the folder to read its runs.
    ///
    /// # Errors
    /// It contains no results, or those of another experiment.
    pub fn open(dir: &Path, experiment: &Experiment) -> Result<ResultsDir, ResultsError> {
        let path = dir.join(STATE);
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(ResultsError::None { dir: dir.to_owned() });
            }
            text => text.map_err(failed("read", &path))?,
        };
        let state = serde_json::from_str(&text).map_err(io::Error::from).map_err(failed("read", &path))?;
        let copy = dir.join(EXPERIMENT);
        let before = fs::read_to_string(&copy).map_err(failed("read", &copy))?;
        if before != experiment.source {
            let now: Vec<&str> = experiment.source.lines().collect();
            let at = before.lines().zip(&now).position(|(a, b)| a != *b).unwrap_or(before.lines().count());
            let line = now.get(at).map(|text| (at + 1, (*text).to_owned()));
            return Err(ResultsError::Changed { name: experiment.name.clone(), dir: dir.to_owned(), line });
        }
        Ok(ResultsDir { dir: dir.to_owned(), state, lock: None })
    }

    /// Renames a folder of results, and returns the new name; none if there was no folder.
    ///
    /// # Errors
    /// It contains something else, is in use, or can't be renamed.
    pub fn set_aside(dir: &Path) -> Result<Option<PathBuf>, ResultsError> {
        if !dir.exists() {
            return Ok(None);
        }
        refuse_what_is_not_results(dir)?;
        // Another process that is adding runs would add the next one to the new folder of this name.
        let _lock = lock(dir)?;
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = (1..).map(|n| dir.with_file_name(format!("{name}.{n}")));
        let to = names.into_iter().find(|p| !p.exists()).expect("numbers don't end");
        fs::rename(dir, &to).map_err(failed("rename", dir))?;
        Ok(Some(to))
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder's recorded state.
    pub fn state(&self) -> &ExperimentState {
        &self.state
    }

    /// The folder of a run.
    pub fn run_dir(&self, run: &PlannedRun) -> PathBuf {
        self.dir.join("runs").join(format!("{}-{:02}", run.arm, run.round))
    }

    /// The folder of a warm-up run.
    pub fn warm_up_dir(&self, n: u32) -> PathBuf {
        self.dir.join("warm-up").join(format!("{n:02}"))
    }

    /// The truth of the complete run in `dir`; none if it was interrupted or its truth can't be read.
    pub fn finished(dir: &Path) -> Option<Truth> {
        let text = fs::read(dir.join("truth.json")).ok()?;
        let truth: Truth = serde_json::from_slice(&text).ok()?;
        (truth.verdict != RunVerdict::Interrupted).then_some(truth)
    }

    /// Number of invalid attempts in the folder of a run.
    pub fn repeated(dir: &Path) -> u32 {
        let is_invalid = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("invalid-");
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        u32::try_from(entries.filter(|e| is_invalid(&e.file_name())).count()).unwrap_or(u32::MAX)
    }

    /// Makes room in `dir` for a run: files of an interrupted run are set aside.
    pub(super) fn make_room(dir: &Path) -> Result<(), BootError> {
        let left = ["boot.cap", "truth.json", KMSG, "qemu.log"].iter().any(|name| dir.join(name).exists());
        if left { set_aside(dir, "unfinished").map(drop) } else { Ok(()) }
    }

    /// Writes a file of the folder atomically.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), ResultsError> {
        let path = self.dir.join(name);
        replace(&path, content).map_err(failed("write", &path))
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), ResultsError> {
        let text = serde_json::to_string_pretty(value).expect("plain structs of numbers and strings always serialise");
        self.write(name, (text + "\n").as_bytes())
    }
}

/// Only a missing or an empty folder may become a results folder.
fn refuse_what_is_not_results(dir: &Path) -> Result<(), ResultsError> {
    let is_foreign = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|e| !is_begun(&e));
    if !dir.join(STATE).exists() && fs::read_dir(dir).is_ok_and(|mut entries| entries.any(is_foreign)) {
        return Err(ResultsError::NotResults { dir: dir.to_owned() });
    }
    Ok(())
}

/// Whether a file belongs to a results folder that was interrupted during its creation.
fn is_begun(entry: &fs::DirEntry) -> bool {
    ["lock", EXPERIMENT, "experiment.part", "state.part"].iter().any(|name| entry.file_name() == *name)
}

/// The lock of a folder of results.
#[derive(Debug)]
struct FolderLock(File);

impl Drop for FolderLock {
    /// Closing the file unlocks it as well, but not before a program that another thread is starting right now has closed
    /// its copy of the descriptor.
    fn drop(&mut self) {
        // Closing the file is enough if this fails.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

fn lock(dir: &Path) -> Result<FolderLock, ResultsError> {
    let path = dir.join("lock");
    let file = File::create(&path).map_err(failed("write", &path))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(FolderLock(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(ResultsError::InUse { dir: dir.to_owned() }),
        Err(e) => Err(failed("lock", &path)(e.into())),
    }
}
