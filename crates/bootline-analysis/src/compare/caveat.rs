// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader must know before trusting the figures of a comparison.
use std::fmt;

use serde::Serialize;

use super::change::QuantityChange;
use super::measures::RunSetup;
use super::quantity::Quantity;
use super::run_set::RunSet;
use bootline_stats::{confidence_of_difference, min_runs_against};

/// A caveat of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Caveat {
    /// A set's runs were not all taken under one setup.
    Mixed {
        /// The set.
        set: String,
        /// What differs.
        what: &'static str,
    },
    /// The sets were taken under different setups.
    Differs {
        /// What differs.
        what: &'static str,
        /// Value in the earlier set.
        from: String,
        /// Value in the later set.
        to: String,
    },
    /// Too few runs to distinguish any difference from chance.
    TooFew {
        /// Runs of the earlier and the later set.
        runs: [usize; 2],
        /// Share of cases in which such an interval contains the truth.
        confidence: f64,
        /// Number of runs that the later set would need, compared with the earlier one.
        needed: Option<usize>,
    },
    /// One set has more than twice as many runs as the other.
    Unequal {
        /// Runs of the earlier and the later set.
        runs: [usize; 2],
    },
    /// The runs of a set fall into two groups.
    TwoGroups {
        /// The set.
        set: String,
        /// The quantity.
        quantity: Quantity,
        /// Number of runs in the lower and in the upper group.
        groups: [usize; 2],
        /// The largest value of the lower and the smallest of the upper group, in nanoseconds or bytes.
        between: [f64; 2],
    },
    /// So many initcalls are compared that none of them can be distinguished from chance on its own.
    NoneAlone {
        /// Runs of the earlier and the later set.
        runs: [usize; 2],
        /// Number of initcalls, probes and async calls that differ by a relevant amount between any two runs.
        among: usize,
        /// Number of runs that each set would need.
        needed: usize,
    },
    /// Runs were left out.
    LeftOut {
        /// The set.
        set: String,
        /// How many.
        runs: usize,
    },
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::Mixed { set, what } => write!(f, "the runs of {set} don't all have the same {what}"),
            Caveat::Differs { what, from, to } => write!(f, "the {what} differs: {from} before, {to} now"),
            Caveat::TooFew { runs: [from, to], confidence, needed } => {
                write!(
                    f,
                    "{from} + {to} runs cannot distinguish a difference from chance: intervals cover the true value in at most \
                     {:.1} % of cases",
                    confidence * 100.0
                )?;
                match needed {
                    Some(needed) => write!(f, "; against {from} of the first set, the second needs {needed}"),
                    None => Ok(()),
                }
            }
            Caveat::Unequal { runs: [from, to] } => {
                write!(f, "{from} runs against {to}: the smaller set limits what can be detected")
            }
            Caveat::TwoGroups { set, quantity, groups: [lower, upper], .. } => {
                write!(
                    f,
                    "the runs of {set} fall into two groups by {quantity}, {lower} and {upper}: no median represents them"
                )
            }
            Caveat::NoneAlone { runs: [from, to], among, needed } => write!(
                f,
                "{among} initcalls and probes vary by a relevant amount; to distinguish one of so many from chance takes \
                 {needed} + {needed} runs, not {from} + {to}"
            ),
            Caveat::LeftOut { set, runs } => {
                write!(f, "{runs} {} of {set} left out", if *runs == 1 { "run" } else { "runs" })
            }
        }
    }
}

/// All caveats of two sets.
pub(super) fn caveats(from: &RunSet, to: &RunSet, changes: &[QuantityChange]) -> Vec<Caveat> {
    let mut found = Vec::new();
    let runs = [from.n(), to.n()];
    let confidence = confidence_of_difference(from.n(), to.n());
    if confidence < 0.95 {
        found.push(Caveat::TooFew { runs, confidence, needed: min_runs_against(from.n()) });
    } else if runs[0] > 2 * runs[1] || runs[1] > 2 * runs[0] {
        found.push(Caveat::Unequal { runs });
    }
    found.extend(setup_caveats(Some(from), to));
    for change in changes.iter().filter(|c| c.quantity.is_time_to_end()) {
        for (set, summary) in [(from, &change.from), (to, &change.to)] {
            if let Some(g) = summary.as_ref().and_then(|s| s.groups) {
                found.push(Caveat::TwoGroups {
                    set: set.name.clone(),
                    quantity: change.quantity.clone(),
                    groups: [g.lower, g.upper],
                    between: [g.below, g.above],
                });
            }
        }
    }
    for set in [from, to].into_iter().filter(|s| !s.excluded.is_empty()) {
        found.push(Caveat::LeftOut { set: set.name.clone(), runs: set.excluded.len() });
    }
    found
}

/// Caveats about the setups of runs, and of those that they are compared with.
pub fn setup_caveats(from: Option<&RunSet>, to: &RunSet) -> Vec<Caveat> {
    let mut found: Vec<Caveat> = from.into_iter().chain([to]).flat_map(mixed).collect();
    let setups = |set: &RunSet| set.setups().first().map(|(s, _)| (*s).clone());
    if let (Some(before), Some(after)) = (from.and_then(setups), setups(to)) {
        found.extend(differences(&before, &after));
    }
    found
}

fn mixed(set: &RunSet) -> Vec<Caveat> {
    let setups = set.setups();
    let Some((first, _)) = setups.first() else { return Vec::new() };
    let mut named: Vec<&'static str> = setups
        .iter()
        .skip(1)
        .flat_map(|(other, _)| differences(first, other))
        .filter_map(|c| match c {
            Caveat::Differs { what, .. } => Some(what),
            _ => None,
        })
        .collect();
    named.dedup();
    named.into_iter().map(|what| Caveat::Mixed { set: set.name.clone(), what }).collect()
}

fn differences(before: &RunSetup, after: &RunSetup) -> Vec<Caveat> {
    let mut found = Vec::new();
    let mut note = |what, from: String, to: String| {
        if from != to {
            found.push(Caveat::Differs { what, from, to });
        }
    };
    let or_unknown = |v: Option<String>| v.unwrap_or_else(|| "unknown".to_owned());
    note("kernel", or_unknown(before.kernel.clone()), or_unknown(after.kernel.clone()));
    let only = |a: &RunSetup, b: &RunSetup| {
        let words: Vec<&str> =
            a.command_line.iter().filter(|w| !b.command_line.contains(w)).map(String::as_str).collect();
        if words.is_empty() { "no other parameters".to_owned() } else { words.join(" ") }
    };
    if before.command_line != after.command_line {
        match (only(before, after), only(after, before)) {
            (a, b) if a == b => {
                note("order of the command line", before.command_line.join(" "), after.command_line.join(" "))
            }
            (a, b) => note("command line", a, b),
        }
    }
    let number = |n: Option<u32>| or_unknown(n.map(|n| n.to_string()));
    note("number of CPUs", number(before.cpus), number(after.cpus));
    note("console", or_unknown(before.console.clone()), or_unknown(after.console.clone()));
    note("declared baud", number(before.baud), number(after.baud));
    note("clock", word(&before.clock), word(&after.clock));
    note("end of the boot", word(&before.ended_by), word(&after.ended_by));
    note("beginning of the time", word(&before.since), word(&after.since));
    if let (Some(before), Some(after)) = (before.stages_since, after.stages_since) {
        note("beginning of the stages", word(&before), word(&after));
    }
    if let (Some(before), Some(after)) = (&before.stages_until, &after.stages_until) {
        note("end of the stages", before.clone(), after.clone());
    }
    found
}

/// Serde's name of a unit variant.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant serialises to a string, not {other:?}"),
    }
}
