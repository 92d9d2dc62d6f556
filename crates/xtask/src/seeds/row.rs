// SPDX-License-Identifier: MIT OR Apache-2.0
//! One published figure next to the model's.
use bootline_capture::units::Interval;

/// A published figure, and the model's.
#[derive(Debug)]
pub struct Row {
    /// Number of the post in the list above the table.
    pub seed: u8,
    /// What the figure measures.
    pub what: &'static str,
    /// Published value, in seconds.
    pub published: f64,
    /// Predicted value, with its bounds.
    pub predicted: Interval,
    /// What was not published, and what it was inferred from; empty if nothing was.
    pub inferred: &'static str,
    /// Largest error allowed, as a share; none if the publication contradicts itself or does not name the cause.
    #[cfg_attr(not(test), expect(dead_code, reason = "used by the test, not shown on the page"))]
    pub within: Option<f64>,
}
