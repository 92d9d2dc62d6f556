// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which boot a report is about.

/// Identifies a boot within the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootLabel {
    /// The input as the user named it: `boot.cap`, `-`.
    pub input: String,
    /// Which boot of that input, from 0.
    pub index: usize,
    /// Whether the input contains other boots.
    pub one_of_several: bool,
}

impl BootLabel {
    /// The only boot of an input.
    pub fn only(input: &str) -> BootLabel {
        BootLabel { input: input.to_owned(), index: 0, one_of_several: false }
    }

    /// As a heading: `boot.cap, boot 2`.
    pub fn title(&self) -> String {
        let input = if self.input == "-" { "standard input" } else { &self.input };
        if self.one_of_several { format!("{input}, boot {}", self.index + 1) } else { input.to_owned() }
    }
}
