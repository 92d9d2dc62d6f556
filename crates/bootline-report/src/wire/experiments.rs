// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments of a folder.
use schemars::JsonSchema;
use serde::Serialize;

/// What `bootline experiment list --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExperimentsJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// One entry for each file, by name.
    pub experiments: Vec<ListedExperiment>,
}

/// An experiment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedExperiment {
    /// The file's stem.
    pub name: String,
    /// The file.
    pub file: String,
    /// The question.
    pub about: String,
    /// Number of the document whose figures it reproduces.
    pub seed: Option<u8>,
    /// Runs of each arm.
    pub runs: u32,
    /// Names of the arms.
    pub arms: Vec<String>,
}
