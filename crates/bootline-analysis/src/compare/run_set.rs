// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of runs of the same system.
use std::collections::{BTreeMap, BTreeSet};

use super::measures::{RunMeasures, RunSetup};
use super::part::{Part, PartKey, PartPosition};
use super::quantity::Quantity;
use bootline_capture::units::Dur;
use bootline_stats::Samples;

/// Runs that are assumed to be of the same system, and those that were excluded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSet {
    /// Name given by the caller: a folder, a file.
    pub name: String,
    /// In the order in which they were read.
    pub runs: Vec<RunMeasures>,
    /// Runs that can't be used.
    pub excluded: Vec<Excluded>,
    /// Spans that the runs have only as a sum, in [`PartKey::Short`]; empty except for a stored baseline.
    pub short: BTreeSet<PartKey>,
}

/// A run that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Name given by the caller.
    pub source: String,
    /// Why.
    pub why: String,
    /// Whether it was known to be invalid, as a run in which the lab lost bytes; otherwise the boot failed or its log
    /// is damaged.
    pub expected: bool,
}

/// A span that works at least this long in any run is stored by itself in a baseline.
pub const SHORT: Dur = Dur::from_millis(1);
/// So is one that prints more than this many bytes; initcall_debug's own two records have some 150.
const TERSE: u64 = 512;

impl RunSet {
    /// Number of runs.
    pub fn n(&self) -> usize {
        self.runs.len()
    }

    /// The numbers that the runs have for a quantity.
    pub fn values(&self, quantity: &Quantity) -> Option<Samples> {
        Samples::new(self.numbers(quantity).into_iter().flatten().map(|v| v as f64))
    }

    /// The same, run by run; all none if no run has it. A run whose log names initcalls has zero for a missing one,
    /// but none for one that did not return.
    pub fn numbers(&self, quantity: &Quantity) -> Vec<Option<i64>> {
        let present = self.runs.iter().any(|r| r.values.contains_key(quantity));
        let of_run = |run: &RunMeasures| match run.values.get(quantity) {
            None if present && run.would_tell(quantity) => Some(0),
            value => value.copied(),
        };
        self.runs.iter().map(of_run).collect()
    }

    /// Zeros for a missing initcall, probe or async call, if the logs of all runs would say how long it took.
    pub fn none_of(&self, quantity: &Quantity) -> Option<Samples> {
        let would = self.runs.iter().all(|r| r.would_tell(quantity));
        would.then(|| Samples::new(self.runs.iter().map(|_| 0.0))).flatten()
    }

    /// Number of runs that have a value for it.
    pub fn present(&self, quantity: &Quantity) -> usize {
        self.runs.iter().filter(|r| r.values.contains_key(quantity)).count()
    }

    /// The quantities that any run has a value for.
    pub fn quantities(&self) -> BTreeSet<&Quantity> {
        self.runs.iter().flat_map(|r| r.values.keys()).collect()
    }

    /// The different setups, each with its number of runs; the most frequent first.
    pub fn setups(&self) -> Vec<(&RunSetup, usize)> {
        let mut found: Vec<(&RunSetup, usize)> = Vec::new();
        for run in &self.runs {
            match found.iter_mut().find(|(s, _)| **s == run.setup) {
                Some((_, n)) => *n += 1,
                None => found.push((&run.setup, 1)),
            }
        }
        found.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        found
    }

    /// The run with the median time, or the next shorter one.
    pub fn median_run(&self) -> Option<&RunMeasures> {
        self.median_by(RunMeasures::time)
    }

    /// The median length of the whole boot where it was measured, else time to the boot's end, in nanoseconds.
    pub fn median_whole_time(&self) -> Option<i64> {
        self.median_by(RunMeasures::whole_time).map(RunMeasures::whole_time)
    }

    fn median_by(&self, time: impl Fn(&RunMeasures) -> i64) -> Option<&RunMeasures> {
        let mut by_time: Vec<&RunMeasures> = self.runs.iter().collect();
        by_time.sort_by_key(|r| time(r));
        by_time.get(by_time.len().checked_sub(1)? / 2).copied()
    }

    /// Spans that are short in all runs.
    pub fn short_spans(&self) -> BTreeSet<PartKey> {
        let mut all_short: BTreeMap<&PartKey, bool> = BTreeMap::new();
        for part in self.runs.iter().flat_map(|r| &r.parts).filter(|p| p.key.is_span()) {
            *all_short.entry(&part.key).or_insert(true) &= part.work < SHORT && part.bytes < TERSE;
        }
        all_short.into_iter().filter(|(_, short)| *short).map(|(key, _)| key.clone()).collect()
    }

    /// Sums up the parts of `names` in each run, and drops the numbers of those spans.
    pub fn sum_up(&mut self, names: &BTreeSet<PartKey>) {
        let forget = |q: &Quantity| match q {
            Quantity::Span(kind, name) => names.contains(&PartKey::of_span(*kind, name)),
            _ => false,
        };
        for run in &mut self.runs {
            run.values.retain(|q, _| !forget(q));
            let (short, mut kept): (Vec<Part>, Vec<Part>) = std::mem::take(&mut run.parts)
                .into_iter()
                .partition(|p| names.contains(&p.key) || p.key == PartKey::Short);
            if let Some(start) = short.iter().map(|p| p.start).min() {
                kept.push(Part {
                    key: PartKey::Short,
                    work: short.iter().map(|p| p.work).sum(),
                    console: short.iter().map(|p| p.console).sum(),
                    bytes: short.iter().fold(0, |sum, p| sum.saturating_add(p.bytes)),
                    place: PartPosition { phase: None, main: true },
                    start,
                    records: None,
                });
            }
            run.parts = kept;
        }
        self.short.extend(names.iter().cloned());
    }
}
