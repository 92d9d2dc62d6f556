// SPDX-License-Identifier: MIT OR Apache-2.0
//! Progress of a kernel's build, for display.
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::kernels::progress::FetchProgress;

/// A step of a build. Its text is a line for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelBuildProgress {
    /// A package is fetched: the source, or the stock kernel whose configuration is the base.
    Fetching(FetchProgress),
    /// Another process builds this kernel, or unpacks a source.
    Waiting,
    /// The source is being unpacked.
    Unpacking {
        /// Debian's version, or the archive.
        source: String,
    },
    /// The build folder is of another source, and is emptied.
    OtherSource {
        /// The folder.
        folder: PathBuf,
    },
    /// An interrupted build continues.
    Continuing {
        /// The folder.
        folder: PathBuf,
        /// The number of objects that are there.
        objects: u64,
    },
    /// What a base sets, and the build does not need, is switched off.
    SwitchedOff {
        /// The options that the base had.
        options: Vec<String>,
    },
    /// The configuration is being made.
    Configuring,
    /// The first objects are being compiled, to measure how fast this host is.
    Measuring,
    /// What the rest will take, at the rate just measured.
    Estimated {
        /// The number of objects to compile.
        objects: u64,
        /// The rate, in objects a second.
        rate: f64,
        /// The number of processes.
        jobs: usize,
        /// The time.
        time: Duration,
        /// The room in the build folder, in bytes.
        bytes: u64,
    },
    /// The kernel is being compiled.
    Compiling {
        /// The number of objects so far.
        objects: u64,
        /// How many are expected.
        of: u64,
        /// How long the rest will take; none before anything is known.
        left: Option<Duration>,
    },
    /// The modules are being copied.
    InstallingModules,
}

impl KernelBuildProgress {
    /// Whether the next step of this kind replaces it.
    pub fn counts(&self) -> bool {
        match self {
            KernelBuildProgress::Compiling { .. } => true,
            KernelBuildProgress::Fetching(fetch) => {
                matches!(fetch, FetchProgress::Refreshing { .. } | FetchProgress::Downloading { .. })
            }
            _ => false,
        }
    }
}

impl fmt::Display for KernelBuildProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelBuildProgress::Fetching(fetch) => fetch.fmt(f),
            KernelBuildProgress::Waiting => f.write_str("waiting for another build"),
            KernelBuildProgress::Unpacking { source } => write!(f, "unpacking the source {source}"),
            KernelBuildProgress::OtherSource { folder } => {
                write!(f, "`{}` is a build of another source: starting over", folder.display())
            }
            KernelBuildProgress::Continuing { folder, objects } => {
                write!(f, "continuing the build in `{}`: {objects} objects are there", folder.display())
            }
            KernelBuildProgress::SwitchedOff { options } => {
                write!(f, "switched off, because they multiply the build's time or need keys: {}", options.join(", "))
            }
            KernelBuildProgress::Configuring => f.write_str("making the configuration"),
            KernelBuildProgress::Measuring => f.write_str("compiling the first objects, which measures this host"),
            KernelBuildProgress::Estimated { objects, rate, jobs, time, bytes } => write!(
                f,
                "about {} for about {objects} objects, at the measured {rate:.1} a second with {jobs} processes, and {} of disk; \
                 Ctrl-C interrupts, and the same command continues",
                rounded(*time),
                size(*bytes),
            ),
            KernelBuildProgress::Compiling { objects, of, left } => {
                write!(f, "compiling: {objects} of about {} objects", of.max(objects))?;
                match left {
                    Some(left) => write!(f, ", about {} left", rounded(*left)),
                    None => Ok(()),
                }
            }
            KernelBuildProgress::InstallingModules => f.write_str("copying the modules"),
        }
    }
}

fn size(bytes: u64) -> String {
    let mb = bytes as f64 / 1e6;
    if mb < 1000.0 { format!("{mb:.0} MB") } else { format!("{:.1} GB", mb / 1000.0) }
}

/// As precise as an estimate is.
fn rounded(time: Duration) -> String {
    let minutes = time.as_secs_f64() / 60.0;
    match minutes {
        m if m < 1.0 => "1 min".to_owned(),
        m if m < 90.0 => format!("{m:.0} min"),
        m => format!("{:.1} h", m / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_never_rounded_to_nothing() {
        assert_eq!([size(800_000), size(40_000_000), size(1_500_000_000)], ["1 MB", "40 MB", "1.5 GB"]);
    }

    #[test]
    fn times_are_as_precise_as_estimates() {
        let text = |seconds| rounded(Duration::from_secs(seconds));
        assert_eq!([text(5), text(100), text(3600), text(6000)], ["1 min", "2 min", "60 min", "1.7 h"]);
    }
}
