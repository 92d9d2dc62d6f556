// SPDX-License-Identifier: MIT OR Apache-2.0
//! The meaning of a piece of text, independent of its look.

/// The meaning of a piece of text, by which a renderer chooses its look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Nothing special.
    #[default]
    Plain,
    /// What the eye should find first.
    Strong,
    /// What may be skipped.
    Faint,
    /// Time that was lost.
    Cost,
    /// Something to type: a setting, a command.
    Setting,
    /// The input can't be trusted.
    Error,
    /// Something to know about the input.
    Warning,
}
