// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `critical-chain` is asked for.

/// How the chain is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalChainOptions {
    /// The most links that stand by themselves: the longest, net of the console. The others are summed up between them.
    pub count: usize,
}

impl Default for CriticalChainOptions {
    fn default() -> CriticalChainOptions {
        CriticalChainOptions { count: 12 }
    }
}
