// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB in a boot: a disk that a PC's firmware starts it from, and which of the two prints on the line.
use std::ffi::OsString;
use std::path::Path;

pub(super) use bootline_images::loaders::grub::REWRITTEN;
use bootline_images::loaders::grub::{BIOS, BOOT, CORE, EFI_CODE, EFI_VARIABLES, GrubMenu, SYSTEM_PARTITION};
use bootline_images::loaders::{BootMenu, DiskStart};

use super::disk::write_disk;
use super::job::{LoaderJob, LoaderParts};
use crate::boot::BootError;
use crate::boot::devices::drive;
use crate::boot::loader_truth::LoaderSetup;

/// Writes the disk of a PC whose BIOS starts GRUB, whose files are in `own`, into `folder`.
pub(super) fn prepare_bios(
    own: &Path,
    setup: LoaderSetup,
    job: &LoaderJob<'_>,
    folder: &Path,
) -> Result<LoaderParts, BootError> {
    let (first, core) = (own.join(BOOT), own.join(CORE));
    let disk = write_disk(job, &menu(setup, job), DiskStart::Sectors { first: &first, core: &core }, folder)?;
    let mut arguments = vec!["-bios".into(), own.join(BIOS).into()];
    if !setup.quiet {
        // By this SeaBIOS knows that there is no screen, and prints on the first serial port, for itself and for those who print
        // by its calls (sercon_setup in its src/sercon.c).
        arguments.extend(["-machine", "graphics=off"].map(OsString::from));
    }
    if job.screen {
        // For SeaBIOS there is none: its text console draws each character, and takes seconds of the translator's time.
        arguments.extend(["-global", "bochs-display.romfile="].map(OsString::from));
    }
    arguments.extend(FIRST_DISK.map(OsString::from));
    Ok(LoaderParts { arguments, disk })
}

/// The same of a PC with EFI firmware, which always prints on the serial line.
pub(super) fn prepare_efi(
    own: &Path,
    setup: LoaderSetup,
    job: &LoaderJob<'_>,
    folder: &Path,
) -> Result<LoaderParts, BootError> {
    let partition = own.join(SYSTEM_PARTITION);
    let disk = write_disk(job, &menu(setup, job), DiskStart::SystemPartition(&partition), folder)?;
    let mut arguments = vec![
        "-drive".into(),
        drive("format=raw,if=pflash,unit=0,readonly=on", &own.join(EFI_CODE)),
        "-drive".into(),
        drive("format=raw,if=pflash,unit=1,snapshot=on", &own.join(EFI_VARIABLES)),
    ];
    arguments.extend(FIRST_DISK.map(OsString::from));
    Ok(LoaderParts { arguments, disk })
}

fn menu(setup: LoaderSetup, job: &LoaderJob<'_>) -> BootMenu {
    let LoaderSetup { delay, quiet, gzip: _ } = setup;
    GrubMenu { command_line: job.command_line, baud: job.baud, delay, quiet }.file()
}

/// The disk as the firmware's first, whatever other disks there are.
const FIRST_DISK: [&str; 2] = ["-device", "virtio-blk-pci,drive=boot,bootindex=0"];
