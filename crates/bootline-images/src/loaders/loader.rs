// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boot loaders that the lab can build and boot with.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{grub, u_boot};
use crate::arch::Arch;
use crate::named;

/// A boot loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "A boot loader of the lab.")]
pub enum Loader {
    /// U-Boot for QEMU's machine `virt`.
    UBoot,
    /// GRUB for a PC with a BIOS.
    GrubBios,
    /// GRUB for a PC with EFI firmware.
    GrubEfi,
}

impl Loader {
    /// All of them.
    pub const ALL: [Loader; 3] = [Loader::UBoot, Loader::GrubBios, Loader::GrubEfi];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Loader::UBoot => "u-boot",
            Loader::GrubBios => "grub-bios",
            Loader::GrubEfi => "grub-efi",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Loader::UBoot => {
                "Debian's U-Boot for QEMU's machine virt, with bootstage and a console that can be silenced"
            }
            Loader::GrubBios => "Debian's GRUB and SeaBIOS for QEMU's machine pc, on the serial line",
            Loader::GrubEfi => "Debian's GRUB and OVMF for QEMU's machine pc, on the serial line",
        }
    }

    /// The names of its files in the cache, the loader itself first.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Loader::UBoot => &u_boot::FILES,
            Loader::GrubBios => &grub::ON_BIOS,
            Loader::GrubEfi => &grub::ON_EFI,
        }
    }

    /// The name of the loader itself in the cache.
    pub(super) fn image(self) -> &'static str {
        self.files()[0]
    }

    /// The architecture of the machine that it boots.
    pub fn arch(self) -> Arch {
        match self {
            Loader::UBoot => Arch::Arm64,
            Loader::GrubBios | Loader::GrubEfi => Arch::Amd64,
        }
    }
}

named!(Loader, "is not a boot loader of the lab");
