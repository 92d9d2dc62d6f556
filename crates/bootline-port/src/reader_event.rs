// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads that read a port tell the recording.
use bootline_capture::ChunkTime;
use bootline_capture::units::{Dur, HostTime};

use super::{GpioLine, MarkRequest};

/// An event of the reader.
#[derive(Debug)]
pub enum ReaderEvent {
    /// Bytes, and when they arrived.
    Bytes(ChunkTime, Vec<u8>),
    /// The port went away.
    Lost(HostTime, String),
    /// It came back.
    Back(HostTime),
    /// The board showed this mark, at this time or so much earlier.
    Mark(HostTime, Dur, MarkRequest),
    /// The input has the mark's level already: the mark is the next edge.
    MarkHeld(HostTime, MarkRequest),
    /// The modem control inputs can't be watched any more.
    MarksLost(HostTime, String),
    /// A GPIO line can't be watched any more.
    LineLost(HostTime, GpioLine, String),
    /// It ended, for good or because a stop was requested.
    End(ReadEnd),
}

/// Why the reader ended.
#[derive(Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// It was stopped.
    Stopped,
    /// Nothing more will come: the end of the input, a command that ended, a port that went away.
    Source,
}
