// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot loader in a boot: what a board would hold for it, and QEMU's arguments.
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bootline_capture::units::Baud;
use bootline_images::loaders::{
    BootFiles, Environment, Loader, LoaderError, LoaderImage, boot_disk, flash_image, load_addresses,
};
use tempfile::TempDir;

use super::BootError;
use super::loader_truth::{LoaderSetup, LoaderTruth};

/// A boot loader that boots the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderBoot {
    /// The loader.
    pub loader: Loader,
    /// What QEMU starts with.
    pub image: PathBuf,
    /// Version of the loader.
    pub version: String,
    /// The environment that it has without a saved one.
    pub environment: Environment,
    /// How it is set up.
    pub setup: LoaderSetup,
}

impl LoaderBoot {
    /// A loader as built.
    pub fn new(image: &LoaderImage, setup: LoaderSetup) -> LoaderBoot {
        LoaderBoot {
            loader: image.manifest.loader,
            image: image.path.clone(),
            version: image.manifest.version.clone(),
            environment: image.environment.clone(),
            setup,
        }
    }

    /// What a run's truth says of it.
    pub(super) fn truth(&self) -> LoaderTruth {
        LoaderTruth { name: self.loader, version: self.version.clone(), setup: self.setup }
    }

    /// Its environment for this boot.
    fn environment_for(&self, baud: Baud, kernel: u64, initramfs: u64) -> Environment {
        let mut environment = self.environment.clone();
        environment.set("baudrate", baud.to_string());
        environment.set("kernel_addr_r", format!("{kernel:#x}"));
        environment.set("ramdisk_addr_r", format!("{initramfs:#x}"));
        if let Some(delay) = self.setup.delay {
            environment.set("bootdelay", delay.to_string());
        }
        if self.setup.quiet {
            environment.set("silent", "1");
            // Boot without a countdown, and without looking for a key (doc/README.autoboot of U-Boot).
            environment.set("bootdelay", "-2");
        }
        environment
    }

    /// Writes the loader's disk and flash.
    pub(super) fn prepare(&self, files: &BootFiles<'_>, baud: Baud, memory_mib: u32) -> Result<LoaderMedia, BootError> {
        let size = |path: &Path| std::fs::metadata(path).map(|m| m.len());
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| BootError::Kernel { path, source }
        };
        let mut header = Vec::new();
        let opened = File::open(files.kernel).and_then(|file| file.take(64).read_to_end(&mut header));
        opened.map_err(unreadable(files.kernel))?;
        let kernel = size(files.kernel).map_err(unreadable(files.kernel))?;
        let initramfs =
            size(files.initramfs).map_err(|source| BootError::Initrd { path: files.initramfs.to_owned(), source })?;
        let at = load_addresses(&header, kernel, initramfs, memory_mib)
            .map_err(|needed| BootError::LoaderMemory { loader: self.loader, mib: needed.mib })?;
        let folder = tempfile::tempdir().map_err(|source| BootError::Write { path: std::env::temp_dir(), source })?;
        let content = folder.path().join("files");
        std::fs::create_dir(&content).map_err(|source| BootError::Write { path: content.clone(), source })?;
        let media = LoaderMedia { disk: folder.path().join("disk"), flash: folder.path().join("flash"), folder };
        boot_disk(files, &content, &media.disk)?;
        // The disk has them now.
        std::fs::remove_dir_all(&content).map_err(|source| BootError::Write { path: content, source })?;
        flash_image(&self.environment_for(baud, at.kernel, at.initramfs), &media.flash)?;
        Ok(media)
    }

    /// QEMU's arguments for the loader, its flash and its disk, which has these limits, as options of a drive.
    pub(super) fn arguments(&self, media: &LoaderMedia, limits: &str) -> Vec<OsString> {
        let drive = |options: &str, path: &Path| {
            // QEMU reads a comma in a name as two.
            OsString::from(format!("{options},file={}", path.to_string_lossy().replace(',', ",,")))
        };
        let mut disk = drive("format=raw,if=none,id=boot,snapshot=on", &media.disk);
        disk.push(limits);
        vec![
            "-bios".into(),
            self.image.clone().into(),
            "-drive".into(),
            drive("format=raw,if=pflash,unit=1,snapshot=on", &media.flash),
            "-drive".into(),
            disk,
            "-device".into(),
            "virtio-blk-pci,drive=boot".into(),
        ]
    }
}

/// The disk and the flash of a boot; removed once it is dropped.
#[derive(Debug)]
pub(super) struct LoaderMedia {
    disk: PathBuf,
    flash: PathBuf,
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
    use bootline_images::hardware::Bus;

    use super::*;
    use crate::storage::{StoragePreset, throttle};

    fn boot(setup: LoaderSetup) -> LoaderBoot {
        LoaderBoot {
            loader: Loader::UBoot,
            image: "/u-boot.bin".into(),
            version: "1".to_owned(),
            environment: Environment::parse("bootdelay=2\nbootcmd=bootflow scan -lb\n"),
            setup,
        }
    }

    #[test]
    fn the_environment_has_the_setup() {
        let of = |setup| boot(setup).environment_for(Baud::new(9600).unwrap(), 0x4040_0000, 0x4400_0000);
        let default = of(LoaderSetup::default());
        assert_eq!([default.get("bootdelay"), default.get("silent")], [Some("2"), None]);
        assert_eq!([default.get("baudrate"), default.get("kernel_addr_r")], [Some("9600"), Some("0x40400000")]);
        assert_eq!(of(LoaderSetup { delay: Some(0), quiet: false }).get("bootdelay"), Some("0"));
        let quiet = of(LoaderSetup { delay: None, quiet: true });
        assert_eq!([quiet.get("bootdelay"), quiet.get("silent")], [Some("-2"), Some("1")]);
    }

    #[test]
    fn the_disk_shares_the_storage_of_the_system() {
        let media = LoaderMedia { disk: "/a,b".into(), flash: "/f".into(), folder: tempfile::tempdir().unwrap() };
        let arguments = |storage| {
            let limits = throttle(storage, Bus::Virtio);
            boot(LoaderSetup::default()).arguments(&media, &limits)[5].clone()
        };
        assert_eq!(arguments(None), "format=raw,if=none,id=boot,snapshot=on,file=/a,,b");
        let slow = arguments(Some(StoragePreset::Sd)).into_string().unwrap();
        assert!(slow.ends_with(",throttling.bps-total=20000000,throttling.iops-total=700,throttling.group=storage"));
    }
}
