// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison for programs: `docs/schema/compare-1.schema.json`.
use serde::Serialize;

use bootline_analysis::compare::{
    Comparison, Contribution, Excluded, ObservedChange, PartChange, PartKey, PartMove, PartSum, QuantityChange,
    Thresholds,
};
use bootline_analysis::records::RecordId;
use bootline_capture::units::Dur;

/// The comparison for programs: `docs/schema/compare-1.schema.json`.
pub fn compare_json(comparison: &Comparison) -> impl Serialize + '_ {
    let set = |n: usize| SetJson {
        name: &comparison.names[n],
        runs: comparison.runs[n],
        sources: &comparison.sources[n],
        excluded: &comparison.excluded[n],
    };
    ComparisonJson {
        schema: "bootline-compare/1",
        tool: concat!("bootline ", env!("CARGO_PKG_VERSION")),
        from: set(0),
        to: set(1),
        caveats: comparison.caveats.iter().map(ToString::to_string).collect(),
        thresholds: comparison.thresholds,
        minimum_detectable_effect_ns: comparison.minimum_detectable_effect,
        changes: &comparison.changes,
        from_mean_ns: comparison.decomposition.before,
        difference_ns: comparison.decomposition.whole,
        sums: comparison
            .decomposition
            .sums()
            .into_iter()
            .map(|(part_change, sum)| SumJson { part_change, sum })
            .collect(),
        parts: comparison.decomposition.contributions.iter().map(PartJson::new).collect(),
    }
}

#[derive(Serialize)]
struct ComparisonJson<'c> {
    schema: &'static str,
    tool: &'static str,
    from: SetJson<'c>,
    to: SetJson<'c>,
    caveats: Vec<String>,
    thresholds: Thresholds,
    minimum_detectable_effect_ns: Option<f64>,
    changes: &'c [QuantityChange],
    from_mean_ns: Dur,
    difference_ns: Dur,
    sums: Vec<SumJson>,
    parts: Vec<PartJson<'c>>,
}

#[derive(Serialize)]
struct SetJson<'c> {
    name: &'c str,
    runs: usize,
    sources: &'c [String],
    excluded: &'c [Excluded],
}

#[derive(Serialize)]
struct SumJson {
    part_change: PartChange,
    #[serde(flatten)]
    sum: PartSum,
}

#[derive(Serialize)]
struct PartJson<'c> {
    part: &'c PartKey,
    observed: ObservedChange,
    part_change: PartChange,
    moved: Option<PartMove>,
    added_ns: Dur,
    work_ns: Dur,
    console_ns: Dur,
    bytes: i64,
    p_value: Option<f64>,
    runs: [usize; 2],
    records: Option<(RecordId, RecordId)>,
}

impl PartJson<'_> {
    fn new(c: &Contribution) -> PartJson<'_> {
        PartJson {
            part: &c.key,
            observed: c.observed,
            part_change: c.part_change(),
            moved: c.moved,
            added_ns: c.total(),
            work_ns: c.work,
            console_ns: c.console,
            bytes: c.bytes,
            p_value: c.p_value,
            runs: c.runs,
            records: c.records,
        }
    }
}
