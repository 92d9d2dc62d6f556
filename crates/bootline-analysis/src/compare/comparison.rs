// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two sets of runs compared.
use std::collections::BTreeSet;

use super::caveat::{Caveat, caveats};
use super::change::{QuantityChange, Thresholds};
use super::decomposition::{Decomposition, decompose};
use super::false_discovery::{Candidate, adjusted_p_values, can_matter};
use super::part::PartKey;
use super::quantity::Quantity;
use super::run_set::{Excluded, RunSet};
use bootline_capture::units::Dur;
use bootline_stats::{confidence_of_any, confidence_of_difference, minimum_detectable_effect};

/// Two sets of runs, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The names of the earlier and the later set.
    pub names: [String; 2],
    /// Number of runs of each.
    pub runs: [usize; 2],
    /// What each run was read from.
    pub sources: [Vec<String>; 2],
    /// Unusable runs of each.
    pub excluded: [Vec<Excluded>; 2],
    /// What to know before trusting the figures.
    pub caveats: Vec<Caveat>,
    /// The thresholds used.
    pub thresholds: Thresholds,
    /// Time to the boot's end, phases, console, markers; then initcalls, probes, async calls.
    pub changes: Vec<QuantityChange>,
    /// Where the difference of the time to the boot's end comes from, part by part.
    pub decomposition: Decomposition,
    /// Minimum detectable effect on that time: the smallest difference that sets like these show in four of five cases,
    /// in nanoseconds; none if they are too small to show any.
    pub minimum_detectable_effect: Option<f64>,
}

/// Compares two sets. None if one has no runs.
pub fn compare(from: &RunSet, to: &RunSet, thresholds: Thresholds) -> Option<Comparison> {
    if from.n() == 0 || to.n() == 0 {
        return None;
    }
    let all: BTreeSet<&Quantity> = from.quantities().union(&to.quantities()).copied().collect();
    // Spans that a baseline stores only as a sum can't be compared one by one.
    let known = |q: &&&Quantity| match q {
        Quantity::Span(kind, name) => {
            let key = PartKey::of_span(*kind, name);
            !from.short.contains(&key) && !to.short.contains(&key)
        }
        _ => true,
    };
    let mut changes: Vec<QuantityChange> =
        all.iter().filter(known).filter_map(|q| QuantityChange::of(q, from, to)).collect();
    let alone = adjust_all(&mut changes, from, to, &thresholds);
    for change in &mut changes {
        change.judge(&thresholds);
    }
    let whole = changes.iter().find(|c| c.quantity.is_time_to_end()).map(|c| c.quantity.clone());
    let seen = whole.and_then(|q| minimum_detectable_effect(&to.values(&q)?, &from.values(&q)?, 0));
    Some(Comparison {
        names: [from.name.clone(), to.name.clone()],
        runs: [from.n(), to.n()],
        sources: [from, to].map(|set| set.runs.iter().map(|r| r.source.clone()).collect()),
        excluded: [from.excluded.clone(), to.excluded.clone()],
        caveats: caveats(from, to, &changes).into_iter().chain(alone).collect(),
        thresholds,
        decomposition: decompose(from, to),
        minimum_detectable_effect: seen,
        changes,
    })
}

impl Comparison {
    /// How the time to the boot's end differs.
    pub fn headline(&self) -> Option<&QuantityChange> {
        self.changes.iter().find(|c| c.quantity.is_time_to_end())
    }

    /// Quantities that a boot has once: its time, phases, console, markers.
    pub fn single(&self) -> impl Iterator<Item = &QuantityChange> {
        self.changes.iter().filter(|c| !c.quantity.is_one_of_many())
    }

    /// Quantities of which a boot has hundreds: initcalls, probes, async calls; the largest differences first.
    pub fn many(&self) -> Vec<&QuantityChange> {
        let mut many: Vec<&QuantityChange> = self.changes.iter().filter(|c| c.quantity.is_one_of_many()).collect();
        many.sort_by(|a, b| b.adds().abs().total_cmp(&a.adds().abs()));
        many
    }

    /// How far the difference of the medians is from that of the means, which is the one that is decomposed.
    pub fn median_against_mean(&self) -> Option<Dur> {
        let medians = self.headline()?.difference?;
        Some(Dur::from_nanos(medians.best as i64) - self.decomposition.whole)
    }
}

/// Of hundreds of initcalls some differ by chance. Returns a caveat if a single one of them would not be reported,
/// however much it differed.
fn adjust_all(changes: &mut [QuantityChange], from: &RunSet, to: &RunSet, thresholds: &Thresholds) -> Option<Caveat> {
    let mut many: Vec<(&mut QuantityChange, Candidate)> = changes
        .iter_mut()
        .filter(|c| c.quantity.is_one_of_many())
        .filter_map(|c| {
            let values = |set: &RunSet| set.values(&c.quantity).or_else(|| set.none_of(&c.quantity));
            let can_matter = can_matter(&values(from)?, &values(to)?, thresholds.effect.as_nanos() as f64);
            let found = Candidate { p: c.p_value?, can_matter };
            Some((c, found))
        })
        .collect();
    let found: Vec<Candidate> = many.iter().map(|(_, f)| Candidate { ..*f }).collect();
    for ((change, _), adjusted) in many.iter_mut().zip(adjusted_p_values(&found)) {
        change.p_value = Some(adjusted);
    }
    let among = found.iter().filter(|f| f.can_matter).count();
    let least = |n: usize, m: usize| (1.0 - confidence_of_any(n, m)) * among as f64;
    let runs = [from.n(), to.n()];
    // Fewer runs show nothing at all; another caveat reports that.
    let detectable = least(runs[0], runs[1]) <= thresholds.significance;
    if detectable || confidence_of_difference(runs[0], runs[1]) < 0.95 {
        return None;
    }
    let needed = (4..1000).find(|n| least(*n, *n) <= thresholds.significance)?;
    Some(Caveat::NoneAlone { runs, among, needed })
}
