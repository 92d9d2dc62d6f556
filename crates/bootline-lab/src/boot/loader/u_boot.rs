// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot in a boot: a flash with its environment, and a disk with a menu.
use std::fs::File;
use std::io::Read;
use std::path::Path;

use bootline_capture::units::Baud;
pub(super) use bootline_images::loaders::u_boot::REWRITTEN;
use bootline_images::loaders::u_boot::{ENVIRONMENT, Environment, IMAGE, flash_image, load_addresses, menu};
use bootline_images::loaders::{DiskStart, Loader};

use super::disk::write_disk;
use super::job::{LoaderJob, LoaderParts};
use crate::boot::BootError;
use crate::boot::devices::drive;
use crate::boot::loader_truth::LoaderSetup;

/// Writes its disk and its flash into `folder`.
pub(super) fn prepare(
    own: &Path,
    setup: LoaderSetup,
    job: &LoaderJob<'_>,
    folder: &Path,
) -> Result<LoaderParts, BootError> {
    let size = |path: &Path| std::fs::metadata(path).map(|m| m.len());
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| BootError::Kernel { path, source }
    };
    let image = own.join(IMAGE);
    let own = own.join(ENVIRONMENT);
    let own = Environment::parse(
        &std::fs::read_to_string(&own).map_err(|source| BootError::LoaderFile { path: own.clone(), source })?,
    );
    let mut header = Vec::new();
    let opened = File::open(job.files.kernel).and_then(|file| file.take(64).read_to_end(&mut header));
    opened.map_err(unreadable(job.files.kernel))?;
    let kernel = size(job.files.kernel).map_err(unreadable(job.files.kernel))?;
    let initramfs = size(job.files.initramfs)
        .map_err(|source| BootError::Initrd { path: job.files.initramfs.to_owned(), source })?;
    let at = load_addresses(&header, kernel, initramfs, job.memory_mib)
        .map_err(|needed| BootError::LoaderMemory { loader: Loader::UBoot, mib: needed.mib })?;
    let disk = write_disk(job, &menu(job.command_line), DiskStart::Nothing, folder)?;
    let flash = folder.join("flash");
    flash_image(&environment(own, setup, job.baud, at.kernel, at.initramfs), &flash)?;
    let arguments = vec![
        "-bios".into(),
        image.into(),
        "-drive".into(),
        drive("format=raw,if=pflash,unit=1,snapshot=on", &flash),
        "-device".into(),
        "virtio-blk-pci,drive=boot".into(),
    ];
    Ok(LoaderParts { arguments, disk })
}

/// The environment for a boot, from that which the loader has without a saved one.
fn environment(own: Environment, setup: LoaderSetup, baud: Baud, kernel: u64, initramfs: u64) -> Environment {
    let mut environment = own;
    environment.set("baudrate", baud.to_string());
    environment.set("kernel_addr_r", format!("{kernel:#x}"));
    environment.set("ramdisk_addr_r", format!("{initramfs:#x}"));
    if let Some(delay) = setup.delay {
        environment.set("bootdelay", delay.to_string());
    }
    if setup.quiet {
        environment.set("silent", "1");
        // Boot without a countdown, and without looking for a key (doc/README.autoboot of U-Boot).
        environment.set("bootdelay", "-2");
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_has_the_setup() {
        let own = || Environment::parse("bootdelay=2\nbootcmd=bootflow scan -lb\n");
        let of = |setup| environment(own(), setup, Baud::new(9600).unwrap(), 0x4040_0000, 0x4400_0000);
        let default = of(LoaderSetup::default());
        assert_eq!([default.get("bootdelay"), default.get("silent")], [Some("2"), None]);
        assert_eq!([default.get("baudrate"), default.get("kernel_addr_r")], [Some("9600"), Some("0x40400000")]);
        assert_eq!(of(LoaderSetup { delay: Some(0), quiet: false }).get("bootdelay"), Some("0"));
        let quiet = of(LoaderSetup { delay: None, quiet: true });
        assert_eq!([quiet.get("bootdelay"), quiet.get("silent")], [Some("-2"), Some("1")]);
    }
}
