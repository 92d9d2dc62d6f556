// SPDX-License-Identifier: MIT OR Apache-2.0
//! The capture: the bytes a console sent, each chunk with the host time at which it arrived, in one append-only file.
//!
//! The format is described in `docs/capture-format.md`. This module encodes and decodes frames; who reads and writes
//! the file is somebody else's job. A damaged or truncated file still reads: the damage comes out as an event.
mod codec;
mod header;
mod reader;
pub mod units;

pub use codec::{MAGIC, MAX_BODY, encode_chunk, encode_header, encode_note, starts_capture};
pub use header::{Header, Note, NoteKind};
pub use reader::{Damage, DamageKind, Event, Reader};

use crate::units::{Dur, HostTime};

/// When the bytes of a chunk arrived: the first at `first`, the last `span` later, each known to `uncertainty`.
///
/// A byte's true arrival lies in `at(i) - uncertainty ..= at(i)`: a reader can only be late, never early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkTime {
    /// Arrival of the first byte.
    pub first: HostTime,
    /// From the arrival of the first byte to that of the last.
    pub span: Dur,
    /// How much earlier than stated a byte may have arrived.
    pub uncertainty: Dur,
}

impl ChunkTime {
    /// All bytes at one instant.
    pub fn instant(at: HostTime, uncertainty: Dur) -> ChunkTime {
        ChunkTime { first: at, span: Dur::ZERO, uncertainty }
    }

    /// When byte `i` of a chunk of `len` bytes arrived; evenly spread over the span.
    pub fn at(self, i: usize, len: usize) -> HostTime {
        if len < 2 || self.span == Dur::ZERO {
            return self.first;
        }
        let i = i.min(len - 1) as i128;
        let offset = i128::from(self.span.as_nanos()) * i / (len as i128 - 1);
        self.first + Dur::from_nanos(offset as i64)
    }
}

#[cfg(test)]
mod tests;
