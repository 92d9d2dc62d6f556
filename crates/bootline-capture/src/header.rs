// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header of a capture, and notes on what happened while it was recorded.
use serde::{Deserialize, Serialize};

use crate::units::{Baud, Frame, HostTime, LineRate};

/// The first frame of a capture. Fields may be added in later versions; readers ignore those they don't know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The program and version that wrote it, `bootline 0.1.0`.
    pub tool: String,
    /// Where the bytes came from, as the user named it: `/dev/ttyUSB0`, `tcp:board:2000`, `qemu`.
    pub source: String,
    /// Host wall-clock time of the clock origin, in nanoseconds since 1970; arrival times themselves are monotonic.
    #[serde(default)]
    pub started_unix_ns: Option<i64>,
    /// The baud the port was set to.
    #[serde(default)]
    pub declared_baud: Option<Baud>,
    /// True speed of the line in bytes per second, if known (a paced line of the lab).
    #[serde(default)]
    pub line_bytes_per_s: Option<LineRate>,
    /// The frame of a byte.
    #[serde(default)]
    pub frame: Frame,
}

impl Header {
    /// A header that knows only its source.
    pub fn new(tool: &str, source: &str) -> Header {
        Header {
            tool: tool.to_owned(),
            source: source.to_owned(),
            started_unix_ns: None,
            declared_baud: None,
            line_bytes_per_s: None,
            frame: Frame::default(),
        }
    }
}

/// Something that happened while the capture was recorded, with its host time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Nanoseconds since the capture's clock origin.
    pub at_ns: i64,
    /// What happened.
    pub kind: NoteKind,
    /// In words.
    #[serde(default)]
    pub detail: String,
    /// The mark, in a note of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<MarkNote>,
}

impl Note {
    /// A note without a mark.
    pub fn new(at: HostTime, kind: NoteKind, detail: &str) -> Note {
        Note { at_ns: at.as_nanos(), kind, detail: detail.to_owned(), mark: None }
    }
}

/// A moment that the board showed on an input next to the console: an edge, under the name that the user gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkNote {
    /// The user's name for the moment: `app-ready`.
    pub name: String,
    /// The input: `cts`, `dsr`, `dcd` or `ri`, or a GPIO line, `gpio:gpiochip0/17`.
    #[serde(default)]
    pub input: String,
    /// Which of its edges.
    #[serde(default)]
    pub edge: MarkEdge,
    /// How much earlier than the note's time the edge may have come, in nanoseconds.
    #[serde(default)]
    pub uncertainty_ns: i64,
}

/// An edge of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkEdge {
    /// The input became active.
    Asserted,
    /// It became inactive.
    Released,
    /// A kind from a later version.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The kinds of note; a kind that the reader does not know is `Unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// The port went away; bytes sent from here on are lost.
    PortLost,
    /// The port came back.
    PortBack,
    /// The capture ended in order; a capture without one was cut off.
    End,
    /// The kernel under test was started (a lab run).
    PowerOn,
    /// An input showed a moment that the user named.
    Mark,
    /// A kind from a later version.
    #[serde(other)]
    Unknown,
}
