// SPDX-License-Identifier: MIT OR Apache-2.0
//! apt with its own configuration, state and lists, so that the host's do not change and root is not needed.
//!
//! The file named by APT_CONFIG is read before everything else; it points apt away from the host's folders. The host's
//! hooks are not taken over: some remove files of the host's own apt.
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use super::error::Error;
use super::host::{self, DebianArchive};
use crate::arch::Arch;

/// The suites that have kernels, from old to new; a mirror may have archived the oldest. Security suites are left out: the
/// next point release has the same.
pub(crate) const KERNEL_SUITES: &str = "bullseye bookworm bookworm-backports trixie trixie-backports sid experimental";

/// Where apt keeps its helper, on every Debian since 8.
const APT_HELPER: &str = "/usr/lib/apt/apt-helper";

/// Maximum number of apt's error lines kept: a few per suite.
const MAX_COMPLAINTS: usize = 32;

/// A private apt for one architecture.
pub(crate) struct PrivateApt {
    root: PathBuf,
    archive: DebianArchive,
    suites: &'static str,
}

/// A downloaded list of packages.
pub(crate) struct Index {
    /// The suite it describes.
    pub suite: String,
    path: PathBuf,
}

impl PrivateApt {
    /// Writes the configuration into the folder `root`, which belongs to this apt alone.
    ///
    /// # Errors
    /// No apt, or the folder can't be written to or named in a configuration.
    pub fn prepare(root: &Path, arch: Arch, archive: DebianArchive, suites: &'static str) -> Result<PrivateApt, Error> {
        PrivateApt::prepare_for(Content::Packages, root, arch, archive, suites)
    }

    /// The same for source packages, which have no architecture.
    ///
    /// # Errors
    /// As for [`PrivateApt::prepare`].
    pub fn prepare_sources(root: &Path, archive: DebianArchive, suites: &'static str) -> Result<PrivateApt, Error> {
        PrivateApt::prepare_for(Content::Sources, root, Arch::Amd64, archive, suites)
    }

    fn prepare_for(
        content: Content,
        root: &Path,
        arch: Arch,
        archive: DebianArchive,
        suites: &'static str,
    ) -> Result<PrivateApt, Error> {
        for folder in ["lists/partial", "cache/archives/partial", "empty"] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).map_err(Error::cache("create", &folder))?;
        }
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::write(&path, text).map_err(Error::cache("write", &path))
        };
        write("status", "")?;
        write("archive.sources", &sources(content, arch, &archive, suites))?;
        write("apt.conf", &configuration(root, arch, &host::acquire_settings()?)?)?;
        Ok(PrivateApt { root: root.to_owned(), archive, suites })
    }

    /// The mirror in use.
    pub fn mirror(&self) -> &str {
        &self.archive.mirror
    }

    /// Fetches the lists of all suites; `percent` is told from 0 to 100. Gives the suites that can't be had, because
    /// the mirror lacks them or the keyring doesn't know their key, each with what apt says; its earlier list stays.
    ///
    /// # Errors
    /// apt's error lines, if no suite could be fetched.
    pub fn update(&self, percent: &mut dyn FnMut(f32)) -> Result<Vec<(String, String)>, Error> {
        let mut command = self.command("apt-get");
        command.args(["-qq", "update"]);
        match run(command, "read the package lists", percent) {
            Ok(()) => Ok(vec![]),
            Err(Error::Apt { action, evidence }) => {
                let failed = failed_suites(self.suites, &evidence);
                if failed.is_empty() || failed.len() == self.suites.split(' ').count() {
                    return Err(Error::Apt { action, evidence });
                }
                Ok(failed)
            }
            Err(error) => Err(error),
        }
    }

    /// The lists that have been fetched.
    ///
    /// # Errors
    /// No apt.
    pub fn indexes(&self) -> Result<Vec<Index>, Error> {
        let mut command = self.command("apt-get");
        command.args(["indextargets", "--format", "$(RELEASE)\t$(FILENAME)", "Identifier: Packages"]);
        let output = command.stdin(Stdio::null()).output().map_err(|_| Error::NoTool { program: "apt-get" })?;
        let text = String::from_utf8_lossy(&output.stdout);
        let indexes = text.lines().filter_map(|line| line.split_once('\t'));
        Ok(indexes
            .map(|(suite, path)| Index { suite: suite.to_owned(), path: path.into() })
            .filter(|index| index.path.exists())
            .collect())
    }

    /// Reads a list, however it is compressed, and hands it to `consume`.
    ///
    /// # Errors
    /// The helper of apt is missing or failed.
    pub fn read_index<T>(
        &self,
        index: &Index,
        consume: impl FnOnce(BufReader<ChildStdout>) -> std::io::Result<T>,
    ) -> Result<T, Error> {
        let mut command = self.command(APT_HELPER);
        command.arg("cat-file").arg(&index.path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|_| Error::NoTool { program: APT_HELPER })?;
        let consumed = child.stdout.take().map(|out| consume(BufReader::with_capacity(1 << 16, out)));
        let status = child.wait().map_err(Error::cache("read", &index.path))?;
        match consumed {
            Some(Ok(value)) if status.success() => Ok(value),
            Some(Err(source)) => Err(Error::cache("read", &index.path)(source)),
            _ => Err(Error::Apt {
                action: format!("read the package list `{}`", index.path.display()),
                evidence: vec![],
            }),
        }
    }

    /// Downloads one package into `folder`, whose checksum apt verifies. Gives the archive's path.
    ///
    /// # Errors
    /// apt's error lines.
    pub fn download(
        &self,
        package: &str,
        version: &str,
        folder: &Path,
        percent: &mut dyn FnMut(f32),
    ) -> Result<PathBuf, Error> {
        let action = format!("download {package} {version}");
        let mut command = self.command("apt-get");
        command.current_dir(folder).args(["-qq", "download", &format!("{package}={version}")]);
        run(command, &action, percent)?;
        let entries = fs::read_dir(folder).map_err(Error::cache("read", folder))?;
        let prefix = format!("{package}_");
        let mut debs = entries.filter_map(Result::ok).filter(|e| e.file_name().to_string_lossy().starts_with(&prefix));
        let evidence = vec![format!("it left no archive in {}", folder.display())];
        debs.next().map(|e| e.path()).ok_or(Error::Apt { action, evidence })
    }

    /// The versions of a package in the suites, each with its suite. None if no list has been fetched yet.
    ///
    /// # Errors
    /// No apt.
    pub fn versions(&self, package: &str) -> Result<Vec<(String, String)>, Error> {
        let mut command = self.command("apt-cache");
        let output = command.args(["madison", package]).stdin(Stdio::null()).output();
        let output = output.map_err(|_| Error::NoTool { program: "apt-cache" })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut versions = Vec::new();
        // `PACKAGE | VERSION | ADDRESS SUITE/COMPONENT ARCHITECTURE Packages`
        for line in text.lines() {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let [name, version, place] = fields[..] else { continue };
            let mut place = place.split_ascii_whitespace().skip(1);
            let suite = place.next().and_then(|s| s.split('/').next()).unwrap_or_default();
            if name == package {
                versions.push((version.to_owned(), suite.to_owned()));
            }
        }
        Ok(versions)
    }

    /// What installing these packages on an empty system takes: each archive's name and size in bytes.
    ///
    /// # Errors
    /// apt's error lines.
    pub fn archives_of(&self, packages: &[&str]) -> Result<Vec<(String, u64)>, Error> {
        let mut command = self.command("apt-get");
        command.args(["-qq", "--yes", "--no-install-recommends", "--print-uris", "install"]).args(packages);
        archives_listed(command, &format!("find the packages {}", packages.join(" ")))
    }

    /// Downloads these packages, which are `what`, and what they depend on into `folder`, as far as they are not there. What an interrupted
    /// download left is used.
    ///
    /// # Errors
    /// apt's error lines.
    pub fn download_all(
        &self,
        what: &str,
        packages: &[&str],
        folder: &Path,
        percent: &mut dyn FnMut(f32),
    ) -> Result<(), Error> {
        let partial = folder.join("partial");
        fs::create_dir_all(&partial).map_err(Error::cache("create", &partial))?;
        let mut command = self.command("apt-get");
        command.arg("-o").arg(format!("Dir::Cache::archives={}", folder.display()));
        command.args(["-qq", "--yes", "--no-install-recommends", "--download-only", "install"]).args(packages);
        run(command, &format!("download the packages of {what}"), percent)
    }

    /// The files of the newest source package of this name, except its description (.dsc): each file's name and size in bytes.
    /// The signed list of sources has their checksums.
    ///
    /// # Errors
    /// apt's error lines; there may be no list yet.
    pub fn source_of(&self, package: &str) -> Result<Vec<(String, u64)>, Error> {
        let mut command = self.command("apt-get");
        command.args(["-qq", "--print-uris", "source", package]);
        let listed = archives_listed(command, &format!("find the source of {package}"))?;
        Ok(listed.into_iter().filter(|(file, _)| is_source_archive(file)).collect())
    }

    /// Downloads the archives of the newest source package of this name into `folder`, whose checksums apt verifies.
    ///
    /// # Errors
    /// apt's error lines.
    pub fn download_source(&self, package: &str, folder: &Path, percent: &mut dyn FnMut(f32)) -> Result<(), Error> {
        for part in ["--tar-only", "--diff-only"] {
            let mut command = self.command("apt-get");
            command.current_dir(folder).args(["-qq", "source", "--download-only", part, package]);
            run(command, &format!("download the source of {package}"), percent)?;
        }
        Ok(())
    }

    /// Where the fetched lists of packages are.
    pub fn lists(&self) -> PathBuf {
        self.root.join("lists")
    }

    /// The keyring that the archive is checked against.
    pub fn keyring(&self) -> &Path {
        &self.archive.keyring
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.root.join("apt.conf")).env("LC_ALL", "C");
        command
    }
}

/// What is fetched from the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Packages,
    Sources,
}

fn sources(content: Content, arch: Arch, archive: &DebianArchive, suites: &str) -> String {
    let types = match content {
        Content::Packages => "deb",
        Content::Sources => "deb-src",
    };
    format!(
        "Types: {types}\nURIs: {}\nSuites: {suites}\nComponents: main\nArchitectures: {arch}\nSigned-By: {}\n",
        archive.mirror,
        archive.keyring.display()
    )
}

/// What apt would download: each archive's name and size in bytes.
fn archives_listed(mut command: Command, action: &str) -> Result<Vec<(String, u64)>, Error> {
    let output = command.stdin(Stdio::null()).output().map_err(|_| Error::NoTool { program: "apt-get" })?;
    let text = String::from_utf8_lossy(&output.stdout);
    // `'ADDRESS' FILE SIZE CHECKSUM`
    let archives = text.lines().filter(|l| l.starts_with('\'')).filter_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
    });
    if output.status.success() {
        return Ok(archives.collect());
    }
    let evidence = String::from_utf8_lossy(&output.stderr).lines().take(MAX_COMPLAINTS).map(str::to_owned).collect();
    Err(Error::Apt { action: action.to_owned(), evidence })
}

/// Whether a file of a source package is its upstream source or Debian's changes, and not a signature or the description.
fn is_source_archive(file: &str) -> bool {
    ["bz2", "gz", "xz"].iter().any(|kind| file.ends_with(&format!(".tar.{kind}")))
}

fn configuration(root: &Path, arch: Arch, acquire: &str) -> Result<String, Error> {
    let shown = root.to_str().filter(|p| !p.contains(['"', '\n', '\r']));
    let root = shown.ok_or_else(|| Error::CachePath { path: root.to_owned() })?;
    // The sandbox user could not write into a cache in somebody's home; as root that would only cost a warning each.
    Ok(format!(
        r#"{acquire}Acquire::Languages "none";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
APT::Status-Fd "1";
Dir::State "{root}";
Dir::State::lists "{root}/lists";
Dir::State::status "{root}/status";
Dir::Cache "{root}/cache";
Dir::Cache::archives "{root}/cache/archives";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "{root}/empty";
Dir::Etc::sourcelist "{root}/archive.sources";
Dir::Etc::sourceparts "{root}/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{root}/empty";
"#
    ))
}

/// Runs apt with its status lines on standard output: `dlstatus:ITEM:PERCENT:TEXT`.
fn run(mut command: Command, action: &str, percent: &mut dyn FnMut(f32)) -> Result<(), Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|_| Error::NoTool { program: "apt-get" })?;
    let complaints = complaints_of(&mut child);
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
            if let Some(value) = status_percent(&String::from_utf8_lossy(&line)) {
                percent(value);
            }
        }
    }
    let status = child.wait();
    let evidence = complaints.and_then(|c| c.join().ok()).unwrap_or_default();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Apt { action: action.to_owned(), evidence }),
    }
}

/// The error lines, read in parallel with the status lines so that neither pipe fills up.
fn complaints_of(child: &mut Child) -> Option<thread::JoinHandle<Vec<String>>> {
    let stderr = child.stderr.take()?;
    Some(thread::spawn(move || {
        let lines = BufReader::new(stderr.take(1 << 20)).split(b'\n').map_while(Result::ok);
        let lines = lines.map(|l| String::from_utf8_lossy(&l).trim().to_owned());
        let mut complaints: Vec<String> = lines.filter(|l| l.starts_with("E:") || l.starts_with("W:")).collect();
        complaints.truncate(MAX_COMPLAINTS);
        complaints
    }))
}

/// The suites that apt's complaints name, each with the first complaint: by the address of a file, or as in
/// `The repository 'http://mirror.example/debian sid Release' does not have a Release file.`
fn failed_suites(suites: &str, complaints: &[String]) -> Vec<(String, String)> {
    let names = |line: &str, suite: &str| {
        [format!("/dists/{suite}/"), format!(" {suite} Release"), format!(" {suite} InRelease")]
            .iter()
            .any(|pattern| line.contains(pattern))
    };
    suites
        .split(' ')
        .filter_map(|suite| Some((suite.to_owned(), complaints.iter().find(|line| names(line, suite))?.clone())))
        .collect()
}

fn status_percent(line: &str) -> Option<f32> {
    line.strip_prefix("dlstatus:")?.split(':').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        assert_eq!(status_percent("dlstatus:1:9.7519:Retrieving file 1 of 1"), Some(9.7519));
        assert_eq!(status_percent("pmstatus:1:9.7519:x"), None);
        assert_eq!(status_percent("dlstatus:1"), None);
    }

    #[test]
    fn suites_that_failed() {
        let check = |line: &str, expected: &[&str]| {
            let failed: Vec<String> =
                failed_suites(KERNEL_SUITES, &[line.to_owned()]).into_iter().map(|(suite, _)| suite).collect();
            assert_eq!(failed, expected, "{line}");
        };
        check("E: The repository 'http://mirror.example/d sid Release' does not have a Release file.", &["sid"]);
        check("E: Failed to fetch http://mirror.example/d/dists/trixie-backports/InRelease  No", &["trixie-backports"]);
        check("W: GPG error: http://mirror.example/d trixie InRelease: NO_PUBKEY 0", &["trixie"]);
        check("E: Some index files failed to download.", &[]);
    }

    #[test]
    fn archives_of_a_source_package() {
        assert!(is_source_archive("u-boot_2025.01.orig.tar.bz2"));
        assert!(is_source_archive("u-boot_2025.01-3+deb13u1.debian.tar.xz"));
        for other in ["u-boot_2025.01.orig.tar.bz2.asc", "u-boot_2025.01-3.dsc"] {
            assert!(!is_source_archive(other), "{other}");
        }
    }

    #[test]
    fn paths_that_apt_cannot_take() {
        for bad in ["/tmp/a\"b", "/tmp/a\nb"] {
            assert!(matches!(configuration(Path::new(bad), Arch::Amd64, ""), Err(Error::CachePath { .. })));
        }
    }

    #[test]
    fn the_host_cannot_allow_unsigned_archives() {
        let text = configuration(Path::new("/c"), Arch::Arm64, "Acquire::Retries \"3\";\n").unwrap();
        assert!(text.starts_with("Acquire::Retries \"3\";\n"));
        assert!(text.contains("Acquire::AllowInsecureRepositories \"false\";"));
    }
}
