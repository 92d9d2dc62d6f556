// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which runs, in which order: rounds in which each arm runs once, each round in random order. So stopping at any time
//! leaves the arms with equal numbers of runs, give or take one, and a host that slows down slows all arms.
use std::hash::{BuildHasher, RandomState};

use bootline_stats::Random;

use super::arm_pattern::matches;
use super::definition::{Arm, Experiment};
use super::file_error::nearest;

/// Which part of an experiment the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSelection {
    /// Use the experiment's `[quick]`.
    pub quick: bool,
    /// Runs for each arm, whatever the file says.
    pub runs: Option<u32>,
    /// Only the arms that one of these stands for; `*` in one stands for anything.
    pub arms: Vec<String>,
}

/// The runs of an experiment that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentPlan {
    /// Runs for each arm.
    pub runs_per_arm: u32,
    /// The arms, in the file's order.
    pub arms: Vec<String>,
}

/// One of the runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlannedRun {
    /// Its arm.
    pub arm: String,
    /// Its round, from 1.
    pub round: u32,
}

/// A chosen arm does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("experiment `{experiment}` has no arm `{arm}`; it has {}", known.join(", "))]
pub struct NoSuchArm {
    /// The experiment.
    pub experiment: String,
    /// The chosen name.
    pub arm: String,
    /// The one that is most like it.
    pub nearest: Option<String>,
    /// All existing arms.
    pub known: Vec<String>,
}

impl ExperimentPlan {
    /// The plan for `choice`.
    ///
    /// # Errors
    /// A chosen arm does not exist.
    pub fn of(experiment: &Experiment, choice: &RunSelection) -> Result<ExperimentPlan, NoSuchArm> {
        let quick = choice.quick.then_some(&experiment.quick);
        let runs_per_arm = choice.runs.or(quick.and_then(|q| q.runs)).unwrap_or(experiment.runs);
        let mut wanted = Some(&choice.arms).filter(|arms| !arms.is_empty());
        wanted = wanted.or(quick.and_then(|q| q.arms.as_ref()));
        let all: Vec<String> = experiment.arms.iter().map(|a| a.name.clone()).collect();
        if let Some(arm) = wanted.into_iter().flatten().find(|a| !all.iter().any(|name| matches(a, name))) {
            let nearest = nearest(arm, all.iter().map(String::as_str));
            return Err(NoSuchArm { experiment: experiment.name.clone(), arm: arm.clone(), nearest, known: all });
        }
        let arms = all.into_iter().filter(|a| wanted.is_none_or(|w| w.iter().any(|p| matches(p, a)))).collect();
        Ok(ExperimentPlan { runs_per_arm, arms })
    }

    /// The runs, in order. Adding runs or removing arms does not change the order of the others.
    pub fn runs(&self, experiment: &Experiment, random_seed: u64) -> Vec<PlannedRun> {
        let round = |round: u32| {
            let mut arms: Vec<&Arm> = experiment.arms.iter().collect();
            Random::new(Random::new(random_seed).number().wrapping_add(u64::from(round))).shuffle(&mut arms);
            arms.into_iter().map(move |arm| PlannedRun { arm: arm.name.clone(), round })
        };
        (1..=self.runs_per_arm).flat_map(round).filter(|run| self.arms.contains(&run.arm)).collect()
    }
}

/// A random seed, short enough to type.
pub(super) fn draw_seed() -> u64 {
    // The standard library's hashers are keyed by the system's random numbers.
    RandomState::new().hash_one("experiment") >> 34
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn experiment(arms: usize) -> Experiment {
        let arms: String = (0..arms).map(|n| format!("[[arm]]\nname = \"a{n}\"\n")).collect();
        let head = "name = \"x\"\nabout = \"\"\nruns = 4\n[quick]\nruns = 2\narms = [\"a0\"]\n";
        Experiment::parse(Path::new("x.toml"), &format!("{head}[defaults]\nkernel = \"6.12\"\n{arms}")).unwrap()
    }

    fn plan(experiment: &Experiment, choice: RunSelection) -> ExperimentPlan {
        ExperimentPlan::of(experiment, &choice).unwrap()
    }

    #[test]
    fn what_is_chosen_wins_over_quick_and_that_over_the_file() {
        let experiment = experiment(3);
        let check = |quick, runs, arms: &[&str], expected: (u32, &[&str])| {
            let arms = arms.iter().map(|a| (*a).to_owned()).collect();
            let plan = plan(&experiment, RunSelection { quick, runs, arms });
            assert_eq!(
                (plan.runs_per_arm, plan.arms.iter().map(String::as_str).collect::<Vec<_>>()),
                (expected.0, expected.1.to_vec())
            );
        };
        check(false, None, &[], (4, &["a0", "a1", "a2"]));
        check(true, None, &[], (2, &["a0"]));
        check(true, Some(9), &["a2", "a1"], (9, &["a1", "a2"]));
        check(false, None, &["*1", "a2*"], (4, &["a1", "a2"]));
        let none =
            ExperimentPlan::of(&experiment, &RunSelection { arms: vec!["a9".into()], ..RunSelection::default() })
                .unwrap_err();
        assert_eq!(none.to_string(), "experiment `x` has no arm `a9`; it has a0, a1, a2");
    }

    #[test]
    fn the_order_is_not_the_files() {
        let experiment = experiment(6);
        let plan = plan(&experiment, RunSelection::default());
        let orders: Vec<Vec<PlannedRun>> = (0..20).map(|seed| plan.runs(&experiment, seed)).collect();
        let first: std::collections::BTreeSet<&str> = orders.iter().map(|o| o[0].arm.as_str()).collect();
        assert!(first.len() > 3, "{first:?}");
    }

    proptest! {
        #[test]
        fn rounds_are_balanced_and_come_again_with_their_seed(arms in 1_usize..8, rounds in 1_u32..7, seed: u64) {
            let experiment = experiment(arms);
            let plan = plan(&experiment, RunSelection { runs: Some(rounds), ..RunSelection::default() });
            let runs = plan.runs(&experiment, seed);
            prop_assert_eq!(&runs, &plan.runs(&experiment, seed));
            prop_assert_eq!(runs.len(), arms * rounds as usize);
            for stop in 0..=runs.len() {
                let mut done: BTreeMap<&str, u32> = experiment.arms.iter().map(|a| (a.name.as_str(), 0)).collect();
                runs[..stop].iter().for_each(|r| *done.get_mut(r.arm.as_str()).unwrap() += 1);
                let (least, most) = (done.values().min().unwrap(), done.values().max().unwrap());
                prop_assert!(most - least <= 1);
            }
        }

        #[test]
        fn more_runs_and_fewer_arms_keep_the_order(arms in 2_usize..8, seed: u64) {
            let experiment = experiment(arms);
            let all = plan(&experiment, RunSelection { runs: Some(5), ..RunSelection::default() }).runs(&experiment, seed);
            let fewer = plan(&experiment, RunSelection { runs: Some(3), arms: vec!["a0".into(), "a1".into()], ..RunSelection::default() });
            let expected: Vec<PlannedRun> =
                all.into_iter().filter(|r| r.round <= 3 && (r.arm == "a0" || r.arm == "a1")).collect();
            prop_assert_eq!(fewer.runs(&experiment, seed), expected);
        }
    }
}
