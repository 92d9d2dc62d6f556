// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a handful of runs may claim: medians with intervals, ratios, whether they fall into two groups, verdicts.
//!
//! Boots are few and their times are skewed (a host is only ever late), so nothing here assumes a distribution, but for
//! the test for two groups, which says so. All of it is deterministic: the same samples give the same figures.
mod bootstrap;
mod change_points;
#[cfg(test)]
mod claims;
mod groups;
mod mann_whitney;
mod random;
mod rank_sum;
mod samples;
mod verdict;

pub use bootstrap::{Estimate, confidence, difference_of_medians, median, ratio_of_medians};
pub use change_points::{ChangeLimits, ChangePoint, MOST_VALUES, change_points};
pub use groups::{Groups, groups};
pub use random::Random;
pub use rank_sum::{
    confidence_of_any, confidence_of_difference, difference, false_discovery, min_runs_against,
    minimum_detectable_effect, p_value,
};
pub use samples::Samples;
pub use verdict::{ClaimLimits, Reason, Tolerance, Verdict, VerdictKind, judge_claim, judge_prediction};
