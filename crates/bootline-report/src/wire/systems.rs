// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's systems: what there is, and an image that was built.
use schemars::JsonSchema;
use serde::Serialize;

/// What `bootline systems list --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SystemsJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// All systems of the lab.
    pub systems: Vec<SystemJson>,
}

/// A system.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SystemJson {
    /// `debian-systemd`, `busybox`
    pub system: String,
    /// Debian's name of the architecture.
    pub arch: String,
    /// What it contains, in words.
    pub about: String,
    /// Size of an image, in MiB; it takes less on the disk.
    pub image_mib: u32,
    /// Size of the root file system in the cache, in bytes; null if it has not been built.
    pub root_bytes: Option<u64>,
    /// The releases of the kernels for which the cache has images.
    pub releases: Vec<String>,
}

/// What `bootline systems build --json` writes: one document a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SystemImageJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// `debian-systemd`, `busybox`
    pub system: String,
    /// Debian's name of the architecture.
    pub arch: String,
    /// What `uname -r` prints with the kernel it was built for.
    pub release: String,
    /// The image.
    pub path: String,
    /// Whether it has been booted once and shut down, as before every measurement.
    pub settled: bool,
}
