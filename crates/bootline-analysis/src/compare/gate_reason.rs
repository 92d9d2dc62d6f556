// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a limit is inconclusive, and what to know about its outcome.
use bootline_boot::WholeOrigin;
use bootline_capture::units::Dur;
use bootline_stats::Groups;

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
    /// The stages of the runs don't all count from the same moment to the same end, or not those of the baseline.
    OtherWhole,
    /// The stages count from something later than the budget demands, or earlier.
    OtherOrigin(WholeOrigin),
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
            GateReason::OtherWhole => f.write_str(
                "the stages do not all count from the same moment to the same end: capture all runs from power-on to the application, \
                 in the same way",
            ),
            GateReason::OtherOrigin(found) => write!(f, "the stages count from {}, not from what the budget demands", found.title()),
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
