// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes to the root of a system: files that are replaced, added or removed in a copy of its image.
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use super::debugfs::{Said, debugfs, quoted};
use super::error::SystemError;
use super::image::copy_sparse;
use super::namespace::need;
use crate::hex::hex;
use crate::host_tools::PATH;

/// Changes to a root file system. Paths are relative to it: `etc/init.d/networking`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RootChanges {
    /// The content of files by their paths. A file that is there keeps its owner and its mode; a new one belongs to root, and can be executed
    /// if it is a script or a program.
    pub files: BTreeMap<String, Vec<u8>>,
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
    /// A path is not there, is a folder or is named twice, debugfs is missing, or the copy can't be written.
    pub fn copy(&self, image: &Path, to: &Path, work: &Path) -> Result<(), SystemError> {
        if let Some(path) = self.files.keys().find(|path| self.without.contains(*path)) {
            return Err(cannot("change", path, "it is also to be removed"));
        }
        need("debugfs", "e2fsprogs")?;
        need("e2fsck", "e2fsprogs")?;
        copy_sparse(image, to)?;
        replay_journal(to)?;
        let mut requests = String::new();
        for path in &self.without {
            let (folder, name) = place(to, path)?;
            if there(to, &folder, path)? == There::Nothing {
                return Err(cannot("remove", path, "it is not there"));
            }
            _ = writeln!(requests, "rm \"{folder}/{name}\"");
        }
        let mut made: BTreeSet<String> = BTreeSet::new();
        for (n, (path, content)) in self.files.iter().enumerate() {
            let (folder, name) = place(to, path)?;
            let before = there(to, &folder, path)?;
            let source = work.join(format!("file-{n}"));
            fs::write(&source, content).map_err(SystemError::cache("write", &source))?;
            for (end, _) in folder.match_indices('/').skip(1).chain([(folder.len(), "")]).filter(|(end, _)| *end > 0) {
                let parent = &folder[..end];
                if made.insert(parent.to_owned()) && stat(to, parent)?.is_none() {
                    _ = writeln!(requests, "mkdir \"{parent}\"");
                }
            }
            if before != There::Nothing {
                _ = writeln!(requests, "rm \"{folder}/{name}\"");
            }
            let is_program = content.starts_with(b"#!") || content.starts_with(b"\x7fELF");
            let fresh = Access { mode: if is_program { 0o755 } else { 0o644 }, user: 0, group: 0 };
            let Access { mode, user, group } = if let There::File(access) = before { access } else { fresh };
            // `write` knows names only, no paths.
            _ = writeln!(requests, "cd \"{folder}/\"\nwrite {} \"{name}\"", quoted(&source));
            for (field, value) in
                [("mode", format!("0100{mode:03o}")), ("uid", user.to_string()), ("gid", group.to_string())]
            {
                _ = writeln!(requests, "set_inode_field \"{folder}/{name}\" {field} {value}");
            }
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

/// A character that debugfs does not take for its own.
fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '"' | '<' | '>' | '\\')
}

/// Replays the journal of an image whose system did not unmount it: done later, by the guest, that would undo the changes.
fn replay_journal(image: &Path) -> Result<(), SystemError> {
    let output = Command::new("e2fsck").arg("-p").arg(image).env("PATH", PATH).env("LC_ALL", "C.UTF-8").output();
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

/// What debugfs says of a path that begins at the root; none if nothing is there.
fn stat(image: &Path, path: &str) -> Result<Option<String>, SystemError> {
    let request = format!("stat \"{path}\"");
    let said = asked(&["-R"], &[request.as_ref(), image.as_os_str()])?;
    match said.complaints.first() {
        Some(line) if line.contains("File not found") => Ok(None),
        Some(line) => Err(failed(vec![line.clone()])),
        None => Ok(Some(said.output)),
    }
}

/// A field of what [`stat`] gives: `Inode: 12   Type: regular    Mode:  0644   Flags: 0x80000`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.split_once(name).and_then(|(_, rest)| rest.split_ascii_whitespace().next())
}

/// The folder of a path without links in it, empty for the root, and the name of the file. debugfs does not follow a link at the end of a
/// folder's path, such as the one that /bin is.
fn place<'p>(image: &Path, path: &'p str) -> Result<(String, &'p str), SystemError> {
    /// As Linux has it, MAXSYMLINKS.
    const MOST_LINKS: usize = 40;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parts = |path: &str| path.split('/').rev().map(str::to_owned).collect::<Vec<_>>();
    let (mut to_go, mut found, mut links) = (parts(folder), Vec::new(), 0);
    while let Some(part) = to_go.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                found.pop();
                continue;
            }
            _ => found.push(part),
        }
        let Some(text) = stat(image, &absolute(&found))? else { continue };
        if field(&text, "Type:") != Some("symlink") {
            continue;
        }
        links += 1;
        let target = text.split_once("Fast link dest: \"").and_then(|(_, rest)| Some(rest.split_once("\"\n")?.0));
        let target = target.filter(|_| links <= MOST_LINKS).filter(|target| target.chars().all(is_plain));
        let target = target.ok_or_else(|| cannot("change", path, "a link in it can't be followed"))?;
        match target.starts_with('/') {
            true => found.clear(),
            false => _ = found.pop(),
        }
        to_go.extend(parts(target));
    }
    Ok((absolute(&found), name))
}

fn absolute(parts: &[String]) -> String {
    parts.iter().map(|part| format!("/{part}")).collect()
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Nothing,
    File(Access),
    /// A link or the like.
    Other,
}

/// The permissions of a file, and whose they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    mode: u32,
    user: u32,
    group: u32,
}

/// What is at a path, whose folder is `folder` once links are followed.
fn there(image: &Path, folder: &str, path: &str) -> Result<There, SystemError> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(text) = stat(image, &format!("{folder}/{name}"))? else { return Ok(There::Nothing) };
    let number = |name: &str, radix| field(&text, name).and_then(|digits| u32::from_str_radix(digits, radix).ok());
    match (field(&text, "Type:"), number("Mode:", 8), number("User:", 10), number("Group:", 10)) {
        (Some("regular"), Some(mode), Some(user), Some(group)) => Ok(There::File(Access { mode, user, group })),
        (Some("directory"), ..) => Err(cannot("change", path, "it is a folder")),
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
        fs::create_dir_all(tree.join("usr/bin")).unwrap();
        for (link, to) in [("bin", "usr/bin"), ("usr/local", "/etc/../bin"), ("loop", "loop")] {
            std::os::unix::fs::symlink(to, tree.join(link)).unwrap();
        }
        fs::write(tree.join("etc/init.d/networking"), "#!/bin/sh\nslow\n").unwrap();
        fs::write(tree.join("etc/fstab"), "old\n").unwrap();
        std::os::unix::fs::symlink("../init.d/networking", tree.join("etc/S01networking")).unwrap();
        let mut mkfs = Command::new("/usr/sbin/mkfs.ext4");
        assert!(mkfs.args(["-q", "-F", "-d"]).args([&tree, &image]).arg("8M").status().unwrap().success());
        image
    }

    fn changes(files: &[(&str, &str)], without: &[&str]) -> RootChanges {
        RootChanges {
            files: files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
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
        let modes = files.map(|(path, _)| at(&copy, path));
        assert_eq!(modes, [0o644, 0o755, 0o644].map(of_root));
        let link = |image: &Path| at(image, "etc/S01networking");
        assert_eq!((link(&image), link(&copy)), (There::Other, There::Nothing));
        assert_eq!(content(&image, "etc/fstab"), "old\n", "the image itself stays as it is");
        let mut fsck = Command::new("/usr/sbin/e2fsck");
        assert!(fsck.args(["-f", "-n"]).arg(&copy).status().unwrap().success(), "the copy is a sound file system");
    }

    fn at(image: &Path, path: &str) -> There {
        there(image, &place(image, path).unwrap().0, path).unwrap()
    }

    fn of_root(mode: u32) -> There {
        There::File(Access { mode, user: 0, group: 0 })
    }

    #[test]
    fn owners_are_kept_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (image, copy) = (image(folder.path()), folder.path().join("copy"));
        for request in ["uid 5", "gid 70000", "mode 0100640"] {
            let request = format!("set_inode_field /etc/fstab {request}");
            assert!(debugfs(&["-w", "-R"], &[request.as_ref(), image.as_os_str()]).unwrap().complaints.is_empty());
        }
        let mut changed =
            changes(&[("etc/fstab", "new\n"), ("bin/script", "#!/bin/sh\n"), ("usr/local/a/text", "x")], &[]);
        let program = [b"\x7fELF".as_slice(), &[0xff, 0]].concat();
        changed.files.insert("bin/program".to_owned(), program);
        changed.copy(&image, &copy, folder.path()).unwrap();
        let in_copy = |path: &str| at(&copy, path);
        assert_eq!(in_copy("etc/fstab"), There::File(Access { mode: 0o640, user: 5, group: 70000 }));
        assert_eq!(
            ["usr/bin/program", "usr/bin/script", "usr/bin/a/text"].map(in_copy),
            [0o755, 0o755, 0o644].map(of_root)
        );
        assert_eq!(in_copy("bin"), There::Other, "the link is there");
        assert!(stat(&copy, "/script").unwrap().is_none());
        // Again, on what is there now.
        let second = folder.path().join("second");
        changes(&[("bin/script", "text")], &["bin/program"]).copy(&copy, &second, folder.path()).unwrap();
        assert_eq!([at(&second, "usr/bin/program"), at(&second, "usr/bin/script")], [There::Nothing, of_root(0o755)]);
        assert_eq!(content(&second, "usr/bin/script"), "text");
        let mut fsck = Command::new("e2fsck");
        assert!(fsck.args(["-f", "-n"]).arg(&second).env("PATH", PATH).status().unwrap().success());
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
        check(
            changes(&[("etc/x", "")], &["etc/x"]),
            "can't change `etc/x` in the system's root: it is also to be removed",
        );
        check(
            changes(&[("loop/x", "")], &[]),
            "can't change `loop/x` in the system's root: a link in it can't be followed",
        );
    }

    #[test]
    fn other_changes_have_another_sum() {
        let of = |files: &[(&str, &str)], without: &[&str]| changes(files, without).sha256();
        assert_eq!(of(&[("a", "b")], &[]), of(&[("a", "b")], &[]));
        assert_ne!(of(&[("a", "b")], &[]), of(&[("a", "c")], &[]));
        assert_ne!(of(&[], &["a"]), of(&[], &["b"]));
    }
}
