// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether runs keep to a budget.
//!
//! A limit is broken where all of the interval is beyond it, so that chance breaks it in one of forty cases at most, and
//! kept where the figure itself is within. Between the two the runs can't tell; nor can they where they would miss an
//! increase of twice the limit in more than one of five cases: such a gate would sleep.
//!
//! | | of the runs alone (`at_most`) | against a baseline (`increase_at_most`) |
//! | --- | --- | --- |
//! | the figure | the median | the difference of the medians |
//! | its interval | the sign test's; below six runs from the least to the greatest | the rank-sum test's |
//! | too few | fewer than the rule's `runs` | fewer than 95 % take: 4 + 4, or one beside 39 |
use serde::{Serialize, Serializer};

use super::budget::{Budget, Rule};
use super::change::Summary;
use super::comparison::is_whole;
use super::decomposition::{Contribution, decompose};
use super::part::PartKey;
use super::quantity::{Quantity, Unit};
use super::run_set::RunSet;
use crate::boot::PhaseName;
use crate::records::RecordId;
use crate::statistics::{Estimate, Groups, confidence_of_difference, difference, fewest_beside, least_seen, median};
use crate::units::Dur;

/// What became of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The runs are within it.
    Kept,
    /// They are beyond it.
    Broken,
    /// They can't tell.
    CantTell,
}

/// Which of a rule's limits it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// On the runs alone.
    AtMost,
    /// On what they have more than the baseline.
    IncreaseAtMost,
}

/// One limit, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// Of what.
    pub of: Quantity,
    /// Nanoseconds or characters.
    pub unit: Unit,
    /// Which limit.
    pub limit_kind: LimitKind,
    /// The limit, in nanoseconds or characters; none where it is a share of a baseline that isn't there.
    pub limit: Option<f64>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it can't be told, or what to know beside the outcome.
    #[serde(serialize_with = "in_words")]
    pub because: Option<Because>,
    /// Of the runs.
    pub runs: Option<Summary>,
    /// Of the baseline.
    pub baseline: Option<Summary>,
    /// The figure that the limit is on.
    pub figure: Option<Estimate>,
    /// The least increase that shows in four of five cases.
    pub least_seen: Option<f64>,
    /// What the greatest part of the figure is.
    pub largest: Option<Largest>,
}

/// The part that adds most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Largest {
    /// Which, in words.
    pub part: String,
    /// How much, in nanoseconds or characters.
    pub adds: i64,
    /// Its records in the median run.
    pub records: Option<(RecordId, RecordId)>,
    /// That run.
    pub run: Option<String>,
}

/// Why a limit can't be told kept or broken, or what to know beside.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// There is no baseline.
    NoBaseline,
    /// Neither the runs nor the baseline have it.
    NotMeasured,
    /// The baseline hasn't got it, and can't have it.
    NotInBaseline,
    /// Too few runs for the limit.
    TooFew {
        /// Runs.
        runs: usize,
        /// Of the baseline.
        baseline: Option<usize>,
        /// How many it takes.
        needed: Option<usize>,
    },
    /// The limit lies in the interval, and the figure is beyond it.
    Across,
    /// An increase of twice the limit would be missed too often.
    Blind,
    /// One of two groups of runs is beyond the limit.
    TwoGroups(Groups),
    /// It is beyond the limit, but the machine's own noise explains it.
    Noise {
        /// What is taken as noise, in the figure's unit.
        below: f64,
    },
}

impl std::fmt::Display for Because {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Because::NoBaseline => f.write_str("there is no baseline"),
            Because::NotMeasured => f.write_str("no run has it"),
            Because::NotInBaseline => f.write_str("the baseline was stored without it"),
            Because::TooFew { runs, baseline, needed } => {
                let beside = baseline.map(|b| format!(" beside {b} of the baseline")).unwrap_or_default();
                let runs_word = if *runs == 1 { "run is" } else { "runs are" };
                match needed {
                    Some(n) => write!(f, "{runs} {runs_word} too few{beside}: it takes {n}"),
                    None => write!(f, "{runs} {runs_word} too few{beside}"),
                }
            }
            Because::Across => {
                f.write_str("the figure is beyond the limit, but the limit lies in its interval: more runs can tell")
            }
            Because::Blind => f.write_str(
                "the runs differ too much to see an increase of twice the limit: more runs, or a wider limit",
            ),
            Because::TwoGroups(g) => {
                write!(
                    f,
                    "the runs fall into two groups, {} and {}, and the upper one is beyond the limit",
                    g.lower, g.upper
                )
            }
            Because::Noise { .. } => {
                f.write_str("it is beyond the limit, but no more than the noise that the budget allows")
            }
        }
    }
}

fn in_words<S: Serializer>(because: &Option<Because>, serializer: S) -> Result<S::Ok, S::Error> {
    match because {
        Some(because) => serializer.collect_str(because),
        None => serializer.serialize_none(),
    }
}

/// Holds runs to a budget, against a baseline where there is one. In the order of its rules.
pub fn check(budget: &Budget, baseline: Option<&RunSet>, runs: &RunSet) -> Vec<Checked> {
    let mut found = Vec::new();
    for rule in &budget.rules {
        if let Some(limit) = rule.at_most {
            found.push(at_most(rule, limit, runs));
        }
        if rule.increase_at_most.is_some() {
            found.push(increase(rule, budget.noise, baseline, runs));
        }
    }
    found
}

fn empty(rule: &Rule, limit_kind: LimitKind) -> Checked {
    Checked {
        of: rule.of.clone(),
        unit: rule.of.unit(),
        limit_kind,
        limit: None,
        outcome: Outcome::CantTell,
        because: None,
        runs: None,
        baseline: None,
        figure: None,
        least_seen: None,
        largest: None,
    }
}

fn at_most(rule: &Rule, limit: i64, runs: &RunSet) -> Checked {
    let mut checked = Checked { limit: Some(limit as f64), ..empty(rule, LimitKind::AtMost) };
    let limit = limit as f64;
    let Some(samples) = runs.values(&rule.of) else {
        checked.because = Some(Because::NotMeasured);
        return checked;
    };
    let summary = Summary::of(&samples, runs.present(&rule.of));
    // Few runs: all of them, which the median's interval is anyway below six.
    let figure = median(&samples, 0);
    let beyond = |g: &Groups| g.above > limit;
    (checked.outcome, checked.because) = if samples.n() < rule.runs {
        let too_few = Because::TooFew { runs: samples.n(), baseline: None, needed: Some(rule.runs) };
        (Outcome::CantTell, Some(too_few))
    } else if figure.low > limit {
        (Outcome::Broken, None)
    } else if figure.best > limit {
        (Outcome::CantTell, Some(Because::Across))
    } else if let Some(groups) = summary.groups.filter(beyond) {
        (Outcome::CantTell, Some(Because::TwoGroups(groups)))
    } else {
        (Outcome::Kept, None)
    };
    checked.largest = largest_of_one(&rule.of, runs);
    checked.figure = Some(figure);
    checked.runs = Some(summary);
    checked
}

fn increase(rule: &Rule, noise: f64, baseline: Option<&RunSet>, runs: &RunSet) -> Checked {
    let mut checked = empty(rule, LimitKind::IncreaseAtMost);
    let unknown = |because| Checked { because: Some(because), ..empty(rule, LimitKind::IncreaseAtMost) };
    let Some(allowed) = rule.increase_at_most else { return checked };
    let Some(baseline) = baseline.filter(|b| b.n() > 0) else { return unknown(Because::NoBaseline) };
    let (before, after) = match (in_baseline(&rule.of, baseline), runs.values(&rule.of)) {
        (None, None) => return unknown(Because::NotMeasured),
        // One that went is no increase; one that came is, from nothing.
        (Some(before), after) => (before, after.or_else(|| none_of_it(&rule.of, runs))),
        (None, after) => match none_of_it(&rule.of, baseline) {
            Some(before) => (before, after),
            None => return unknown(Because::NotInBaseline),
        },
    };
    let Some(after) = after else { return unknown(Because::NotMeasured) };
    let figure = difference(&after, &before);
    let limit = allowed.of(before.median());
    let summary = Summary::of(&after, runs.present(&rule.of));
    let seen = least_seen(&after, &before, 0);
    let below = noise * before.median().abs();
    let beyond = |g: &Groups| g.above > before.median() + limit;
    (checked.outcome, checked.because) =
        if confidence_of_difference(after.n(), before.n()) < 0.95 || after.n() < rule.runs {
            let needed = fewest_beside(before.n()).map(|n| n.max(rule.runs));
            (Outcome::CantTell, Some(Because::TooFew { runs: after.n(), baseline: Some(before.n()), needed }))
        } else if figure.low > limit && figure.best >= below {
            (Outcome::Broken, None)
        } else if figure.low > limit {
            (Outcome::Kept, Some(Because::Noise { below }))
        } else if figure.best > limit {
            (Outcome::CantTell, Some(Because::Across))
        } else if let Some(groups) = summary.groups.filter(beyond) {
            (Outcome::CantTell, Some(Because::TwoGroups(groups)))
        } else if figure.high > limit && seen.is_some_and(|seen| seen > limit) {
            (Outcome::CantTell, Some(Because::Blind))
        } else {
            (Outcome::Kept, None)
        };
    checked.limit = Some(limit);
    checked.largest = largest_of_two(&rule.of, baseline, runs);
    checked.figure = Some(figure);
    checked.least_seen = seen;
    checked.baseline = Some(Summary::of(&before, baseline.present(&rule.of)));
    checked.runs = Some(summary);
    checked
}

/// The numbers of a baseline. What it has only in the sum of the short ones took less than a millisecond.
fn in_baseline(of: &Quantity, baseline: &RunSet) -> Option<crate::statistics::Samples> {
    let is_short = match of {
        Quantity::Span(kind, name) => baseline.short.contains(&PartKey::of_span(*kind, name)),
        _ => false,
    };
    if is_short { none_of_it(of, baseline) } else { baseline.values(of) }
}

/// Zeros, where the logs of all runs would name it if it were there.
fn none_of_it(of: &Quantity, set: &RunSet) -> Option<crate::statistics::Samples> {
    let would = of.is_one_of_many() && set.runs.iter().all(|r| r.setup.initcalls);
    would.then(|| crate::statistics::Samples::new(set.runs.iter().map(|_| 0.0))).flatten()
}

/// Whether a part is one of those that make a quantity up.
fn is_of(key: &PartKey, of: &Quantity, phase: Option<PhaseName>) -> bool {
    match of {
        Quantity::Phase(name) => phase == Some(*name) || *key == PartKey::Phase(*name),
        Quantity::Span(kind, name) => *key == PartKey::of_span(*kind, name),
        _ => true,
    }
}

fn largest_of_two(of: &Quantity, baseline: &RunSet, runs: &RunSet) -> Option<Largest> {
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
    let what = if is_whole(of) && most.console > most.work {
        format!("console in {}", most.key)
    } else {
        most.key.to_string()
    };
    Some(Largest { part: what, adds: adds(most), records: most.records, run })
}

fn largest_of_one(of: &Quantity, runs: &RunSet) -> Option<Largest> {
    let run = runs.median_run()?;
    let adds = |p: &super::part::Part| match of {
        Quantity::ConsoleBytes => i64::try_from(p.bytes).unwrap_or(i64::MAX),
        Quantity::ConsoleCost => p.console.as_nanos(),
        Quantity::Span(..) => p.work.as_nanos(),
        _ => p.time().as_nanos(),
    };
    let mine = run.parts.iter().filter(|p| is_of(&p.key, of, p.place.phase));
    let most = mine.max_by_key(|p| adds(p)).filter(|p| adds(p) > 0)?;
    let what = if is_whole(of) && most.console > most.work {
        format!("console in {}", most.key)
    } else {
        most.key.to_string()
    };
    Some(Largest { part: what, adds: adds(most), records: most.records, run: Some(run.source.clone()) })
}

impl Largest {
    /// `+0.140 s` or `+4600 characters`, by the unit of the quantity.
    pub fn amount(&self, unit: Unit) -> String {
        match unit {
            Unit::Ns => format!("{} s", Dur::from_nanos(self.adds)),
            Unit::Bytes => format!("{} characters", self.adds),
        }
    }
}
