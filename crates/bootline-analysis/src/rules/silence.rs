// SPDX-License-Identifier: MIT OR Apache-2.0
//! Silences that a record next to them explains: a driver waited for something, and its own words say for what.
use std::collections::BTreeSet;

use super::case::Case;
use super::finding::cite_at;
use super::wording::clock;
use super::{Finding, RuleId, TimeRange};
use crate::remedy::Remedy;
use bootline_capture::units::{Dur, Interval};

/// The time between two consecutive records, of whatever source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    /// Position of the record before it.
    pub after: usize,
    /// Position of the record that ends it.
    pub before: usize,
    pub time_range: TimeRange,
    /// Its length without waits for the console and without what other rules explain.
    pub net: Interval,
}

/// Further away, a neighbour with a time is not looked for.
const FAR: usize = 1_000;

/// The silence that ends with the record at a position. Where stamps went back, it begins with the latest of the times before.
pub(super) fn before(case: &Case<'_>, index: usize) -> Option<Silence> {
    case.at(index)?;
    let near = (index.saturating_sub(FAR)..index).rev().filter_map(|i| Some((i, case.at(i)?))).take(8);
    between(case, near.max_by_key(|(i, at)| (*at, *i))?.0, index)
}

/// The silence that begins with the record at a position.
pub(super) fn after(case: &Case<'_>, index: usize) -> Option<Silence> {
    case.at(index)?;
    let end = case.boot.records.len().min(index + 1 + FAR);
    between(case, index, (index + 1..end).find(|i| case.at(*i).is_some())?)
}

fn between(case: &Case<'_>, after: usize, before: usize) -> Option<Silence> {
    let (time_range, net) = case.net_between(after, before)?;
    (time_range.to > time_range.from).then_some(Silence { after, before, time_range, net })
}

/// The silences of at least this length that end with a kernel record which contains one of the texts, in order and apart.
pub(super) fn ending_with(case: &Case<'_>, texts: &[&str], least: Dur) -> Vec<Silence> {
    let mut silences: Vec<Silence> = Vec::new();
    for s in saying(case, texts).filter_map(|i| before(case, i)).filter(|s| s.net.best() >= least) {
        if silences.last().is_none_or(|l| l.time_range.to <= s.time_range.from) {
            silences.push(s);
        }
    }
    silences
}

/// The silences of at least this length that begin with a kernel record which contains one of the texts, in order.
pub(super) fn beginning_with(case: &Case<'_>, texts: &[&str], least: Dur) -> Vec<Silence> {
    saying(case, texts).filter_map(|i| after(case, i)).filter(|s| s.net.best() >= least).collect()
}

/// The positions of the kernel records that contain one of the texts, in order.
fn saying(case: &Case<'_>, texts: &[&str]) -> impl Iterator<Item = usize> + use<> {
    let found: BTreeSet<usize> = texts.iter().flat_map(|t| case.find(t).map(|(i, _)| i).collect::<Vec<_>>()).collect();
    found.into_iter()
}

/// The device or function that a record names before its first colon: `imx6q-pcie 1ffc000.pcie`.
pub(super) fn subject(text: &str) -> Option<&str> {
    /// No driver with its device is longer.
    const LONGEST: usize = 64;
    text.split_once(": ").map(|(subject, _)| subject).filter(|s| s.len() <= LONGEST)
}

/// What the silences cost together.
pub(super) fn cost(silences: &[Silence]) -> Interval {
    silences.iter().fold(Interval::default(), |sum, s| sum + s.net)
}

/// A finding whose time is that of some silences. Nothing proves that the boot would not have waited for something else in
/// the meantime, so it may cost nothing.
pub(super) fn finding(
    case: &Case<'_>,
    rule: RuleId,
    silences: &[Silence],
    title: String,
    remedies: Vec<Remedy>,
) -> Finding {
    /// More records prove no more.
    const CITED: usize = 8;
    let sum = cost(silences);
    let mut cited: Vec<usize> = silences.iter().flat_map(|s| [s.after, s.before]).collect();
    cited.dedup();
    cited.truncate(CITED);
    Finding {
        rule,
        title,
        cost: Interval::new(Dur::ZERO, sum.best(), sum.high()),
        part_of: Vec::new(),
        time_ranges: silences.iter().map(|s| s.time_range).collect(),
        why: format!("{}, without waits for the console: nothing was logged between the records below", clock(case)),
        evidence: cite_at(case.boot, cited),
        remedies,
    }
}
