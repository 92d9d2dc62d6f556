// SPDX-License-Identifier: MIT OR Apache-2.0
//! The configuration that a build starts from.
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A configuration to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigBase {
    /// allnoconfig, and what the lab's machine and systems need, built in.
    Tiny,
    /// Debian's configuration of the series.
    Stock,
    /// The source's own default of the architecture.
    Defconfig,
    /// A `.config`.
    File(PathBuf),
}

impl FromStr for ConfigBase {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<ConfigBase, Self::Err> {
        Ok(match text {
            "tiny" => ConfigBase::Tiny,
            "stock" => ConfigBase::Stock,
            "defconfig" => ConfigBase::Defconfig,
            file => ConfigBase::File(file.into()),
        })
    }
}

impl fmt::Display for ConfigBase {
    /// As a user types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigBase::Tiny => f.pad("tiny"),
            ConfigBase::Stock => f.pad("stock"),
            ConfigBase::Defconfig => f.pad("defconfig"),
            ConfigBase::File(path) => path.display().fmt(f),
        }
    }
}
