// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's version, as far as behaviour depends on it.
use std::fmt;
use std::str::FromStr;

/// A kernel's version without its stable release: 6.18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelVersion {
    /// The `6` of 6.18.
    pub major: u16,
    /// The `18` of 6.18.
    pub minor: u16,
}

impl KernelVersion {
    /// `KernelVersion::new(6, 18)`
    pub const fn new(major: u16, minor: u16) -> KernelVersion {
        KernelVersion { major, minor }
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.major, self.minor))
    }
}

/// Not a kernel's version: two numbers with a dot between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a kernel version such as 6.18")]
pub struct NotAVersion;

impl FromStr for KernelVersion {
    type Err = NotAVersion;
    fn from_str(text: &str) -> Result<KernelVersion, NotAVersion> {
        let (major, minor) = text.split_once('.').ok_or(NotAVersion)?;
        Ok(KernelVersion { major: number(major)?, minor: number(minor)? })
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
        for version in [KernelVersion::new(6, 18), KernelVersion::new(2, 6), KernelVersion::new(u16::MAX, 0)] {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        for bad in ["", "6", "6.", ".1", "6.18.15", "+6.1", "6.-1", "6.65536", "6.1-rt", " 6.1"] {
            assert_eq!(bad.parse::<KernelVersion>(), Err(NotAVersion), "{bad}");
        }
    }
}
