// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots of the lab: their truth, and what their captures say by themselves.
use schemars::JsonSchema;
use serde::Serialize;

use super::interval::Interval;
use bootline_boot::Boot;

/// What `bootline boot --json` writes; `T` is the truth, which the lab describes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BootRunsJson<T> {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// The runs, in order.
    pub runs: Vec<BootRun<T>>,
}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BootRun<T> {
    /// Its folder.
    pub dir: String,
    /// Its capture; null for a boot without a console.
    pub capture: Option<String>,
    /// Folders of attempts that were set aside.
    pub discarded: Vec<String>,
    /// The truth, as in truth.json.
    pub truth: T,
    /// What the capture says by itself.
    pub explained: ExplainedRun,
}

/// What a capture says about its boot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainedRun {
    /// Time to the boot's end; null where the log doesn't reach it.
    elapsed_ns: Option<Interval>,
    /// What the console cost the boot.
    console_cost_ns: Option<Interval>,
    /// Bytes on the line before init.
    bytes_before_init: Option<u64>,
}

impl ExplainedRun {
    /// From the boot in the capture, if there is one.
    pub fn of(boot: Option<&Boot>) -> ExplainedRun {
        let line = boot.and_then(|b| b.line.as_ref());
        ExplainedRun {
            elapsed_ns: boot.and_then(|b| b.end.as_ref()).map(|e| e.elapsed.into()),
            console_cost_ns: line.map(|l| l.cost.into()),
            bytes_before_init: line.map(|l| l.bytes_before_end),
        }
    }
}
