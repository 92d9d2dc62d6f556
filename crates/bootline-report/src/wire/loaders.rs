// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's boot loaders: what there is, and one that was built.
use schemars::JsonSchema;
use serde::Serialize;

/// What `bootline loaders list --json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadersJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// All boot loaders of the lab.
    pub loaders: Vec<LoaderJson>,
}

/// A boot loader.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoaderJson {
    /// `u-boot`, `grub-bios`, `grub-efi`
    pub loader: String,
    /// Debian's name of the architecture that it boots.
    pub arch: String,
    /// What it is, in words.
    pub about: String,
    /// Version of the one in the cache; null if it has not been built.
    pub version: Option<String>,
}

/// What `bootline loaders build --json` writes: one document a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoaderImageJson {
    /// The name and the version of this schema.
    pub schema: &'static str,
    /// `u-boot`, `grub-bios`, `grub-efi`
    pub loader: String,
    /// Debian's name of the architecture that it boots.
    pub arch: String,
    /// Version of Debian's package.
    pub version: String,
    /// The firmware that starts it, with the version of its package: `SeaBIOS 1.16.3-2`; null where the loader is the machine's
    /// first program.
    pub firmware: Option<String>,
    /// The image.
    pub path: String,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
}
