// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware and boot loader do between two of their messages: a step that announces itself takes until the next record.
use super::Finding;
use super::case::{Case, apart};
use super::finding::cite_at;
use super::silence::{self, Silence};
use super::wording::{clock, seconds};
use super::{RuleId, TimeRange};
use crate::remedy::Remedy;
use bootline_capture::units::{Dur, Interval};

/// Shorter steps are not reported.
const LEAST: Dur = Dur::from_millis(100);

/// What a kernel says first.
const FIRST_WORDS: [&str; 2] = ["Booting Linux on", "Linux version "];

/// What a rule about boot loaders' steps says.
pub(super) struct LoaderSteps<'w> {
    pub rule: RuleId,
    /// Words that announce such a step.
    pub words: &'w [&'w str],
    /// What the steps do: `checking images in the boot loader`.
    pub what: &'w str,
}

impl LoaderSteps<'_> {
    /// One finding, or none if the steps took too little to count; the remedies may depend on the records.
    pub fn findings(&self, case: &Case<'_>, remedies: impl FnOnce(&[&str]) -> Vec<Remedy>) -> Vec<Finding> {
        self.finding(case, remedies).into_iter().collect()
    }

    fn finding(&self, case: &Case<'_>, remedies: impl FnOnce(&[&str]) -> Vec<Remedy>) -> Option<Finding> {
        let said = |text: &str| self.words.iter().any(|w| text.contains(w));
        let announced: Vec<(usize, &str)> = case.before_kernel().filter(|(_, text)| said(text)).collect();
        // A kernel that is quiet says its first word long after it started.
        let quiet = |s: &Silence| {
            let kernel = case.kernel(s.before).map(|r| r.text);
            kernel.is_some_and(|text| !FIRST_WORDS.iter().any(|first| text.starts_with(first)))
        };
        let steps = announced.iter().filter_map(|(i, _)| silence::after(case, *i)).filter(|s| !quiet(s));
        let steps: Vec<Silence> = steps.collect();
        let ranges = apart(&steps.iter().map(|s| s.time_range).collect::<Vec<TimeRange>>());
        let cost = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
        if cost.best() < LEAST {
            return None;
        }
        // What is written last may be printed at the step's end, or in the next step.
        let longest = steps.iter().max_by_key(|s| s.net.best())?;
        let mut cited: Vec<usize> = announced.iter().map(|(i, _)| *i).take(4).collect();
        cited.extend([longest.after, longest.before]);
        cited.sort_unstable();
        cited.dedup();
        let texts: Vec<&str> = announced.iter().map(|(_, text)| *text).collect();
        Some(Finding {
            rule: self.rule,
            title: format!("{} took {}", self.what, seconds(cost.best())),
            cost: Interval::new(Dur::ZERO, cost.best(), cost.high()),
            part_of: Vec::new(),
            time_ranges: ranges,
            why: format!("{}: from each record that announces such a step to the next record", clock(case)),
            evidence: cite_at(case.boot, cited),
            remedies: remedies(&texts),
        })
    }
}
