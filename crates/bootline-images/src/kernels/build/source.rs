// SPDX-License-Identifier: MIT OR Apache-2.0
//! The source of a kernel: Debian's package of a series, or a folder or an archive of the user's own.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use bootline_console::KernelVersion;

use super::error::KernelBuildError;
use super::progress::KernelBuildProgress;
use super::request::kernel_arch;
use super::source_name::SourceName;
use super::tools::check_archive;
use crate::arch::Arch;
use crate::host_tools::PATH;
use crate::kernels::entry::sha256_of;
use crate::kernels::error::Error;
use crate::kernels::host::archive;
use crate::kernels::private_apt::{KERNEL_SUITES, PrivateApt};
use crate::kernels::progress::FetchProgress;
use crate::kernels::version;
use crate::lock_file::{FileLock, lock_file};
use crate::remove::remove_folder;
use crate::step::run_until;

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
    /// For which architecture they are to be built.
    pub arch: Arch,
    /// Set by signals.
    pub cancel: &'s AtomicBool,
}

impl Sources<'_> {
    /// The source: in the cache, unpacked or fetched.
    ///
    /// # Errors
    /// There is none, or it can't be had; or it was interrupted.
    pub fn get(
        &self,
        name: &SourceName,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<KernelSource, KernelBuildError> {
        let source = self.found(name, progress);
        // Whatever else failed: a signal from a terminal ends the programs that were running as well.
        if self.cancel.load(Ordering::SeqCst) {
            return Err(KernelBuildError::Interrupted { folder: None });
        }
        source
    }

    fn found(
        &self,
        name: &SourceName,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<KernelSource, KernelBuildError> {
        match name {
            SourceName::Own(path) if path.is_dir() => {
                let folder = path.canonicalize().map_err(KernelBuildError::file("open", path))?;
                check_path(&folder)?;
                let series = series_of(&folder)?;
                // As outputmakefile in the kernel's Makefile has it.
                let generated = format!("arch/{}/include/generated", kernel_arch(self.arch));
                if [".config", "include/config", &generated].iter().any(|output| folder.join(output).exists()) {
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
        let prefix = series.to_string();
        // 6.12.107-1, and 7.3~rc4-1~exp1 or 7.2-1~exp1 in experimental; 6.1 is not 6.12.
        let is_of_series = |name: &String| {
            name.strip_prefix(&prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let names = fs::read_dir(self.folder()).into_iter().flatten();
        let names = names.filter_map(|e| e.ok()?.file_name().into_string().ok()).filter(is_of_series);
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
        // Old lists may name versions that the mirror has replaced.
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
            let folder = self.folder().join(&version);
            if folder.is_dir() {
                return Ok(KernelSource { folder, label: version, fixed: true, series });
            }
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
        let mut command = command("dpkg-deb");
        command.arg("-x").arg(&deb).arg(&part);
        let failed = |path: &Path, reason| Error::Package { package: path.display().to_string(), reason }.into();
        run_until(command, self.cancel).map_err(|said| failed(&deb, first(said)))?;
        let tarball = part.join(format!("usr/src/linux-source-{series}.tar.xz"));
        self.unpack(&tarball, &folder, &failed)?;
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
        check_archive(archive)?;
        progress(KernelBuildProgress::Unpacking { source: label.to_owned() });
        self.unpack(archive, folder, &|path, reason| KernelBuildError::Archive { path: path.to_owned(), reason })
    }

    /// Unpacks an archive whose files are in one folder; `failed` makes the error of what tar said.
    fn unpack(
        &self,
        archive: &Path,
        folder: &Path,
        failed: &dyn Fn(&Path, String) -> KernelBuildError,
    ) -> Result<(), KernelBuildError> {
        let part = self.root.join("part-source");
        remove(&part)?;
        fs::create_dir_all(&part).map_err(KernelBuildError::file("create", &part))?;
        let mut command = command("tar");
        // A colon in the name is no host's.
        command.arg("--force-local").arg("-C").arg(&part).arg("--strip-components=1").arg("--no-same-owner");
        command.arg("-xf").arg(archive);
        let unpacked = run_until(command, self.cancel).map_err(|said| failed(archive, first(said)));
        let checked = unpacked.and_then(|()| {
            series_of(&part).map_err(|error| match error {
                KernelBuildError::NotASource { lacks, .. } => {
                    KernelBuildError::NotASource { path: archive.to_owned(), lacks }
                }
                other => other,
            })
        });
        if let Err(error) = checked {
            // Another archive may have gigabytes.
            remove(&part)?;
            return Err(error);
        }
        fs::create_dir_all(self.folder()).map_err(KernelBuildError::file("create", &self.folder()))?;
        fs::rename(&part, folder).map_err(KernelBuildError::file("write", folder))
    }

    fn folder(&self) -> PathBuf {
        self.root.join("source")
    }

    fn lock(&self, progress: &mut dyn FnMut(KernelBuildProgress)) -> Result<FileLock, KernelBuildError> {
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

/// Checks that make accepts a path.
pub(super) fn check_path(path: &Path) -> Result<(), KernelBuildError> {
    match path.to_string_lossy().contains([' ', ':', '\t', '\n']) {
        true => Err(KernelBuildError::Path { path: path.to_owned() }),
        false => Ok(()),
    }
}

fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", PATH).env("LC_ALL", "C");
    command
}

fn first(said: Vec<String>) -> String {
    said.into_iter().next().unwrap_or_else(|| "it failed".to_owned())
}

pub(super) fn remove(folder: &Path) -> Result<(), KernelBuildError> {
    remove_folder(folder).map_err(KernelBuildError::file("remove", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);

    fn sources<'s>(root: &'s Path, cancel: &'s AtomicBool) -> Sources<'s> {
        Sources { root, mirror: None, arch: Arch::Amd64, cancel }
    }

    #[test]
    fn what_is_no_source_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let sources = sources(&root, &GO);
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
        fs::remove_file(tree.join(".config")).unwrap();
        // What another architecture has generated does not keep this one's build elsewhere.
        fs::create_dir_all(tree.join("arch/arm64/include/generated")).unwrap();
        assert!(get().is_ok());
        fs::create_dir_all(tree.join("arch/x86/include/generated")).unwrap();
        assert!(matches!(get(), Err(KernelBuildError::UncleanSource { .. })));
        let blank = folder.path().join("a tree");
        fs::rename(&tree, &blank).unwrap();
        let refused = sources.get(&SourceName::Own(blank), &mut |_| {}).unwrap_err();
        assert!(matches!(refused, KernelBuildError::Path { .. }), "{refused}");
    }

    #[test]
    fn a_series_is_found_by_any_version_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = Sources { mirror: Some("file:/nonexistent/debian"), ..sources(folder.path(), &GO) };
        let found = |series: &str| {
            let source = nowhere.get(&series.parse().unwrap(), &mut |_| {});
            source.map(|source| source.label).ok()
        };
        for version in ["6.12.107-1", "6.12.9-1", "7.3~rc4-1~exp1", "7.2-1~exp1"] {
            fs::create_dir_all(folder.path().join("source").join(version)).unwrap();
        }
        assert_eq!(found("6.12").as_deref(), Some("6.12.107-1"));
        assert_eq!(found("7.3").as_deref(), Some("7.3~rc4-1~exp1"));
        assert_eq!(found("7.2").as_deref(), Some("7.2-1~exp1"));
        assert_eq!(found("6.1"), None);
    }

    #[test]
    fn an_archive_is_unpacked_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let sources = sources(&root, &GO);
        let tree = folder.path().join("linux-6.12");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 12\n").unwrap();
        fs::write(tree.join("Kconfig"), "").unwrap();
        // The colon is no host's.
        let archive = folder.path().join("linux:6.12.tar.gz");
        let packed = Command::new("tar")
            .arg("--force-local")
            .arg("-C")
            .arg(folder.path())
            .arg("-czf")
            .arg(&archive)
            .arg("linux-6.12")
            .status();
        assert!(packed.unwrap().success());
        let mut steps = Vec::new();
        let name = SourceName::Own(archive.clone());
        let first = sources.get(&name, &mut |step| steps.push(step.to_string())).unwrap();
        let second = sources.get(&name, &mut |step| panic!("{step}")).unwrap();
        assert_eq!((first.folder.clone(), first.fixed), (second.folder, true));
        assert_eq!(steps, ["unpacking the source linux:6.12.tar.gz"]);
        fs::write(&archive, "no archive").unwrap();
        let error = sources.get(&name, &mut |_| {}).unwrap_err();
        assert!(matches!(error, KernelBuildError::Archive { .. }) && error.hint().is_some(), "{error}");
        assert!(!root.join("part-source").exists());
    }

    #[test]
    fn unpacking_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("linux.tar");
        fs::write(&archive, "no archive").unwrap();
        let stop = AtomicBool::new(true);
        let error = sources(folder.path(), &stop).get(&SourceName::Own(archive), &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "interrupted");
    }
}
