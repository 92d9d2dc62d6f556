// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shapes that repeat the verdict, so that colour is never needed to read it: an arrow to the right is later, to the
//! left earlier, a plus is new, a minus gone; a hollow shape is not distinguished from zero.
use bootline_analysis::compare::{ChangeVerdict, PartChange};

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    More,
    Less,
    New,
    Gone,
    Moved,
    /// Chance may explain it.
    Chance,
    /// Real, but too small to matter, or within noise.
    Small,
    /// Unknown: too few runs.
    Unknown,
}

impl Icon {
    pub fn of_verdict(verdict: ChangeVerdict) -> Icon {
        match verdict {
            ChangeVerdict::More => Icon::More,
            ChangeVerdict::Less => Icon::Less,
            ChangeVerdict::New => Icon::New,
            ChangeVerdict::Gone => Icon::Gone,
            ChangeVerdict::NotSignificant => Icon::Chance,
            ChangeVerdict::TooSmall | ChangeVerdict::Noise => Icon::Small,
            ChangeVerdict::TooFew => Icon::Unknown,
        }
    }

    pub fn of_part(part_change: PartChange) -> Icon {
        match part_change {
            PartChange::New => Icon::New,
            PartChange::Gone => Icon::Gone,
            PartChange::Slower => Icon::More,
            PartChange::Faster => Icon::Less,
            PartChange::Moved => Icon::Moved,
            PartChange::Inconclusive => Icon::Chance,
        }
    }

    /// The class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Icon::More => "more",
            Icon::Less => "less",
            Icon::New => "new",
            Icon::Gone => "gone",
            Icon::Moved => "moved",
            Icon::Chance => "chance",
            Icon::Small => "small",
            Icon::Unknown => "unknown",
        }
    }

    /// Path around the origin.
    fn path(self) -> &'static str {
        match self {
            Icon::More => "M-4-5L5 0L-4 5Z",
            Icon::Less => "M4-5L-5 0L4 5Z",
            Icon::New => "M-1.5-5h3v3.5H5v3H1.5V5h-3V1.5H-5v-3h3.5Z",
            Icon::Gone => "M-5-1.5H5v3H-5Z",
            Icon::Moved => "M-1-5L-5-2L-1 1V-1H5V-3H-1ZM1-1L5 2L1 5V3H-5V1H1Z",
            Icon::Chance => "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
            Icon::Small => "M-3.5-3.5h7v7h-7Z",
            Icon::Unknown => "M0-5L5 0L0 5L-5 0Z",
        }
    }

    /// The shape for running text.
    pub fn inline(self) -> String {
        format!(
            "<svg class=\"icon {}\" viewBox=\"-6 -6 12 12\" aria-hidden=\"true\"><path d=\"{}\"/></svg>",
            self.class(),
            self.path()
        )
    }

    /// The shape on an axis, in the middle of its height.
    pub fn at(self, x: &str) -> String {
        format!("<svg x=\"{x}\" y=\"50%\" class=\"icon {}\"><path d=\"{}\"/></svg>", self.class(), self.path())
    }
}
