// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs against runs, and runs against a budget.
//!
//! ```text
//! Boot ─▶ Measures ─┐
//!        Baseline ──┴▶ RunSet, RunSet ─┬▶ compare ─▶ Comparison { changes, decomposition, caveats }
//!                             Budget ──┴▶ check ───▶ Checked, one a limit
//! ```
//!
//! It knows no files and no clock: a baseline is text that somebody else reads, and when it was taken is for them to say.
mod baseline;
mod budget;
mod caveat;
mod change;
mod comparison;
mod considered;
mod decomposition;
mod gate;
mod measures;
mod moved;
mod nearest;
mod part;
mod quantity;
mod run_set;
mod sum;

#[cfg(test)]
mod tests;

pub use baseline::{BASELINE_SCHEMA, Baseline, BaselineError, MOST_RUNS, StoredPart};
pub use budget::{Budget, BudgetError, Increase, Rule};
pub use caveat::{Caveat, setup_caveats};
pub use change::{Change, ChangeVerdict, Summary, Thresholds};
pub use comparison::{Comparison, compare, is_whole};
pub use decomposition::{Contribution, Decomposition, Fate, decompose};
pub use gate::{Because, Checked, Largest, LimitKind, Outcome, check};
pub use measures::{Measures, Setup};
pub use moved::Moved;
pub use part::{Part, PartKey, Place};
pub use quantity::{Quantity, QuantityError, Unit};
pub use run_set::{Excluded, RunSet, SHORT};
pub use sum::{Became, Sum};
