// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of the store, one row type each. `docs/store.md` says what each column means; a test compares both.
mod boot;
mod build;
mod file;
mod finding;
mod measure;
mod rollup;
mod span;
mod text;

pub use boot::BootRow;
pub use build::BuildRow;
pub use file::{FileRow, FileStatus};
pub use finding::FindingRow;
pub use measure::MeasureRow;
pub use rollup::RollupRow;
pub use span::SpanRow;
pub use text::Text;
