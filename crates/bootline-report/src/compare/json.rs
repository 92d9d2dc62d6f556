// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as JSON: `docs/schema/compare-1.schema.json`.
use schemars::JsonSchema;
use serde::Serialize;

use crate::shell::TOOL;
use crate::wire::{ExcludedRun, Id, Moved, ObservedChange, Part, PartChange, QuantityChange, Sum, Thresholds, ids};
use bootline_analysis::compare::{Comparison, Contribution};

/// The comparison as JSON: `docs/schema/compare-1.schema.json`.
pub fn compare_json(comparison: &Comparison) -> impl Serialize + '_ {
    let set = |n: usize| SetJson {
        name: &comparison.names[n],
        runs: comparison.runs[n],
        sources: &comparison.sources[n],
        excluded: comparison.excluded[n].iter().map(ExcludedRun::from).collect(),
    };
    ComparisonJson {
        schema: "bootline-compare/1",
        tool: TOOL,
        from: set(0),
        to: set(1),
        caveats: comparison.caveats.iter().map(ToString::to_string).collect(),
        thresholds: comparison.thresholds.into(),
        minimum_detectable_effect_ns: comparison.minimum_detectable_effect,
        changes: comparison.changes.iter().map(QuantityChange::from).collect(),
        from_mean_ns: comparison.decomposition.before.as_nanos(),
        difference_ns: comparison.decomposition.whole.as_nanos(),
        sums: comparison.decomposition.sums().into_iter().map(Sum::from).collect(),
        parts: comparison.decomposition.contributions.iter().map(PartJson::new).collect(),
    }
}

/// Two sets of boots, compared. Times are in nanoseconds; those of medians and intervals may have a fraction.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ComparisonJson<'c> {
    #[schemars(extend("const" = "bootline-compare/1"))]
    schema: &'static str,
    /// The program and its version.
    tool: &'static str,
    /// The earlier set.
    from: SetJson<'c>,
    /// The later set.
    to: SetJson<'c>,
    /// What to know before trusting the figures.
    caveats: Vec<String>,
    thresholds: Thresholds,
    /// The smallest difference of the time to the boot's end that sets like these show in four of five cases; null if
    /// they are too small for any.
    minimum_detectable_effect_ns: Option<f64>,
    /// All quantities.
    changes: Vec<QuantityChange>,
    /// The mean time to the boot's end of the earlier set.
    from_mean_ns: i64,
    /// The difference of the means of the time to the boot's end: what the parts add up to.
    difference_ns: i64,
    /// Sums of the parts, by how they changed.
    sums: Vec<Sum>,
    /// Contributions to the difference, the greatest first.
    parts: Vec<PartJson<'c>>,
}

/// A set of boots.
#[derive(Serialize, JsonSchema)]
struct SetJson<'c> {
    /// Name of the set.
    name: &'c str,
    /// Number of runs.
    runs: usize,
    /// The files.
    sources: &'c [String],
    /// Runs that were excluded.
    excluded: Vec<ExcludedRun<'c>>,
}

/// What a part contributes to the difference.
#[derive(Serialize, JsonSchema)]
struct PartJson<'c> {
    part: Part<'c>,
    observed: ObservedChange,
    part_change: PartChange,
    /// Where it has moved; null if it has not.
    moved: Option<Moved>,
    /// What it adds to the difference.
    added_ns: i64,
    /// The part of it that is work.
    work_ns: i64,
    /// The part of it that is waits for the console.
    console_ns: i64,
    /// What it adds in bytes on the serial line.
    bytes: i64,
    /// How likely chance alone causes as much, 0 to 1; null if unknown.
    p_value: Option<f64>,
    /// Number of runs of each set that have it.
    runs: [usize; 2],
    /// Its first and its last record, in the run nearest to the median.
    records: Option<[Id; 2]>,
}

impl PartJson<'_> {
    fn new(c: &Contribution) -> PartJson<'_> {
        PartJson {
            part: (&c.key).into(),
            observed: c.observed.into(),
            part_change: c.part_change().into(),
            moved: c.moved.map(Moved::from),
            added_ns: c.total().as_nanos(),
            work_ns: c.work.as_nanos(),
            console_ns: c.console.as_nanos(),
            bytes: c.bytes,
            p_value: c.p_value,
            runs: c.runs,
            records: ids(c.records),
        }
    }
}
