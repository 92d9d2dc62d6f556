// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words for commands that a hint gives to copy.

/// Whether a word means itself to a shell, unquoted.
pub fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
}
