// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folders of the cache, and the lock on them.
use std::fs;
use std::path::{Path, PathBuf};

use super::entry::{self, Kernel};
use super::error::Error;
use super::progress::FetchProgress;
use super::series::Series;
use super::version;
use crate::arch::Arch;
use crate::lock_file::{FileLock, lock_file};

/// A folder with a folder for each architecture.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    pub root: PathBuf,
}

impl Cache {
    /// The newest intact kernel of the series; damaged ones are reported.
    pub fn intact(&self, series: Series, arch: Arch, progress: &mut dyn FnMut(FetchProgress)) -> Option<Kernel> {
        let folder = self.series_folder(arch, series);
        self.cached_versions(arch, series).into_iter().find_map(|version| match entry::verify(&folder.join(version)) {
            Ok(kernel) => Some(kernel),
            Err(damage) => {
                progress(FetchProgress::Damaged { path: damage.path, reason: damage.reason });
                None
            }
        })
    }

    pub fn remove_damaged(&self, series: Series, arch: Arch) -> Result<(), Error> {
        let folder = self.series_folder(arch, series);
        for version in self.cached_versions(arch, series) {
            let folder = folder.join(version);
            if entry::verify(&folder).is_err() {
                remove_folder(&folder)?;
            }
        }
        Ok(())
    }

    /// Versions of the series in the cache, the newest first.
    pub fn cached_versions(&self, arch: Arch, series: Series) -> Vec<String> {
        let mut versions = names_in(&self.series_folder(arch, series)).unwrap_or_default();
        versions.sort_by(|a, b| version::compare(b, a));
        versions
    }

    pub fn cached_series(&self, arch: Arch) -> Result<Vec<Series>, Error> {
        let names = names_in(&self.root.join(arch.debian_name()))?;
        let series = names.iter().filter_map(|name| name.parse().ok());
        Ok(series.filter(|s| !self.cached_versions(arch, *s).is_empty()).collect())
    }

    pub fn catalogue_path(&self, arch: Arch) -> PathBuf {
        self.root.join(format!("{arch}.json"))
    }

    pub fn series_folder(&self, arch: Arch, series: Series) -> PathBuf {
        self.root.join(arch.debian_name()).join(series.to_string())
    }

    /// Held until it is dropped.
    pub fn lock(&self, arch: Arch, progress: &mut dyn FnMut(FetchProgress)) -> Result<FileLock, Error> {
        let path = self.root.join(format!("{arch}.lock"));
        lock_file(&path, || progress(FetchProgress::Waiting { arch }))
            .map_err(|(action, e)| Error::cache(action, &path)(e))
    }
}

/// Names in a folder; empty if the folder does not exist.
fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.filter_map(Result::ok).filter_map(|e| e.file_name().into_string().ok()).collect()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(vec![]),
        Err(e) => Err(Error::cache("read", folder)(e)),
    }
}

pub(super) fn remove_folder(folder: &Path) -> Result<(), Error> {
    crate::remove::remove_folder(folder).map_err(Error::cache("remove", folder))
}
