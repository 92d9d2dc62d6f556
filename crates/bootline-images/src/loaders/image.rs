// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot loader in the cache: its files, and what they are.
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::loader::Loader;
use crate::hex::hex;

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

    /// Identifies all its files: SHA-256, in hexadecimal. That of the loader itself if it is the only one.
    pub fn sha256(&self) -> String {
        let files = &self.manifest.files;
        match files.values().next().filter(|_| files.len() == 1) {
            Some(only) => only.clone(),
            None => hex(Sha256::digest(files.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect::<String>())),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_firmware_is_another_loader() {
        let of = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(name, sum)| ((*name).to_owned(), (*sum).to_owned())).collect();
            let manifest = LoaderManifest {
                loader: Loader::GrubEfi,
                version: "2.12".to_owned(),
                firmware: None,
                recipe: String::new(),
                files,
            };
            LoaderImage { folder: PathBuf::new(), manifest }.sha256()
        };
        assert_eq!(of(&[("u-boot.bin", "5a")]), "5a");
        assert_ne!(of(&[("esp.img", "5a"), ("OVMF.fd", "01")]), of(&[("esp.img", "5a"), ("OVMF.fd", "02")]));
    }
}
