// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline compare`: by how much runs differ, whether the difference counts, and where it comes from.
//!
//! ```text
//! Comparison ─┬─▶ document: text, Markdown
//!             ├─▶ json
//!             └─▶ page: distributions, measures, contributions to the difference, the runs
//! ```
//!
//! All figures come from the comparison; what is here chooses words and places. The words are the same everywhere.
mod distribution;
mod document;
mod icon;
mod json;
mod measures;
mod page;
mod runs;
mod scale;
mod waterfall;
mod wording;

#[cfg(test)]
mod tests;

pub use document::compare;
pub(super) use json::ComparisonJson;
pub use json::compare_json;
pub use page::compare_page;
pub(super) use wording::{bounds, excluded, signed_value, value};
