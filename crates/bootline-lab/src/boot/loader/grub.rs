// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB in a boot: a disk that a PC's firmware starts it from, and which of the two prints on the line.
use std::ffi::OsString;
use std::path::Path;

pub(super) use bootline_images::loaders::grub::REWRITTEN;
use bootline_images::loaders::grub::{BIOS, BOOT, CORE, EFI_CODE, EFI_VARIABLES, GrubMenu, SYSTEM_PARTITION};
use bootline_images::loaders::{BootMenu, DiskStart};

use super::{LoaderBoot, LoaderJob, disk_drive, drive, write_disk};
use crate::boot::BootError;

/// Writes the disk of a PC whose BIOS starts GRUB into `folder`. Gives QEMU's arguments.
pub(super) fn prepare_bios(boot: &LoaderBoot, job: &LoaderJob<'_>, folder: &Path) -> Result<Vec<OsString>, BootError> {
    let (first, core) = (boot.folder.join(BOOT), boot.folder.join(CORE));
    let disk = write_disk(job, &menu(boot, job), DiskStart::Sectors { first: &first, core: &core }, folder)?;
    let mut arguments = vec!["-bios".into(), boot.folder.join(BIOS).into()];
    if !boot.setup.quiet {
        // By this SeaBIOS knows that there is no screen, and prints on the first serial port, for itself and for those who print
        // by its calls (sercon_setup in its src/sercon.c).
        arguments.extend(["-machine", "graphics=off"].map(OsString::from));
    }
    arguments.extend(first_disk(&disk, job));
    Ok(arguments)
}

/// The same of a PC with EFI firmware, which always prints on the serial line.
pub(super) fn prepare_efi(boot: &LoaderBoot, job: &LoaderJob<'_>, folder: &Path) -> Result<Vec<OsString>, BootError> {
    let partition = boot.folder.join(SYSTEM_PARTITION);
    let disk = write_disk(job, &menu(boot, job), DiskStart::SystemPartition(&partition), folder)?;
    let mut arguments = vec![
        "-drive".into(),
        drive("format=raw,if=pflash,unit=0,readonly=on", &boot.folder.join(EFI_CODE)),
        "-drive".into(),
        drive("format=raw,if=pflash,unit=1,snapshot=on", &boot.folder.join(EFI_VARIABLES)),
    ];
    arguments.extend(first_disk(&disk, job));
    Ok(arguments)
}

fn menu(boot: &LoaderBoot, job: &LoaderJob<'_>) -> BootMenu {
    let (delay, quiet) = (boot.setup.delay, boot.setup.quiet);
    GrubMenu { command_line: job.command_line, baud: job.baud, delay, quiet }.file()
}

/// The disk as the firmware's first, whatever other disks there are.
fn first_disk(disk: &Path, job: &LoaderJob<'_>) -> [OsString; 4] {
    ["-drive".into(), disk_drive(disk, job.storage), "-device".into(), "virtio-blk-pci,drive=boot,bootindex=0".into()]
}
