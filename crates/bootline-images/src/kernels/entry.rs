// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel in the cache: a folder with `vmlinuz`, `config` where the package had one, and `kernel.json`, which
//! describes it and contains the checksums. A folder is complete once it has its final name.
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::built::BuiltKernel;
use super::error::Error;
use super::series::Series;
use crate::arch::Arch;
use crate::hex::hex;

pub(super) const VMLINUZ: &str = "vmlinuz";
pub(super) const CONFIG: &str = "config";
const RECORD: &str = "kernel.json";

/// The content of `kernel.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelManifest {
    /// The architecture.
    #[serde(with = "crate::arch::debian_name")]
    pub arch: Arch,
    /// The series.
    pub series: Series,
    /// The package it came in; empty if it was built here.
    pub package: String,
    /// The package's version; of one that was built here, what its source is called.
    pub version: String,
    /// What `uname -r` says in it.
    pub release: String,
    /// The suite it came from; empty if it was built here.
    pub suite: String,
    /// SHA-256 of `vmlinuz`, in hexadecimal.
    pub sha256: String,
    /// SHA-256 of `config`, where there is one.
    pub config_sha256: Option<String>,
    /// How it was built, if it was built here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<BuiltKernel>,
}

/// A kernel on the disk whose checksum was just verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The image to boot.
    pub path: PathBuf,
    /// Its configuration, where the package had it.
    pub config_path: Option<PathBuf>,
    /// The architecture.
    pub arch: Arch,
    /// The series.
    pub series: Series,
    /// Whether it is a PREEMPT_RT kernel.
    pub rt: bool,
    /// The package's version, such as `6.18.15-1~bpo13+1`; of one that was built here, what its source is called.
    pub version: String,
    /// What `uname -r` says in it, such as `6.18.15+deb13-rt-amd64`.
    pub release: String,
    /// The package it came in; empty if it was built here.
    pub package: String,
    /// The suite it came from; empty if it was built here.
    pub suite: String,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
    /// How it was built, if it was built here.
    pub built: Option<BuiltKernel>,
}

impl Kernel {
    /// As a user names it, with its architecture: `amd64:6.18-rt`, or `amd64:tiny` for one that was built here.
    pub fn name(&self) -> String {
        match &self.built {
            Some(built) => format!("{}:{}", self.arch, built.name),
            None => format!("{}:{}", self.arch, self.series),
        }
    }
}

/// Damage of a folder in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file that is damaged.
    pub path: PathBuf,
    /// In words.
    pub reason: String,
}

/// Writes the record of a folder whose other files are in place.
pub(super) fn seal(folder: &Path, record: &KernelManifest) -> Result<(), Error> {
    let path = folder.join(RECORD);
    let text = serde_json::to_string_pretty(record).map_err(io::Error::from).map_err(Error::cache("write", &path))?;
    fs::write(&path, text + "\n").map_err(Error::cache("write", &path))
}

/// Reads the manifest without checking the files next to it.
pub(super) fn read_record(folder: &Path) -> Result<KernelManifest, Damage> {
    let path = folder.join(RECORD);
    let damage = |reason: String| Damage { path: path.clone(), reason };
    let mut text = String::new();
    let file = File::open(&path).map_err(|e| damage(e.to_string()))?;
    file.take(1 << 16).read_to_string(&mut text).map_err(|e| damage(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| damage(e.to_string()))
}

/// Reads a folder and verifies its checksums.
pub(super) fn verify(folder: &Path) -> Result<Kernel, Damage> {
    let record = read_record(folder)?;
    let path = folder.join(VMLINUZ);
    verify_file(&path, &record.sha256)?;
    let config_path = match &record.config_sha256 {
        Some(expected) => {
            let path = folder.join(CONFIG);
            verify_file(&path, expected)?;
            Some(path)
        }
        None => None,
    };
    Ok(Kernel {
        path,
        config_path,
        arch: record.arch,
        series: record.series,
        rt: record.series.is_rt(),
        version: record.version,
        release: record.release,
        package: record.package,
        suite: record.suite,
        sha256: record.sha256,
        built: record.built,
    })
}

fn verify_file(path: &Path, expected: &str) -> Result<(), Damage> {
    let damage = |reason: String| Damage { path: path.to_owned(), reason };
    let found = sha256_of(path).map_err(|e| damage(e.to_string()))?;
    if found == expected {
        Ok(())
    } else {
        Err(damage(format!("sha256 {} where {} was stored", short(&found), short(expected))))
    }
}

fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

/// SHA-256 of a file, in hexadecimal.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hex(hasher.finalize()))
}

/// SHA-256 of all files below a folder, with their paths, in hexadecimal.
pub(super) fn sha256_of_tree(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { &mut folders } else { &mut files }.push(entry.path());
        }
    }
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        let sha256 = sha256_of(&file)?;
        hasher.update(format!("{sha256} {}\n", file.strip_prefix(folder).unwrap_or(&file).display()));
    }
    Ok(hex(hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_kernel() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(VMLINUZ), "kernel").unwrap();
        fs::write(folder.path().join(CONFIG), "CONFIG_PRINTK=y").unwrap();
        let record = KernelManifest {
            arch: Arch::Arm64,
            series: "6.18-rt".parse().unwrap(),
            package: "linux-image-6.18.15-rt-arm64".to_owned(),
            version: "6.18.15-1".to_owned(),
            release: "6.18.15-rt-arm64".to_owned(),
            suite: "trixie-backports".to_owned(),
            sha256: sha256_of(&folder.path().join(VMLINUZ)).unwrap(),
            config_sha256: Some(sha256_of(&folder.path().join(CONFIG)).unwrap()),
            built: None,
        };
        seal(folder.path(), &record).unwrap();
        folder
    }

    fn check_damage(file: &str, content: Option<&str>, reason: &str) {
        let folder = folder_with_kernel();
        let path = folder.path().join(file);
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let damage = verify(folder.path()).unwrap_err();
        assert_eq!(damage.path, path);
        assert!(damage.reason.contains(reason), "{}", damage.reason);
    }

    #[test]
    fn sound() {
        let folder = folder_with_kernel();
        let kernel = verify(folder.path()).unwrap();
        assert!(kernel.rt);
        assert_eq!(kernel.config_path, Some(folder.path().join(CONFIG)));
        // "kernel", by sha256sum.
        assert_eq!(kernel.sha256, "6923dd1bc0460082c5d55a831908c24a282860b7f1cd6c2b79cf1bc8857c639c");
    }

    #[test]
    fn the_manifest_has_debians_name_of_the_architecture() {
        let folder = folder_with_kernel();
        let manifest = fs::read_to_string(folder.path().join(RECORD)).unwrap();
        assert!(manifest.contains("\"arch\": \"arm64\""), "{manifest}");
    }

    #[test]
    fn damaged() {
        check_damage(VMLINUZ, Some("kernex"), "sha256");
        check_damage(VMLINUZ, None, "No such file");
        check_damage(CONFIG, Some(""), "sha256");
        check_damage(RECORD, Some(""), "EOF");
        check_damage(RECORD, Some("{\"series\": 7}"), "invalid type");
        check_damage(RECORD, None, "No such file");
    }
}
