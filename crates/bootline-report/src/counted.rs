// SPDX-License-Identifier: MIT OR Apache-2.0
//! A number with its noun.

/// `1 line`, `2 lines`; the noun is one whose plural ends in s.
pub fn counted(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
