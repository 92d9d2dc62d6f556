// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs that mounts the root of a system: the init of `init/root.c`, and the modules it loads.
use std::path::Path;

use super::error::SystemError;
use super::image::SystemManifest;
use super::kernel_modules::{KernelModule, mounting_modules};
use super::system::System;
use crate::arch::Arch;
use crate::cpio::{self, Entry};
use crate::hardware::{Hardware, MODULE_PARAMETERS};
use crate::image_format::ImageFormat;
use crate::programs;

/// The initramfs, with these modules, for a guest of this architecture; `None` if its init could not be built (see
/// [`Arch::compiler_package`]).
pub fn root_initramfs(arch: Arch, modules: &[KernelModule]) -> Option<Vec<u8>> {
    let init = programs::root(arch)?;
    let files: Vec<(String, &[u8])> =
        modules.iter().enumerate().map(|(n, m)| (format!("modules/{n}-{}.ko", m.name), &m.content[..])).collect();
    let parameters = |module: &KernelModule| {
        MODULE_PARAMETERS.iter().find(|(name, _)| *name == module.name).map_or("", |(_, parameters)| parameters)
    };
    let list = modules.iter().zip(&files).map(|(module, (name, _))| format!("/{name} {}\n", parameters(module)));
    let list: String = list.collect();
    let mut entries = vec![
        Entry::dir("dev"),
        Entry::dir("proc"),
        Entry::char_device("dev/console", 5, 1),
        Entry::char_device("dev/kmsg", 1, 11),
        Entry::char_device("dev/truth", 4, 64 + arch.truth_port()),
        Entry::dir("modules"),
        Entry::file("modules.list", list.as_bytes()),
        Entry::program("init", init),
    ];
    entries.extend(files.iter().map(|(name, content)| Entry::file(name, content)));
    Some(cpio::archive(&entries))
}

/// The initramfs that mounts an image of a system on this hardware, with the kernel's modules from the folder `modules`.
///
/// # Errors
/// The kernel has no driver for the hardware, a module can't be read, or this program was built without the lab's programs for
/// the architecture.
pub fn system_initramfs(image: &SystemManifest, hardware: &Hardware, modules: &Path) -> Result<Vec<u8>, SystemError> {
    mounting_initramfs(image.system, image.arch, image.format, hardware, modules)
}

/// The same for an image that is not there yet.
pub(super) fn mounting_initramfs(
    system: System,
    arch: Arch,
    format: ImageFormat,
    hardware: &Hardware,
    modules: &Path,
) -> Result<Vec<u8>, SystemError> {
    let file_system = format.file_system();
    hardware.check(file_system, None)?;
    let layer: &[&str] = if file_system.is_read_only() { &["overlay"] } else { &[] };
    let more = [layer, system.preloaded()].concat();
    let archive = root_initramfs(arch, &mounting_modules(modules, hardware, file_system, &more)?);
    archive.ok_or(SystemError::NoPrograms { arch })
}
