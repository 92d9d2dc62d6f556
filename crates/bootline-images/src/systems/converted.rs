// SPDX-License-Identifier: MIT OR Apache-2.0
//! Images of a system in other file systems: the same files as in its image of ext4, after that was booted once and shut down.
//!
//! So boots from two file systems differ in the file system only, and one that can't be written to has what a first boot makes. What debugfs
//! does not restore is lost, though: extended attributes, such as the access control lists that systemd sets on its journal's folder, and that
//! it sets again in each boot of a converted root.
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::SystemError;
use super::image::{SystemImage, SystemManifest};
use super::initramfs::{initramfs_recipe, system_initramfs};
use super::namespace::{Namespace, need};
use super::progress::BuildProgress;
use super::root_state::RootState;
use super::store::SystemStore;
use crate::hardware::Hardware;
use crate::hex::hex;
use crate::image_format::{ImageFormat, WRITE_IMAGE};

impl SystemStore {
    /// The image of a system in another file system: from the cache, or else made of `base`, its settled image of ext4. The modules
    /// of its kernel are in the folder `modules`.
    ///
    /// # Errors
    /// `base` is not settled, a program that writes such images is missing, or failed, or the kernel can't mount it.
    pub fn converted(
        &self,
        base: &SystemImage,
        format: ImageFormat,
        modules: &Path,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<SystemImage, SystemError> {
        if format == ImageFormat::Ext4 {
            return Ok(base.clone());
        }
        let SystemManifest { system, arch, release, state, .. } = base.manifest.clone();
        let folder = base.path.parent().unwrap_or(Path::new("/"));
        let named = format!("{release}.{format}");
        // Others change from boot to boot, or are still to change.
        if !base.manifest.settled || state != RootState::Settled {
            let step = "writing it in another file system";
            let evidence = vec!["only an image that was booted once and shut down can be converted".to_owned()];
            return Err(SystemError::Step { what: system.name().to_owned(), step, evidence });
        }
        let recipe = recipe_of(base, format)?;
        if let Some(image) = SystemImage::read(folder, &named, &recipe) {
            return Ok(image);
        }
        let _lock = self.lock(arch, progress)?;
        if let Some(image) = SystemImage::read(folder, &named, &recipe) {
            return Ok(image);
        }
        let namespace = Namespace::of_this_process()?;
        need("debugfs", "e2fsprogs")?;
        format.tools().iter().try_for_each(|(program, package)| need(program, package))?;
        let path = SystemImage::place(folder, &named);
        let image = SystemImage {
            initramfs: path.with_extension("img.cpio"),
            manifest: SystemManifest { system, arch, release, recipe, settled: base.manifest.settled, state, format },
            path,
        };
        // Before the work: a kernel that can't mount it is refused at once.
        let archive = system_initramfs(&image.manifest, &Hardware::default(), modules)?;
        progress(BuildProgress::Converting { system, format });
        let part = self.part(arch, namespace)?;
        let size = system.image_mib().to_string();
        let root = self.root_path(system, arch);
        let arguments: [&OsStr; 6] = [
            part.as_os_str(),
            base.path.as_os_str(),
            root.as_os_str(),
            OsStr::new(format.name()),
            OsStr::new(format.fstab()),
            OsStr::new(&size),
        ];
        let script = format!("{WRITE_IMAGE}{CONVERT}");
        namespace.script(system.name(), "writing the image", &script, &arguments)?;
        fs::rename(part.join("image"), &image.path).map_err(SystemError::cache("write", &image.path))?;
        fs::write(&image.initramfs, archive).map_err(SystemError::cache("write", &image.initramfs))?;
        image.write_manifest()?;
        Ok(image)
    }
}

/// `$1` the folder of the build, `$2` the image of ext4, `$3` the archive that it was made of, `$4` the form, `$5` its line in fstab,
/// `$6` the size in MiB.
///
/// debugfs reads the image without mounting it. It restores modes before owners, and a change of the owner drops the set-user-ID
/// bits; the archive has them. It goes on after an error, and says so only on its standard error, after its version.
const CONVERT: &str = r#"
umask 022
cd "$1"
mkdir tree
debugfs -R 'rdump / tree' "$2" 2>said
if grep -v '^debugfs ' said >&2; then exit 1; fi
rm -rf said tree/lost+found
tar -tvf "$3" | while read -r mode owner size date time name; do
    case $mode in -??[sS]*) [ ! -f "tree/$name" ] || chmod u+s "tree/$name" ;; esac
    case $mode in -?????[sS]*) [ ! -f "tree/$name" ] || chmod g+s "tree/$name" ;; esac
done
[ ! -e tree/etc/fstab ] || printf %s "$5" >tree/etc/fstab
write_image "$4" tree image "$6"
"#;

/// Identifies what an image is made from: the very image of ext4, which is another each time that it is built.
fn recipe_of(base: &SystemImage, format: ImageFormat) -> Result<String, SystemError> {
    let mut hasher = Sha256::new();
    let (recipe, id) = (&base.manifest.recipe, base.file_system()?);
    hasher.update(format!("{recipe} {id} {format}{}{WRITE_IMAGE}{CONVERT}", format.fstab()));
    hasher.update(initramfs_recipe(base.manifest.system, base.manifest.arch, format)?);
    Ok(hex(hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;
    use std::process::Command;

    use super::super::image::of_busybox;
    use super::*;
    use crate::arch::Arch;
    use crate::file_system::FileSystem;
    use crate::host_tools::{PATH, has_program};
    use crate::systems::System;

    /// A store with a settled image of ext4, the archive that it was made of, and a kernel that has these drivers built in.
    struct Settled {
        folder: tempfile::TempDir,
        store: SystemStore,
        base: SystemImage,
        modules: PathBuf,
    }

    impl Settled {
        fn new(drivers: &[&str]) -> Settled {
            let folder = tempfile::tempdir().unwrap();
            let store = SystemStore::open(&folder.path().join("store")).unwrap();
            let (tree, modules) = (folder.path().join("tree"), folder.path().join("modules"));
            fs::create_dir_all(tree.join("etc")).unwrap();
            fs::create_dir_all(&modules).unwrap();
            fs::write(tree.join("etc/fstab"), ImageFormat::Ext4.fstab()).unwrap();
            fs::write(tree.join("su"), "program").unwrap();
            let built_in: String = drivers.iter().map(|driver| format!("kernel/{driver}.ko\n")).collect();
            fs::write(modules.join("modules.builtin"), built_in).unwrap();
            let root = store.root_path(System::Busybox, Arch::Amd64);
            fs::create_dir_all(root.parent().unwrap()).unwrap();
            let mut base = of_busybox(root.with_file_name("6.12.img"));
            base.manifest.settled = true;
            let run = |program: &str, words: &[&str], paths: &[&Path]| {
                let mut command = Command::new(program);
                command.args(words).args(paths).env("PATH", PATH);
                assert!(command.status().unwrap().success(), "{command:?}");
            };
            run("chmod", &["4755"], &[&tree.join("su")]);
            run("tar", &["-cf"], &[&root, Path::new("-C"), &tree, Path::new(".")]);
            run("mkfs.ext4", &["-q", "-F", "-d"], &[&tree, &base.path, Path::new("8M")]);
            Settled { folder, store, base, modules }
        }

        fn converted(&self, format: ImageFormat) -> (Result<SystemImage, String>, usize) {
            let mut steps = 0;
            let image = self.store.converted(&self.base, format, &self.modules, &mut |_| steps += 1);
            (image.map_err(|error| error.to_string()), steps)
        }
    }

    #[test]
    fn a_settled_image_is_written_once_in_another_file_system() {
        let settled = Settled::new(&["virtio_pci", "virtio_blk", "squashfs", "overlay"]);
        assert_eq!(settled.converted(ImageFormat::Ext4), (Ok(settled.base.clone()), 0));
        if !has_program("mksquashfs") {
            return;
        }
        let (image, steps) = settled.converted(ImageFormat::Squashfs);
        let image = image.unwrap();
        assert!(steps > 0 && image.initramfs.is_file() && image.path.ends_with("6.12.squashfs.img"), "{image:?}");
        assert_eq!(FileSystem::at(&File::open(&image.path).unwrap(), 0).unwrap(), Some(FileSystem::Squashfs));
        let unpacked = settled.folder.path().join("unpacked");
        let mut command = Command::new("unsquashfs");
        command.args(["-no-progress", "-d"]).args([&unpacked, &image.path]).env("PATH", PATH);
        assert!(command.output().unwrap().status.success());
        assert_eq!(fs::read(unpacked.join("su")).unwrap(), b"program");
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(unpacked.join("su")).unwrap());
        assert_eq!(mode & 0o7777, 0o4755, "the archive has what a change of the owner dropped");
        assert_eq!(fs::read_to_string(unpacked.join("etc/fstab")).unwrap(), "", "a layer is mounted over it");
        assert_eq!(settled.converted(ImageFormat::Squashfs), (Ok(image), 0));
    }

    #[test]
    fn what_can_not_be_booted_is_refused_before_the_work() {
        let mut settled = Settled::new(&["virtio_pci", "virtio_blk", "squashfs"]);
        if has_program("mksquashfs") {
            let (refused, steps) = settled.converted(ImageFormat::Squashfs);
            assert_eq!(steps, 0);
            assert!(refused.unwrap_err().contains("`overlay` is neither built in"));
        }
        settled.base.manifest.settled = false;
        let refused = settled.converted(ImageFormat::Btrfs).0.unwrap_err();
        assert!(refused.ends_with("only an image that was booted once and shut down can be converted"), "{refused}");
    }
}
