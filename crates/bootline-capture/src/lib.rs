// SPDX-License-Identifier: MIT OR Apache-2.0
//! The capture: the bytes a console sent, each chunk with the host time at which it arrived, in one append-only file.
//!
//! The format is described in `docs/capture-format.md`. This module encodes and decodes frames; who reads and writes
//! the file is somebody else's job. A damaged or truncated file still reads: the damage comes out as an event.
mod chunk_time;
mod codec;
pub mod container;
mod header;
mod reader;
pub mod units;

pub use chunk_time::ChunkTime;
pub use codec::{MAGIC, MAX_BODY, encode_chunk, encode_header, encode_note, starts_capture};
pub use header::{Header, MarkEdge, MarkNote, Note, NoteKind};
pub use reader::{Damage, DamageKind, Event, Reader};

#[cfg(test)]
mod tests;
