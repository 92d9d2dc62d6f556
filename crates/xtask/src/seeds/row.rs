// SPDX-License-Identifier: MIT OR Apache-2.0
//! One published figure next to the model's.
use bootline_capture::units::Interval;

/// A figure that was published, and the model's.
#[derive(Debug)]
pub struct Row {
    /// Which post, by its number in the list above the table.
    pub seed: u8,
    /// Of what.
    pub what: &'static str,
    /// In seconds.
    pub published: f64,
    /// With its bounds.
    pub predicted: Interval,
    /// What was not published, and from what it was inferred; empty where nothing was.
    pub inferred: &'static str,
    /// How far the model may be off, as a share; none where the publication contradicts itself or lacks the cause.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test asks for it, the page doesn't show it"))]
    pub within: Option<f64>,
}
