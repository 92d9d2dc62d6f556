// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two sets of boots, and the limits of a budget.
use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeVerdict, Estimate, GateOutcome, Id, LimitKind, PartChange, PhaseName, Unit, ids};
use bootline_analysis::compare as domain;

/// A run that was excluded.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExcludedRun<'c> {
    /// The file.
    source: &'c str,
    /// Why it was excluded.
    why: &'c str,
    /// Whether that was expected: the lab itself had marked the run as invalid.
    expected: bool,
}

impl<'c> From<&'c domain::Excluded> for ExcludedRun<'c> {
    fn from(e: &'c domain::Excluded) -> ExcludedRun<'c> {
        ExcludedRun { source: &e.source, why: &e.why, expected: e.expected }
    }
}

/// What a difference must exceed to count.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Thresholds {
    /// Largest p value that counts as significant, 0 to 1.
    significance: f64,
    /// Differences of times below this are ignored.
    effect_ns: i64,
    /// Differences below this share of the earlier median count as noise.
    noise: f64,
}

impl From<domain::Thresholds> for Thresholds {
    fn from(t: domain::Thresholds) -> Thresholds {
        Thresholds { significance: t.significance, effect_ns: t.effect.as_nanos(), noise: t.noise }
    }
}

/// A quantity in a set of runs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// Number of runs that have it.
    runs: usize,
    /// The median, in the quantity's unit.
    median: Estimate,
    /// Two groups, if the runs fall into two.
    groups: Option<Groups>,
}

/// Two groups of runs.
#[derive(Serialize, JsonSchema)]
struct Groups {
    /// Runs in the lower group.
    lower: usize,
    /// Runs in the upper group.
    upper: usize,
    /// The highest value of the lower group.
    below: f64,
    /// The lowest value of the upper group.
    above: f64,
}

impl From<&domain::SetSummary> for Summary {
    fn from(s: &domain::SetSummary) -> Summary {
        let groups =
            |g: bootline_stats::Groups| Groups { lower: g.lower, upper: g.upper, below: g.below, above: g.above };
        Summary { runs: s.runs, median: s.median.into(), groups: s.groups.map(groups) }
    }
}

/// How a quantity differs between the sets.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuantityChange {
    /// `time-to-init`, `phase:initcalls`, `initcall:pci_init`
    quantity: String,
    /// Its unit.
    unit: Unit,
    /// The earlier set; null if it lacks the quantity.
    from: Option<Summary>,
    /// The later set; null if it lacks the quantity.
    to: Option<Summary>,
    /// Later minus earlier.
    difference: Option<Estimate>,
    /// How likely chance alone causes as much, 0 to 1, adjusted for the number of quantities tested; null if unknown.
    p_value: Option<f64>,
    /// Verdict on the difference.
    verdict: ChangeVerdict,
}

impl From<&domain::QuantityChange> for QuantityChange {
    fn from(c: &domain::QuantityChange) -> QuantityChange {
        QuantityChange {
            quantity: c.quantity.to_string(),
            unit: c.unit.into(),
            from: c.from.as_ref().map(Summary::from),
            to: c.to.as_ref().map(Summary::from),
            difference: c.difference.map(Estimate::from),
            p_value: c.p_value,
            verdict: c.verdict.into(),
        }
    }
}

/// A part of the boot's time.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "name")]
pub(crate) enum Part<'c> {
    /// The time of a phase outside of its other parts.
    Phase(PhaseName),
    /// The time before the kernel's first record.
    Before,
    /// An initcall.
    Initcall(&'c str),
    /// A probe.
    Probe(&'c str),
    /// An asynchronous call.
    Async(&'c str),
    /// All spans that are too short to be listed.
    Short,
}

impl<'c> From<&'c domain::PartKey> for Part<'c> {
    fn from(key: &'c domain::PartKey) -> Part<'c> {
        match key {
            domain::PartKey::Phase(name) => Part::Phase((*name).into()),
            domain::PartKey::Before => Part::Before,
            domain::PartKey::Initcall(name) => Part::Initcall(name),
            domain::PartKey::Probe(name) => Part::Probe(name),
            domain::PartKey::Async(name) => Part::Async(name),
            domain::PartKey::Short => Part::Short,
        }
    }
}

/// Where a part has moved.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub(crate) enum Moved {
    /// Into another phase.
    Phase {
        /// Where it was.
        from: Option<PhaseName>,
        /// Where it is.
        to: Option<PhaseName>,
    },
    /// To another task, in parallel with the boot's own.
    Parallel,
    /// From another task to the boot's own, which now waits for it.
    Inline,
    /// To another position in the order of the initcalls.
    Order,
}

impl From<domain::PartMove> for Moved {
    fn from(moved: domain::PartMove) -> Moved {
        match moved {
            domain::PartMove::Phase { from, to } => {
                Moved::Phase { from: from.map(PhaseName::from), to: to.map(PhaseName::from) }
            }
            domain::PartMove::Parallel => Moved::Parallel,
            domain::PartMove::Inline => Moved::Inline,
            domain::PartMove::Order => Moved::Order,
        }
    }
}

/// All parts that changed in the same way.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Sum {
    /// How they changed.
    part_change: PartChange,
    /// Number of parts.
    parts: usize,
    /// What they add in work.
    work_ns: i64,
    /// What they add in waits for the console.
    console_ns: i64,
    /// What they add in bytes on the serial line.
    bytes: i64,
}

impl From<(domain::PartChange, domain::PartSum)> for Sum {
    fn from((part_change, sum): (domain::PartChange, domain::PartSum)) -> Sum {
        Sum {
            part_change: part_change.into(),
            parts: sum.parts,
            work_ns: sum.work.as_nanos(),
            console_ns: sum.console.as_nanos(),
            bytes: sum.bytes,
        }
    }
}

/// A limit of the budget, and whether it holds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Limit<'c> {
    /// `time-to-init`, `phase:initcalls`, `initcall:pci_init`
    quantity: String,
    /// Its unit.
    unit: Unit,
    /// What the limit is on.
    limit_kind: LimitKind,
    /// The limit, in the quantity's unit; null if it can't be stated.
    limit: Option<f64>,
    /// Whether it holds.
    outcome: GateOutcome,
    /// Why it is inconclusive, or what qualifies the verdict.
    reason: Option<String>,
    /// The runs; null if none has the quantity.
    runs: Option<Summary>,
    /// The baseline's runs; null without a baseline.
    baseline: Option<Summary>,
    /// The figure that is compared with the limit.
    estimate: Option<Estimate>,
    /// The smallest increase that these runs would show in four of five cases.
    minimum_detectable_effect: Option<f64>,
    /// What contributes most.
    largest_part: Option<LargestPart<'c>>,
}

/// The part that contributes most.
#[derive(Serialize, JsonSchema)]
struct LargestPart<'c> {
    /// Its name, with its kind.
    part: &'c str,
    /// What it adds, in the quantity's unit.
    added: i64,
    /// Its first and its last record.
    records: Option<[Id; 2]>,
    /// The run that has these records.
    run: Option<&'c str>,
}

impl<'c> From<&'c domain::LargestPart> for LargestPart<'c> {
    fn from(l: &'c domain::LargestPart) -> LargestPart<'c> {
        LargestPart { part: &l.part, added: l.adds, records: ids(l.records), run: l.run.as_deref() }
    }
}

/// A checked limit, as written to JSON.
pub(crate) fn limit(c: &domain::CheckedLimit) -> Limit<'_> {
    Limit {
        quantity: c.of.to_string(),
        unit: c.unit.into(),
        limit_kind: c.limit_kind.into(),
        limit: c.limit,
        outcome: c.outcome.into(),
        reason: c.reason.as_ref().map(ToString::to_string),
        runs: c.runs.as_ref().map(Summary::from),
        baseline: c.baseline.as_ref().map(Summary::from),
        estimate: c.figure.map(Estimate::from),
        minimum_detectable_effect: c.minimum_detectable_effect,
        largest_part: c.largest.as_ref().map(LargestPart::from),
    }
}
