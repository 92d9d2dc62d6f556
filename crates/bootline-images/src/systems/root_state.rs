// SPDX-License-Identifier: MIT OR Apache-2.0
//! In which state a system's root is when it is booted: what its last boot left, if it had one.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file_system::FileSystem;
use crate::image_format::ImageFormat;
use crate::named;

/// The state of a root file system when a boot begins. Every boot of an image in a state begins in that same state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "The state of a root file system when a boot begins.")]
pub enum RootState {
    /// It was booted once and shut down in its own way.
    #[default]
    Settled,
    /// It was never booted: the boot is a device's first. With systemd it has no machine ID and no host keys.
    FirstBoot,
    /// It was settled, booted again, written to, and its power was cut: its journal is to be replayed.
    PowerLost,
    /// It was settled, and then every file was rewritten while the file system was nearly full, as by years of updates: large files are
    /// fragmented, and raw flash has erase blocks with obsolete data.
    Aged,
    /// It was settled, and then written to by a kernel that left UBI's fastmap on the flash: a later boot attaches by it.
    Fastmap,
    /// It was settled, and booted again by fastinit, which recorded what was read: the list that it reads ahead is in the root.
    Recorded,
}

impl RootState {
    /// All of them.
    pub const ALL: [RootState; 6] = [
        RootState::Settled,
        RootState::FirstBoot,
        RootState::PowerLost,
        RootState::Aged,
        RootState::Fastmap,
        RootState::Recorded,
    ];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            RootState::Settled => "settled",
            RootState::FirstBoot => "first-boot",
            RootState::PowerLost => "power-lost",
            RootState::Aged => "aged",
            RootState::Fastmap => "fastmap",
            RootState::Recorded => "recorded",
        }
    }

    /// The stem of the name of an image in this state, for a kernel's release.
    pub(super) fn image_stem(self, release: &str) -> String {
        if self == RootState::Settled { release.to_owned() } else { format!("{release}.{self}") }
    }

    /// Why a root in this form of an image can't be in this state; none if it can.
    pub fn contradiction(self, format: ImageFormat) -> Option<&'static str> {
        match self {
            RootState::Settled => None,
            RootState::FirstBoot | RootState::PowerLost => {
                (format != ImageFormat::Ext4).then_some("a root that was never booted, or lost its power, is on ext4")
            }
            RootState::Recorded => format
                .file_system()
                .is_read_only()
                .then_some("a list can't be written to a file system that can't be written to"),
            RootState::Aged => {
                format.file_system().is_read_only().then_some("a file system that can't be written to does not age")
            }
            RootState::Fastmap => (format.file_system() != FileSystem::Ubifs)
                .then_some("a fastmap is UBI's, and a root on UBI has the file system ubifs"),
        }
    }

    /// Whether a guest brings a settled image into this state: otherwise it is settled, or as it was built.
    pub fn is_derived(self) -> bool {
        match self {
            RootState::Settled | RootState::FirstBoot => false,
            RootState::PowerLost | RootState::Aged | RootState::Fastmap | RootState::Recorded => true,
        }
    }
}

named!(RootState, "is not a state of a root");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_goes_with_the_file_systems_that_can_be_in_it() {
        let ages = |format| RootState::Aged.contradiction(format).is_none();
        let read_only: Vec<_> = ImageFormat::ALL.into_iter().filter(|format| !ages(*format)).collect();
        assert_eq!(read_only, [ImageFormat::Squashfs, ImageFormat::Erofs]);
        assert!(RootState::PowerLost.contradiction(ImageFormat::Ubifs).unwrap().ends_with("is on ext4"));
        let of_ubi = |format| RootState::Fastmap.contradiction(format).is_none();
        let mapped: Vec<_> = ImageFormat::ALL.into_iter().filter(|format| of_ubi(*format)).collect();
        assert_eq!(mapped, [ImageFormat::Ubifs]);
        assert_eq!(RootState::Settled.contradiction(ImageFormat::Squashfs), None);
    }

    #[test]
    fn images_in_several_states_are_several_files() {
        let names = RootState::ALL.map(|state| state.image_stem("6.12"));
        assert_eq!(names, ["6.12", "6.12.first-boot", "6.12.power-lost", "6.12.aged", "6.12.fastmap", "6.12.recorded"]);
    }
}
