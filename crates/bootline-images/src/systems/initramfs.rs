// SPDX-License-Identifier: MIT OR Apache-2.0
//! The initramfs that mounts the root of a system: the init of `init/root.c`, and the modules it loads.
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::SystemError;
use super::image::SystemManifest;
use super::kernel_modules::{KernelModule, mounting_modules};
use super::system::System;
use crate::arch::Arch;
use crate::cpio::{self, Entry};
use crate::file_system::FileSystem;
use crate::hardware::{Hardware, module_parameters};
use crate::hex::hex;
use crate::image_format::ImageFormat;
use crate::programs;

/// The initramfs, with these modules, for a guest of this architecture; `None` if its init could not be built (see
/// [`Arch::compiler_package`]).
pub fn root_initramfs(arch: Arch, modules: &[KernelModule]) -> Option<Vec<u8>> {
    let init = programs::root(arch)?;
    let files: Vec<(String, &[u8])> =
        modules.iter().enumerate().map(|(n, m)| (format!("modules/{n}-{}.ko", m.name), &m.content[..])).collect();
    let line =
        |(module, (name, _)): (&KernelModule, &(String, _))| format!("/{name} {}\n", module_parameters(&module.name));
    let list = modules.iter().zip(&files).map(line);
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
    let layer = layer_of(file_system);
    let archive = root_initramfs(arch, &mounting_modules(modules, hardware, file_system, layer, system.preloaded())?);
    archive.ok_or(SystemError::NoPrograms { arch })
}

/// What lies over a root of the lab that can't be written to.
fn layer_of(file_system: FileSystem) -> Option<&'static str> {
    file_system.is_read_only().then_some("overlay")
}

/// SHA-256 of the initramfs of an image with the modules' names but without their content, in hexadecimal.
pub(super) fn initramfs_recipe(system: System, arch: Arch, format: ImageFormat) -> Result<String, SystemError> {
    let file_system = format.file_system();
    let names = [&Hardware::default().modules(file_system)[..], file_system.modules(), system.preloaded()].concat();
    let named = names.into_iter().chain(layer_of(file_system));
    let empty = named.map(|name| KernelModule { name: name.to_owned(), path: PathBuf::new(), content: Vec::new() });
    let archive = root_initramfs(arch, &empty.collect::<Vec<_>>()).ok_or(SystemError::NoPrograms { arch })?;
    Ok(hex(Sha256::digest(archive)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_has_the_modules_of_the_file_system_and_the_system() {
        let of = |system, format| initramfs_recipe(system, Arch::Amd64, format).unwrap();
        let minimal = of(System::DebianMinimal, ImageFormat::Ext4);
        assert_eq!(of(System::DebianOpenrc, ImageFormat::Ext4), minimal, "they load the same modules");
        assert_ne!(of(System::Busybox, ImageFormat::Ext4), minimal);
        assert_ne!(of(System::DebianMinimal, ImageFormat::Ubifs), minimal);
    }
}
