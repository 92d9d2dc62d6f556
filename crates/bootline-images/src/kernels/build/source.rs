// SPDX-License-Identifier: MIT OR Apache-2.0
//! The source of a kernel: Debian's package of a series, or a folder or an archive of the user's own.
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use bootline_console::KernelVersion;

use super::error::KernelBuildError;
use super::progress::KernelBuildProgress;
use crate::arch::Arch;
use crate::host_tools::PATH;
use crate::kernels::entry::sha256_of;
use crate::kernels::error::Error;
use crate::kernels::host::archive;
use crate::kernels::private_apt::{KERNEL_SUITES, PrivateApt};
use crate::kernels::progress::FetchProgress;
use crate::kernels::version;
use crate::lock_file::lock_file;
use crate::remove::remove_folder;

/// A source as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceName {
    /// The newest that Debian has of a series: `6.12`.
    Series(KernelVersion),
    /// A folder, or a tar archive.
    Own(PathBuf),
}

impl FromStr for SourceName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<SourceName, Self::Err> {
        let series = text.parse().ok().filter(|v: &KernelVersion| v.stable.is_none() && v.to_string() == text);
        Ok(series.map_or_else(|| SourceName::Own(text.into()), SourceName::Series))
    }
}

impl fmt::Display for SourceName {
    /// As a user types it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceName::Series(series) => series.fmt(f),
            SourceName::Own(path) => path.display().fmt(f),
        }
    }
}

/// A source on the disk.
#[derive(Clone, Debug)]
pub(super) struct KernelSource {
    /// Its folder.
    pub folder: PathBuf,
    /// Debian's version, or the path of the user's own.
    pub label: String,
    /// Whether its files stay as they are: those of an archive do.
    pub fixed: bool,
    /// The series, by its makefile.
    pub series: KernelVersion,
}

/// Where sources come from.
pub(super) struct Sources<'s> {
    /// The folder of builds.
    pub root: &'s Path,
    /// A mirror of the Debian archive instead of the host's.
    pub mirror: Option<&'s str>,
}

impl Sources<'_> {
    /// The source: in the cache, unpacked or fetched.
    ///
    /// # Errors
    /// There is none, or it can't be had.
    pub fn get(
        &self,
        name: &SourceName,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<KernelSource, KernelBuildError> {
        match name {
            SourceName::Own(path) if path.is_dir() => {
                let folder = path.canonicalize().map_err(KernelBuildError::file("open", path))?;
                let series = series_of(&folder)?;
                if folder.join(".config").exists() || folder.join("include/config").exists() {
                    return Err(KernelBuildError::UncleanSource { path: folder });
                }
                Ok(KernelSource { label: folder.display().to_string(), folder, fixed: false, series })
            }
            SourceName::Own(path) => {
                if !path.exists() {
                    let lacks = "there is no such file or folder";
                    return Err(KernelBuildError::NotASource { path: path.clone(), lacks });
                }
                let sha256 = sha256_of(path).map_err(KernelBuildError::file("read", path))?;
                let folder = self.folder().join(sha256.get(..16).unwrap_or(&sha256));
                let label = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                self.unpacked(&folder, &label, path, progress)?;
                let series = series_of(&folder)?;
                Ok(KernelSource { folder, label: format!("{label} (SHA-256 {sha256})"), fixed: true, series })
            }
            SourceName::Series(series) => self.of_debian(*series, progress),
        }
    }

    fn of_debian(
        &self,
        series: KernelVersion,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<KernelSource, KernelBuildError> {
        let _lock = self.lock(progress)?;
        // One that is there is good enough: a newer one would mean another build of everything.
        let prefix = format!("{series}.");
        let names = fs::read_dir(self.folder()).into_iter().flatten();
        let names = names.filter_map(|e| e.ok()?.file_name().into_string().ok()).filter(|n| n.starts_with(&prefix));
        if let Some(newest) = names.max_by(|a, b| version::compare(a, b)) {
            return Ok(KernelSource { folder: self.folder().join(&newest), label: newest, fixed: true, series });
        }
        let package = format!("linux-source-{series}");
        let apt_folder = self.root.join("apt");
        fs::create_dir_all(&apt_folder).map_err(KernelBuildError::file("create", &apt_folder))?;
        let apt = PrivateApt::prepare(&apt_folder, Arch::Amd64, archive(self.mirror, None)?, KERNEL_SUITES)?;
        let part = self.root.join("part");
        remove(&part)?;
        fs::create_dir_all(&part).map_err(KernelBuildError::file("create", &part))?;
        let mut found = None;
        // Lists of another day may name versions that the mirror has replaced.
        for fresh in [false, true] {
            if fresh {
                let mirror = apt.mirror().to_owned();
                apt.update(&mut |percent| {
                    let refreshing = FetchProgress::Refreshing { arch: Arch::Amd64, mirror: mirror.clone(), percent };
                    progress(KernelBuildProgress::Fetching(refreshing));
                })?;
            }
            let versions = apt.versions(&package)?;
            let Some(newest) = versions.into_iter().max_by(|a, b| version::compare(&a.0, &b.0)) else {
                if fresh {
                    return Err(KernelBuildError::NoSource { series: series.to_string() });
                }
                continue;
            };
            let (version, suite) = newest;
            // Only for display.
            let archives = apt.archives_of(&[&format!("{package}={version}")]).unwrap_or_default();
            let size = archives.iter().find(|(file, _)| file.starts_with(&package)).map_or(0, |(_, size)| *size);
            let mut told = |percent| {
                progress(KernelBuildProgress::Fetching(FetchProgress::Downloading {
                    package: package.clone(),
                    version: version.clone(),
                    suite: suite.clone(),
                    size,
                    percent,
                }));
            };
            match apt.download(&package, &version, &part, &mut told) {
                Ok(deb) => {
                    found = Some((deb, version));
                    break;
                }
                Err(error) if fresh => return Err(error.into()),
                Err(_) => {}
            }
        }
        let (deb, version) = found.expect("the second time it is found or an error");
        let folder = self.folder().join(&version);
        progress(KernelBuildProgress::Unpacking { source: version.clone() });
        let mut command = Command::new("dpkg-deb");
        command.arg("-x").arg(&deb).arg(&part);
        run(command, "dpkg-deb", &deb)?;
        let tarball = part.join(format!("usr/src/linux-source-{series}.tar.xz"));
        self.unpack(&tarball, &folder)?;
        remove(&part)?;
        Ok(KernelSource { folder, label: version, fixed: true, series })
    }

    fn unpacked(
        &self,
        folder: &Path,
        label: &str,
        archive: &Path,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<(), KernelBuildError> {
        let _lock = self.lock(progress)?;
        if folder.is_dir() {
            return Ok(());
        }
        progress(KernelBuildProgress::Unpacking { source: label.to_owned() });
        self.unpack(archive, folder)
    }

    /// Unpacks an archive whose files are in one folder.
    fn unpack(&self, archive: &Path, folder: &Path) -> Result<(), KernelBuildError> {
        let part = self.root.join("part-source");
        remove(&part)?;
        fs::create_dir_all(&part).map_err(KernelBuildError::file("create", &part))?;
        let mut command = Command::new("tar");
        command.arg("-C").arg(&part).arg("--strip-components=1").arg("--no-same-owner").arg("-xf").arg(archive);
        run(command, "tar", archive)?;
        series_of(&part).map_err(|error| match error {
            KernelBuildError::NotASource { lacks, .. } => {
                KernelBuildError::NotASource { path: archive.to_owned(), lacks }
            }
            other => other,
        })?;
        fs::create_dir_all(self.folder()).map_err(KernelBuildError::file("create", &self.folder()))?;
        fs::rename(&part, folder).map_err(KernelBuildError::file("write", folder))
    }

    fn folder(&self) -> PathBuf {
        self.root.join("source")
    }

    fn lock(&self, progress: &mut dyn FnMut(KernelBuildProgress)) -> Result<fs::File, KernelBuildError> {
        let path = self.root.join("source.lock");
        lock_file(&path, || progress(KernelBuildProgress::Waiting))
            .map_err(|(action, e)| KernelBuildError::file(action, &path)(e))
    }
}

/// The series of a source, by its makefile.
fn series_of(folder: &Path) -> Result<KernelVersion, KernelBuildError> {
    let lacking = |lacks| KernelBuildError::NotASource { path: folder.to_owned(), lacks };
    let makefile = fs::read_to_string(folder.join("Makefile")).map_err(|_| lacking("it has no Makefile"))?;
    if !folder.join("Kconfig").is_file() {
        return Err(lacking("it has no Kconfig"));
    }
    let mut tree = bootline_kbuild::KernelTree::default();
    tree.add("Makefile", bootline_kbuild::SourceKind::Makefile, &makefile);
    let series = tree.series().and_then(|series| series.parse().ok());
    series.ok_or_else(|| lacking("its Makefile names no VERSION and PATCHLEVEL"))
}

fn run(mut command: Command, program: &'static str, archive: &Path) -> Result<(), KernelBuildError> {
    let output = command.env("PATH", PATH).env("LC_ALL", "C").output().map_err(|_| Error::NoTool { program })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let reason = text.lines().next().unwrap_or("it failed").to_owned();
    Err(Error::Package { package: archive.display().to_string(), reason }.into())
}

pub(super) fn remove(folder: &Path) -> Result<(), KernelBuildError> {
    remove_folder(folder).map_err(KernelBuildError::file("remove", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_or_a_path() {
        let parse = |text: &str| text.parse::<SourceName>().unwrap();
        assert!(matches!(parse("6.12"), SourceName::Series(_)));
        for own in ["linux-6.12", "./6.12", "linux-6.12.tar.xz", "6.12.95", "6.12-rt"] {
            assert_eq!(parse(own), SourceName::Own(own.into()));
            assert_eq!(parse(own).to_string(), own);
        }
    }

    #[test]
    fn what_is_no_source_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let sources = Sources { root: &root, mirror: None };
        let tree = folder.path().join("linux");
        fs::create_dir(&tree).unwrap();
        let get = || sources.get(&SourceName::Own(tree.clone()), &mut |_| {});
        let ends = |what: &str| assert!(get().unwrap_err().to_string().ends_with(what), "{what}");
        ends("it has no Makefile");
        let none = sources.get(&SourceName::Own("/nonexistent".into()), &mut |_| {}).unwrap_err().to_string();
        assert_eq!(none, "`/nonexistent` is not a kernel's source: there is no such file or folder");
        fs::write(tree.join("Makefile"), "all:\n").unwrap();
        ends("it has no Kconfig");
        fs::write(tree.join("Kconfig"), "").unwrap();
        ends("names no VERSION and PATCHLEVEL");
        fs::write(tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 12\n").unwrap();
        assert_eq!(get().unwrap().series.to_string(), "6.12");
        fs::write(tree.join(".config"), "").unwrap();
        assert!(matches!(get(), Err(KernelBuildError::UncleanSource { .. })));
    }

    #[test]
    fn an_archive_is_unpacked_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let sources = Sources { root: &root, mirror: None };
        let tree = folder.path().join("linux-6.12");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 12\n").unwrap();
        fs::write(tree.join("Kconfig"), "").unwrap();
        let archive = folder.path().join("linux-6.12.tar.gz");
        let packed =
            Command::new("tar").arg("-C").arg(folder.path()).arg("-czf").arg(&archive).arg("linux-6.12").status();
        assert!(packed.unwrap().success());
        let mut steps = Vec::new();
        let name = SourceName::Own(archive.clone());
        let first = sources.get(&name, &mut |step| steps.push(step.to_string())).unwrap();
        let second = sources.get(&name, &mut |step| panic!("{step}")).unwrap();
        assert_eq!((first.folder.clone(), first.fixed), (second.folder, true));
        assert_eq!(steps, ["unpacking the source linux-6.12.tar.gz"]);
        fs::write(&archive, "no archive").unwrap();
        assert!(sources.get(&name, &mut |_| {}).is_err());
    }
}
