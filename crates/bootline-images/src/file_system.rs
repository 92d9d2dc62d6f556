// SPDX-License-Identifier: MIT OR Apache-2.0
//! File systems by their magic numbers.
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file system that the lab can have as a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "The file system of a root.")]
pub enum FileSystem {
    /// ext2, ext3 or ext4, which one driver mounts.
    Ext4,
    /// SquashFS, compressed and read-only.
    Squashfs,
    /// EROFS, read-only.
    Erofs,
    /// Btrfs.
    Btrfs,
    /// F2FS.
    F2fs,
    /// XFS.
    Xfs,
    /// JFFS2, for raw flash.
    Jffs2,
    /// UBIFS, for raw flash, in a volume of UBI.
    Ubifs,
}

impl FileSystem {
    /// As `rootfstype=` has it.
    pub fn name(self) -> &'static str {
        match self {
            FileSystem::Ext4 => "ext4",
            FileSystem::Squashfs => "squashfs",
            FileSystem::Erofs => "erofs",
            FileSystem::Btrfs => "btrfs",
            FileSystem::F2fs => "f2fs",
            FileSystem::Xfs => "xfs",
            FileSystem::Jffs2 => "jffs2",
            FileSystem::Ubifs => "ubifs",
        }
    }

    /// The modules that mount it, in the order of loading. What Btrfs, F2FS, XFS and ext4 ask the kernel's crypto for goes by
    /// several names.
    pub fn modules(self) -> &'static [&'static str] {
        match self {
            FileSystem::Ext4 => &["crc32c_generic", "crc32c_cryptoapi", "libcrc32c", "crc32c", "mbcache", "ext4"],
            FileSystem::Squashfs => &["squashfs"],
            FileSystem::Erofs => &["crc32c_generic", "crc32c_cryptoapi", "libcrc32c", "crc32c", "erofs"],
            FileSystem::Btrfs => {
                &["crc32c_generic", "crc32c_cryptoapi", "libcrc32c", "crc32c", "xxhash_generic", "btrfs"]
            }
            FileSystem::F2fs => &["crc32_generic", "crc32_cryptoapi", "crc32", "f2fs"],
            FileSystem::Xfs => &["crc32c_generic", "crc32c_cryptoapi", "libcrc32c", "crc32c", "xfs"],
            FileSystem::Jffs2 => &["jffs2"],
            // It takes all its compressors when it is loaded, whatever the files use.
            FileSystem::Ubifs => &["ubi", "lzo", "deflate", "zstd", "ubifs"],
        }
    }

    /// The modules without which it can't be mounted; the others are needed by some kernels only.
    pub(crate) fn drivers(self) -> &'static [&'static str] {
        match self {
            FileSystem::Ext4 => &["ext4"],
            FileSystem::Squashfs => &["squashfs"],
            FileSystem::Erofs => &["erofs"],
            FileSystem::Btrfs => &["btrfs"],
            FileSystem::F2fs => &["f2fs"],
            FileSystem::Xfs => &["xfs"],
            FileSystem::Jffs2 => &["jffs2"],
            FileSystem::Ubifs => &["ubi", "ubifs"],
        }
    }

    /// Whether it is on flash itself, without a block device in between.
    pub fn is_for_flash(self) -> bool {
        matches!(self, FileSystem::Jffs2 | FileSystem::Ubifs)
    }

    /// Whether nothing can be written to it.
    pub fn is_read_only(self) -> bool {
        matches!(self, FileSystem::Squashfs | FileSystem::Erofs)
    }

    /// The file system that begins at this offset of a file, in bytes.
    ///
    /// # Errors
    /// The file can't be read; that it ends too soon is no error.
    pub fn at(file: &File, offset: u64) -> io::Result<Option<FileSystem>> {
        for (place, magic, found) in MAGICS {
            if has(file, offset.saturating_add(place), magic)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Where each file system has its magic number: ext4 (fs/ext4/ext4.h), SquashFS, EROFS (fs/erofs/erofs_fs.h), Btrfs
/// (the superblock at 64 KiB), F2FS, XFS, JFFS2 by the kinds of its nodes that may come first (an inode, a name, a clean marker;
/// include/uapi/linux/jffs2.h), UBI.
const MAGICS: [(u64, &[u8], FileSystem); 10] = [
    (0, b"UBI#\x01", FileSystem::Ubifs),
    (0, &[0x85, 0x19, 0x01, 0xe0], FileSystem::Jffs2),
    (0, &[0x85, 0x19, 0x02, 0xe0], FileSystem::Jffs2),
    (0, &[0x85, 0x19, 0x03, 0x20], FileSystem::Jffs2),
    (0, b"hsqs", FileSystem::Squashfs),
    (0, b"XFSB", FileSystem::Xfs),
    (1024, &[0xe2, 0xe1, 0xf5, 0xe0], FileSystem::Erofs),
    (1024, &[0x10, 0x20, 0xf5, 0xf2], FileSystem::F2fs),
    (0x1_0040, b"_BHRfS_M", FileSystem::Btrfs),
    // Two bytes only: the last to be asked.
    (1024 + 0x38, &[0x53, 0xef], FileSystem::Ext4),
];

/// Whether a file has these bytes, at most 16, at an offset.
pub(crate) fn has(file: &File, offset: u64, bytes: &[u8]) -> io::Result<bool> {
    let mut found = [0; 16];
    let found = &mut found[..bytes.len()];
    match file.read_exact_at(found, offset) {
        Ok(()) => Ok(found == bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl fmt::Display for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_system_is_known_by_its_magic_number() {
        for (place, magic, expected) in MAGICS {
            for offset in [0, 1 << 20] {
                let file = tempfile::tempfile().unwrap();
                file.write_all_at(magic, offset + place).unwrap();
                assert_eq!(FileSystem::at(&file, offset).unwrap(), Some(expected), "{expected} at {offset}");
                assert_eq!(FileSystem::at(&file, offset + 1).unwrap(), None);
                file.set_len(offset + place + 1).unwrap();
                assert_eq!(FileSystem::at(&file, offset).unwrap(), None, "{expected}, cut off");
            }
        }
    }

    #[test]
    fn an_offset_beyond_all_files_is_none() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(FileSystem::at(&file, 1 << 60).unwrap(), None);
    }
}
