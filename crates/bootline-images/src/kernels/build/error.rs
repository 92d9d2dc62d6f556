// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong between a source and a kernel in the cache.
use std::io;
use std::path::{Path, PathBuf};

use bootline_kbuild::{ConfigSetting, RefusalReason};

use super::shipped::SHIPPED;
use crate::arch::Arch;
use crate::kernels::error::Error;

/// Why there is no kernel.
#[derive(Debug, thiserror::Error)]
pub enum KernelBuildError {
    /// Kernels are not built for the architecture.
    #[error("kernels are not built for {arch}, only for {}", built_for())]
    Arch {
        /// The architecture.
        arch: Arch,
    },
    /// Programs or headers that the build needs are not installed.
    #[error("can't build a kernel: missing: {}", missing.join(", "))]
    NoTools {
        /// What is missing: programs and headers.
        missing: Vec<String>,
        /// The Debian packages that contain them.
        packages: Vec<String>,
    },
    /// The source package or the stock configuration can't be had.
    #[error(transparent)]
    Packages(#[from] Error),
    /// The suites have no source of the series.
    #[error("no source of Linux {series} in the Debian suites: no package `linux-source-{series}`")]
    NoSource {
        /// The series.
        series: String,
    },
    /// A folder or an archive that is no kernel's source.
    #[error("`{}` is not a kernel's source: {lacks}", path.display())]
    NotASource {
        /// The folder or archive.
        path: PathBuf,
        /// Such as `it has no Kconfig`.
        lacks: &'static str,
    },
    /// A source in which a kernel was built or configured.
    #[error("`{}` contains the output of an in-tree build; the kernel's makefiles refuse to use it with O=", path.display())]
    UncleanSource {
        /// The folder.
        path: PathBuf,
    },
    /// An archive of the user's own can't be unpacked.
    #[error("can't unpack `{}`: {reason}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What tar said.
        reason: String,
    },
    /// A stock configuration was asked for, and there is no stock kernel of the source's series.
    #[error("no stock configuration for {arch}:{series}: {source}")]
    NoStockConfig {
        /// The architecture.
        arch: Arch,
        /// The series of the source.
        series: String,
        /// Why.
        source: Box<Error>,
    },
    /// The stock kernel's package has no configuration.
    #[error("the package of the stock kernel {release} has no configuration")]
    StockWithoutConfig {
        /// Its release.
        release: String,
    },
    /// A fragment can't be read.
    #[error("can't read the fragment `{}`: {source}", path.display())]
    Fragment {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A base can't be read.
    #[error("can't read the base `{}`: {source}", path.display())]
    Base {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A base is a file without any setting.
    #[error("base `{}` sets no option", path.display())]
    EmptyBase {
        /// The file.
        path: PathBuf,
    },
    /// A line of a fragment or a base is neither a setting nor a comment.
    #[error("{what} `{}`, line {line}: `{text}` sets no option", path.display())]
    ConfigLine {
        /// `fragment` or `base`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// The kernel's configuration drops options that were asked for.
    #[error("Kconfig refused {}:{}", counted(refused.len()), refusals(refused))]
    Refused {
        /// The settings, each with the value that it has instead and the reason.
        refused: Vec<(ConfigSetting, String, RefusalReason)>,
    },
    /// A step of make failed.
    #[error("{step} failed{}", evidence.iter().map(|l| format!("\n  {l}")).collect::<String>())]
    Step {
        /// Such as `compiling amd64:tiny`.
        step: String,
        /// The lines that name errors, or the last ones.
        evidence: Vec<String>,
        /// The whole log.
        log: PathBuf,
    },
    /// The build was interrupted.
    #[error("interrupted{}", folder.as_ref().map(|f| format!("; what has been compiled is kept in `{}`", f.display())).unwrap_or_default())]
    Interrupted {
        /// The build folder; none if nothing has been compiled yet.
        folder: Option<PathBuf>,
    },
    /// A file or folder can't be used.
    #[error("cannot {action} `{}`: {source}", path.display())]
    File {
        /// Such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// make does not accept a folder with this name.
    #[error("`{}`: the kernel's makefiles do not accept a path with a blank or a colon", path.display())]
    Path {
        /// The folder.
        path: PathBuf,
    },
}

/// `amd64 and arm64`
fn built_for() -> String {
    let names: Vec<&str> = Arch::ALL.into_iter().filter(|a| a.has_kernel_builds()).map(Arch::debian_name).collect();
    names.join(" and ")
}

impl KernelBuildError {
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KernelBuildError {
        move |source| KernelBuildError::File { action, path: path.to_owned(), source }
    }

    /// What to do about it: one line, for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            KernelBuildError::Arch { arch } => {
                Some(format!("boot a stock kernel, such as `--kernel {arch}:6.12`, or an image of your own"))
            }
            KernelBuildError::NoTools { packages, .. } => Some(format!("apt-get install {}", packages.join(" "))),
            KernelBuildError::Packages(Error::Apt { .. }) => {
                Some("is the mirror reachable? a source of your own needs no network: `--from DIRECTORY`".to_owned())
            }
            KernelBuildError::Packages(error) => error.hint(),
            KernelBuildError::NoSource { .. } => Some(
                "name a series that Debian has now, such as 6.12, or a source of your own: `--from DIRECTORY`"
                    .to_owned(),
            ),
            KernelBuildError::UncleanSource { path } => Some(format!(
                "copy its `.config` elsewhere if you need it, then clean the tree: `make -C {} mrproper`",
                path.display()
            )),
            KernelBuildError::NoStockConfig { .. } => Some("name another base: `--base defconfig`".to_owned()),
            KernelBuildError::ConfigLine { .. } => Some(
                "a line is `CONFIG_NAME=VALUE`, `# CONFIG_NAME is not set` or a comment; a value is y, m, n, a number or a \"string\""
                    .to_owned(),
            ),
            KernelBuildError::Base { .. } | KernelBuildError::EmptyBase { .. } => {
                Some("a base is `tiny`, `stock`, `defconfig` or a `.config`".to_owned())
            }
            KernelBuildError::Refused { .. } => {
                Some("add what they depend on in a fragment, or leave them out".to_owned())
            }
            KernelBuildError::Step { log, .. } => Some(format!("the whole log: {}", log.display())),
            KernelBuildError::Interrupted { .. } => Some("the same command continues".to_owned()),
            KernelBuildError::File { .. } => Some("set another folder: BOOTLINE_CACHE=DIR".to_owned()),
            KernelBuildError::Path { .. } => {
                Some("move a tree of your own; for the cache, set another folder: BOOTLINE_CACHE=DIR".to_owned())
            }
            KernelBuildError::Fragment { .. } => {
                let names = SHIPPED.map(|fragment| fragment.name).join(", ");
                Some(format!("a fragment is a file, or one that bootline has: {names}"))
            }
            KernelBuildError::NotASource { .. } | KernelBuildError::Archive { .. } => {
                Some("name a folder or an archive with a kernel's source, or a series: `--from 6.12`".to_owned())
            }
            KernelBuildError::StockWithoutConfig { .. } => Some("name another base: `--base defconfig`".to_owned()),
        }
    }
}

fn counted(n: usize) -> String {
    if n == 1 { "1 option".to_owned() } else { format!("{n} options") }
}

/// The most that are shown.
const SHOWN: usize = 20;

fn refusals(refused: &[(ConfigSetting, String, RefusalReason)]) -> String {
    let line = |(wanted, got, reason): &(ConfigSetting, String, RefusalReason)| {
        let became = if got == "n" { "dropped".to_owned() } else { format!("became {got}") };
        format!("\n  {wanted}: {became}; {reason}")
    };
    let mut text: String = refused.iter().take(SHOWN).map(line).collect();
    if refused.len() > SHOWN {
        text.push_str(&format!("\n  and {} more", refused.len() - SHOWN));
    }
    text
}
