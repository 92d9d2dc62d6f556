// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot loader in the cache: its files, and what they are.
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::loader::Loader;

/// A loader in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderImage {
    /// The folder with its files.
    pub folder: PathBuf,
    /// What it is.
    pub manifest: LoaderManifest,
}

impl LoaderImage {
    /// The loader itself; other files, such as its firmware, are next to it.
    pub fn path(&self) -> PathBuf {
        self.folder.join(self.manifest.loader.image())
    }

    /// SHA-256 of the loader itself, in hexadecimal.
    pub fn sha256(&self) -> &str {
        self.manifest.files.get(self.manifest.loader.image()).map_or("", String::as_str)
    }
}

/// What a loader is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoaderManifest {
    /// The loader.
    pub loader: Loader,
    /// Version of Debian's package, source or binary.
    pub version: String,
    /// The firmware that starts it, if the loader is not the machine's first program.
    pub firmware: Option<LoaderFirmware>,
    /// Identifies how it was built: SHA-256, in hexadecimal.
    pub recipe: String,
    /// SHA-256 of each file, in hexadecimal, by its name.
    pub files: BTreeMap<String, String>,
}

/// The firmware that starts a boot loader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "The firmware that starts a boot loader.")]
pub struct LoaderFirmware {
    /// `SeaBIOS`, `OVMF`
    pub name: String,
    /// Version of Debian's package.
    pub version: String,
}
