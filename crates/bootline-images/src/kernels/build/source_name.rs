// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sources of a kernel as users name them.
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use bootline_console::KernelVersion;

/// A source as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceName {
    /// The newest that Debian has of a series: `6.12`.
    Series(KernelVersion),
    /// A folder, or a tar archive.
    Own(PathBuf),
}

impl FromStr for SourceName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<SourceName, Self::Err> {
        let series = text.parse().ok().filter(|v: &KernelVersion| v.stable.is_none() && v.to_string() == text);
        Ok(series.map_or_else(|| SourceName::Own(text.into()), SourceName::Series))
    }
}

impl SourceName {
    /// How it is named from any folder.
    pub(super) fn from(&self) -> String {
        match self {
            SourceName::Series(series) => series.to_string(),
            SourceName::Own(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string(),
        }
    }
}

impl fmt::Display for SourceName {
    /// As a user types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceName::Series(series) => series.fmt(f),
            SourceName::Own(path) => path.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_or_a_path() {
        let parse = |text: &str| text.parse::<SourceName>().unwrap();
        assert!(matches!(parse("6.12"), SourceName::Series(_)));
        for own in ["linux-6.12", "./6.12", "linux-6.12.tar.xz", "6.12.95", "6.12-rt"] {
            assert_eq!(parse(own), SourceName::Own(own.into()));
            assert_eq!(parse(own).to_string(), own);
        }
    }
}
