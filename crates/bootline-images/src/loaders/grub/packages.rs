// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's binary packages of GRUB and of a PC's firmware, unpacked and not installed; their programs run with their own libraries.
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arch::Arch;
use crate::kernels::{PrivateApt, archive};
use crate::loaders::build::BuildPlace;
use crate::loaders::tools::{has_program, run};
use crate::loaders::{Loader, LoaderError, LoaderProgress};

/// The Debian suite of the packages: that of the systems.
pub(super) const SUITE: &str = "trixie";

/// Runs programs of a PC on another machine.
const EMULATOR: (&str, &str) = ("qemu-x86_64", "qemu-user");

/// Packages, unpacked into one tree.
#[derive(Debug)]
pub(super) struct Packages {
    tree: PathBuf,
    archives: Vec<String>,
}

impl Packages {
    /// Downloads packages with all that they depend on, as far as they are not in the cache, and unpacks them.
    ///
    /// # Errors
    /// A program is missing, apt failed, or an archive can't be unpacked.
    pub fn unpack(
        loader: Loader,
        packages: &[&str],
        place: &BuildPlace<'_>,
        progress: &mut dyn FnMut(LoaderProgress),
    ) -> Result<Packages, LoaderError> {
        // Before anything is downloaded.
        check(loader)?;
        let folder = place.root.join("packages");
        let archives = fetch(loader, packages, place, &folder, progress)?;
        let tree = place.part.join("tree");
        progress(LoaderProgress::Unpacking { loader, version: version_of(&archives, packages[0])? });
        for file in &archives {
            let mut command = Command::new("dpkg-deb");
            command.arg("-x").arg(folder.join(file)).arg(&tree);
            run(command, loader.name(), "unpacking its packages")?;
        }
        Ok(Packages { tree, archives })
    }

    /// Version of a package.
    ///
    /// # Errors
    /// It is not among them.
    pub fn version(&self, package: &str) -> Result<String, LoaderError> {
        version_of(&self.archives, package)
    }

    /// The path of a file of the packages.
    pub fn file(&self, path: &str) -> PathBuf {
        self.tree.join(path)
    }

    /// Runs a program of the packages.
    ///
    /// # Errors
    /// It failed.
    pub fn run(
        &self,
        loader: Loader,
        program: &str,
        step: &'static str,
        arguments: impl FnOnce(&mut Command),
    ) -> Result<(), LoaderError> {
        // The host's own libraries may be older than the program.
        let libraries = self.file("usr/lib/x86_64-linux-gnu");
        let linker = libraries.join("ld-linux-x86-64.so.2");
        let mut command = if runs_natively() { Command::new(&linker) } else { Command::new(EMULATOR.0) };
        if !runs_natively() {
            command.arg(&linker);
        }
        command.arg("--library-path").arg(&libraries).arg(self.file("usr/bin").join(program));
        arguments(&mut command);
        run(command, loader.name(), step)
    }
}

fn runs_natively() -> bool {
    cfg!(target_arch = "x86_64")
}

/// Checks that the host has what the build needs.
fn check(loader: Loader) -> Result<(), LoaderError> {
    let emulator = [EMULATOR].into_iter().filter(|_| !runs_natively());
    let needed = [("dpkg-deb", "dpkg")].into_iter().chain(emulator);
    let (missing, packages): (Vec<_>, Vec<_>) = needed.filter(|(program, _)| !has_program(program)).unzip();
    if missing.is_empty() { Ok(()) } else { Err(LoaderError::NoTools { loader, missing, packages }) }
}

/// Downloads the archives of packages into `folder`. Gives their names.
fn fetch(
    loader: Loader,
    packages: &[&str],
    place: &BuildPlace<'_>,
    folder: &Path,
    progress: &mut dyn FnMut(LoaderProgress),
) -> Result<Vec<String>, LoaderError> {
    let mirror = archive(place.mirror, None)?;
    let apt = PrivateApt::prepare(&place.root.join("apt-packages"), Arch::Amd64, mirror, SUITE)?;
    let missing = |wanted: &[(String, u64)]| -> u64 {
        wanted.iter().filter(|(file, _)| !folder.join(file).is_file()).map(|(_, bytes)| bytes).sum()
    };
    let mut wanted = if apt.indexes()?.is_empty() { Vec::new() } else { apt.archives_of(packages).unwrap_or_default() };
    if wanted.is_empty() || missing(&wanted) > 0 {
        // Old lists may name versions that the mirror has replaced.
        apt.update(&mut |percent| progress(LoaderProgress::Refreshing { percent }))?;
        wanted = apt.archives_of(packages)?;
    }
    let bytes = missing(&wanted);
    if bytes > 0 {
        progress(LoaderProgress::Fetching { loader, bytes });
        apt.download_all(loader.name(), packages, folder, &mut |percent| {
            progress(LoaderProgress::Downloading { percent })
        })?;
    }
    Ok(wanted.into_iter().map(|(file, _)| file).collect())
}

/// The version in the name of a package's archive: `grub-pc-bin_2.12-9_amd64.deb`.
fn version_of(archives: &[String], package: &str) -> Result<String, LoaderError> {
    let found = archives.iter().find_map(|file| file.strip_prefix(package)?.strip_prefix('_')?.split('_').next());
    let missing = || LoaderError::Step {
        what: package.to_owned(),
        step: "finding its package among those downloaded",
        evidence: archives.to_vec(),
    };
    // An epoch's colon is written so in a file's name.
    found.map(|version| version.replace("%3a", ":")).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_archives() {
        let archives = ["grub-pc-bin_2.12-9+deb13u1_amd64.deb", "grub-pc_1_amd64.deb", "dm_2%3a1.02.205-2_amd64.deb"];
        let archives = archives.map(str::to_owned);
        let version = |package| version_of(&archives, package).ok();
        assert_eq!(version("grub-pc-bin").as_deref(), Some("2.12-9+deb13u1"));
        assert_eq!(version("grub-pc").as_deref(), Some("1"));
        assert_eq!(version("dm").as_deref(), Some("2:1.02.205-2"));
        let error = version_of(&archives, "grub").unwrap_err().to_string();
        assert!(error.starts_with("can't build grub: finding its package among those downloaded failed\n"), "{error}");
    }
}
