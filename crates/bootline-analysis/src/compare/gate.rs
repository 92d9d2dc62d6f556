// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether runs keep to a budget.
//!
//! A limit fails where all of the interval is beyond it, so that chance fails it in at most one of forty cases, and passes
//! where the estimate itself is within. Between the two it is inconclusive; so it is where the runs would miss an increase
//! of twice the limit in more than one of five cases: such a gate would detect too little.
//!
//! | | of the runs alone (`at_most`) | against a baseline (`increase_at_most`) |
//! | --- | --- | --- |
//! | the figure | the median | the difference of the medians |
//! | its interval | the sign test's; below six runs from the least to the greatest | the rank-sum test's |
//! | too few | fewer than the rule's `runs` | fewer than 95 % take: 4 + 4, or 1 + 39 |
//!
//! Runs that lack the judged quantity cannot be skipped: a boot that never reached a marker was not a fast one. Nor can times
//! be judged that do not run from the same moment to the same end as those of the baseline.
use serde::{Serialize, Serializer};

use super::budget::{Budget, Increase, LimitRule};
use super::change::SetSummary;
use super::decomposition::{Contribution, decompose};
use super::measures::RunSetup;
use super::part::PartKey;
use super::quantity::{Quantity, Unit};
use super::run_set::{RunSet, SHORT};
use super::suggestion::nearest;
use crate::boot::PhaseName;
use crate::records::RecordId;
use bootline_capture::units::Dur;
use bootline_stats::{
    Estimate, Groups, Samples, confidence_of_difference, difference, median, min_runs_against,
    minimum_detectable_effect,
};

/// What became of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The runs are within it.
    Pass,
    /// They are beyond it.
    Fail,
    /// The runs support neither.
    Inconclusive,
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
pub struct CheckedLimit {
    /// Of what.
    #[serde(rename = "quantity")]
    pub of: Quantity,
    /// Nanoseconds or characters.
    pub unit: Unit,
    /// Which limit.
    pub limit_kind: LimitKind,
    /// The limit, in nanoseconds or characters; none where it is a share of a baseline that isn't there.
    pub limit: Option<f64>,
    /// What became of it.
    pub outcome: GateOutcome,
    /// Why it is inconclusive, or what to know about the outcome.
    #[serde(serialize_with = "in_words")]
    pub reason: Option<GateReason>,
    /// Of the runs.
    pub runs: Option<SetSummary>,
    /// Of the baseline.
    pub baseline: Option<SetSummary>,
    /// The figure that the limit is on.
    #[serde(rename = "estimate")]
    pub figure: Option<Estimate>,
    /// The least increase that shows in four of five cases.
    pub minimum_detectable_effect: Option<f64>,
    /// What the greatest part of the figure is.
    #[serde(rename = "largest_part")]
    pub largest: Option<LargestPart>,
}

/// The part that adds most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LargestPart {
    /// Which, in words.
    pub part: String,
    /// How much, in nanoseconds or characters.
    #[serde(rename = "added")]
    pub adds: i64,
    /// Its records in the median run.
    pub records: Option<(RecordId, RecordId)>,
    /// That run.
    pub run: Option<String>,
}

/// Why a limit is inconclusive, or what to know about its outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum GateReason {
    /// There is no baseline.
    NoBaseline,
    /// The runs haven't got it.
    NotMeasured {
        /// What they have of the same kind that is called much like it.
        nearest: Option<String>,
    },
    /// It is an initcall, and the logs of the runs name none.
    NoInitcalls,
    /// The baseline hasn't got it, and can't have it.
    NotInBaseline,
    /// The baseline has it among those only that took less than a millisecond, and the outcome depends on how much less.
    ShortInBaseline,
    /// The limit is a share, and the baseline has nothing of it.
    ShareOfNothing,
    /// Some runs haven't got it.
    Missing {
        /// How many.
        runs: usize,
        /// Of so many.
        of: usize,
    },
    /// Not all runs have it; in the others it took no time.
    Sometimes {
        /// How many have it.
        runs: usize,
        /// Of so many.
        of: usize,
    },
    /// The times of the runs don't all have the same beginning and end, or not those of the baseline.
    OtherTime,
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
    SpansLimit,
    /// An increase of twice the limit would be missed too often.
    BelowDetectable,
    /// One of two groups of runs is beyond the limit.
    TwoGroups(Groups),
    /// It is beyond the limit, but the machine's own noise explains it.
    Noise {
        /// What is taken as noise, in the figure's unit.
        below: f64,
    },
    /// The limit is less than what is taken as noise, which it is that holds then.
    LimitInNoise {
        /// What is taken as noise, in the figure's unit.
        below: f64,
    },
}

impl std::fmt::Display for GateReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GateReason::NoBaseline => f.write_str("there is no baseline"),
            GateReason::NotMeasured { nearest: None } => f.write_str("no run has it"),
            GateReason::NotMeasured { nearest: Some(name) } => write!(f, "no run has it; did you mean `{name}`?"),
            GateReason::NoInitcalls => {
                f.write_str("the logs name no initcalls: boot with `initcall_debug loglevel=8`")
            }
            GateReason::ShortInBaseline => f.write_str(
                "the baseline only has that it took less than 1 ms: store the baseline again with this budget, which keeps what it names",
            ),
            GateReason::ShareOfNothing => {
                f.write_str("the baseline has nothing of it to take a share of: limit it by an amount, like \"5 ms\"")
            }
            GateReason::Missing { runs, of } => write!(
                f,
                "{runs} of {of} runs {} it: record them for longer, or boot them again",
                if *runs == 1 { "doesn't have" } else { "don't have" }
            ),
            GateReason::Sometimes { runs, of } => {
                write!(f, "{runs} of {of} runs {} it; in the others it took no time", if *runs == 1 { "has" } else { "have" })
            }
            GateReason::OtherTime => f.write_str(
                "the times do not all run from the same beginning to the same end (captures mixed with logs, another `end`): \
                 capture the runs and their baseline in the same way",
            ),
            GateReason::NotInBaseline => f.write_str("the baseline was stored without it: store it again with this budget"),
            GateReason::TooFew { runs, baseline, needed } => {
                let against = baseline.map(|b| format!(" against {b} of the baseline")).unwrap_or_default();
                let runs_word = if *runs == 1 { "run is" } else { "runs are" };
                match needed {
                    Some(n) => write!(f, "{runs} {runs_word} too few{against}: it takes {n}"),
                    None => write!(f, "{runs} {runs_word} too few{against}"),
                }
            }
            GateReason::SpansLimit => {
                f.write_str("the estimate is beyond the limit, but the limit lies within its interval: more runs can decide")
            }
            GateReason::BelowDetectable => f.write_str(
                "the runs vary too much to detect an increase of twice the limit: take more runs, or widen the limit",
            ),
            GateReason::TwoGroups(g) => {
                write!(
                    f,
                    "the runs fall into two groups, {} and {}, and the upper one is beyond the limit",
                    g.lower, g.upper
                )
            }
            GateReason::Noise { .. } => {
                f.write_str("it is beyond the limit, but no more than the noise that the budget allows")
            }
            GateReason::LimitInNoise { below } => write!(
                f,
                "the limit is below the budget's `noise`: less than {} breaks nothing",
                Dur::from_nanos(*below as i64)
            ),
        }
    }
}

fn in_words<S: Serializer>(reason: &Option<GateReason>, serializer: S) -> Result<S::Ok, S::Error> {
    match reason {
        Some(reason) => serializer.collect_str(reason),
        None => serializer.serialize_none(),
    }
}

/// Holds runs to a budget, against a baseline where there is one. In the order of its rules.
pub fn check(budget: &Budget, baseline: Option<&RunSet>, runs: &RunSet) -> Vec<CheckedLimit> {
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

fn empty(rule: &LimitRule, limit_kind: LimitKind) -> CheckedLimit {
    CheckedLimit {
        of: rule.of.clone(),
        unit: rule.of.unit(),
        limit_kind,
        limit: None,
        outcome: GateOutcome::Inconclusive,
        reason: None,
        runs: None,
        baseline: None,
        figure: None,
        minimum_detectable_effect: None,
        largest: None,
    }
}

fn at_most(rule: &LimitRule, limit: i64, runs: &RunSet) -> CheckedLimit {
    let mut checked = CheckedLimit { limit: Some(limit as f64), ..empty(rule, LimitKind::AtMost) };
    let limit = limit as f64;
    let Some(samples) = runs.values(&rule.of) else {
        checked.reason = Some(not_measured(&rule.of, runs));
        return checked;
    };
    let summary = SetSummary::of(&samples, samples.n(), rule.of.unit());
    // Few runs: all of them, which the median's interval is anyway below six.
    let figure = median(&samples, 0);
    let beyond = |g: &Groups| g.above > limit;
    (checked.outcome, checked.reason) = if samples.n() < rule.runs {
        let too_few = GateReason::TooFew { runs: samples.n(), baseline: None, needed: Some(rule.runs) };
        (GateOutcome::Inconclusive, Some(too_few))
    } else if is_time(&rule.of) && times(runs).count() > 1 {
        (GateOutcome::Inconclusive, Some(GateReason::OtherTime))
    } else if figure.low > limit {
        (GateOutcome::Fail, None)
    } else if figure.best > limit {
        (GateOutcome::Inconclusive, Some(GateReason::SpansLimit))
    } else if let Some(groups) = summary.groups.filter(beyond) {
        (GateOutcome::Inconclusive, Some(GateReason::TwoGroups(groups)))
    } else {
        passed_over(&rule.of, &samples, runs).unwrap_or((GateOutcome::Pass, None))
    };
    checked.largest = largest_of_one(&rule.of, runs);
    checked.figure = Some(figure);
    checked.runs = Some(summary);
    checked
}

fn increase(rule: &LimitRule, noise: f64, baseline: Option<&RunSet>, runs: &RunSet) -> CheckedLimit {
    let mut checked = empty(rule, LimitKind::IncreaseAtMost);
    let unknown = |reason| CheckedLimit { reason: Some(reason), ..empty(rule, LimitKind::IncreaseAtMost) };
    let Some(allowed) = rule.increase_at_most else { return checked };
    let Some(baseline) = baseline.filter(|b| b.n() > 0) else { return unknown(GateReason::NoBaseline) };
    let of = &rule.of;
    let is_short = matches!(of, Quantity::Span(kind, name) if baseline.short.contains(&PartKey::of_span(*kind, name)));
    // One that went is no increase; one that came is, from nothing.
    let was_there = baseline.values(of).is_some() || is_short;
    let after = runs.values(of).or_else(|| if was_there { runs.none_of(of) } else { None });
    let Some(after) = after else { return unknown(not_measured(of, runs)) };
    let Some(before) = baseline.values(of).or_else(|| baseline.none_of(of)) else {
        return unknown(GateReason::NotInBaseline);
    };
    let noise = if of.unit() == Unit::Ns { noise } else { 0.0 };
    let judge = |before: &Samples| judge_increase(rule, allowed, noise, before, &after);
    let mut judged = judge(&before);
    if is_short {
        // It took between nothing and a millisecond.
        let most = judge(&Samples::new((0..before.n()).map(|_| SHORT.as_nanos() as f64)).unwrap_or(before.clone()));
        judged = match (judged.outcome, most.outcome) {
            (GateOutcome::Pass, _) => judged,
            (_, GateOutcome::Fail) => most,
            _ if matches!(judged.reason, Some(GateReason::TooFew { .. })) => judged,
            _ => JudgedIncrease {
                outcome: GateOutcome::Inconclusive,
                reason: Some(GateReason::ShortInBaseline),
                ..judged
            },
        };
    }
    let other_time = is_time(of) && times(runs).chain(times(baseline)).any(|t| Some(t) != times(runs).next());
    (checked.outcome, checked.reason) = match (judged.outcome, judged.reason) {
        (_, reason) if other_time && !matches!(reason, Some(GateReason::TooFew { .. })) => {
            (GateOutcome::Inconclusive, Some(GateReason::OtherTime))
        }
        (GateOutcome::Pass, reason) => passed_over(of, &after, runs).unwrap_or((GateOutcome::Pass, reason)),
        other => other,
    };
    checked.limit = judged.limit;
    checked.largest = largest_of_two(of, baseline, runs);
    checked.figure = Some(judged.figure);
    checked.minimum_detectable_effect = judged.detectable;
    checked.baseline = Some(SetSummary::of(&before, before.n(), of.unit()));
    checked.runs = Some(SetSummary::of(&after, after.n(), of.unit()));
    checked
}

/// What an increase is judged to be.
struct JudgedIncrease {
    outcome: GateOutcome,
    reason: Option<GateReason>,
    figure: Estimate,
    limit: Option<f64>,
    detectable: Option<f64>,
}

fn judge_increase(
    rule: &LimitRule,
    allowed: Increase,
    noise: f64,
    before: &Samples,
    after: &Samples,
) -> JudgedIncrease {
    let figure = difference(after, before);
    let limit = allowed.of(before.median());
    let detectable = minimum_detectable_effect(after, before, 0);
    let below = noise * before.median().abs();
    let beyond = |g: &Groups| g.above > before.median() + limit;
    let of_nothing = matches!(allowed, Increase::Share(_)) && before.median() == 0.0;
    let (outcome, reason) = if confidence_of_difference(after.n(), before.n()) < 0.95 || after.n() < rule.runs {
        let needed = min_runs_against(before.n()).map(|n| n.max(rule.runs));
        (GateOutcome::Inconclusive, Some(GateReason::TooFew { runs: after.n(), baseline: Some(before.n()), needed }))
    } else if of_nothing && figure.high > 0.0 {
        (GateOutcome::Inconclusive, Some(GateReason::ShareOfNothing))
    } else if figure.low > limit && figure.best >= below {
        (GateOutcome::Fail, None)
    } else if figure.low > limit {
        (GateOutcome::Pass, Some(GateReason::Noise { below }))
    } else if figure.best > limit {
        (GateOutcome::Inconclusive, Some(GateReason::SpansLimit))
    } else if let Some(groups) = bootline_stats::groups(after).filter(beyond) {
        (GateOutcome::Inconclusive, Some(GateReason::TwoGroups(groups)))
    } else if figure.high > limit && detectable.is_some_and(|detectable| detectable > limit) {
        (GateOutcome::Inconclusive, Some(GateReason::BelowDetectable))
    } else {
        (GateOutcome::Pass, (limit < below).then_some(GateReason::LimitInNoise { below }))
    };
    JudgedIncrease { outcome, reason, figure, limit: (!of_nothing).then_some(limit), detectable }
}

/// What is to be said where not all runs have what would be kept.
fn passed_over(of: &Quantity, judged: &Samples, runs: &RunSet) -> Option<(GateOutcome, Option<GateReason>)> {
    let (all, present) = (runs.n(), runs.present(of));
    if judged.n() < all {
        Some((GateOutcome::Inconclusive, Some(GateReason::Missing { runs: all - judged.n(), of: all })))
    } else if (1..all).contains(&present) {
        Some((GateOutcome::Pass, Some(GateReason::Sometimes { runs: present, of: all })))
    } else {
        None
    }
}

/// Why runs have nothing of it.
fn not_measured(of: &Quantity, runs: &RunSet) -> GateReason {
    if of.is_one_of_many() && runs.runs.iter().all(|r| !r.setup.initcalls) {
        return GateReason::NoInitcalls;
    }
    let known = runs.quantities();
    let names = known.iter().map(ToString::to_string).filter(|_| of.is_one_of_many());
    GateReason::NotMeasured { nearest: nearest(&of.to_string(), names) }
}

/// Whether it counts from the boot's beginning, or to its end.
fn is_time(of: &Quantity) -> bool {
    of.is_time_to_end() || matches!(of, Quantity::Phase(_) | Quantity::Marker(_))
}

/// From what to what the times of the runs count, each kind once.
fn times(set: &RunSet) -> impl Iterator<Item = (crate::boot::TimeOrigin, crate::boot::EndedBy)> {
    let mut kinds = Vec::new();
    for setup in set.runs.iter().map(|r| &r.setup) {
        let kind = |s: &RunSetup| (s.since, s.ended_by);
        if !kinds.contains(&kind(setup)) {
            kinds.push(kind(setup));
        }
    }
    kinds.into_iter()
}

/// Whether a part is one of those that make a quantity up.
fn is_of(key: &PartKey, of: &Quantity, phase: Option<PhaseName>) -> bool {
    match of {
        Quantity::Phase(name) => phase == Some(*name) || *key == PartKey::Phase(*name),
        Quantity::Span(kind, name) => *key == PartKey::of_span(*kind, name),
        _ => true,
    }
}

fn largest_of_two(of: &Quantity, baseline: &RunSet, runs: &RunSet) -> Option<LargestPart> {
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

fn largest_of_one(of: &Quantity, runs: &RunSet) -> Option<LargestPart> {
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
