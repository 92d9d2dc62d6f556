// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments of a folder, by name.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_input::{Exit, Failure};
use bootline_lab::experiment::Experiment;
use bootline_report::{Align, Document, ExperimentsJson, JsonEmitter, ListedExperiment, Style, Table, text};
use bootline_terminal::Terminal;

use super::failures;
use crate::output_file::print;

/// Folder in which experiments are looked up by name.
pub const FOLDER: &str = "experiments";

/// The file of an experiment: a path as it is, a bare name in ./experiments.
pub fn find(named: &Path) -> Result<PathBuf, Failure> {
    if named.is_file() {
        return Ok(named.to_owned());
    }
    let bare = named.components().count() == 1 && named.extension().is_none_or(|e| e != "toml");
    let in_folder = Path::new(FOLDER).join(format!("{}.toml", named.display()));
    if bare && in_folder.is_file() {
        return Ok(in_folder);
    }
    let what = if bare {
        format!("no experiment `{}` in ./{FOLDER}", named.display())
    } else {
        format!("no such experiment `{}`", named.display())
    };
    Err(Failure::new(Exit::INPUT, what).hint("`bootline experiment list`"))
}

/// Lists the experiments on stdout, and the unreadable ones on stderr.
pub fn list(folder: &Path, as_json: bool, terminal: &Terminal) -> Result<Exit, Failure> {
    let failed = |e| {
        Failure::new(Exit::INPUT, format!("can't read folder `{}`: {e}", folder.display()))
            .hint("name a folder: `bootline experiment list DIR`; bootline's own experiments are in `experiments` of its source")
    };
    let mut files = fs::read_dir(folder)
        .and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>())
        .map_err(failed)?;
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut exit = Exit::FINE;
    let mut found = Vec::new();
    for file in &files {
        match Experiment::read(file) {
            Ok(experiment) => found.push(experiment),
            Err(error) => {
                let failure = failures::file(&error);
                exit = exit.max(failure.exit);
                terminal.show(&failure);
            }
        }
    }
    match as_json {
        true => print(&JsonEmitter(json_of(&found)))?,
        false => print(&text_of(&found, terminal))?,
    };
    Ok(exit)
}

fn text_of(found: &[Experiment], terminal: &Terminal) -> String {
    let mut table = Table::new([
        ("experiment", Align::Left, 0),
        ("seed", Align::Right, 2),
        ("arms", Align::Right, 1),
        ("runs", Align::Right, 1),
        ("question", Align::Left, 0),
    ]);
    for e in found {
        let seed = e.seed.map_or(String::new(), |s| s.to_string());
        let runs = e.runs as usize * e.arms.len();
        let about = e.about.split_whitespace().collect::<Vec<_>>().join(" ");
        table.row(vec![e.name.clone(), seed, e.arms.len().to_string(), runs.to_string(), about], Style::Plain);
    }
    let mut document = Document::default();
    document.table(table);
    text(&document, &terminal.text_options()) + "\n"
}

fn json_of(found: &[Experiment]) -> ExperimentsJson {
    let one = |e: &Experiment| ListedExperiment {
        name: e.name.clone(),
        file: e.path.to_string_lossy().into_owned(),
        about: e.about.clone(),
        seed: e.seed,
        runs: e.runs,
        arms: e.arms.iter().map(|a| a.name.clone()).collect(),
    };
    ExperimentsJson { schema: "bootline-experiments/1", experiments: found.iter().map(one).collect() }
}
