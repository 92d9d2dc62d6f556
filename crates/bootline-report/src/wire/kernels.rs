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
    /// The kernels that were built here (`bootline kernels build`).
    pub built: Vec<KernelJson>,
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

/// What `bootline kernels fetch --json` and `bootline kernels build --json` write: one document a line.
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
    /// The package's name; empty for a kernel that was built here.
    pub package: String,
    /// The package's version; what `built.source` has for a kernel that was built here.
    pub version: String,
    /// The suite; empty for a kernel that was built here.
    pub suite: String,
    /// The kernel image.
    pub path: String,
    /// The kernel's configuration; null where its package has none.
    pub config_path: Option<String>,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
    /// How it was built; null for a stock kernel.
    pub built: Option<KernelBuildJson>,
}

/// How a kernel was built by `bootline kernels build`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KernelBuildJson {
    /// Its name.
    pub name: String,
    /// What the source was: Debian's version, the path of a tree, or an archive's name with its SHA-256.
    pub source: String,
    /// The configuration that it was built from: `tiny`, `stock`, `defconfig` or a file.
    pub base: String,
    /// The fragments on top of it, in order.
    pub fragments: Vec<String>,
    /// The compiler, as it calls itself.
    pub compiler: String,
    /// The number of objects that were compiled: 0 if all of an earlier build could be used.
    pub objects: u64,
    /// How long compiling took, in nanoseconds: of the last run, if the build was interrupted.
    pub compile_ns: u64,
    /// The number of processes that compiled.
    pub jobs: usize,
}
