// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of runs as they are named: captures and logs, folders of them, the results of `experiment`, stored baselines.
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bootline_analysis::boot::{Boot, BootOptions};
use bootline_analysis::compare::{BASELINE_SCHEMA, Baseline, Excluded, MOST_RUNS, RunMeasures, RunSet};
use bootline_analysis::records::Format;
use bootline_lab::boot::{RunVerdict, Truth};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::logs::{self, BootNeeds};
use crate::unusable::{self, UnusableInput};

/// How runs are read.
#[derive(Clone, Debug, Default)]
pub struct RunReader {
    /// What the logs lack, and where the boot ends.
    pub options: BootOptions,
    /// Of the logs, if it is not recognised.
    pub format: Option<Format>,
    /// Texts whose times are asked for.
    pub markers: Vec<String>,
}

/// One log to be read, and what the lab knows of it.
struct RunSource {
    log: PathBuf,
    truth: Option<PathBuf>,
}

impl RunReader {
    /// The runs that a path holds; of results of `experiment` those of `arm`.
    ///
    /// # Errors
    /// There is nothing of the kind. A run that can't be used is no error: it is among the excluded.
    pub fn set(&self, path: &Path, arm: Option<&str>) -> Result<RunSet, Failure> {
        self.one_set(&[path.to_owned()], arm)
    }

    /// All that several paths hold, as one set.
    ///
    /// # Errors
    /// As for [`Reading::set`]; or a boot is named twice: it would count as two that agree to the nanosecond.
    pub fn one_set(&self, paths: &[PathBuf], arm: Option<&str>) -> Result<RunSet, Failure> {
        let mut all = RunSet { name: format!("{} inputs", paths.len()), ..RunSet::default() };
        if let [path] = paths {
            let shown = path.to_string_lossy();
            let name = if shown == "-" { "standard input".into() } else { shown };
            all.name = arm.map_or_else(|| name.to_string(), |arm| format!("{name} {arm}"));
        }
        let mut seen = BTreeSet::new();
        let mut once = |path: &Path| match seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())) {
            true => Ok(()),
            false => Err(Failure::new(Exit::USAGE, format!("`{}` is named twice", path.display()))
                .hint("each boot counts once: name the folder, or the files in it")),
        };
        for path in paths {
            if let Some(stored) = stored(path)? {
                once(path)?;
                let set = stored.runs(&path.to_string_lossy());
                all.runs.extend(set.runs);
                all.short.extend(set.short);
                few(&all, path)?;
                continue;
            }
            for source in sources(path, arm)? {
                once(&source.log)?;
                self.add(&mut all, &source)?;
            }
        }
        Ok(all)
    }

    fn add(&self, set: &mut RunSet, source: &RunSource) -> Result<(), Failure> {
        let shown = source.log.display().to_string();
        if let Some((why, expected)) = source.truth.as_deref().and_then(unbelievable) {
            set.excluded.push(Excluded { source: shown, why, expected });
            return Ok(());
        }
        let mut faults: Vec<(String, UnusableInput)> = Vec::new();
        let mut boots = 0;
        let summary = logs::each_boot(&source.log, self.format, |records, boot_name| {
            boots += 1;
            let boot = Boot::analyse(records, &self.options);
            let name = boot_name.title();
            match UnusableInput::of(&boot, boot_name, BootNeeds::End, &self.options) {
                Some(fault) => faults.push((name, fault)),
                None => match RunMeasures::of(&boot, &name, &self.markers) {
                    Some(run) => set.runs.push(run),
                    // A log without an end is a fault already.
                    None => debug_assert!(false, "{name} has an end and no measures"),
                },
            }
            set.runs.len() <= MOST_RUNS
        })?;
        few(set, &source.log)?;
        let excluded =
            |source: String, failure: &Failure| Excluded { source, why: failure.what().to_owned(), expected: false };
        if boots == 0 {
            set.excluded.push(excluded(shown.clone(), &unusable::empty(&shown, &summary)));
        }
        set.excluded.extend(faults.into_iter().map(|(name, f)| excluded(name, &f.failure(&shown, &summary))));
        Ok(())
    }
}

/// Each run is put beside each of the other set, and a baseline of more couldn't be read again.
fn few(set: &RunSet, last: &Path) -> Result<(), Failure> {
    if set.n() <= MOST_RUNS {
        return Ok(());
    }
    let what = format!("more than {MOST_RUNS} runs in one set, the first too many in `{}`", last.display());
    Err(Failure::new(Exit::INPUT, what)
        .hint("name fewer files, or cut one boot out: `bootline export --format text --boot N FILE`"))
}

/// Why the lab says that a run can't be used, and whether that says nothing of the boot itself.
fn unbelievable(truth: &Path) -> Option<(String, bool)> {
    let read = fs::read(truth).ok().and_then(|text| serde_json::from_slice::<Truth>(&text).ok());
    let Some(truth) = read else { return Some(("its `truth.json` can't be read".to_owned(), true)) };
    let why = match truth.verdict {
        RunVerdict::Valid | RunVerdict::Unchecked => return None,
        RunVerdict::Invalid => ("the lab's run can't be believed", true),
        RunVerdict::Interrupted => ("it was called off", true),
        RunVerdict::Panicked { .. } => ("the kernel panicked", false),
        RunVerdict::ModuleFailed { .. } => ("the kernel refused a module", false),
        RunVerdict::TimedOut { .. } => ("the boot hung", false),
        RunVerdict::Stopped => ("the guest stopped before its end", false),
    };
    Some((why.0.to_owned(), why.1))
}

/// A stored baseline, where the file is one, whatever it is called.
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

/// Whether a file that begins so is a stored baseline, of any version, so that another one isn't taken for a log.
pub fn begins_baseline(text: &[u8]) -> bool {
    let mark = BASELINE_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit());
    text.windows(mark.len()).any(|w| w == mark.as_bytes())
}

/// That of a thousand boots with hundreds of initcalls is a tenth of it.
const LARGEST_BASELINE: u64 = 256 << 20;

fn baseline(path: &Path, text: &[u8]) -> Result<Baseline, Failure> {
    Baseline::parse(text).map_err(|e| {
        Failure::new(Exit::INPUT, format!("`{}` is no baseline: {e}", path.display()))
            .hint("store it anew: `bootline check --write-baseline FILE RUNS...`")
    })
}

/// The files that are read of sets.
///
/// # Errors
/// As for [`Reading::set`].
pub fn files(sets: &[(&PathBuf, Option<&str>)]) -> Result<Vec<PathBuf>, Failure> {
    let sources = sets.iter().map(|(path, arm)| sources(path, *arm)).collect::<Result<Vec<_>, _>>()?;
    Ok(sources.into_iter().flatten().map(|s| s.log).collect())
}

/// The logs that a path stands for.
fn sources(path: &Path, arm: Option<&str>) -> Result<Vec<RunSource>, Failure> {
    let unreadable = |e: io::Error| unusable::open_failed(path, &e);
    if !path.is_dir() {
        return Ok(vec![RunSource { log: path.to_owned(), truth: None }]);
    }
    let runs = path.join("runs");
    if path.join("state.json").exists() && runs.is_dir() {
        return of_results(path, &runs, arm);
    }
    if let Some(run) = run_folder(path) {
        return Ok(vec![run]);
    }
    let entries = sorted(path).map_err(unreadable)?;
    let folders: Vec<RunSource> = entries.iter().filter_map(|e| run_folder(e)).collect();
    let ending = |e: &Path, wanted: &[&str]| {
        e.is_file() && e.extension().is_some_and(|x| wanted.iter().any(|w| x.eq_ignore_ascii_case(w)))
    };
    let files = |wanted: &[&str]| -> Vec<RunSource> {
        entries.iter().filter(|e| ending(e, wanted)).map(|e| RunSource { log: e.clone(), truth: None }).collect()
    };
    let mut found = files(&["cap"]);
    found.extend(folders);
    if found.is_empty() {
        found = files(&["log", "txt", "dmesg", "kmsg"]);
    }
    if found.is_empty() {
        return Err(Failure::new(Exit::INPUT, format!("no captures and no logs in `{}`", path.display()))
            .hint("captures end in .cap, logs in .log, .txt, .dmesg or .kmsg; or name the files themselves"));
    }
    Ok(found)
}

/// What `bootline boot` leaves in a folder.
fn run_folder(path: &Path) -> Option<RunSource> {
    let (log, truth) = (path.join("boot.cap"), path.join("truth.json"));
    log.is_file().then(|| RunSource { log, truth: truth.is_file().then_some(truth) })
}

fn of_results(path: &Path, runs: &Path, arm: Option<&str>) -> Result<Vec<RunSource>, Failure> {
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
            return Err(Failure::new(Exit::USAGE, what).hint(format!("choose: `--arm ARM`, one of {}", all.join(", "))));
        }
    };
    let mine = entries.iter().filter(|e| arm_of(e).is_some_and(|a| a == wanted));
    // A run that is going on has no truth yet.
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

/// No runs to speak of.
pub fn none(set: &RunSet) -> Failure {
    let failure = Failure::new(Exit::INPUT, format!("no run of {} can be used", set.name));
    let evidence = set.excluded.iter().take(5).map(|e| format!("{}: {}", e.source, e.why));
    evidence.fold(failure, Failure::at).hint("`bootline explain FILE` says more of a log")
}

/// What is said of runs that were left out.
pub fn left_out(set: &RunSet) -> Option<Failure> {
    let failed: Vec<&Excluded> = set.excluded.iter().filter(|e| !e.expected).collect();
    let first = failed.first()?;
    let what = match failed.len() {
        1 => format!("1 run of {} can't be used", set.name),
        n => format!("{n} runs of {} can't be used", set.name),
    };
    Some(Failure::new(Exit::INPUT, what).at(format!("{}: {}", first.source, first.why)))
}
