// SPDX-License-Identifier: MIT OR Apache-2.0
//! An image of a system for one kernel, and its manifest.
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SystemError;
use super::namespace::run;
use super::root_state::RootState;
use super::system::System;
use crate::arch::Arch;
use crate::hex::hex;
use crate::image_format::ImageFormat;

/// A file system image with the modules of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemImage {
    /// The image.
    pub path: PathBuf,
    /// The initramfs that mounts it.
    pub initramfs: PathBuf,
    /// What it is.
    pub manifest: SystemManifest,
}

/// What an image is: `IMAGE.json` next to it, written once the image is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemManifest {
    /// The system.
    pub system: System,
    /// Its architecture.
    #[serde(with = "crate::arch::debian_name")]
    pub arch: Arch,
    /// The release of the kernel whose modules it has, as `uname -r` says it.
    pub release: String,
    /// Identifies the packages and the lab's additions that it was built from: SHA-256, in hexadecimal.
    pub recipe: String,
    /// Whether it has been booted once and shut down: first boots do what later ones don't.
    pub settled: bool,
    /// The state in which it is booted.
    #[serde(default)]
    pub state: RootState,
    /// The form of the image.
    #[serde(default)]
    pub format: ImageFormat,
}

impl SystemImage {
    /// The image of this name in the folder, if it is complete and built by this recipe.
    pub(super) fn read(folder: &Path, name: &str, recipe: &str) -> Option<SystemImage> {
        let path = SystemImage::place(folder, name);
        let text = fs::read(manifest_of(&path)).ok()?;
        let manifest: SystemManifest = serde_json::from_slice(&text).ok()?;
        let initramfs = path.with_extension("img.cpio");
        let complete = path.is_file() && initramfs.is_file();
        (complete && manifest.recipe == recipe).then_some(SystemImage { path, initramfs, manifest })
    }

    /// Where the image of this name is.
    pub(super) fn place(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.img"))
    }

    /// UUID of its file system: new each time that an image is built, and kept by boots. One that was derived from it by a
    /// guest has the time of its last mount after it, by which one such image differs from the next. An image in another form than ext4 is known by its
    /// recipe, which has the UUID of the one that it was made of.
    ///
    /// # Errors
    /// It can't be read, or is not ext4.
    pub fn file_system(&self) -> Result<String, SystemError> {
        if self.manifest.format != ImageFormat::Ext4 {
            return Ok(self.manifest.recipe.clone());
        }
        let superblock = self.superblock()?;
        let uuid = hex(&superblock[UUID..UUID + 16]);
        Ok(match self.manifest.state.is_derived() {
            false => uuid,
            true => format!("{uuid}-{:08x}", field(&superblock, MOUNT_TIME)),
        })
    }

    /// Whether its journal has to be replayed before it can be mounted.
    ///
    /// # Errors
    /// It can't be read, or is not ext4.
    pub fn needs_recovery(&self) -> Result<bool, SystemError> {
        Ok(field(&self.superblock()?, INCOMPATIBLE) & RECOVER != 0)
    }

    fn superblock(&self) -> Result<[u8; UUID + 16], SystemError> {
        let mut superblock = [0; UUID + 16];
        let read = File::open(&self.path).and_then(|file| file.read_exact_at(&mut superblock, SUPERBLOCK));
        read.map_err(SystemError::cache("read", &self.path))?;
        if superblock[MAGIC..MAGIC + 2] != EXT4 {
            let source = io::Error::new(io::ErrorKind::InvalidData, "no ext4 file system");
            return Err(SystemError::cache("read", &self.path)(source));
        }
        Ok(superblock)
    }

    /// Records that the image has been booted once and shut down.
    ///
    /// # Errors
    /// The manifest can't be written.
    pub fn set_settled(&mut self) -> Result<(), SystemError> {
        self.manifest.settled = true;
        self.write_manifest()
    }

    pub(super) fn write_manifest(&self) -> Result<(), SystemError> {
        let path = manifest_of(&self.path);
        let text = serde_json::to_string_pretty(&self.manifest).expect("plain strings always serialise");
        let part = path.with_extension("part");
        fs::write(&part, text + "\n").map_err(SystemError::cache("write", &part))?;
        fs::rename(&part, &path).map_err(SystemError::cache("write", &path))
    }
}

/// Copies a file without what is empty in it; where the file system can, both share what they have in common.
pub(super) fn copy_sparse(from: &Path, to: &Path) -> Result<(), SystemError> {
    let mut command = std::process::Command::new("cp");
    command.args(["--reflink=auto", "--sparse=always", "--"]).args([from, to]);
    run(command, "a copy of an image", "cp")
}

/// Where the superblock of ext4 begins, and the fields in it that are read (Documentation/filesystems/ext4/super.rst).
const SUPERBLOCK: u64 = 1024;
const MOUNT_TIME: usize = 0x2c;
const MAGIC: usize = 0x38;
const INCOMPATIBLE: usize = 0x60;
const UUID: usize = 0x68;
/// EXT4_FEATURE_INCOMPAT_RECOVER, set while the file system is mounted for writing.
const RECOVER: u32 = 4;
/// 0xEF53, little-endian.
const EXT4: [u8; 2] = [0x53, 0xef];

/// A little-endian field of 32 bits.
fn field(superblock: &[u8; UUID + 16], at: usize) -> u32 {
    u32::from_le_bytes([superblock[at], superblock[at + 1], superblock[at + 2], superblock[at + 3]])
}

fn manifest_of(image: &Path) -> PathBuf {
    image.with_extension("img.json")
}

/// An image of busybox for 6.12 with the recipe `r`; nothing is written.
#[cfg(test)]
pub(super) fn of_busybox(path: PathBuf) -> SystemImage {
    let manifest = SystemManifest {
        system: System::Busybox,
        arch: Arch::Amd64,
        release: "6.12".to_owned(),
        recipe: "r".to_owned(),
        settled: false,
        state: RootState::Settled,
        format: ImageFormat::Ext4,
    };
    SystemImage { initramfs: path.with_extension("img.cpio"), path, manifest }
}

/// Writes a superblock of ext4, and no more; a dirty one has a journal to be replayed.
#[cfg(test)]
pub(super) fn write_superblock(path: &Path, dirty: bool) {
    let mut content = [0; 2048];
    let at = usize::try_from(SUPERBLOCK).unwrap();
    content[at + MAGIC..at + MAGIC + 2].copy_from_slice(&EXT4);
    content[at + UUID..at + UUID + 16].copy_from_slice(b"0123456789abcdef");
    content[at + INCOMPATIBLE..at + INCOMPATIBLE + 4].copy_from_slice(&(if dirty { RECOVER } else { 0 }).to_le_bytes());
    fs::write(path, content).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_identified_by_its_file_system() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("6.12.img");
        let mut image = of_busybox(path);
        let mut content = vec![0; 2048];
        fs::write(&image.path, &content).unwrap();
        assert!(image.file_system().unwrap_err().to_string().ends_with("no ext4 file system"));
        content[1024 + 0x38..1024 + 0x3a].copy_from_slice(&0xef53_u16.to_le_bytes());
        content[1024 + 0x68..1024 + 0x78].copy_from_slice(b"0123456789abcdef");
        fs::write(&image.path, &content).unwrap();
        assert_eq!(image.file_system().unwrap(), "30313233343536373839616263646566");
        assert!(!image.needs_recovery().unwrap());
        content[1024 + 0x60] = 0x04;
        content[1024 + 0x2c..1024 + 0x30].copy_from_slice(&0x6925_0000_u32.to_le_bytes());
        fs::write(&image.path, &content).unwrap();
        assert!(image.needs_recovery().unwrap());
        image.manifest.state = RootState::PowerLost;
        assert_eq!(image.file_system().unwrap(), "30313233343536373839616263646566-69250000");
        fs::write(&image.path, &content[..1100]).unwrap();
        assert!(image.file_system().is_err());
    }
}
