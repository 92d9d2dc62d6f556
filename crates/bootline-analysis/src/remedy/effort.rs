// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much work a remedy is.

/// How much work a remedy is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// The system stays as it is: measure in another way.
    None,
    /// Parameters, modules, services: nothing is built.
    Configuration,
    /// Another kernel, or another image of the root file system.
    Rebuild,
    /// Another board, or a change to this one.
    Hardware,
}

impl Effort {
    /// `configuration`
    pub const fn name(self) -> &'static str {
        match self {
            Effort::None => "none",
            Effort::Configuration => "configuration",
            Effort::Rebuild => "rebuild",
            Effort::Hardware => "hardware",
        }
    }
}
