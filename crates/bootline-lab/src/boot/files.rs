// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run's directory.
use std::fs;
use std::path::{Path, PathBuf};

use super::{BootError, Truth};

/// The files of a run.
#[derive(Clone, Debug)]
pub(super) struct RunFiles {
    pub capture: PathBuf,
    pub truth: PathBuf,
    pub kmsg: PathBuf,
    pub qemu_log: PathBuf,
}

impl RunFiles {
    /// Makes the directory; refuses one that holds a run.
    pub fn prepare(dir: &Path) -> Result<RunFiles, BootError> {
        fs::create_dir_all(dir).map_err(|source| BootError::Write { path: dir.to_owned(), source })?;
        let files = RunFiles {
            capture: dir.join("boot.cap"),
            truth: dir.join("truth.json"),
            kmsg: dir.join("dmesg.kmsg"),
            qemu_log: dir.join("qemu.log"),
        };
        let in_use = [&files.capture, &files.truth].into_iter().find(|path| path.exists()).cloned();
        in_use.map_or(Ok(files), |path| Err(BootError::DirInUse { path }))
    }

    pub fn write_truth(&self, truth: &Truth) -> Result<(), BootError> {
        let mut text = serde_json::to_vec_pretty(truth).expect("plain structs of numbers and strings always serialise");
        text.push(b'\n');
        write(&self.truth, &text)
    }
}

pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), BootError> {
    fs::write(path, content).map_err(|source| BootError::Write { path: path.to_owned(), source })
}
