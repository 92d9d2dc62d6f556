// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot loader in a boot: what a board would hold for it, and QEMU's arguments.
mod disk;
mod grub;
mod job;
mod u_boot;

use std::ffi::OsString;
use std::path::PathBuf;

use bootline_images::loaders::{Loader, LoaderError, LoaderFirmware, LoaderImage};
use tempfile::TempDir;

use super::BootError;
use super::loader_truth::{LoaderSetup, LoaderTruth};
pub(super) use job::LoaderJob;
use job::LoaderParts;

/// A boot loader that boots the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderBoot {
    /// The loader.
    pub loader: Loader,
    /// The folder with its files.
    pub folder: PathBuf,
    /// Version of the loader.
    pub version: String,
    /// The firmware that starts it.
    pub firmware: Option<LoaderFirmware>,
    /// How it is set up.
    pub setup: LoaderSetup,
}

impl LoaderBoot {
    /// A loader as built.
    pub fn new(image: &LoaderImage, setup: LoaderSetup) -> LoaderBoot {
        LoaderBoot {
            loader: image.manifest.loader,
            folder: image.folder.clone(),
            version: image.manifest.version.clone(),
            firmware: image.manifest.firmware.clone(),
            setup,
        }
    }

    /// What a run's truth says of it.
    pub(super) fn truth(&self) -> LoaderTruth {
        LoaderTruth {
            name: self.loader,
            version: self.version.clone(),
            firmware: self.firmware.clone(),
            setup: self.setup,
        }
    }

    /// Its files.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.loader.files().iter().map(|name| self.folder.join(name))
    }

    /// Checks that it passes a command line on unchanged.
    pub(super) fn check_words(&self, command_line: &str) -> Result<(), BootError> {
        let changed = match self.loader {
            Loader::UBoot => u_boot::REWRITTEN,
            Loader::GrubBios | Loader::GrubEfi => grub::REWRITTEN,
        };
        match command_line.chars().find(|c| changed.contains(c)) {
            Some(found) => Err(BootError::LoaderWords { loader: self.loader, found }),
            None => Ok(()),
        }
    }

    /// Writes what a board would hold for it.
    pub(super) fn prepare(&self, job: &LoaderJob<'_>) -> Result<LoaderMedia, BootError> {
        let folder = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let LoaderParts { arguments, disk } = match self.loader {
            Loader::UBoot => u_boot::prepare(&self.folder, self.setup, job, folder.path())?,
            Loader::GrubBios => grub::prepare_bios(&self.folder, self.setup, job, folder.path())?,
            Loader::GrubEfi => grub::prepare_efi(&self.folder, self.setup, job, folder.path())?,
        };
        Ok(LoaderMedia { arguments, disk, folder })
    }
}

/// What a board holds for a loader; removed once it is dropped.
#[derive(Debug)]
pub(super) struct LoaderMedia {
    /// QEMU's arguments for it, without the drive `boot` of its disk.
    pub arguments: Vec<OsString>,
    /// The image of that disk.
    pub disk: PathBuf,
    #[expect(dead_code, reason = "removes the files when it is dropped")]
    folder: TempDir,
}

impl From<LoaderError> for BootError {
    fn from(error: LoaderError) -> BootError {
        BootError::Loader(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loader_would_change_is_named() {
        let of = |loader, command_line: &str| {
            let (folder, version) = ("/l".into(), "1".to_owned());
            let boot = LoaderBoot { loader, folder, version, firmware: None, setup: LoaderSetup::default() };
            boot.check_words(command_line).err().map(|e| e.to_string())
        };
        assert_eq!(of(Loader::UBoot, "console=ttyAMA0,9600n8 quiet \"a b\""), None);
        let error = of(Loader::UBoot, "a=$b").unwrap();
        assert_eq!(error, "u-boot would change `$` in the kernel's command line");
        assert_eq!(of(Loader::GrubBios, "console=ttyS0,300n8 a=$b;{c}"), None);
        let error = of(Loader::GrubEfi, "dyndbg=\"file x +p\"").unwrap();
        assert_eq!(error, "grub-efi would change `\"` in the kernel's command line");
    }
}
