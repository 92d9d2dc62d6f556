// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the chain through a boot ends with.
use bootline_boot::WholeEnd;

/// What a chain ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// Init's start: nothing shows an end of user space.
    Init,
    /// What the whole boot ends with.
    Reached(WholeEnd),
}

impl ChainEnd {
    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            ChainEnd::Init => "init",
            ChainEnd::Reached(end) => end.title(),
        }
    }
}
