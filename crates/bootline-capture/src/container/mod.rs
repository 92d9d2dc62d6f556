// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that hold logs in another form: compressed, packed with tar, in UTF-16, in a string of JSON, as a mail in base64 or
//! quoted-printable, with numbered or broken lines. What is in them is read as it comes; memory is bounded, whatever they claim.
//!
//! ```text
//! Read ─▶ Unpacker ─▶ Member, Member, ... ─▶ Read of plain bytes
//!            └ decompress* ─▶ tar? ─▶ decompress* ─▶ utf16? ─▶ mail_parts? ─▶ json_text? quoted_printable?
//!                                                                       └▶ line_numbers? wrapped_lines?
//! ```
mod bzip2_streams;
mod compression;
mod json_text;
mod limit;
mod line_numbers;
mod mail_parts;
mod peek;
mod quoted_printable;
mod rewritten;
mod tar;
mod unpacker;
mod utf16;
mod wrapped_lines;
mod zstd_frames;

pub use compression::Compression;
pub use limit::MOST_UNPACKED;
pub use unpacker::{Member, UnpackError, Unpacker, UnreadableKind};

#[cfg(test)]
mod tests;
