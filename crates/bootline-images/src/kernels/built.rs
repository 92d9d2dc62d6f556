// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels that were built here: their names, what is known of each, and their place in the cache.
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::series::{KernelName, KernelNameError, Series};
use crate::arch::Arch;

/// Name of a kernel that was built here, such as `tiny`. It is also a folder's name and ends the kernel's release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BuiltName(String);

/// What a name can't end in after a dot: files in the caches are called by a kernel's name and one of these.
const ENDINGS: [&str; 13] = [
    "lock",
    "first-boot",
    "power-lost",
    "aged",
    "fastmap",
    "recorded",
    "ext4",
    "btrfs",
    "squashfs",
    "erofs",
    "jffs2",
    "jffs2-summary",
    "ubifs",
];

/// A release has room for 64 bytes (`__NEW_UTS_LEN` in include/uapi/linux/utsname.h), the version and modules' folders included.
const LONGEST: usize = 32;

impl FromStr for BuiltName {
    type Err = KernelNameError;

    fn from_str(text: &str) -> Result<BuiltName, KernelNameError> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let good = text.bytes().all(allowed)
            // With a digit it would be taken for a series, or for a mistake for one.
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() <= LONGEST
            && text.rsplit_once('.').is_none_or(|(_, end)| !ENDINGS.contains(&end))
            && text.parse::<Series>().is_err();
        if good { Ok(BuiltName(text.to_owned())) } else { Err(KernelNameError::Built { text: text.to_owned() }) }
    }
}

impl TryFrom<String> for BuiltName {
    type Error = KernelNameError;
    fn try_from(text: String) -> Result<BuiltName, KernelNameError> {
        text.parse()
    }
}

impl From<BuiltName> for String {
    fn from(name: BuiltName) -> String {
        name.0
    }
}

impl BuiltName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BuiltName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What a user typed for a kernel of the cache: a stock series, or the name of one that was built here; each optionally after an
/// architecture, as in `arm64:tiny`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedKernel {
    /// The newest stock kernel of a series.
    Stock(KernelName),
    /// One that was built here.
    Built {
        /// The architecture, if named.
        arch: Option<Arch>,
        /// Its name.
        name: BuiltName,
    },
}

impl FromStr for NamedKernel {
    type Err = KernelNameError;

    fn from_str(text: &str) -> Result<NamedKernel, KernelNameError> {
        let refused = match text.parse() {
            Ok(stock) => return Ok(NamedKernel::Stock(stock)),
            Err(error) => error,
        };
        let (arch, name) = match text.split_once(':') {
            Some((arch, name)) => (Some(arch.parse()?), name),
            None => (None, text),
        };
        // `6.12.95` is a mistake for a series, not a name.
        name.parse().map(|name| NamedKernel::Built { arch, name }).map_err(|_| refused)
    }
}

impl fmt::Display for NamedKernel {
    /// As a user types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arch, name) = match self {
            NamedKernel::Stock(KernelName { arch, series }) => (arch, series.to_string()),
            NamedKernel::Built { arch, name } => (arch, name.to_string()),
        };
        match arch {
            Some(arch) => write!(f, "{arch}:{name}"),
            None => f.write_str(&name),
        }
    }
}

/// How a kernel was built here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltKernel {
    /// Its name.
    pub name: BuiltName,
    /// The source as a user names it from any folder: a series, a tree or an archive.
    #[serde(default)]
    pub from: String,
    /// What the source was: Debian's version, the path of a tree, or an archive's name with its SHA-256.
    pub source: String,
    /// The configuration that it was built from: `tiny`, `stock`, `defconfig` or a file.
    pub base: String,
    /// The fragments on top of it, in order.
    pub fragments: Vec<String>,
    /// The compiler, as it calls itself.
    pub compiler: String,
    /// Identifies configuration, source and compiler: SHA-256, in hexadecimal.
    pub recipe: String,
    /// SHA-256 of all modules, in hexadecimal: what is built again from a changed source may have the same image.
    pub modules_sha256: String,
    /// The number of objects that were compiled: 0 if all of an earlier build could be used.
    pub objects: u64,
    /// How long compiling took, in nanoseconds: of the last run, if the build was interrupted.
    pub compile_ns: u64,
    /// The number of processes that compiled.
    pub jobs: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_a_series_or_that_of_a_built_kernel() {
        let check = |text: &str, expected: Option<&str>| {
            let named = text.parse::<NamedKernel>().ok();
            let kind = named.as_ref().map(|n| if matches!(n, NamedKernel::Stock(_)) { "stock" } else { "built" });
            assert_eq!(kind, expected, "{text}");
            if let Some(named) = named {
                assert_eq!(named.to_string().parse::<NamedKernel>().unwrap(), named);
            }
        };
        check("6.12-rt", Some("stock"));
        check("arm64:7.2", Some("stock"));
        check("tiny", Some("built"));
        check("arm64:tiny", Some("built"));
        check("Tiny_2.x-y", Some("built"));
        for none in [
            "6.12.95",
            "amd64:6.12.95",
            "2fast",
            "",
            "a/b",
            "../a",
            ".a",
            "mips:tiny",
            "a b",
            "arm64:",
            "-a",
            &"a".repeat(33),
        ] {
            check(none, None);
        }
    }

    #[test]
    fn a_name_ends_in_nothing_that_names_a_file_of_the_caches() {
        for state in crate::image_format::ImageFormat::ALL {
            assert!(format!("tiny.{state}").parse::<BuiltName>().is_err(), "{state}");
        }
        assert!("tiny.lock".parse::<BuiltName>().is_err());
        assert!("tiny.2".parse::<BuiltName>().is_ok() && "btrfs".parse::<BuiltName>().is_ok());
    }

    proptest! {
        #[test]
        fn names_never_leave_their_folder(text in "[./~a0-]{1,12}|\\PC{0,8}") {
            if let Ok(name) = text.parse::<BuiltName>() {
                prop_assert_eq!(std::path::Path::new(name.as_str()).components().count(), 1);
                prop_assert!(name.as_str() != ".." && !name.as_str().is_empty());
                prop_assert!(name.as_str().parse::<Series>().is_err());
            }
        }
    }
}
