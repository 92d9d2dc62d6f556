// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the bytes of a chunk arrived.
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
