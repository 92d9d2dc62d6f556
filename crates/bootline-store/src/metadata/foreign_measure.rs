// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures that others measured.

/// A figure that somebody else measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Who: `lava`, `kernelci`, `sidecar`.
    pub source: &'static str,
    /// By which clock.
    pub clock: String,
    /// As its source names it.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// UCUM.
    pub unit: Option<String>,
}
