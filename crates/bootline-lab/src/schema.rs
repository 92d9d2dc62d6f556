// SPDX-License-Identifier: MIT OR Apache-2.0
//! How types of other crates look in the lab's JSON, from which its schemas are derived.
#![allow(dead_code, reason = "descriptions: nothing is made of them but schemas")]
use schemars::JsonSchema;

/// How a byte is framed on the line.
#[derive(JsonSchema)]
pub(crate) struct Frame {
    /// 5 to 8.
    data_bits: u8,
    /// The parity bit.
    parity: Parity,
    /// 1 or 2.
    stop_bits: u8,
}

/// The parity bit of a frame.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Parity {
    None,
    Even,
    Odd,
}

/// A figure of several runs with its confidence interval.
#[derive(JsonSchema)]
pub(crate) struct Estimate {
    /// The lower bound.
    low: f64,
    /// The figure itself.
    best: f64,
    /// The upper bound.
    high: f64,
    /// How likely such an interval holds the truth: 0.95, or less where there are too few runs.
    confidence: f64,
}

/// What became of a claim or a prediction.
#[derive(JsonSchema)]
pub(crate) struct Verdict {
    /// The verdict itself.
    verdict: VerdictWord,
    /// Why, in words.
    reason: String,
}

/// A verdict.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum VerdictWord {
    /// The runs agree with the statement.
    Held,
    /// The runs contradict the statement.
    Refuted,
    /// The runs support neither.
    Inconclusive,
}
