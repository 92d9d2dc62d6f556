// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes to the root of a system: files that are replaced, added or removed in a copy of its image.
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use super::debugfs::{Said, debugfs};
use super::error::SystemError;
use super::image::copy_sparse;
use super::namespace::need;
use crate::hex::hex;

/// Changes to a root file system. Paths are relative to it: `etc/init.d/networking`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RootChanges {
    /// The content of files by their paths. A file that is there keeps its mode; a new one can be executed if it is a script.
    pub files: BTreeMap<String, String>,
    /// Files and links that are removed.
    pub without: BTreeSet<String>,
}

/// Not a path of a file in a root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is not a path in a root: name a file relative to it, such as etc/fstab")]
pub struct BadRootPath {
    /// What was typed.
    pub path: String,
}

impl RootChanges {
    /// Checks a path.
    ///
    /// # Errors
    /// It is empty, absolute, leaves the root, or has characters that debugfs takes for its own.
    pub fn check(path: &str) -> Result<(), BadRootPath> {
        let is_name = |part: &str| !part.is_empty() && part != "." && part != "..";
        let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '<' | '>' | '\\');
        let is_good = path.split('/').all(is_name) && path.chars().all(is_plain);
        is_good.then_some(()).ok_or_else(|| BadRootPath { path: path.to_owned() })
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.without.is_empty()
    }

    /// Identifies the changes: SHA-256, in hexadecimal.
    pub fn sha256(&self) -> String {
        hex(Sha256::digest(format!("{:?}{:?}", self.files, self.without)))
    }

    /// Copies an image, and makes the changes in the copy. `work` is an empty folder.
    ///
    /// # Errors
    /// A path is not there or is a folder, debugfs is missing, or the copy can't be written.
    pub fn copy(&self, image: &Path, to: &Path, work: &Path) -> Result<(), SystemError> {
        need("debugfs", "e2fsprogs")?;
        copy_sparse(image, to)?;
        replay_journal(to)?;
        let mut requests = String::new();
        for path in &self.without {
            if there(to, path)? == There::Nothing {
                return Err(cannot("remove", path, "it is not there"));
            }
            _ = writeln!(requests, "rm \"/{path}\"");
        }
        let mut made: BTreeSet<&str> = BTreeSet::new();
        for (n, (path, content)) in self.files.iter().enumerate() {
            let before = there(to, path)?;
            let source = work.join(format!("file-{n}"));
            fs::write(&source, content).map_err(SystemError::cache("write", &source))?;
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            for (end, _) in folder.match_indices('/').chain([(folder.len(), "")]).filter(|(end, _)| *end > 0) {
                let parent = &folder[..end];
                if made.insert(parent) && !exists(to, parent)? {
                    _ = writeln!(requests, "mkdir \"/{parent}\"");
                }
            }
            if before != There::Nothing {
                _ = writeln!(requests, "rm \"/{path}\"");
            }
            let fresh = if content.starts_with("#!") { 0o755 } else { 0o644 };
            let mode = if let There::File { mode } = before { mode } else { fresh };
            // `write` knows names only, no paths.
            _ = writeln!(requests, "cd \"/{folder}\"\nwrite \"{}\" \"{name}\"", source.display());
            _ = writeln!(requests, "set_inode_field \"/{path}\" mode 0100{mode:03o}");
        }
        let script = work.join("requests");
        fs::write(&script, requests).map_err(SystemError::cache("write", &script))?;
        let said = asked(&["-w", "-f"], &[script.as_os_str(), to.as_os_str()])?;
        match said.complaints.is_empty() {
            true => Ok(()),
            false => Err(failed(said.complaints)),
        }
    }
}

/// Replays the journal of an image whose system did not unmount it: done later, by the guest, that would undo the changes.
fn replay_journal(image: &Path) -> Result<(), SystemError> {
    let output = Command::new("/usr/sbin/e2fsck").arg("-p").arg(image).env("LC_ALL", "C.UTF-8").output();
    let output = output.map_err(|source| failed(vec![source.to_string()]))?;
    // 1: errors were corrected, e2fsck(8).
    match output.status.code() {
        Some(0 | 1) => Ok(()),
        _ => Err(failed(vec![String::from_utf8_lossy(&output.stdout).trim().to_owned()])),
    }
}

fn asked(options: &[&str], arguments: &[&OsStr]) -> Result<Said, SystemError> {
    debugfs(options, arguments).map_err(|source| failed(vec![source.to_string()]))
}

fn stat(image: &Path, path: &str) -> Result<Option<String>, SystemError> {
    let request = format!("stat \"/{path}\"");
    let said = asked(&["-R"], &[request.as_ref(), image.as_os_str()])?;
    match said.complaints.first() {
        Some(line) if line.contains("File not found") => Ok(None),
        Some(line) => Err(failed(vec![line.clone()])),
        None => Ok(Some(said.output)),
    }
}

fn exists(image: &Path, path: &str) -> Result<bool, SystemError> {
    Ok(stat(image, path)?.is_some())
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Nothing,
    /// A file, with its permissions.
    File {
        mode: u32,
    },
    /// A link or the like.
    Other,
}

fn there(image: &Path, path: &str) -> Result<There, SystemError> {
    let Some(text) = stat(image, path)? else { return Ok(There::Nothing) };
    // `Inode: 12   Type: regular    Mode:  0644   Flags: 0x80000`
    let field = |name: &str| text.split_once(name).and_then(|(_, rest)| rest.split_ascii_whitespace().next());
    let mode = field("Mode:").and_then(|mode| u32::from_str_radix(mode, 8).ok());
    match (field("Type:"), mode) {
        (Some("regular"), Some(mode)) => Ok(There::File { mode }),
        (Some("directory"), _) => Err(cannot("change", path, "it is a folder")),
        _ => Ok(There::Other),
    }
}

fn cannot(action: &'static str, path: &str, why: &'static str) -> SystemError {
    SystemError::Change { action, path: path.to_owned(), why }
}

fn failed(evidence: Vec<String>) -> SystemError {
    SystemError::Step { what: "a changed root".to_owned(), step: "changing files in the copy of an image", evidence }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn paths_stay_in_the_root() {
        for good in ["etc/fstab", "etc/rc2.d/S01cron", "a b/c"] {
            assert_eq!(RootChanges::check(good), Ok(()), "{good}");
        }
        for bad in ["", "/etc/fstab", "etc/", "../x", "etc/../x", "etc//x", "a\"b", "a\nb", "<12>"] {
            assert!(RootChanges::check(bad).is_err(), "{bad}");
        }
    }

    fn image(folder: &Path) -> PathBuf {
        let (tree, image) = (folder.join("tree"), folder.join("image"));
        fs::create_dir_all(tree.join("etc/init.d")).unwrap();
        fs::write(tree.join("etc/init.d/networking"), "#!/bin/sh\nslow\n").unwrap();
        fs::write(tree.join("etc/fstab"), "old\n").unwrap();
        std::os::unix::fs::symlink("../init.d/networking", tree.join("etc/S01networking")).unwrap();
        let mut mkfs = Command::new("/usr/sbin/mkfs.ext4");
        assert!(mkfs.args(["-q", "-F", "-d"]).args([&tree, &image]).arg("8M").status().unwrap().success());
        image
    }

    fn changes(files: &[(&str, &str)], without: &[&str]) -> RootChanges {
        RootChanges {
            files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
            without: without.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    fn content(image: &Path, path: &str) -> String {
        debugfs(&["-R"], &[format!("cat /{path}").as_ref(), image.as_os_str()]).unwrap().output
    }

    #[test]
    fn files_are_replaced_added_and_removed_in_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (image, copy) = (image(folder.path()), folder.path().join("copy"));
        let files = [("etc/fstab", "new\n"), ("etc/a/b/run", "#!/bin/sh\n"), ("etc/a/plain", "text\n")];
        let changes = changes(&files, &["etc/S01networking"]);
        changes.copy(&image, &copy, folder.path()).unwrap();
        for (path, text) in files {
            assert_eq!(content(&copy, path), text, "{path}");
        }
        let modes = files.map(|(path, _)| there(&copy, path).unwrap());
        assert_eq!(modes, [0o644, 0o755, 0o644].map(|mode| There::File { mode }));
        let link = |image: &Path| there(image, "etc/S01networking").unwrap();
        assert_eq!((link(&image), link(&copy)), (There::Other, There::Nothing));
        assert_eq!(content(&image, "etc/fstab"), "old\n", "the image itself stays as it is");
        let mut fsck = Command::new("/usr/sbin/e2fsck");
        assert!(fsck.args(["-f", "-n"]).arg(&copy).status().unwrap().success(), "the copy is a sound file system");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let image = image(folder.path());
        let check = |changes: RootChanges, expected: &str| {
            let error = changes.copy(&image, &folder.path().join("copy"), folder.path()).unwrap_err().to_string();
            assert_eq!(error, expected);
        };
        check(changes(&[], &["etc/nosuch"]), "can't remove `etc/nosuch` in the system's root: it is not there");
        check(changes(&[], &["etc/init.d"]), "can't change `etc/init.d` in the system's root: it is a folder");
        check(changes(&[("etc/init.d", "")], &[]), "can't change `etc/init.d` in the system's root: it is a folder");
    }

    #[test]
    fn other_changes_have_another_sum() {
        let of = |files: &[(&str, &str)], without: &[&str]| changes(files, without).sha256();
        assert_eq!(of(&[("a", "b")], &[]), of(&[("a", "b")], &[]));
        assert_ne!(of(&[("a", "b")], &[]), of(&[("a", "c")], &[]));
        assert_ne!(of(&[], &["a"]), of(&[], &["b"]));
    }
}
