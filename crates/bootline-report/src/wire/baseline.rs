// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stored baseline. `bootline-analysis` writes and reads the file itself; this describes it, and a test holds the two together.
#![allow(dead_code, reason = "a description, from which the schema is derived")]
use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::compare::Part;
use super::words::{Clock, EndedBy, PhaseName, TimeOrigin, WholeOrigin};

/// Runs stored for later runs to be compared with, column by column, one number a run.
#[derive(JsonSchema)]
pub(crate) struct BaselineJson {
    /// The name and the version of this schema.
    schema: String,
    /// The program and its version.
    tool: String,
    /// A date, a machine, a revision: what `--note` gave.
    note: Option<String>,
    /// The setups of the runs.
    setups: Vec<Setup>,
    /// For each run the index of its setup.
    runs: Vec<usize>,
    /// Numbers by quantity, one a run; null where a run has none. Nanoseconds, or bytes for `console-bytes`.
    values: BTreeMap<String, Vec<Option<i64>>>,
    /// Initcalls and async calls that did not return in some runs, by quantity, with the positions of these runs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unfinished: BTreeMap<String, Vec<usize>>,
    /// What the times consist of.
    parts: Vec<StoredPart>,
    /// Parts that are stored in sum only, since none took long.
    short: Vec<Part<'static>>,
}

/// What has to be the same for runs to compare.
#[derive(JsonSchema)]
struct Setup {
    /// The kernel's release.
    kernel: Option<String>,
    /// The words of the command line, without those that differ from boot to boot.
    command_line: Vec<String>,
    /// Processors.
    cpus: Option<u32>,
    /// The serial console.
    console: Option<String>,
    /// The declared speed of the console.
    baud: Option<u32>,
    /// The clock of the times.
    clock: Clock,
    /// How the boot's end was recognised.
    ended_by: EndedBy,
    /// What the time to the end counts from.
    since: TimeOrigin,
    /// Whether the log names initcalls.
    initcalls: bool,
    /// What the stages of the whole boot count from, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages_since: Option<WholeOrigin>,
    /// What the last stage ends with, in words, if that is not the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages_until: Option<String>,
}

/// One part in all runs.
#[derive(JsonSchema)]
struct StoredPart {
    /// The part.
    part: Part<'static>,
    /// Where it usually begins.
    place: Position,
    /// For each run: work, waits for the console, bytes for the console, start; times in nanoseconds. Null where a run lacks the part.
    runs: Vec<Option<[i64; 4]>>,
}

/// A position in the boot.
#[derive(JsonSchema)]
struct Position {
    /// The phase.
    phase: Option<PhaseName>,
    /// Whether the boot's own task runs the part.
    main: bool,
}
