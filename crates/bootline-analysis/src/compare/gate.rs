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
use super::budget::{Budget, Increase, LimitRule};
use super::change::SetSummary;
use super::checked_limit::{CheckedLimit, GateOutcome, LimitKind};
use super::gate_reason::GateReason;
use super::largest_part::{largest_of_one, largest_of_two};
use super::measures::RunSetup;
use super::part::PartKey;
use super::quantity::{Quantity, Unit};
use super::run_set::{RunSet, SHORT};
use crate::suggestion::nearest;
use bootline_boot::WholeOrigin;
use bootline_stats::{
    Estimate, Groups, Samples, confidence_of_difference, difference, median, min_runs_against,
    minimum_detectable_effect,
};

/// Holds runs to a budget, against a baseline where there is one. In the order of its rules.
pub fn check(budget: &Budget, baseline: Option<&RunSet>, runs: &RunSet) -> Vec<CheckedLimit> {
    let mut found = Vec::new();
    for rule in &budget.rules {
        let mut judged = Vec::new();
        judged.extend(rule.at_most.map(|limit| at_most(rule, limit, runs)));
        judged.extend(rule.increase_at_most.map(|_| increase(rule, budget.noise, baseline, runs)));
        if let Some((since, origin)) = budget.since.and_then(|s| Some((s, another_origin(&rule.of, s, runs)?))) {
            // What was not measured would only add to a figure, what should not have been measured is in it.
            let may_differ = if origin > since { GateOutcome::Pass } else { GateOutcome::Fail };
            for limit in judged.iter_mut().filter(|limit| limit.outcome == may_differ) {
                (limit.outcome, limit.reason) = (GateOutcome::Inconclusive, Some(GateReason::OtherOrigin(origin)));
            }
        }
        found.extend(judged);
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
    } else if let Some(reason) = counts_differently(&rule.of, [runs].into_iter()) {
        (GateOutcome::Inconclusive, Some(reason))
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
    let other_time = counts_differently(of, [runs, baseline].into_iter());
    (checked.outcome, checked.reason) = match (judged.outcome, judged.reason) {
        (_, reason) if other_time.is_some() && !matches!(reason, Some(GateReason::TooFew { .. })) => {
            (GateOutcome::Inconclusive, other_time)
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
    let unfinished = runs.runs.iter().filter(|r| r.unfinished.contains(of)).count();
    if unfinished > 0 {
        return GateReason::Missing { runs: unfinished, of: runs.n() };
    }
    let known = runs.quantities();
    let names = known.iter().map(ToString::to_string).filter(|_| of.is_one_of_many());
    GateReason::NotMeasured { nearest: nearest(&of.to_string(), names) }
}

/// Whether it counts from the boot's beginning, or to its end.
fn is_time(of: &Quantity) -> bool {
    of.is_time_to_end() || matches!(of, Quantity::Phase(_) | Quantity::Marker(_))
}

/// Why a time does not count from the same beginning to the same end in all runs of these sets, if so.
fn counts_differently<'a>(of: &Quantity, sets: impl Iterator<Item = &'a RunSet>) -> Option<GateReason> {
    let mut runs = sets.flat_map(|set| &set.runs);
    let first = runs.next()?;
    let is_other = |s: &RunSetup| (s.since, s.ended_by) != (first.setup.since, first.setup.ended_by);
    if of.is_of_whole_boot() {
        let ends = first.whole_boot_ends(of);
        return runs.any(|run| run.whole_boot_ends(of) != ends).then_some(GateReason::OtherWhole);
    }
    runs.any(|run| is_time(of) && is_other(&run.setup)).then_some(GateReason::OtherTime)
}

/// What a time of the whole boot counts from in some run, if that is not what it should be.
fn another_origin(of: &Quantity, wanted: WholeOrigin, runs: &RunSet) -> Option<WholeOrigin> {
    runs.runs.iter().filter_map(|run| run.whole_boot_ends(of).0).find(|origin| *origin != wanted)
}
