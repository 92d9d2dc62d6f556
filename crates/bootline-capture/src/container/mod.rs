// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that hold logs in another form: compressed, packed with tar, or in UTF-16. What is in them is read as it comes; memory
//! is bounded, whatever they claim.
//!
//! ```text
//! Read ─▶ Unpacker ─▶ Member, Member, ... ─▶ Read of plain bytes
//!            └ decompress* ─▶ tar? ─▶ decompress* ─▶ utf16?
//! ```
mod bzip2_streams;
mod compression;
mod limit;
mod peek;
mod tar;
mod unpacker;
mod utf16;
mod zstd_frames;

pub use compression::Compression;
pub use limit::MOST_UNPACKED;
pub use unpacker::{Member, UnpackError, Unpacker, UnreadableKind};

#[cfg(test)]
mod tests;
