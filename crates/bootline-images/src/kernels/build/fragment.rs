// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fragments of a configuration by their names: those that bootline has, and files of users.
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use bootline_kbuild::ConfigFragment;

use super::error::KernelBuildError;
use super::shipped::{SHIPPED, ShippedFragment};
use crate::arch::Arch;

const TINY: &str = include_str!("fragments/tiny.config");
const QUICK: &str = include_str!("fragments/quick.config");

/// A fragment as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FragmentName {
    /// One that bootline has.
    Shipped(ShippedFragment),
    /// A file.
    File(PathBuf),
}

impl FromStr for FragmentName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<FragmentName, Self::Err> {
        let shipped = SHIPPED.into_iter().find(|s| s.name == text);
        Ok(shipped.map_or_else(|| FragmentName::File(text.into()), FragmentName::Shipped))
    }
}

impl fmt::Display for FragmentName {
    /// As a user types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FragmentName::Shipped(shipped) => f.pad(shipped.name),
            FragmentName::File(path) => path.display().fmt(f),
        }
    }
}

impl FragmentName {
    /// Reads it.
    ///
    /// # Errors
    /// There is no such file, or a line of it sets nothing.
    pub(super) fn read(&self) -> Result<ConfigFragment, KernelBuildError> {
        match self {
            FragmentName::Shipped(shipped) => Ok(ConfigFragment::parse(shipped.text)),
            FragmentName::File(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|source| KernelBuildError::Fragment { path: path.clone(), source })?;
                well_formed("fragment", path, &text)
            }
        }
    }
}

/// Reads a base of the user's own.
///
/// # Errors
/// There is no such file, or it is no configuration.
pub(super) fn base_of(path: &Path) -> Result<ConfigFragment, KernelBuildError> {
    let text = fs::read_to_string(path).map_err(|source| KernelBuildError::Base { path: path.to_owned(), source })?;
    let base = well_formed("base", path, &text)?;
    if base.settings.is_empty() {
        return Err(KernelBuildError::EmptyBase { path: path.to_owned() });
    }
    Ok(base)
}

fn well_formed(what: &'static str, path: &Path, text: &str) -> Result<ConfigFragment, KernelBuildError> {
    let fragment = ConfigFragment::parse(text);
    match fragment.problems.first() {
        None => Ok(fragment),
        Some(problem) => Err(KernelBuildError::ConfigLine {
            what,
            path: path.to_owned(),
            line: problem.line,
            text: problem.text.chars().take(80).collect(),
        }),
    }
}

/// What a tiny kernel consists of.
pub(super) fn tiny(arch: Arch) -> ConfigFragment {
    let of_arch = match arch {
        Arch::Amd64 => include_str!("fragments/tiny-amd64.config"),
        Arch::Arm64 => include_str!("fragments/tiny-arm64.config"),
        // Its builds are refused.
        Arch::Armhf => "",
    };
    ConfigFragment::merged(&[ConfigFragment::parse(TINY), ConfigFragment::parse(of_arch)])
}

/// What is switched off on every base, so that a build takes no longer than it must and needs no keys.
pub(super) fn quick() -> ConfigFragment {
    ConfigFragment::parse(QUICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_is_well_formed() {
        for arch in Arch::ALL {
            assert!(tiny(arch).settings.iter().any(|s| s.to_string() == "CONFIG_DEVTMPFS_MOUNT=y"));
        }
        for text in SHIPPED.iter().map(|s| s.text).chain([TINY, QUICK]) {
            let fragment = ConfigFragment::parse(text);
            assert!(!fragment.settings.is_empty() && fragment.problems.is_empty(), "{text}");
            assert_eq!(
                ConfigFragment::merged([&fragment]).settings,
                fragment.settings,
                "a symbol is set twice: {text}"
            );
        }
    }

    #[test]
    fn a_line_that_sets_nothing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.config");
        fs::write(&path, "# mine\nCONFIG_A=y\nB=y\n").unwrap();
        let error = FragmentName::File(path.clone()).read().unwrap_err();
        assert_eq!(error.to_string(), format!("fragment `{}`, line 3: `B=y` sets no option", path.display()));
        let name: FragmentName = "ip-pnp".parse().unwrap();
        assert_eq!(name.to_string(), "ip-pnp");
        assert!(name.read().unwrap().to_text().contains("CONFIG_IP_PNP_DHCP=y\n"));
    }

    #[test]
    fn a_base_is_a_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.config");
        let check = |text: &str, expected: &str| {
            fs::write(&path, text).unwrap();
            let error = base_of(&path).unwrap_err();
            assert_eq!(error.to_string().replace(path.to_str().unwrap(), "FILE"), expected);
            assert!(error.hint().is_some());
        };
        check(
            "root:x:0:0:root:/root:/bin/bash\n",
            "base `FILE`, line 1: `root:x:0:0:root:/root:/bin/bash` sets no option",
        );
        check("CONFIG_A=y  # mine\n", "base `FILE`, line 1: `CONFIG_A=y  # mine` sets no option");
        check("# nothing\n", "base `FILE` sets no option");
        let error = base_of(&folder.path().join("tyny")).unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("a base is `tiny`, `stock`, `defconfig` or a `.config`"));
        fs::write(&path, "# Linux 6.12\nCONFIG_A=y\n").unwrap();
        assert_eq!(base_of(&path).unwrap().settings.len(), 1);
    }
}
