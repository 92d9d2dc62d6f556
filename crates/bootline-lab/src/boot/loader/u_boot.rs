// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot in a boot: a flash with its environment, and a disk with a menu.
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use bootline_capture::units::Baud;
pub(super) use bootline_images::loaders::u_boot::REWRITTEN;
use bootline_images::loaders::u_boot::{
    ENVIRONMENT, Environment, IMAGE, LoadAddresses, LoadedKernel, flash_image, load_addresses, menu,
};
use bootline_images::loaders::{DiskStart, Loader};
use flate2::Compression;
use flate2::write::GzEncoder;

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
    let kernel = LoadedKernel {
        header: &header,
        size: size(job.files.kernel).map_err(unreadable(job.files.kernel))?,
        compressed: setup.gzip,
    };
    let initramfs = size(job.files.initramfs)
        .map_err(|source| BootError::Initrd { path: job.files.initramfs.to_owned(), source })?;
    let at = load_addresses(kernel, initramfs, job.memory_mib)
        .map_err(|needed| BootError::LoaderMemory { loader: Loader::UBoot, mib: needed.mib })?;
    let compressed = folder.join("kernel.gz");
    let mut files = job.files;
    let mut bytes = None;
    if setup.gzip {
        bytes = Some(gzip(job.files.kernel, &compressed)?);
        files.kernel = &compressed;
    }
    let disk = write_disk(&LoaderJob { files, ..*job }, &menu(job.command_line), DiskStart::Nothing, folder)?;
    let flash = folder.join("flash");
    flash_image(&environment(own, setup, job.baud, at, bytes), &flash)?;
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

/// The environment for a boot, from that which the loader has without a saved one. `compressed` is the size of a compressed kernel.
fn environment(
    own: Environment,
    setup: LoaderSetup,
    baud: Baud,
    at: LoadAddresses,
    compressed: Option<u64>,
) -> Environment {
    let mut environment = own;
    environment.set("baudrate", baud.to_string());
    environment.set("kernel_addr_r", format!("{:#x}", at.kernel));
    environment.set("ramdisk_addr_r", format!("{:#x}", at.initramfs));
    if let Some(bytes) = compressed {
        environment.set("kernel_comp_addr_r", format!("{:#x}", at.decompressed));
        // U-Boot makes room for ten times as much.
        environment.set("kernel_comp_size", format!("{bytes:#x}"));
    }
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

/// Compresses a kernel as `gzip -9`, which kernels' own Makefiles call. Gives the size in bytes.
fn gzip(kernel: &Path, to: &Path) -> Result<u64, BootError> {
    let unwritable = |source| BootError::Write { path: to.to_owned(), source };
    let image = std::fs::read(kernel).map_err(|source| BootError::Kernel { path: kernel.to_owned(), source })?;
    let mut encoder = GzEncoder::new(File::create(to).map_err(unwritable)?, Compression::best());
    encoder.write_all(&image).map_err(unwritable)?;
    encoder.finish().and_then(|mut file| file.stream_position()).map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_has_the_setup() {
        let own = || Environment::parse("bootdelay=2\nbootcmd=bootflow scan -lb\n");
        let at = LoadAddresses { kernel: 0x4040_0000, initramfs: 0x4400_0000, decompressed: 0x4800_0000 };
        let of = |setup| environment(own(), setup, Baud::new(9600).unwrap(), at, setup.gzip.then_some(0x80_0000));
        let default = of(LoaderSetup::default());
        assert_eq!([default.get("bootdelay"), default.get("silent")], [Some("2"), None]);
        assert_eq!([default.get("baudrate"), default.get("kernel_addr_r")], [Some("9600"), Some("0x40400000")]);
        assert_eq!(of(LoaderSetup { delay: Some(0), ..LoaderSetup::default() }).get("bootdelay"), Some("0"));
        let quiet = of(LoaderSetup { quiet: true, ..LoaderSetup::default() });
        assert_eq!([quiet.get("bootdelay"), quiet.get("silent")], [Some("-2"), Some("1")]);
        let gzip = of(LoaderSetup { gzip: true, ..LoaderSetup::default() });
        let names = ["kernel_comp_addr_r", "kernel_comp_size"];
        assert_eq!(names.map(|name| default.get(name)), [None, None]);
        assert_eq!(names.map(|name| gzip.get(name)), [Some("0x48000000"), Some("0x800000")]);
    }

    #[test]
    fn a_compressed_kernel_is_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let (kernel, to) = (folder.path().join("Image"), folder.path().join("Image.gz"));
        std::fs::write(&kernel, [7; 100_000]).unwrap();
        let bytes = gzip(&kernel, &to).unwrap();
        assert_eq!(bytes, std::fs::metadata(&to).unwrap().len());
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(File::open(&to).unwrap()).read_to_end(&mut back).unwrap();
        assert!(bytes < 1000 && back == [7; 100_000]);
    }
}
