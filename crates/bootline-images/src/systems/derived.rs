// SPDX-License-Identifier: MIT OR Apache-2.0
//! Images of a system in states that only a guest can bring about: a copy of the settled image that was booted, and written to.
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::SystemError;
use super::image::{SystemImage, SystemManifest, copy_sparse};
use super::namespace::Namespace;
use super::progress::BuildProgress;
use super::root_state::RootState;
use super::store::SystemStore;
use crate::hex::hex;
use crate::image_format::ImageFormat;

/// How a guest changes a copy of a settled image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation<'a> {
    /// The state in which the guest leaves it.
    pub state: RootState,
    /// What the kernel is told in addition. By this and by the script, images that were made in another way are told apart.
    pub parameters: &'a str,
    /// What the guest runs.
    pub script: &'a str,
}

impl SystemStore {
    /// The image of a system in a state: from the cache, or else a copy of `base`, its settled image in some file system, that `guest`
    /// has booted and left in this state.
    ///
    /// # Errors
    /// The copy can't be made, `guest` failed, or a root of ext4 is not in the state in which it was to be left.
    pub fn derived<E: From<SystemError>>(
        &self,
        base: &SystemImage,
        derivation: Derivation<'_>,
        progress: &mut dyn FnMut(BuildProgress),
        guest: &mut dyn FnMut(&SystemImage) -> Result<(), E>,
    ) -> Result<SystemImage, E> {
        let Derivation { state, .. } = derivation;
        let SystemManifest { system, arch, .. } = base.manifest;
        let folder = base.path.parent().unwrap_or(Path::new("/"));
        let stem = base.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = state.image_stem(&stem);
        let recipe = recipe_of(base, derivation)?;
        if let Some(image) = SystemImage::read(folder, &name, &recipe) {
            return Ok(image);
        }
        let _lock = self.lock(arch, progress)?;
        if let Some(image) = SystemImage::read(folder, &name, &recipe) {
            return Ok(image);
        }
        let part = self.part(arch, Namespace::of_this_process()?)?;
        let path = SystemImage::place(folder, &name);
        let image = SystemImage {
            initramfs: path.with_extension("img.cpio"),
            manifest: SystemManifest { state, recipe, ..base.manifest.clone() },
            path,
        };
        let fresh = SystemImage { path: part.join("image"), ..image.clone() };
        copy_sparse(&base.path, &fresh.path)?;
        copy_sparse(&base.initramfs, &image.initramfs)?;
        guest(&fresh)?;
        if fresh.manifest.format == ImageFormat::Ext4 {
            let lacking = match (state, fresh.needs_recovery()?) {
                (RootState::PowerLost, false) => Some("its file system is clean"),
                (RootState::Aged | RootState::Recorded, true) => Some("its file system was not unmounted"),
                _ => None,
            };
            if let Some(lacking) = lacking {
                let (what, evidence) = (system.name().to_owned(), vec![lacking.to_owned()]);
                return Err(SystemError::Step { what, step: "writing to it in a guest", evidence }.into());
            }
        }
        fs::rename(&fresh.path, &image.path).map_err(SystemError::cache("write", &image.path))?;
        image.write_manifest()?;
        Ok(image)
    }
}

/// SHA-256 of an image's base and of what the guest did to it, in hexadecimal. The base is known by its file system: each build is another.
fn recipe_of(base: &SystemImage, derivation: Derivation<'_>) -> Result<String, SystemError> {
    let Derivation { state, parameters, script } = derivation;
    let (recipe, id) = (&base.manifest.recipe, base.file_system()?);
    Ok(hex(Sha256::digest(format!("{recipe} {id} {state} {parameters} {script}"))))
}

#[cfg(test)]
mod tests {
    use super::super::image::{of_busybox, write_superblock};
    use super::*;

    const AGEING: Derivation<'_> = Derivation { state: RootState::Aged, parameters: "rw", script: "write" };

    fn base(store: &Path) -> SystemImage {
        let folder = store.join("amd64/busybox");
        fs::create_dir_all(&folder).unwrap();
        let base = of_busybox(folder.join("6.12.img"));
        write_superblock(&base.path, false);
        fs::write(&base.initramfs, "initramfs").unwrap();
        base
    }

    #[test]
    fn an_image_is_derived_once_for_each_script_and_base() {
        let folder = tempfile::tempdir().unwrap();
        let store = SystemStore::open(folder.path()).unwrap();
        let mut base = base(folder.path());
        let mut calls = 0;
        let mut derived = |base: &SystemImage, derivation| {
            let mut guest = |image: &SystemImage| {
                assert_ne!(image.path, base.path, "the base is not written to");
                calls += 1;
                Ok::<_, SystemError>(())
            };
            let image = store.derived(base, derivation, &mut |_| {}, &mut guest).unwrap();
            (image, calls)
        };
        let (first, calls) = derived(&base, AGEING);
        assert_eq!((first.manifest.state, calls), (RootState::Aged, 1));
        assert!(first.path.ends_with("6.12.aged.img") && first.initramfs.is_file(), "{first:?}");
        assert_eq!(derived(&base, AGEING), (first, 1));
        assert_eq!(derived(&base, Derivation { script: "write more", ..AGEING }).1, 2);
        assert_eq!(derived(&base, Derivation { parameters: "ro", ..AGEING }).1, 3);
        base.manifest.recipe = "another".to_owned();
        assert_eq!(derived(&base, AGEING).1, 4);
        let rows = store.list(crate::arch::Arch::Amd64);
        assert!(rows.iter().any(|row| row.releases == ["6.12"]), "{rows:?}");
    }

    #[test]
    fn a_root_that_is_not_in_the_wanted_state_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = SystemStore::open(folder.path()).unwrap();
        let base = base(folder.path());
        let refused = |state, dirty, why: &str| {
            let mut guest = |image: &SystemImage| {
                write_superblock(&image.path, dirty);
                Ok::<_, SystemError>(())
            };
            let error = store
                .derived(&base, Derivation { state, parameters: "", script: "" }, &mut |_| {}, &mut guest)
                .unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        };
        refused(RootState::Aged, true, "its file system was not unmounted");
        refused(RootState::PowerLost, false, "its file system is clean");
    }
}
