// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's own apt configuration, which is only read: its mirror, its keyring, its settings for downloads.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Error;
use super::sources::{
    INDEX_TARGETS_FORMAT, Repository, archive_by_suite, keyring_of, parse_index_targets, parse_list, parse_sources,
};

/// The Debian archive as this host reaches and trusts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebianArchive {
    /// Address of a mirror.
    pub mirror: String,
    /// The keyring file that its signature is checked against.
    pub keyring: PathBuf,
}

/// Where the package debian-archive-keyring puts its keyring: the name in Debian 12, and the one that follows it.
const KEYRINGS: [&str; 2] =
    ["/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"];

/// The archive by the host's configuration, or at the mirror and by the keyring that are stated.
///
/// # Errors
/// No apt, no Debian mirror, no keyring, or a mirror that is no address.
pub fn archive(mirror: Option<&str>, keyring: Option<&Path>) -> Result<DebianArchive, Error> {
    let repositories = read_repositories(Path::new("/etc/apt"));
    let mirror = match mirror {
        Some(mirror) => mirror.to_owned(),
        None => configured_mirror(&repositories)?,
    };
    if !mirror.contains(':') || mirror.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Error::BadMirror { mirror });
    }
    let configured = keyring.map(Path::to_owned).or_else(|| keyring_of(&repositories, &mirror).cloned());
    let candidates = configured.into_iter().chain(KEYRINGS.map(PathBuf::from));
    match candidates.into_iter().find(|k| k.is_file()) {
        Some(keyring) => Ok(DebianArchive { mirror, keyring }),
        None => Err(Error::NoKeyring { path: PathBuf::from(KEYRINGS[0]) }),
    }
}

fn configured_mirror(repositories: &[Repository]) -> Result<String, Error> {
    let targets = output_of("apt-get", &["indextargets", "--format", INDEX_TARGETS_FORMAT])?;
    let by_origin = parse_index_targets(&targets).into_iter().next();
    by_origin.or_else(|| archive_by_suite(repositories).map(str::to_owned)).ok_or(Error::NoMirror)
}

/// What the host's apt says of downloads (proxies, time-outs, certificates, bandwidth), as lines for another
/// configuration. Left out: lists of what else to download, and anything that would let an unsigned archive pass.
///
/// # Errors
/// No apt.
pub fn acquire_settings() -> Result<String, Error> {
    Ok(keep_acquire(&output_of("apt-config", &["dump"])?))
}

fn keep_acquire(dump: &str) -> String {
    const DROPPED: [&str; 3] = ["Acquire::IndexTargets", "Acquire::Languages", "Acquire::Allow"];
    dump.lines()
        .filter(|l| l.starts_with("Acquire::") && !DROPPED.iter().any(|d| l.starts_with(d)))
        .map(|l| format!("{l}\n"))
        .collect()
}

fn read_repositories(folder: &Path) -> Vec<Repository> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("sources.list.d"))
        .map(|entries| entries.filter_map(Result::ok).map(|e| e.path()).collect())
        .unwrap_or_default();
    files.sort();
    files.insert(0, folder.join("sources.list"));
    let mut repositories = Vec::new();
    for file in files {
        let Ok(text) = fs::read(&file) else { continue };
        let text = String::from_utf8_lossy(&text);
        match file.extension().and_then(|e| e.to_str()) {
            Some("sources") => repositories.extend(parse_sources(&text)),
            Some("list") => repositories.extend(parse_list(&text)),
            _ => {}
        }
    }
    repositories
}

/// Standard output of one of apt's programs; what it can't tell comes as nothing.
fn output_of(program: &'static str, args: &[&str]) -> Result<String, Error> {
    let output = Command::new(program).args(args).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.map_err(|_| Error::NoTool { program })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_are_kept() {
        let dump = "\
APT::Update::Post-Invoke:: \"rm -rf /\";
Acquire::http::Proxy \"http://proxy.example:3128\";
Acquire::AllowInsecureRepositories \"1\";
Acquire::IndexTargets::deb::Contents::MetaKey \"x\";
Acquire::Languages:: \"de\";
Acquire::Retries \"3\";
";
        let kept = "Acquire::http::Proxy \"http://proxy.example:3128\";\nAcquire::Retries \"3\";\n";
        assert_eq!(keep_acquire(dump), kept);
    }

    #[test]
    fn repositories_of_both_kinds() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sources.list.d")).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("sources.list", "deb http://a.example/ trixie main\n");
        write("sources.list.d/b.list", "deb http://b.example/ trixie main\n");
        write("sources.list.d/c.sources", "Types: deb\nURIs: http://c.example/\nSuites: sid\nComponents: main\n");
        write("sources.list.d/d.list.save", "deb http://d.example/ trixie main\n");
        let uris: Vec<_> = read_repositories(folder.path()).into_iter().flat_map(|r| r.uris).collect();
        assert_eq!(uris, ["http://a.example/", "http://b.example/", "http://c.example/"]);
        assert_eq!(read_repositories(Path::new("/nonexistent")), []);
    }

    #[test]
    fn a_mirror_must_be_an_address() {
        for bad in ["mirror", "http://mirror.example/ deb", "http://mirror.example/\nTrusted: yes"] {
            assert!(matches!(archive(Some(bad), None), Err(Error::BadMirror { .. })), "{bad:?}");
        }
    }
}
