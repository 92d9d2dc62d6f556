// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of boot loaders, and building into it.
//!
//! ```text
//! ROOT/lock                       held while a loader is built
//! ROOT/apt/, ROOT/archives/ ..    apt's own folders, and packages, which builds share
//! ROOT/part/                      a build under way
//! ROOT/LOADER-RECIPE/             a loader's files; renamed to its place as a whole
//! ROOT/LOADER-RECIPE/manifest.json    what it is
//! ```
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::build::{BuildPlace, Built};
use super::error::LoaderError;
use super::image::{LoaderImage, LoaderManifest};
use super::loader::Loader;
use super::progress::LoaderProgress;
use super::{grub, u_boot};
use crate::hex::hex;
use crate::kernels::{self, sha256_of};
use crate::lock_file::{FileLock, lock_file};
use crate::remove::remove_folder;

const MANIFEST: &str = "manifest.json";

/// A cache of boot loaders in one folder. Several processes may use it at once.
#[derive(Clone, Debug)]
pub struct LoaderStore {
    root: PathBuf,
    mirror: Option<String>,
}

/// A loader in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderRow {
    /// The loader.
    pub loader: Loader,
    /// What the cache has of it.
    pub cached: Option<LoaderImage>,
}

impl LoaderStore {
    /// Uses the folder `root`, which need not exist yet.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn open(root: &Path) -> Result<LoaderStore, LoaderError> {
        fs::create_dir_all(root).map_err(LoaderError::file("create", root))?;
        let root = root.canonicalize().map_err(LoaderError::file("open", root))?;
        Ok(LoaderStore { root, mirror: None })
    }

    /// The cache's folder: the one stated by the user, else next to that of the kernels.
    pub fn folder(stated: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let kernels = || kernels::cache_folder(None, env).map(|folder| folder.with_file_name("loaders"));
        stated.map(Path::to_owned).or_else(kernels)
    }

    /// Uses this mirror of the Debian archive, regardless of the host's apt configuration.
    #[must_use]
    pub fn with_mirror(mut self, mirror: &str) -> LoaderStore {
        self.mirror = Some(mirror.to_owned());
        self
    }

    /// All loaders, and what the cache has.
    pub fn list(&self) -> Vec<LoaderRow> {
        Loader::ALL.into_iter().map(|loader| LoaderRow { loader, cached: self.cached(loader) }).collect()
    }

    /// The loader, if the cache has it as it would be built today, and undamaged.
    pub fn cached(&self, loader: Loader) -> Option<LoaderImage> {
        let folder = self.place(loader);
        let manifest: LoaderManifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
        let is_intact = |(name, expected): (&String, &String)| {
            sha256_of(&folder.join(name)).is_ok_and(|sha256| sha256 == *expected)
        };
        let is_whole = loader.files().iter().all(|name| manifest.files.contains_key(*name));
        let is_it = manifest.loader == loader && manifest.recipe == recipe(loader);
        (is_it && is_whole && manifest.files.iter().all(is_intact)).then_some(LoaderImage { folder, manifest })
    }

    /// The folder of a loader as it is built today: what another version of this program built stays where it is, because its
    /// experiments may be running.
    fn place(&self, loader: Loader) -> PathBuf {
        let recipe = recipe(loader);
        self.root.join(format!("{loader}-{}", recipe.get(..12).unwrap_or(&recipe)))
    }

    /// The loader: from the cache, or else built.
    ///
    /// # Errors
    /// It can't be built here.
    pub fn image(&self, loader: Loader, progress: &mut dyn FnMut(LoaderProgress)) -> Result<LoaderImage, LoaderError> {
        if let Some(image) = self.cached(loader) {
            return Ok(image);
        }
        let _lock = self.lock(progress)?;
        if let Some(image) = self.cached(loader) {
            return Ok(image);
        }
        let part = self.part()?;
        let place = BuildPlace { root: &self.root, part: &part, mirror: self.mirror.as_deref() };
        let built = match loader {
            Loader::UBoot => u_boot::build(loader, &place, progress)?,
            Loader::GrubBios | Loader::GrubEfi => grub::build(loader, &place, progress)?,
        };
        let fresh = part.join("loader");
        fs::create_dir(&fresh).map_err(LoaderError::file("create", &fresh))?;
        let manifest = keep(loader, built, &fresh)?;
        let text = serde_json::to_string_pretty(&manifest).expect("plain strings always serialise");
        fs::write(fresh.join(MANIFEST), text + "\n").map_err(LoaderError::file("write", &fresh))?;
        let folder = self.place(loader);
        remove(&folder)?;
        fs::rename(&fresh, &folder).map_err(LoaderError::file("write", &folder))?;
        remove(&part)?;
        self.cached(loader).ok_or(LoaderError::Step {
            what: loader.to_string(),
            step: "reading it back from the cache",
            evidence: vec![],
        })
    }

    /// An empty folder for a build.
    fn part(&self) -> Result<PathBuf, LoaderError> {
        let part = self.root.join("part");
        remove(&part)?;
        fs::create_dir_all(&part).map_err(LoaderError::file("create", &part))?;
        Ok(part)
    }

    /// Held until it is dropped.
    fn lock(&self, progress: &mut dyn FnMut(LoaderProgress)) -> Result<FileLock, LoaderError> {
        let path = self.root.join("lock");
        lock_file(&path, || progress(LoaderProgress::Waiting))
            .map_err(|(action, e)| LoaderError::file(action, &path)(e))
    }
}

/// Copies what was built to `folder`.
fn keep(loader: Loader, built: Built, folder: &Path) -> Result<LoaderManifest, LoaderError> {
    let mut files = BTreeMap::new();
    for (from, name) in built.files {
        let to = folder.join(name);
        fs::copy(&from, &to).map_err(LoaderError::file("copy", &from))?;
        files.insert(name.to_owned(), sha256_of(&to).map_err(LoaderError::file("read", &to))?);
    }
    let Built { version, firmware, .. } = built;
    Ok(LoaderManifest { loader, version, firmware, recipe: recipe(loader), files })
}

/// Identifies how a loader is built and kept here.
fn recipe(loader: Loader) -> String {
    /// Of the manifest.
    const FORMAT: &str = "2";
    let mut hasher = Sha256::new();
    hasher.update(FORMAT);
    hasher.update(match loader {
        Loader::UBoot => u_boot::recipe(),
        Loader::GrubBios | Loader::GrubEfi => grub::recipe(loader),
    });
    hex(hasher.finalize())
}

fn remove(folder: &Path) -> Result<(), LoaderError> {
    remove_folder(folder).map_err(LoaderError::file("remove", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_next_to_that_of_the_kernels() {
        let env = |name: &str| (name == "BOOTLINE_CACHE").then(|| OsString::from("/c"));
        assert_eq!(LoaderStore::folder(None, env), Some(PathBuf::from("/c/loaders")));
        assert_eq!(LoaderStore::folder(Some(Path::new("/d")), env), Some(PathBuf::from("/d")));
        assert_eq!(LoaderStore::folder(None, |_| None), None);
    }

    #[test]
    fn a_loader_counts_if_it_is_complete_and_built_as_today() {
        let dir = tempfile::tempdir().unwrap();
        let store = LoaderStore::open(dir.path()).unwrap();
        for loader in Loader::ALL {
            let folder = store.place(loader);
            fs::create_dir(&folder).unwrap();
            let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
            let manifest = |names: &[&str], recipe: String| {
                let sum = |name: &&str| ((*name).to_owned(), sha256_of(&folder.join(name)).unwrap());
                let files = names.iter().map(sum).collect();
                let version = "2025.01-3".to_owned();
                let manifest = LoaderManifest { loader, version, firmware: None, recipe, files };
                write(MANIFEST, &serde_json::to_string(&manifest).unwrap());
            };
            let names = loader.files();
            names.iter().for_each(|name| write(name, "content"));
            manifest(&names[1..], recipe(loader));
            assert_eq!(store.cached(loader), None, "its first file is missing");
            manifest(names, recipe(loader));
            let image = store.image(loader, &mut |step| panic!("{step}")).unwrap();
            assert!(image.path().is_file() && image.sha256().len() == 64, "{image:?}");
            assert!(store.list().iter().any(|row| row.cached.as_ref() == Some(&image)));
            for name in names {
                write(name, "damaged");
                assert_eq!(store.cached(loader), None, "{name} is damaged");
                write(name, "content");
            }
            manifest(names, "another".to_owned());
            assert_eq!(store.cached(loader), None);
        }
    }
}
