// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of kernels: a series such as `6.18-rt`, and what a user may type for it and its architecture.
use std::fmt;
use std::str::FromStr;

use bootline_console::KernelVersion;
use serde::{Deserialize, Serialize};

use crate::arch::{Arch, UnknownArch};

/// Flavour of a version's build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flavour {
    /// The plain one.
    Standard,
    /// PREEMPT_RT.
    Rt,
    /// The one for clouds, with few drivers.
    Cloud,
    /// arm64 with pages of 16 KiB.
    Pages16k,
    /// armhf with physical addresses of 40 bits.
    Lpae,
}

impl Flavour {
    /// All of them.
    pub const ALL: [Flavour; 5] = [Flavour::Standard, Flavour::Rt, Flavour::Cloud, Flavour::Pages16k, Flavour::Lpae];

    /// What follows the version in a series name: nothing, `-rt`, `-cloud`, `-16k` or `-lpae`.
    pub fn suffix(self) -> &'static str {
        match self {
            Flavour::Standard => "",
            Flavour::Rt => "-rt",
            Flavour::Cloud => "-cloud",
            Flavour::Pages16k => "-16k",
            Flavour::Lpae => "-lpae",
        }
    }
}

/// A kernel series: `6.1`, `6.18-rt`, `7.2-cloud`. Ordered by version, then flavour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Series {
    /// The `6.18` of `6.18-rt`.
    pub version: KernelVersion,
    /// The `-rt` of `6.18-rt`.
    pub flavour: Flavour,
}

impl Series {
    /// Whether it is a PREEMPT_RT kernel.
    pub fn is_rt(self) -> bool {
        self.flavour == Flavour::Rt
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", self.version, self.flavour.suffix()))
    }
}

impl FromStr for Series {
    type Err = KernelNameError;
    fn from_str(text: &str) -> Result<Series, KernelNameError> {
        parse_series(text).ok_or_else(|| KernelNameError::Series { text: text.to_owned() })
    }
}

impl TryFrom<String> for Series {
    type Error = KernelNameError;
    fn try_from(text: String) -> Result<Series, KernelNameError> {
        text.parse()
    }
}

impl From<Series> for String {
    fn from(series: Series) -> String {
        series.to_string()
    }
}

fn parse_series(text: &str) -> Option<Series> {
    let (number, suffix) = match text.find('-') {
        Some(dash) => text.split_at(dash),
        None => (text, ""),
    };
    let flavour = Flavour::ALL.into_iter().find(|f| f.suffix() == suffix)?;
    let version = number.parse().ok().filter(|v: &KernelVersion| v.stable.is_none())?;
    Some(Series { version, flavour })
}

/// What a user typed: a series, optionally after an architecture: `arm64:6.18-rt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelName {
    /// The architecture, if named.
    pub arch: Option<Arch>,
    /// The series.
    pub series: Series,
}

impl FromStr for KernelName {
    type Err = KernelNameError;
    fn from_str(text: &str) -> Result<KernelName, KernelNameError> {
        match text.split_once(':') {
            Some((arch, series)) => Ok(KernelName { arch: Some(arch.parse()?), series: series.parse()? }),
            None => Ok(KernelName { arch: None, series: text.parse()? }),
        }
    }
}

/// Why a text is not the name of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelNameError {
    /// Not an architecture.
    #[error(transparent)]
    Arch(#[from] UnknownArch),
    /// Not a series.
    #[error("`{text}` is not a kernel series: VERSION[-rt|-cloud|-16k|-lpae], such as 6.1 or 6.18-rt")]
    Series {
        /// What was typed.
        text: String,
    },
    /// Not a name for a kernel that is built here.
    #[error(
        "`{text}` can't be a kernel's name: it begins with a letter, has up to 32 letters, digits, `.`, `_` and `-`, and no ending such as `.lock` or `.btrfs`"
    )]
    Built {
        /// What was typed.
        text: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Option<(Option<Arch>, u16, u16, Flavour)>) {
        let got = text.parse::<KernelName>().ok();
        let got = got.map(|r| (r.arch, r.series.version.major, r.series.version.minor, r.series.flavour));
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn names() {
        check("6.1", Some((None, 6, 1, Flavour::Standard)));
        check("6.12-rt", Some((None, 6, 12, Flavour::Rt)));
        check("arm64:6.18", Some((Some(Arch::Arm64), 6, 18, Flavour::Standard)));
        check("x86_64:7.2-cloud", Some((Some(Arch::Amd64), 7, 2, Flavour::Cloud)));
        check("aarch64:7.2-16k", Some((Some(Arch::Arm64), 7, 2, Flavour::Pages16k)));
        check("armhf:6.12", Some((Some(Arch::Armhf), 6, 12, Flavour::Standard)));
        check("arm:6.12-lpae", Some((Some(Arch::Armhf), 6, 12, Flavour::Lpae)));
        for bad in [
            "",
            "6",
            "6.",
            ".1",
            "6.18.15",
            "6.18-",
            "6.18-RT",
            "v6.1",
            "+6.1",
            "6.-1",
            "6.99999",
            "mips:6.1",
            "6.1:arm64",
        ] {
            check(bad, None);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_comes_back(text in "\\PC{0,20}") {
            if let Ok(series) = text.parse::<Series>() {
                prop_assert_eq!(series.to_string().parse::<Series>().unwrap(), series);
            }
        }

        #[test]
        fn every_series_comes_back(major: u16, minor: u16, flavour in prop::sample::select(&Flavour::ALL[..])) {
            let series = Series { version: KernelVersion::new(major, minor), flavour };
            prop_assert_eq!(series.to_string().parse::<Series>().unwrap(), series);
        }
    }
}
