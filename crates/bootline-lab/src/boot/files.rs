// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run's directory.
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{BootError, Truth};

/// The kernel's own log.
pub(crate) const KMSG: &str = "dmesg.kmsg";

/// All files that a run may write.
const FILES: [&str; 11] = [
    "boot.cap",
    "truth.json",
    "truth.part",
    KMSG,
    "qemu.log",
    "screen.ppm",
    "systemctl-show.txt",
    "systemctl-manager.txt",
    "journal.export",
    "analyze-time.txt",
    "storage.txt",
];

/// The files of a run.
#[derive(Clone, Debug)]
pub(super) struct RunFiles {
    pub capture: PathBuf,
    pub truth: PathBuf,
    pub kmsg: PathBuf,
    pub qemu_log: PathBuf,
    pub screen: PathBuf,
}

impl RunFiles {
    /// Creates the directory; refuses one that contains a run.
    pub fn prepare(dir: &Path) -> Result<RunFiles, BootError> {
        fs::create_dir_all(dir).map_err(|source| BootError::Write { path: dir.to_owned(), source })?;
        let files = RunFiles {
            capture: dir.join("boot.cap"),
            truth: dir.join("truth.json"),
            kmsg: dir.join(KMSG),
            qemu_log: dir.join("qemu.log"),
            screen: dir.canonicalize().unwrap_or_else(|_| dir.to_owned()).join("screen.ppm"),
        };
        let in_use = [&files.capture, &files.truth].into_iter().find(|path| path.exists()).cloned();
        in_use.map_or(Ok(files), |path| Err(BootError::DirInUse { path }))
    }

    /// Written last, and renamed to its name once it is complete and on disk: a run with a `truth.json` is complete.
    pub fn write_truth(&self, truth: &Truth) -> Result<(), BootError> {
        let mut text = serde_json::to_vec_pretty(truth).expect("plain structs of numbers and strings always serialise");
        text.push(b'\n');
        replace(&self.truth, &text).map_err(|source| BootError::Write { path: self.truth.clone(), source })
    }
}

/// Replaces the content of `path` atomically: after a power failure it has the new content or the old.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let mut file = fs::File::create(&part)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&part, path)
}

pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), BootError> {
    fs::write(path, content).map_err(|source| BootError::Write { path: path.to_owned(), source })
}

/// Moves a run's files to the next free `WHY-N` in its directory, which can then take another run.
pub(crate) fn set_aside(dir: &Path, why: &str) -> Result<PathBuf, BootError> {
    let failed = |path: &Path, source| BootError::Write { path: path.to_owned(), source };
    let names = (1..).map(|n| dir.join(format!("{why}-{n}")));
    let aside = names.into_iter().find(|path| !path.exists()).expect("numbers don't end");
    fs::create_dir_all(&aside).map_err(|source| failed(&aside, source))?;
    for name in FILES {
        let (from, to) = (dir.join(name), aside.join(name));
        if from.exists() {
            fs::rename(&from, &to).map_err(|source| failed(&to, source))?;
        }
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_set_aside_get_numbers_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        for n in 1..=3 {
            fs::write(dir.path().join("truth.json"), n.to_string()).unwrap();
            assert_eq!(set_aside(dir.path(), "invalid").unwrap(), dir.path().join(format!("invalid-{n}")));
        }
        assert_eq!(fs::read_to_string(dir.path().join("invalid-2/truth.json")).unwrap(), "2");
        assert!(!dir.path().join("truth.json").exists());
    }
}
