// SPDX-License-Identifier: MIT OR Apache-2.0
//! An image of a system for one kernel, and its manifest.
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SystemError;
use super::system::System;
use crate::arch::Arch;

/// A file system image with the modules of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemImage {
    /// The image.
    pub path: PathBuf,
    /// The initramfs that mounts it.
    pub initramfs: PathBuf,
    /// What it is.
    pub manifest: SystemManifest,
}

/// What an image is: `IMAGE.json` next to it, written once the image is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemManifest {
    /// The system.
    pub system: System,
    /// Its architecture.
    #[serde(with = "crate::arch::debian_name")]
    pub arch: Arch,
    /// The release of the kernel whose modules it has, as `uname -r` says it.
    pub release: String,
    /// Identifies the packages and the lab's additions that it was built from: SHA-256, in hexadecimal.
    pub recipe: String,
    /// Whether it has been booted once and shut down: first boots do what later ones don't.
    pub settled: bool,
}

impl SystemImage {
    /// The image in this folder, if it is complete and built by this recipe.
    pub(super) fn read(folder: &Path, release: &str, recipe: &str) -> Option<SystemImage> {
        let path = folder.join(format!("{release}.img"));
        let text = fs::read(manifest_of(&path)).ok()?;
        let manifest: SystemManifest = serde_json::from_slice(&text).ok()?;
        let initramfs = path.with_extension("img.cpio");
        let complete = path.is_file() && initramfs.is_file();
        (complete && manifest.recipe == recipe).then_some(SystemImage { path, initramfs, manifest })
    }

    /// Records that the image has been booted once and shut down.
    ///
    /// # Errors
    /// The manifest can't be written.
    pub fn set_settled(&mut self) -> Result<(), SystemError> {
        self.manifest.settled = true;
        self.write_manifest()
    }

    pub(super) fn write_manifest(&self) -> Result<(), SystemError> {
        let path = manifest_of(&self.path);
        let text = serde_json::to_string_pretty(&self.manifest).expect("plain strings always serialise");
        let part = path.with_extension("part");
        fs::write(&part, text + "\n").map_err(SystemError::cache("write", &part))?;
        fs::rename(&part, &path).map_err(SystemError::cache("write", &path))
    }
}

fn manifest_of(image: &Path) -> PathBuf {
    image.with_extension("img.json")
}
