// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums of parts: of those that a report has no room for, and of those that changed in the same way.

use super::decomposition::{Contribution, Decomposition, ObservedChange};
use bootline_capture::units::Dur;

/// What some parts add to the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartSum {
    /// Number of parts.
    pub parts: usize,
    /// Work that they add.
    pub work: Dur,
    /// Waits for the console that they add.
    pub console: Dur,
    /// Bytes for the console that they add, on average.
    pub bytes: i64,
}

impl PartSum {
    /// The sum of these parts.
    pub fn of<'c>(parts: impl IntoIterator<Item = &'c Contribution>) -> PartSum {
        parts.into_iter().fold(PartSum::default(), |sum, c| PartSum {
            parts: sum.parts + 1,
            work: sum.work + c.work,
            console: sum.console + c.console,
            // A baseline may contain any numbers.
            bytes: sum.bytes.saturating_add(c.bytes),
        })
    }

    /// Work and waits.
    pub fn total(&self) -> Dur {
        self.work + self.console
    }
}

/// How a part changed, if chance is ruled out: each part is in exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartChange {
    /// Only the later set has it.
    New,
    /// Only the earlier set has it.
    Gone,
    /// It takes longer.
    Slower,
    /// It takes less.
    Faster,
    /// It takes as long, as far as the runs show, but at another position.
    Moved,
    /// Chance may explain what it adds, if anything.
    Inconclusive,
}

impl Contribution {
    /// How it changed, unless chance may explain it.
    pub fn part_change(&self) -> PartChange {
        match self.observed {
            ObservedChange::New if self.is_clear() => PartChange::New,
            ObservedChange::Gone if self.is_clear() => PartChange::Gone,
            ObservedChange::Slower if self.is_clear() => PartChange::Slower,
            ObservedChange::Faster if self.is_clear() => PartChange::Faster,
            _ if self.moved.is_some() => PartChange::Moved,
            _ => PartChange::Inconclusive,
        }
    }

    /// Whether it is worth reporting. A part that moved is news even if it takes as long.
    fn is_news(&self) -> bool {
        self.total() != Dur::ZERO || self.moved.is_some()
    }
}

impl Decomposition {
    /// The `most` most important parts, and the others.
    pub fn fold(&self, most: usize) -> (Vec<&Contribution>, Vec<&Contribution>) {
        let mut shown = 0;
        self.contributions.iter().partition(|c| {
            let show = c.is_news() && shown < most;
            shown += usize::from(show);
            show
        })
    }

    /// What the parts add, by how they changed; together the whole.
    pub fn sums(&self) -> Vec<(PartChange, PartSum)> {
        use PartChange::{Faster, Gone, Inconclusive, Moved, New, Slower};
        let of = |part_change| PartSum::of(self.contributions.iter().filter(|c| c.part_change() == part_change));
        let all = [New, Gone, Slower, Faster, Moved, Inconclusive].map(|part_change| (part_change, of(part_change)));
        all.into_iter().filter(|(_, sum)| sum.parts > 0).collect()
    }
}
