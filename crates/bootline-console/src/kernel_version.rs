// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's version, as far as behaviour depends on it.
use std::fmt;
use std::str::FromStr;

/// A kernel's version, with or without its stable release: 6.18.15 or 6.18.
///
/// Ordered as kernels are, a version without its stable release before all that have one: 6.18 < 6.18.0 < 6.19. So
/// `version >= KernelVersion::new(6, 18)` holds for every release of 6.18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelVersion {
    /// The `6` of 6.18.15.
    pub major: u16,
    /// The `18` of 6.18.15.
    pub minor: u16,
    /// The `15` of 6.18.15; none if it is not known.
    pub stable: Option<u16>,
}

impl KernelVersion {
    /// `KernelVersion::new(6, 18)`
    pub const fn new(major: u16, minor: u16) -> KernelVersion {
        KernelVersion { major, minor, stable: None }
    }

    /// A stable release of this version: 6.18.15.
    pub const fn with_stable(self, stable: u16) -> KernelVersion {
        KernelVersion { stable: Some(stable), ..self }
    }

    /// Without its stable release: 6.18.
    pub const fn series(self) -> KernelVersion {
        KernelVersion { stable: None, ..self }
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let series = format!("{}.{}", self.major, self.minor);
        match self.stable {
            Some(stable) => f.pad(&format!("{series}.{stable}")),
            None => f.pad(&series),
        }
    }
}

/// Not a kernel's version: two or three numbers with dots between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a kernel version such as 6.18 or 6.18.15")]
pub struct NotAVersion;

impl FromStr for KernelVersion {
    type Err = NotAVersion;
    fn from_str(text: &str) -> Result<KernelVersion, NotAVersion> {
        let numbers: Result<Vec<u16>, NotAVersion> = text.split('.').map(number).collect();
        match numbers?[..] {
            [major, minor] => Ok(KernelVersion::new(major, minor)),
            [major, minor, stable] => Ok(KernelVersion::new(major, minor).with_stable(stable)),
            _ => Err(NotAVersion),
        }
    }
}

/// Digits only: `u16::from_str` would also take a sign.
fn number(text: &str) -> Result<u16, NotAVersion> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or(NotAVersion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let series = KernelVersion::new(6, 18);
        for version in [series, series.with_stable(15), KernelVersion::new(2, 6), KernelVersion::new(u16::MAX, 0)] {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        for bad in ["", "6", "6.", ".1", "6.18.", "6.18.15.1", "+6.1", "6.-1", "6.65536", "6.1-rt", " 6.1"] {
            assert_eq!(bad.parse::<KernelVersion>(), Err(NotAVersion), "{bad}");
        }
    }

    #[test]
    fn a_series_begins_before_its_releases() {
        let ordered = ["6.17.9", "6.18", "6.18.0", "6.18.15", "6.19", "7.0"];
        assert!(ordered.map(|v| v.parse::<KernelVersion>().unwrap()).is_sorted());
    }
}
