// SPDX-License-Identifier: MIT OR Apache-2.0
//! The summary of a capture.
use schemars::JsonSchema;
use serde::Serialize;

/// What `bootline capture --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaptureJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// The capture.
    pub file: String,
    /// Where the bytes came from.
    pub source: String,
    /// Bytes recorded.
    pub bytes: u64,
    /// Newlines among them.
    pub lines: u64,
    /// Time from the first byte's arrival to the last's.
    pub span_ns: i64,
    /// The longest time without a byte.
    pub largest_gap: Option<CaptureGap>,
    /// The largest uncertainty of an arrival.
    pub worst_uncertainty_ns: i64,
    /// Number of times the port went away.
    pub losses: u32,
    /// Number of times the port came back after bytes had been recorded: what was sent meanwhile is missing.
    pub holes: u32,
    /// Bytes that the receiver counted as damaged or lost; null where nobody counts.
    pub line_errors: Option<LineErrorCounts>,
    /// The marks that were asked for.
    pub marks: Vec<CaptureMark>,
    /// Why the capture ended.
    pub ended: CaptureEndWord,
    /// Why the capture ended, in words.
    pub detail: String,
}

/// A time without a byte.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaptureGap {
    /// When it began, by the capture's clock.
    pub at_ns: i64,
    /// Its length.
    pub ns: i64,
}

/// A moment that was to be marked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaptureMark {
    /// The user's name for it.
    pub name: String,
    /// The input that shows it: `cts`, `dsr`, `dcd` or `ri` of the serial device, or a GPIO line, `gpio:gpiochip0/17`.
    pub input: String,
    /// Whether the input is asserted then, a GPIO line high; false if it is released, or low.
    pub asserted: bool,
    /// When it came first, by the capture's clock; null if it never did.
    pub at_ns: Option<i64>,
    /// How much earlier than `at_ns` it may have come.
    pub uncertainty_ns: Option<i64>,
    /// How often it came; at most 100 of these are in the capture.
    pub count: u32,
}

/// Errors that the receiver counted, in bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineErrorCounts {
    /// Framing errors.
    pub frame: u32,
    /// Parity errors.
    pub parity: u32,
    /// Bytes that the port lost.
    pub overrun: u32,
    /// Bytes that the kernel's buffer lost.
    pub buffer_overrun: u32,
}

/// Why a capture ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureEndWord {
    /// The awaited line came.
    Until,
    /// The time limit passed.
    Timeout,
    /// Nothing came for as long as was allowed.
    Idle,
    /// The user stopped it.
    Stopped,
    /// The source ended.
    Source,
}
