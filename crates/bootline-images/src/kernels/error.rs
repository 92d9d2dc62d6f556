// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong between the name of a series and a kernel on the disk.
use std::io;
use std::path::{Path, PathBuf};

use super::behaviour::ConsoleClass;
use super::built::{BuiltKernel, BuiltName};
use super::series::Series;
use crate::arch::Arch;

/// Why there is no kernel.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program of apt or dpkg is not installed: not a Debian-based system.
    #[error("no stock kernels: `{program}` is not installed")]
    NoTool {
        /// The program that was looked for.
        program: &'static str,
    },
    /// The host's apt configuration names no mirror of the Debian archive.
    #[error("no stock kernels: the apt configuration of this host names no Debian mirror")]
    NoMirror,
    /// The mirror can't be written into an apt source.
    #[error("`{mirror}` is not the address of a mirror")]
    BadMirror {
        /// The given mirror.
        mirror: String,
    },
    /// The keyring that the archive's signature is checked against does not exist.
    #[error("no keyring for the Debian archive: `{}` does not exist", path.display())]
    NoKeyring {
        /// Expected path.
        path: PathBuf,
    },
    /// apt does not accept a folder with this name.
    #[error("cache folder `{}`: apt does not accept a path with a quote or a line break", path.display())]
    CachePath {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder of the cache can't be used.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Cache {
        /// Such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// apt failed.
    #[error("cannot {action}: apt failed{}", evidence_lines(evidence))]
    Apt {
        /// Such as `download linux-image-6.18.15+deb13-rt-amd64`.
        action: String,
        /// Its error lines.
        evidence: Vec<String>,
    },
    /// The package's archive contains no kernel, or can't be unpacked.
    #[error("no kernel in package `{package}`: {reason}")]
    Package {
        /// The package.
        package: String,
        /// What was found instead.
        reason: String,
    },
    /// No kernel of that name was built here.
    #[error("no kernel `{}{name}` in the cache: {}", arch.map(|a| format!("{a}:")).unwrap_or_default(), built_here(there))]
    NotBuilt {
        /// The name.
        name: BuiltName,
        /// The architecture that was asked for.
        arch: Option<Arch>,
        /// What was built here.
        there: Vec<String>,
    },
    /// A kernel that was built here is damaged.
    #[error("the kernel `{name}` that was built here is damaged: `{}`: {reason}", path.display())]
    BuiltDamaged {
        /// Its name.
        name: BuiltName,
        /// Its architecture.
        arch: Arch,
        /// How it was built, if that can be read.
        built: Option<Box<BuiltKernel>>,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The suites have no kernel of that series.
    #[error("no kernel {arch}:{series} in the Debian suites{}; there are {}", except(missing), names(there))]
    Gone {
        /// The requested series.
        series: Series,
        /// For which architecture.
        arch: Arch,
        /// What the suites and the cache have for this architecture, in order.
        there: Vec<Series>,
        /// The nearest with the same console behaviour.
        nearest: Option<Series>,
        /// Suites that could not be asked.
        missing: Vec<String>,
    },
}

impl Error {
    pub(super) fn cache(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Cache { action, path: path.to_owned(), source }
    }

    /// What to do about it: one line, for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NoTool { .. } => Some(
                "stock kernels come by apt from Debian; a kernel of your own needs none of it: \
                 `bootline boot --kernel bzImage`"
                    .to_owned(),
            ),
            Error::NoMirror => Some(
                "state a mirror, `--mirror URL` (the package debian-archive-keyring is needed), \
                 or boot a kernel of your own: `bootline boot --kernel bzImage`"
                    .to_owned(),
            ),
            Error::BadMirror { .. } => {
                Some("a mirror is a URL without blanks: `--mirror http://HOST/debian`".to_owned())
            }
            Error::NoKeyring { .. } => Some("apt-get install debian-archive-keyring".to_owned()),
            Error::CachePath { .. } | Error::Cache { .. } => Some("set another folder: BOOTLINE_CACHE=DIR".to_owned()),
            Error::Apt { .. } => {
                Some("is the mirror reachable? kernels in the cache work without it: `bootline kernels`".to_owned())
            }
            Error::Package { .. } => None,
            Error::NotBuilt { arch: Some(arch), .. } if !arch.has_kernel_builds() => {
                Some(format!("kernels are not built for {arch}: name a stock series, such as {arch}:6.12, or an image"))
            }
            Error::NotBuilt { name, arch, .. } => {
                let command = build_command(name, *arch, None);
                Some(format!("build it: `{command}`; or name a stock series, such as 6.12"))
            }
            Error::BuiltDamaged { name, arch, built, .. } => {
                let command = build_command(name, Some(*arch), built.as_deref());
                Some(format!("build it again with the same options: `{command}`"))
            }
            Error::Gone { series, arch, nearest: Some(nearest), .. } => Some(format!(
                "nearest with the same console behaviour ({}): `bootline kernels fetch {arch}:{nearest}`",
                ConsoleClass::of(*arch, *series)
            )),
            Error::Gone { series, arch, nearest: None, .. } => Some(match ConsoleClass::of(*arch, *series) {
                ConsoleClass::Unknown => {
                    "choose one of these, or boot an image of your own: `bootline boot --kernel FILE`".to_owned()
                }
                class => format!(
                    "none of them prints as it does ({class}): boot an image of your own, `bootline boot --kernel FILE`"
                ),
            }),
        }
    }
}

/// The command that builds a kernel, with the options of an earlier build.
fn build_command(name: &BuiltName, arch: Option<Arch>, built: Option<&BuiltKernel>) -> String {
    let mut command = format!("bootline kernels build {name}");
    let mut add = |option: &str, value: &str| command.push_str(&format!(" {option} {value}"));
    if let Some(built) = built {
        add("--from", &built.from);
        add("--base", &built.base);
        built.fragments.iter().for_each(|fragment| add("--fragment", fragment));
    }
    // What is built for without the option.
    if let Some(arch) = arch.filter(|arch| *arch != Arch::Amd64) {
        add("--arch", &arch.to_string());
    }
    command
}

fn evidence_lines(lines: &[String]) -> String {
    const SHOWN: usize = 8;
    lines.iter().take(SHOWN).map(|l| format!("\n  {l}")).collect()
}

fn except(suites: &[String]) -> String {
    if suites.is_empty() { String::new() } else { format!(" (not reached: {})", suites.join(", ")) }
}

fn built_here(names: &[String]) -> String {
    if names.is_empty() {
        return "no kernel was built here".to_owned();
    }
    format!("built here are {}", names.join(", "))
}

fn names(series: &[Series]) -> String {
    if series.is_empty() {
        return "none".to_owned();
    }
    series.iter().map(Series::to_string).collect::<Vec<_>>().join(", ")
}
