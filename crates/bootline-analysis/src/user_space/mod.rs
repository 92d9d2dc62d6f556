// SPDX-License-Identifier: MIT OR Apache-2.0
//! User space: what each unit waited for, which units decided when the application was up, and how much later the others could be.
//!
//! Three steps. `ordering` finds what an activation really waited for: of the units that it starts after, those that were up
//! before it. `unit_time` divides each unit's time at that. `unit_chain` goes back from the application along what was up last.
mod ordering;
mod reach;
mod requiring;
mod unit_chain;
mod unit_time;

pub(crate) use ordering::{SAME_INSTANT, first_moment, is_default_dependency, is_implied, waited_for};
pub(crate) use reach::reached;
pub(crate) use requiring::requiring;
pub(crate) use unit_chain::last_unit;
pub use unit_chain::{ChainLink, UnitChain, UnitSlack};
pub use unit_time::{UnitTime, unit_times};

#[cfg(test)]
mod tests;
