// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part that adds most to a figure.
use super::decomposition::{Contribution, decompose};
use super::part::PartKey;
use super::quantity::{Quantity, Unit};
use super::run_set::RunSet;
use bootline_boot::{PhaseName, StageName};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The part that adds most.
#[derive(Clone, Debug, PartialEq)]
pub struct LargestPart {
    /// Which, in words.
    pub part: String,
    /// How much, in nanoseconds or characters.
    pub adds: i64,
    /// Its records in the median run.
    pub records: Option<(RecordId, RecordId)>,
    /// That run.
    pub run: Option<String>,
}

/// Whether a part is one of those that make a quantity up.
fn is_of(key: &PartKey, of: &Quantity, phase: Option<PhaseName>) -> bool {
    match of {
        Quantity::Phase(name) => phase == Some(*name) || *key == PartKey::Phase(*name),
        Quantity::Span(kind, name) => *key == PartKey::of_span(*kind, name),
        _ => true,
    }
}

/// The stage that adds most, beyond what the baseline has of it. Stages have no parts.
fn largest_stage(of: &Quantity, baseline: Option<&RunSet>, runs: &RunSet) -> Option<LargestPart> {
    let median = |set: &RunSet, stage: &Quantity| set.values(stage).map_or(0.0, |values| values.median());
    let stages = StageName::ALL.into_iter().filter(|_| *of == Quantity::TimeToApplication);
    let adds = |name| {
        let stage = Quantity::Stage(name);
        (median(runs, &stage) - baseline.map_or(0.0, |b| median(b, &stage))) as i64
    };
    let (name, adds) =
        stages.map(|name| (name, adds(name))).max_by_key(|(_, adds)| *adds).filter(|(_, adds)| *adds > 0)?;
    Some(LargestPart { part: Quantity::Stage(name).to_string(), adds, records: None, run: None })
}

pub(super) fn largest_of_two(of: &Quantity, baseline: &RunSet, runs: &RunSet) -> Option<LargestPart> {
    if of.is_of_whole_boot() {
        return largest_stage(of, Some(baseline), runs);
    }
    let whole = decompose(baseline, runs);
    let median = runs.median_run()?;
    let phase_of = |key: &PartKey| median.parts.iter().find(|p| p.key == *key).and_then(|p| p.place.phase);
    let adds = |c: &Contribution| match of {
        Quantity::ConsoleBytes => c.bytes,
        Quantity::ConsoleCost => c.console.as_nanos(),
        Quantity::Span(..) => c.work.as_nanos(),
        _ => c.total().as_nanos(),
    };
    let mine = whole.contributions.iter().filter(|c| is_of(&c.key, of, phase_of(&c.key)));
    let most = mine.max_by_key(|c| adds(c)).filter(|c| adds(c) > 0)?;
    let run = Some(median.source.clone()).filter(|_| most.records.is_some());
    let what = if of.is_time_to_end() && most.console > most.work {
        format!("console in {}", most.key)
    } else {
        most.key.to_string()
    };
    Some(LargestPart { part: what, adds: adds(most), records: most.records, run })
}

pub(super) fn largest_of_one(of: &Quantity, runs: &RunSet) -> Option<LargestPart> {
    if of.is_of_whole_boot() {
        return largest_stage(of, None, runs);
    }
    let run = runs.median_run()?;
    let adds = |p: &super::part::Part| match of {
        Quantity::ConsoleBytes => i64::try_from(p.bytes).unwrap_or(i64::MAX),
        Quantity::ConsoleCost => p.console.as_nanos(),
        Quantity::Span(..) => p.work.as_nanos(),
        _ => p.time().as_nanos(),
    };
    let mine = run.parts.iter().filter(|p| is_of(&p.key, of, p.place.phase));
    let most = mine.max_by_key(|p| adds(p)).filter(|p| adds(p) > 0)?;
    let what = if of.is_time_to_end() && most.console > most.work {
        format!("console in {}", most.key)
    } else {
        most.key.to_string()
    };
    Some(LargestPart { part: what, adds: adds(most), records: most.records, run: Some(run.source.clone()) })
}

impl LargestPart {
    /// `+0.140 s` or `+4600 characters`, by the unit of the quantity.
    pub fn amount(&self, unit: Unit) -> String {
        match unit {
            Unit::Ns => format!("{} s", Dur::from_nanos(self.adds)),
            Unit::Bytes => format!("{} characters", self.adds),
        }
    }
}
