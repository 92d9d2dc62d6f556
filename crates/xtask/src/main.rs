// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: writes the documents that are generated, and checks that they are current.
//!
//! ```text
//! cargo xtask docs                  writes the documents that need no boots
//! cargo xtask docs --check          changes nothing; shows the difference of each document that is not current
//! cargo xtask schemas               docs/schema alone: quick
//! cargo xtask accuracy RESULTS      docs/accuracy.md, its first part, from the boots of experiments/accuracy.toml
//! cargo xtask user-space RESULTS BY-SPEED  its second part, from the boots of two experiments on a whole system
//! cargo xtask gate-rates [RESULTS]  docs/gate-rates.json from the boots of experiments/gate-rates.toml, and docs/gate.md
//! cargo xtask initcalls TREE...     crates/bootline-kbuild/initcalls.tsv: scripts/initcall-table names the trees
//! cargo xtask results               docs/results.md, from the boots of results/
//! ```
mod accuracy;
mod command;
mod console_model;
mod corpus;
mod corpus_systems;
mod document;
mod error;
mod formats;
mod gate_rates;
mod initcalls;
mod results;
mod rules;
mod schemas;
mod screens;
mod seeds;
mod user_space;
mod whole_run;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use document::Document;
use error::Error;

const USAGE: &str = "usage: cargo xtask docs [--check] | schemas | accuracy RESULTS | user-space RESULTS BY-SPEED | gate-rates [RESULTS] | initcalls TREE... | results";

/// Root of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/xtask lies in the repository").to_owned()
}

/// The documents that need no boots.
fn documents(root: &Path) -> Result<Vec<Document>, Error> {
    let command = command::build(root)?;
    let mut all = vec![
        console_model::document(root)?,
        corpus::document(root)?,
        formats::document(root)?,
        gate_rates::document(root)?,
        rules::document(root)?,
        seeds::document(root)?,
    ];
    all.extend(schemas::documents());
    all.extend(screens::documents(root, &command)?);
    Ok(all)
}

fn run(root: &Path, words: &[&str]) -> Result<(), Error> {
    match words {
        ["docs"] => documents(root)?.iter().try_for_each(|d| d.write(root)),
        ["schemas"] => schemas::documents().iter().try_for_each(|d| d.write(root)),
        ["docs", "--check"] => document::check(root, &documents(root)?),
        ["accuracy", results] => accuracy::document(root, Path::new(results))?.write(root),
        ["user-space", results, by_speed] => {
            user_space::document(root, Path::new(results), Path::new(by_speed))?.write(root)
        }
        ["gate-rates"] => gate_rates::document(root)?.write(root),
        ["gate-rates", results] => {
            gate_rates::measure(root, Path::new(results))?;
            gate_rates::document(root)?.write(root)
        }
        ["initcalls", sources @ ..] if !sources.is_empty() => initcalls::document(sources)?.write(root),
        ["results"] => results::document(root)?.write(root),
        _ => Err(Error::Usage(USAGE)),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(|a| a.to_str().unwrap_or("?")).collect();
    match run(&root(), &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(e.status())
        }
    }
}
