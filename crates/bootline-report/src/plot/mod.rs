// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots as a picture: one time axis for everything that the log shows.
//!
//! ```text
//! Boot + Findings ─▶ Picture ─┬─▶ page (HTML: one file, interactive, nothing loaded from elsewhere)
//!                             └─▶ svg (static)
//! ```
//!
//! A [`Picture`] is what there is to be drawn, each span in a row in which it has room; it holds no boot, so that many can be
//! shown together. The page's script draws from the same values, as JSON, that the static picture is drawn from.
mod boot_rows;
mod canvas;
mod critical_path;
mod curve;
mod data;
mod difference;
mod drawn_unit;
mod mark;
mod page;
mod parts;
mod picture;
mod source_bar;
mod stack;
mod svg;

#[cfg(test)]
mod tests;

pub use page::page;
pub use picture::Picture;
pub use svg::svg;
