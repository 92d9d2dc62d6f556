// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a remedy.

/// What can go wrong with a remedy, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// The system works as before; at most, messages are missing when it doesn't.
    Low,
    /// A device or function may come later, get another name, or be missing.
    Medium,
    /// The system may not boot, lose data, or misbehave, if what the remedy assumes is wrong.
    High,
}

impl Risk {
    /// `medium`
    pub const fn name(self) -> &'static str {
        match self {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
        }
    }
}
