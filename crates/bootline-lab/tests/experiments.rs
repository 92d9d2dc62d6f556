// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments of this repository, and the one that the manual shows, can be read.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_lab::experiment::Experiment;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_manuals_example_is_one() {
    let manual = fs::read_to_string(root().join("docs/experiments.md")).unwrap();
    let example = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let experiment = Experiment::parse(Path::new("example.toml"), example).unwrap();
    assert_eq!((experiment.arms.len(), experiment.claims.len(), experiment.seed), (3, 1, Some(1)));
}

#[test]
fn every_experiment_can_be_read() {
    let folder = root().join("experiments");
    let files = fs::read_dir(&folder).map_or_else(|_| Vec::new(), |d| d.map(|e| e.unwrap().path()).collect());
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "toml")) {
        if let Err(error) = Experiment::read(file) {
            panic!("{error}\n  at: {:?}\n  hint: {}", error.line, error.hint().unwrap_or_default());
        }
    }
}
