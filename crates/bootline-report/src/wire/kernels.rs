// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stock kernels: what there is, and one that was fetched.
use schemars::JsonSchema;
use serde::Serialize;

/// What `bootline kernels --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KernelsJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// One entry for each series and architecture.
    pub kernels: Vec<KernelSeries>,
}

/// A series for an architecture.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KernelSeries {
    /// Debian's name of the architecture.
    pub arch: String,
    /// `6.1`, `6.18-rt`, `7.2-cloud`
    pub series: String,
    /// The newest package of the suites; null where none has the series, or none was asked.
    pub offered: Option<OfferedKernel>,
    /// The version in the cache.
    pub cached: Option<String>,
    /// How its serial console behaves.
    pub console: String,
}

/// A package of a suite.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfferedKernel {
    /// The package's version.
    pub version: String,
    /// The suite.
    pub suite: String,
    /// The package's name.
    pub package: String,
    /// What `uname -r` prints.
    pub release: String,
    /// Size of the download in bytes.
    pub bytes: u64,
}

/// What `bootline kernels fetch --json` writes: one document a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KernelJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// Debian's name of the architecture.
    pub arch: String,
    /// `6.1`, `6.18-rt`, `7.2-cloud`
    pub series: String,
    /// Whether it is a PREEMPT_RT kernel.
    pub rt: bool,
    /// What `uname -r` prints.
    pub release: String,
    /// The package's name.
    pub package: String,
    /// The package's version.
    pub version: String,
    /// The suite.
    pub suite: String,
    /// The kernel image.
    pub path: String,
    /// The kernel's configuration; null where its package has none.
    pub config_path: Option<String>,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
}
