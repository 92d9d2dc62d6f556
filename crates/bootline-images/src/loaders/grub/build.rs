// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building GRUB: its image is linked from its modules, and goes before the first partition of a disk or into one of its own.
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{BIOS, BOOT, CORE, EFI_CODE, EFI_VARIABLES, SYSTEM_PARTITION};
use super::packages::{Packages, SUITE};
use crate::loaders::boot_disk::GAP;
use crate::loaders::build::{BuildPlace, Built};
use crate::loaders::{Loader, LoaderError, LoaderFirmware, LoaderProgress};

/// Where GRUB finds its menu: on the first partition of the disk that it was started from.
const PREFIX: &str = "(,msdos1)/grub";

/// Modules that are linked into the image, so that none is read from the disk.
const MODULES: [&str; 7] = ["part_msdos", "ext2", "normal", "linux", "serial", "terminal", "echo"];

/// Size of the EFI system partition, in sectors.
const SYSTEM_PARTITION_SECTORS: &str = "8192";
/// Its serial number, which otherwise differs each time.
const SERIAL_NUMBER: &str = "b0071e00";
/// mformat's words for it. No geometry that means anything: heads and sectors per track only have to divide the size.
const FORMAT: [&str; 11] =
    ["-C", "-T", SYSTEM_PARTITION_SECTORS, "-h", "1", "-s", "32", "-v", "ESP", "-N", SERIAL_NUMBER];
/// Its folders, and where firmware looks for a program on a medium that it does not know (UEFI, 3.5.1.1).
const FOLDERS: [&str; 2] = ["::/EFI", "::/EFI/BOOT"];
const PROGRAM: &str = "::/EFI/BOOT/BOOTX64.EFI";

/// What the two kinds of firmware need.
struct Platform {
    /// The package with GRUB's modules first.
    packages: &'static [&'static str],
    /// GRUB's name for it.
    format: &'static str,
    modules: &'static [&'static str],
    firmware: &'static str,
    firmware_package: &'static str,
    /// Where the packages have the firmware's files.
    firmware_folder: &'static str,
    firmware_files: &'static [&'static str],
}

const ON_BIOS: Platform = Platform {
    packages: &["grub-pc-bin", "grub-common", "seabios"],
    format: "i386-pc",
    modules: &["biosdisk"],
    firmware: "SeaBIOS",
    firmware_package: "seabios",
    firmware_folder: "usr/share/seabios",
    firmware_files: &[BIOS],
};

const ON_EFI: Platform = Platform {
    packages: &["grub-efi-amd64-bin", "grub-common", "ovmf", "mtools"],
    format: "x86_64-efi",
    modules: &[],
    firmware: "OVMF",
    firmware_package: "ovmf",
    firmware_folder: "usr/share/OVMF",
    firmware_files: &[EFI_CODE, EFI_VARIABLES],
};

fn platform(loader: Loader) -> &'static Platform {
    if is_efi(loader) { &ON_EFI } else { &ON_BIOS }
}

fn is_efi(loader: Loader) -> bool {
    loader == Loader::GrubEfi
}

/// What identifies how it is built here.
pub(in crate::loaders) fn recipe(loader: Loader) -> String {
    let Platform { packages, format, modules, .. } = platform(loader);
    format!("{SUITE}{packages:?}{format}{modules:?}{MODULES:?}{PREFIX}{FORMAT:?}{FOLDERS:?}{PROGRAM}")
}

/// Builds it.
///
/// # Errors
/// The packages can't be had, or a step failed.
pub(in crate::loaders) fn build(
    loader: Loader,
    place: &BuildPlace<'_>,
    progress: &mut dyn FnMut(LoaderProgress),
) -> Result<Built, LoaderError> {
    let platform = platform(loader);
    let packages = Packages::unpack(loader, platform.packages, place, progress)?;
    progress(LoaderProgress::Linking { loader });
    let modules = packages.file("usr/lib/grub").join(platform.format);
    let image = place.part.join("image");
    packages.run(loader, "grub-mkimage", "linking its image", |command| {
        command.arg("-d").arg(&modules).args(["-O", platform.format, "-p", PREFIX, "-o"]).arg(&image);
        command.args(MODULES).args(platform.modules);
    })?;
    let mut files = if is_efi(loader) {
        vec![(system_partition(loader, &packages, &image, place.part)?, SYSTEM_PARTITION)]
    } else {
        fits(loader, &image)?;
        vec![(image, CORE), (modules.join(BOOT), BOOT)]
    };
    let firmware = platform.firmware_files.iter().map(|name| {
        let folder = packages.file(platform.firmware_folder);
        (folder.join(name), *name)
    });
    files.extend(firmware);
    let firmware =
        LoaderFirmware { name: platform.firmware.to_owned(), version: packages.version(platform.firmware_package)? };
    Ok(Built { version: packages.version(platform.packages[0])?, firmware: Some(firmware), files })
}

/// Checks that an image fits between the first sector of a disk and its first partition.
fn fits(loader: Loader, image: &Path) -> Result<(), LoaderError> {
    let bytes = fs::metadata(image).map_err(LoaderError::file("read", image))?.len();
    if bytes <= GAP {
        return Ok(());
    }
    Err(LoaderError::Step {
        what: loader.to_string(),
        step: "fitting it before the first partition",
        evidence: vec![format!("its image has {bytes} bytes, and there is room for {GAP}")],
    })
}

/// A FAT file system with the image where firmware looks for it.
fn system_partition(loader: Loader, packages: &Packages, image: &Path, folder: &Path) -> Result<PathBuf, LoaderError> {
    const STEP: &str = "writing its system partition";
    let partition = folder.join(SYSTEM_PARTITION);
    let mtools = |program: &str, words: &[&str], file: Option<&Path>, to: &str| {
        packages.run(loader, program, STEP, |command| {
            // Times in the file system would differ each time; a configuration of the user's could change the rest.
            command.env("SOURCE_DATE_EPOCH", "0").env("TZ", "UTC").env("MTOOLSRC", "/dev/null");
            command.arg("-i").arg(&partition).args(words).args(file).arg(to);
        })
    };
    mtools("mformat", &FORMAT, None, "::")?;
    FOLDERS.iter().try_for_each(|folder| mtools("mmd", &[], None, folder))?;
    mtools("mcopy", &[], Some(image), PROGRAM)?;
    Ok(partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_must_end_before_the_first_partition() {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        let of_size = |bytes| fs::File::create(&image).unwrap().set_len(bytes).unwrap();
        of_size(GAP);
        assert!(fits(Loader::GrubBios, &image).is_ok());
        of_size(GAP + 1);
        let error = fits(Loader::GrubBios, &image).unwrap_err().to_string();
        assert!(error.ends_with("its image has 1048065 bytes, and there is room for 1048064"), "{error}");
    }

    #[test]
    fn the_loaders_differ_in_what_identifies_them() {
        assert_ne!(recipe(Loader::GrubBios), recipe(Loader::GrubEfi));
    }
}
