// SPDX-License-Identifier: MIT OR Apache-2.0
//! More runs of what is undecided.
use super::plan::ExperimentPlan;
use super::result::Outcome;
use super::runner::ExperimentEnd;

/// Carries out a plan, and then more runs of the arms about which a claim or a prediction is undecided, until none is, or they have
/// `at_most` runs. Each time the number of runs grows by half: an interval that is looked at after every run misses the median more often
/// than it says.
///
/// # Errors
/// Those of `carry_out`.
pub fn until_decided<E>(
    plan: &ExperimentPlan,
    at_most: u32,
    carry_out: &mut dyn FnMut(&ExperimentPlan) -> Result<ExperimentEnd, E>,
    evaluate: &mut dyn FnMut(&ExperimentPlan) -> Outcome,
) -> Result<ExperimentEnd, E> {
    let mut next = plan.clone();
    loop {
        let end = carry_out(&next)?;
        let runs = next.runs_per_arm;
        if end == ExperimentEnd::Stopped || runs >= at_most {
            return Ok(end);
        }
        let arms = undecided(&evaluate(&next), plan);
        if arms.is_empty() {
            return Ok(end);
        }
        next = ExperimentPlan { runs_per_arm: runs.saturating_add((runs / 2).max(1)).min(at_most), arms };
    }
}

/// The arms of a plan that a decision needs, in the file's order. What is about an arm outside of the plan is not decided here.
fn undecided(outcome: &Outcome, plan: &ExperimentPlan) -> Vec<String> {
    let of_claims = outcome.claims.iter().filter(|claim| claim.verdict.may_be_decided()).map(|claim| {
        let other = claim.of.as_ref().or(claim.than.as_ref());
        [Some(&claim.arm), other]
    });
    let of_predictions = outcome.arms.iter().filter_map(|arm| {
        let open = arm.verdict.as_ref().is_some_and(|verdict| verdict.may_be_decided());
        open.then(|| [Some(&arm.name), arm.predicted.as_ref().map(|predicted| &predicted.from)])
    });
    let needed: Vec<&String> = of_claims
        .chain(of_predictions)
        .filter(|arms| arms.iter().flatten().all(|arm| plan.arms.contains(arm)))
        .flat_map(|arms| arms.into_iter().flatten())
        .collect();
    plan.arms.iter().filter(|arm| needed.contains(arm)).cloned().collect()
}
