// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs against runs, and runs against a budget.
//!
//! ```text
//! Boot ─▶ Measures ─┐
//!        Baseline ──┴▶ RunSet, RunSet ─┬▶ compare ─▶ Comparison { changes, decomposition, caveats }
//!                             Budget ──┴▶ check ───▶ CheckedLimit, one per limit
//! ```
//!
//! It knows no files and no clock: the caller reads a baseline's text and notes when it was taken.
mod baseline;
mod budget;
mod caveat;
mod change;
mod checked_limit;
mod comparison;
mod decomposition;
mod false_discovery;
mod gate;
mod gate_reason;
mod largest_part;
mod measures;
mod part;
mod part_column;
mod part_move;
mod quantity;
mod run_set;
mod sum;

#[cfg(test)]
mod tests;

pub use baseline::{BASELINE_SCHEMA, Baseline, BaselineError, MOST_RUNS, StoredPart};
pub use budget::{Budget, BudgetError, Increase, LimitRule};
pub use caveat::{Caveat, setup_caveats};
pub use change::{ChangeVerdict, QuantityChange, SetSummary, Thresholds};
pub use checked_limit::{CheckedLimit, GateOutcome, LimitKind};
pub use comparison::{Comparison, compare};
pub use decomposition::{Contribution, Decomposition, ObservedChange, decompose};
pub use gate::check;
pub use gate_reason::GateReason;
pub use largest_part::LargestPart;
pub use measures::{Asked, RunMeasures, RunSetup};
pub use part::{Part, PartKey, PartPosition};
pub use part_move::PartMove;
pub use quantity::{Quantity, QuantityError, Unit};
pub use run_set::{Excluded, RunSet, SHORT};
pub use sum::{PartChange, PartSum};
