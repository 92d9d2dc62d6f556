// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the dependencies between units the sources show.

/// How much of the dependencies between units the sources show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependenciesKnown {
    /// Nothing.
    #[default]
    Nothing,
    /// For which units some waited, by what systemd logs at level debug: the last one of them, and maybe others.
    Waits,
    /// What each unit is ordered after, requires, wants and is started by.
    All,
}
