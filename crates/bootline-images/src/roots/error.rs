// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a root file system of the user's own can't be booted.
use std::io;
use std::path::PathBuf;

use crate::file_system::FileSystem;
use crate::systems::{ModuleReadError, SystemError};

/// What is wrong with a root file system, or with packing it.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// It can't be read.
    #[error("can't read the root file system `{}`: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A copy of it can't be written.
    #[error("can't write a copy of the root file system `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is of a kind that is known and can't be booted as it is.
    #[error("`{}` is {what}", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Nothing in it is known.
    #[error("`{}` is no file system, disk, archive or folder that the lab knows", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// A disk none of whose partitions has a file system for a root.
    #[error("no partition of `{}` has a file system that can be a root", path.display())]
    NoPartition {
        /// The disk.
        path: PathBuf,
    },
    /// A disk with several: of A and B, or of the system and its data.
    #[error("several partitions of `{}` have a file system: {}", path.display(), listed(partitions))]
    SeveralPartitions {
        /// The disk.
        path: PathBuf,
        /// Their numbers and file systems.
        partitions: Vec<(u32, FileSystem)>,
    },
    /// The partition asked for is not there, or has no file system for a root.
    #[error("partition {number} of `{}` has no file system that can be a root", path.display())]
    NotThatPartition {
        /// The disk.
        path: PathBuf,
        /// The partition asked for.
        number: u32,
    },
    /// A partition was asked for, and there are none.
    #[error("`{}` has no partitions", path.display())]
    NoTable {
        /// The file or folder.
        path: PathBuf,
    },
    /// It can't be packed into an image.
    #[error(transparent)]
    Pack(SystemError),
    /// A module of the kernel can't be read.
    #[error(transparent)]
    Module(ModuleReadError),
}

fn listed(partitions: &[(u32, FileSystem)]) -> String {
    partitions.iter().map(|(number, kind)| format!("{number} ({kind})")).collect::<Vec<_>>().join(", ")
}

impl From<SystemError> for RootError {
    /// A module is the user's input, everything else the lab's.
    fn from(error: SystemError) -> RootError {
        match error {
            SystemError::Module(error) => RootError::Module(error),
            error => RootError::Pack(error),
        }
    }
}

impl RootError {
    /// What to do about it: one line, for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            RootError::Unusable { hint, .. } => Some((*hint).to_owned()),
            RootError::Unknown { .. } => Some(
                "an image of ext4, squashfs, erofs, btrfs, f2fs or xfs, a disk with one of them, a tar archive or a folder"
                    .to_owned(),
            ),
            RootError::SeveralPartitions { partitions, .. } => {
                Some(format!("name one: `--root-partition {0}`, or `root_partition = {0}` in an experiment", partitions.first().map_or(1, |(n, _)| *n)))
            }
            RootError::NoTable { .. } => Some("leave out the partition: it is taken as a whole".to_owned()),
            RootError::Pack(error) => error.hint(),
            RootError::Write { .. } => Some("free some space, or set another folder: BOOTLINE_CACHE=DIR".to_owned()),
            RootError::Read { .. }
            | RootError::NoPartition { .. }
            | RootError::NotThatPartition { .. }
            | RootError::Module(_) => None,
        }
    }
}
