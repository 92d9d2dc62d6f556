// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of stock kernels, and fetching into it.
//!
//! ```text
//! ROOT/amd64.json                           what the suites had, when last asked
//! ROOT/amd64.lock                           held while this architecture is being fetched
//! ROOT/amd64/apt/                           apt's own folders
//! ROOT/amd64/part/                          a fetch under way
//! ROOT/amd64/6.18-rt/6.18.15-1~bpo13+1/     a kernel: vmlinuz, config, kernel.json
//! ROOT/amd64/built/tiny/3/                  a kernel that was built here: see build/mod.rs
//! ```
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::behaviour::nearest;
use super::built::{BuiltKernel, BuiltName};
use super::cache::{Cache, remove_folder};
use super::catalogue::Catalogue;
use super::deb_archive::take_kernel;
use super::entry::{self, CONFIG, Damage, Kernel, KernelManifest, VMLINUZ};
use super::error::Error;
use super::host;
use super::listing::{Listing, Refresh, Row};
use super::package::{self, Package};
use super::private_apt::{KERNEL_SUITES, PrivateApt};
use super::progress::FetchProgress;
use super::series::Series;
use super::version;
use crate::arch::Arch;

/// A cache of stock kernels in one folder. Several processes may use it at once.
#[derive(Clone, Debug)]
pub struct Store {
    cache: Cache,
    mirror: Option<String>,
    /// The keyring that the mirror's signature is checked against, if it is not the host's Debian keyring.
    keyring: Option<PathBuf>,
}

/// The folder of an architecture that has the kernels that were built here.
const BUILT: &str = "built";

/// A kernel, and the series that it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitute {
    /// The kernel.
    pub kernel: Kernel,
    /// The requested series, if it is gone and this kernel is a substitute.
    pub instead_of: Option<Series>,
}

/// The cache's folder: the one stated by the user, else `$BOOTLINE_CACHE/kernels`, `$XDG_CACHE_HOME/bootline/kernels`
/// or `$HOME/.cache/bootline/kernels`. `env` looks up a variable. None without any of them.
pub fn cache_folder(stated: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(stated) = stated {
        return Some(stated.to_owned());
    }
    let folder = |name: &str| env(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    // The XDG specification requires that relative paths are ignored.
    let xdg = || folder("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("bootline/kernels"));
    let home = || folder("HOME").map(|p| p.join(".cache/bootline/kernels"));
    folder("BOOTLINE_CACHE").map(|p| p.join("kernels")).or_else(xdg).or_else(home)
}

/// The names in a folder, in order; none if it can't be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Kernels of sid have moved from /lib to /usr/lib.
fn module_folder(unpacked: &Path, release: &str) -> Option<PathBuf> {
    let folders = ["usr/lib/modules", "lib/modules"].map(|at| unpacked.join(at).join(release));
    folders.into_iter().find(|folder| folder.join("kernel").is_dir())
}

/// The error for a kernel in this folder that was built here.
fn damaged(name: &BuiltName, arch: Arch, folder: &Path, damage: Damage) -> Error {
    let built = entry::read_record(folder).ok().and_then(|record| record.built).map(Box::new);
    Error::BuiltDamaged { name: name.clone(), arch, built, path: damage.path, reason: damage.reason }
}

/// The folder of the modules of a kernel that was built here.
fn built_modules(kernel: &Kernel, built: &BuiltKernel, home: &Path, unpacked: &Path) -> Result<PathBuf, Error> {
    let folder = module_folder(unpacked, &kernel.release);
    let sha256 = folder.as_deref().map(entry::sha256_of_tree);
    let reason = match sha256 {
        Some(Ok(sha256)) if sha256 == built.modules_sha256 => return Ok(folder.unwrap_or_default()),
        Some(Ok(_)) => "its modules are not those that were built".to_owned(),
        Some(Err(source)) => source.to_string(),
        None => "it has no modules".to_owned(),
    };
    let damage = Damage { path: unpacked.to_owned(), reason };
    Err(damaged(&built.name, kernel.arch, home, damage))
}

impl Store {
    /// Uses the folder `root`, which need not exist yet.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn open(root: &Path) -> Result<Store, Error> {
        fs::create_dir_all(root).map_err(Error::cache("create", root))?;
        let root = root.canonicalize().map_err(Error::cache("open", root))?;
        Ok(Store { cache: Cache { root }, mirror: None, keyring: None })
    }

    /// Uses this mirror of the Debian archive, regardless of the host's apt configuration.
    #[must_use]
    pub fn with_mirror(mut self, mirror: &str) -> Store {
        self.mirror = Some(mirror.to_owned());
        self
    }

    /// Trusts this keyring for the mirror: no host trusts the one that signs the tests' mirror.
    #[cfg(test)]
    pub(super) fn with_keyring(mut self, keyring: &Path) -> Store {
        self.keyring = Some(keyring.to_owned());
        self
    }

    /// Lists what the suites have and what the cache has. Only kernels whose folder is complete count as cached; their
    /// checksums are verified when they are used.
    ///
    /// # Errors
    /// The cache can't be read. A failure to ask the mirror is in the listing.
    pub fn list(
        &self,
        arch: Arch,
        refresh: Refresh,
        progress: &mut dyn FnMut(FetchProgress),
    ) -> Result<Listing, Error> {
        let mut catalogue = self.catalogue(arch);
        let wanted = match refresh {
            Refresh::Never => false,
            Refresh::OlderThan(age) => catalogue.as_ref().is_none_or(|c| c.age() > age),
            Refresh::Always => true,
        };
        let mut stale = None;
        if wanted {
            match self.refresh(arch, progress) {
                Ok(fresh) => catalogue = Some(fresh),
                Err(error) => stale = Some(error),
            }
        }
        let cached = self.cache.cached_series(arch)?;
        let rows = self.series_there(arch, catalogue.as_ref())?.into_iter().map(|series| Row {
            arch,
            series,
            offered: catalogue.as_ref().and_then(|c| c.newest(series)).cloned(),
            cached: if cached.contains(&series) {
                self.cache.cached_versions(arch, series).into_iter().next()
            } else {
                None
            },
        });
        Ok(Listing { rows: rows.collect(), age: catalogue.as_ref().map(Catalogue::age), stale })
    }

    /// The newest kernel of the series in the cache, or else the newest in the suites, which is fetched. Damaged
    /// entries of the cache are reported, removed and fetched again.
    ///
    /// # Errors
    /// The series is gone, or can't be fetched.
    pub fn fetch(&self, series: Series, arch: Arch, progress: &mut dyn FnMut(FetchProgress)) -> Result<Kernel, Error> {
        if let Some(kernel) = self.cache.intact(series, arch, progress) {
            return Ok(kernel);
        }
        let _lock = self.cache.lock(arch, progress)?;
        // Another process may have fetched it while this one waited; damage has been reported already.
        if let Some(kernel) = self.cache.intact(series, arch, &mut |_| {}) {
            return Ok(kernel);
        }
        self.cache.remove_damaged(series, arch)?;
        let known = self.catalogue(arch).and_then(|c| c.newest(series).cloned());
        if let Some(package) = known {
            match self.fetch_package(&package, arch, progress) {
                Ok(kernel) => return Ok(kernel),
                // The suites may have replaced what the catalogue lists; without apt nothing would change.
                Err(Error::Apt { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let package = self.newest_offered(series, arch, progress)?;
        self.fetch_package(&package, arch, progress)
    }

    /// As [`Store::fetch`], but asks the suites first and fetches a version that is newer than the cached one.
    ///
    /// # Errors
    /// As for [`Store::fetch`].
    pub fn upgrade(
        &self,
        series: Series,
        arch: Arch,
        progress: &mut dyn FnMut(FetchProgress),
    ) -> Result<Kernel, Error> {
        let lock = self.cache.lock(arch, progress)?;
        let package = self.newest_offered(series, arch, progress)?;
        if self
            .cache
            .cached_versions(arch, series)
            .first()
            .is_some_and(|v| version::compare(v, &package.version).is_ge())
        {
            drop(lock);
            return self.fetch(series, arch, progress);
        }
        self.fetch_package(&package, arch, progress)
    }

    /// As [`Store::fetch`]; if the series is gone from the suites, the nearest one whose console behaves the same.
    ///
    /// # Errors
    /// As for [`Store::fetch`]; [`Error::Gone`] if no series behaves the same.
    pub fn fetch_or_nearest(
        &self,
        series: Series,
        arch: Arch,
        progress: &mut dyn FnMut(FetchProgress),
    ) -> Result<Substitute, Error> {
        match self.fetch(series, arch, progress) {
            Ok(kernel) => Ok(Substitute { kernel, instead_of: None }),
            Err(Error::Gone { nearest: Some(nearest), .. }) => {
                progress(FetchProgress::Substituted { arch, wanted: series, taken: nearest });
                let kernel = self.fetch(nearest, arch, progress)?;
                Ok(Substitute { kernel, instead_of: Some(series) })
            }
            Err(error) => Err(error),
        }
    }

    /// The folder of a kernel's modules, `.../lib/modules/RELEASE`: from the cache, or from the package of the kernel's own
    /// version. Those of a kernel that was built here are verified.
    ///
    /// # Errors
    /// The package is gone, or can't be unpacked; or the modules that were built here are damaged.
    pub fn modules(&self, kernel: &Kernel, progress: &mut dyn FnMut(FetchProgress)) -> Result<PathBuf, Error> {
        let home = kernel.path.parent().unwrap_or(Path::new("/"));
        let unpacked = home.join("modules");
        if let Some(built) = &kernel.built {
            return built_modules(kernel, built, home, &unpacked);
        }
        if let Some(folder) = module_folder(&unpacked, &kernel.release) {
            return Ok(folder);
        }
        let _lock = self.cache.lock(kernel.arch, progress)?;
        if let Some(folder) = module_folder(&unpacked, &kernel.release) {
            return Ok(folder);
        }
        // From 6.19 on the modules have a package of their own (see package.rs).
        let own = format!("linux-modules-{}", kernel.release);
        let package = if kernel.package.starts_with("linux-binary-") { own } else { kernel.package.clone() };
        let apt = self.apt(kernel.arch)?;
        let part = self.cache.root.join(kernel.arch.debian_name()).join("part");
        remove_folder(&part)?;
        fs::create_dir_all(&part).map_err(Error::cache("create", &part))?;
        let size = apt.archives_of(&[&format!("{package}={}", kernel.version)]).unwrap_or_default();
        let size = size.iter().find(|(file, _)| file.starts_with(&package)).map_or(0, |(_, size)| *size);
        let mut told = |percent| {
            progress(FetchProgress::Downloading {
                package: package.clone(),
                version: kernel.version.clone(),
                suite: kernel.suite.clone(),
                size,
                percent,
            });
        };
        told(0.0);
        let deb = apt.download(&package, &kernel.version, &part, &mut told)?;
        progress(FetchProgress::Unpacking { package: package.clone() });
        let fresh = part.join("modules");
        let status = Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&fresh).stdin(Stdio::null()).status();
        let status = status.map_err(|_| Error::NoTool { program: "dpkg-deb" })?;
        if !status.success() || module_folder(&fresh, &kernel.release).is_none() {
            let reason = format!("it has no modules of {}", kernel.release);
            return Err(Error::Package { package, reason });
        }
        remove_folder(&unpacked)?;
        fs::rename(&fresh, &unpacked).map_err(Error::cache("write", &unpacked))?;
        remove_folder(&part)?;
        module_folder(&unpacked, &kernel.release)
            .ok_or_else(|| Error::Package { package, reason: "its modules have vanished".to_owned() })
    }

    /// The kernel of this name that was built here last. Without an architecture, the first that has one.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub fn built(&self, name: &BuiltName, arch: Option<Arch>) -> Result<Kernel, Error> {
        let mut archs = Arch::ALL.into_iter().filter(|a| arch.is_none_or(|wanted| wanted == *a));
        let found = archs.find_map(|arch| Some((arch, self.built_numbers(arch, name).pop()?)));
        let Some((arch, number)) = found else {
            let there = self.all_built().0.iter().map(Kernel::name).collect();
            return Err(Error::NotBuilt { name: name.clone(), arch, there });
        };
        let folder = self.built_folder(arch, name).join(number.to_string());
        entry::verify(&folder).map_err(|damage| damaged(name, arch, &folder, damage))
    }

    /// The kernels that were built here, by architecture and name, and what is wrong with those that are damaged.
    pub fn all_built(&self) -> (Vec<Kernel>, Vec<Error>) {
        let (mut kernels, mut damaged) = (Vec::new(), Vec::new());
        for arch in Arch::ALL {
            for name in names_in(&self.cache.root.join(arch.debian_name()).join(BUILT)) {
                let Ok(name) = name.parse::<BuiltName>() else { continue };
                match self.built(&name, Some(arch)) {
                    Ok(kernel) => kernels.push(kernel),
                    Err(Error::NotBuilt { .. }) => {}
                    Err(error) => damaged.push(error),
                }
            }
        }
        (kernels, damaged)
    }

    /// Moves a kernel that was just built from its folder into the cache, where it counts from now on. The one before it stays where it is,
    /// because its experiments may be running; older ones are removed.
    pub(super) fn keep_built(&self, arch: Arch, name: &BuiltName, fresh: &Path) -> Result<Kernel, Error> {
        const KEPT: usize = 2;
        let folder = self.built_folder(arch, name);
        fs::create_dir_all(&folder).map_err(Error::cache("create", &folder))?;
        let mut numbers = self.built_numbers(arch, name);
        let next = numbers.last().map_or(1, |last| last + 1);
        let place = folder.join(next.to_string());
        fs::rename(fresh, &place).map_err(Error::cache("write", &place))?;
        numbers.push(next);
        for old in &numbers[..numbers.len().saturating_sub(KEPT)] {
            remove_folder(&folder.join(old.to_string()))?;
        }
        self.built(name, Some(arch))
    }

    /// The numbers of the kernels of this name, in the order in which they were built.
    fn built_numbers(&self, arch: Arch, name: &BuiltName) -> Vec<u64> {
        let names = names_in(&self.built_folder(arch, name));
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Where the kernels of this name are that were built here.
    fn built_folder(&self, arch: Arch, name: &BuiltName) -> PathBuf {
        self.cache.root.join(arch.debian_name()).join(BUILT).join(name.as_str())
    }

    /// The cache's folder.
    pub(super) fn root(&self) -> &Path {
        &self.cache.root
    }

    /// The mirror that is used regardless of the host's apt configuration.
    pub(super) fn mirror(&self) -> Option<&str> {
        self.mirror.as_deref()
    }

    /// Asks the mirror what the suites have.
    ///
    /// # Errors
    /// No list of packages could be fetched.
    pub fn refresh(&self, arch: Arch, progress: &mut dyn FnMut(FetchProgress)) -> Result<Catalogue, Error> {
        let _lock = self.cache.lock(arch, progress)?;
        self.refresh_locked(arch, progress)
    }

    fn newest_offered(
        &self,
        series: Series,
        arch: Arch,
        progress: &mut dyn FnMut(FetchProgress),
    ) -> Result<Package, Error> {
        let catalogue = self.refresh_locked(arch, progress)?;
        if let Some(package) = catalogue.newest(series) {
            return Ok(package.clone());
        }
        let there = self.series_there(arch, Some(&catalogue))?;
        let nearest = nearest(arch, series, there.iter().copied());
        Err(Error::Gone { series, arch, there, nearest, missing: catalogue.missing })
    }

    fn refresh_locked(&self, arch: Arch, progress: &mut dyn FnMut(FetchProgress)) -> Result<Catalogue, Error> {
        let apt = self.apt(arch)?;
        let mirror = apt.mirror().to_owned();
        let mut told = |percent| progress(FetchProgress::Refreshing { arch, mirror: mirror.clone(), percent });
        told(0.0);
        let failed = apt.update(&mut told)?;
        for (suite, reason) in &failed {
            progress(FetchProgress::SuiteMissing { suite: suite.clone(), reason: reason.clone() });
        }
        let mut packages = Vec::new();
        for index in apt.indexes()? {
            packages.extend(apt.read_index(&index, |text| package::read_index(text, arch, &index.suite))?);
        }
        let mut catalogue = Catalogue::new(&mirror, packages);
        catalogue.missing = failed.into_iter().map(|(suite, _)| suite).collect();
        catalogue.save(&self.cache.catalogue_path(arch))?;
        Ok(catalogue)
    }

    fn fetch_package(
        &self,
        package: &Package,
        arch: Arch,
        progress: &mut dyn FnMut(FetchProgress),
    ) -> Result<Kernel, Error> {
        let apt = self.apt(arch)?;
        let part = self.cache.root.join(arch.debian_name()).join("part");
        remove_folder(&part)?;
        let built = part.join("kernel");
        fs::create_dir_all(&built).map_err(Error::cache("create", &built))?;
        for name in [Some(&package.name), package.config_package.as_ref()].into_iter().flatten() {
            let mut told = |percent| {
                progress(FetchProgress::Downloading {
                    package: name.clone(),
                    version: package.version.clone(),
                    suite: package.suite.clone(),
                    size: package.size,
                    percent,
                });
            };
            told(0.0);
            let deb = apt.download(name, &package.version, &part, &mut told)?;
            progress(FetchProgress::Unpacking { package: name.clone() });
            take_kernel(&deb, name, &package.release, &built)?;
            fs::remove_file(&deb).map_err(Error::cache("remove", &deb))?;
        }
        self.seal(package, arch, &built)?;
        let folder = self.cache.series_folder(arch, package.series).join(&package.version);
        remove_folder(&folder)?;
        let parent = self.cache.series_folder(arch, package.series);
        fs::create_dir_all(&parent).map_err(Error::cache("create", &parent))?;
        fs::rename(&built, &folder).map_err(Error::cache("write", &folder))?;
        remove_folder(&part)?;
        entry::verify(&folder).map_err(|d| Error::Package { package: package.name.clone(), reason: d.reason })
    }

    fn seal(&self, package: &Package, arch: Arch, folder: &Path) -> Result<(), Error> {
        let vmlinuz = folder.join(VMLINUZ);
        if !vmlinuz.exists() {
            let reason = format!("it has no image of {}", package.release);
            return Err(Error::Package { package: package.name.clone(), reason });
        }
        let config = folder.join(CONFIG);
        let hash = |path: &Path| entry::sha256_of(path).map_err(Error::cache("read", path));
        let record = KernelManifest {
            arch,
            series: package.series,
            package: package.name.clone(),
            version: package.version.clone(),
            release: package.release.clone(),
            suite: package.suite.clone(),
            sha256: hash(&vmlinuz)?,
            config_sha256: if config.exists() { Some(hash(&config)?) } else { None },
            built: None,
        };
        entry::seal(folder, &record)
    }

    /// Series in the suites and in the cache, in order.
    fn series_there(&self, arch: Arch, catalogue: Option<&Catalogue>) -> Result<Vec<Series>, Error> {
        let mut series = self.cache.cached_series(arch)?;
        series.extend(catalogue.map(Catalogue::series).unwrap_or_default());
        series.sort_unstable();
        series.dedup();
        Ok(series)
    }

    fn catalogue(&self, arch: Arch) -> Option<Catalogue> {
        let catalogue = Catalogue::load(&self.cache.catalogue_path(arch))?;
        // Another mirror may have other suites.
        self.mirror.as_ref().is_none_or(|m| *m == catalogue.mirror).then_some(catalogue)
    }

    fn apt(&self, arch: Arch) -> Result<PrivateApt, Error> {
        let archive = host::archive(self.mirror.as_deref(), self.keyring.as_deref())?;
        PrivateApt::prepare(&self.cache.root.join(arch.debian_name()).join("apt"), arch, archive, KERNEL_SUITES)
    }
}
