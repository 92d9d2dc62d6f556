// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a piece of text is, apart from how it looks.

/// What a stretch of text is, from which a renderer chooses how it looks.
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
