// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine around a root: the bus that its disk is on, and hardware with nothing plugged in.
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file_system::FileSystem;
use crate::named;

/// The bus of a root's disk. A driver finds the disk and takes its time: the probe is a part of the boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "The bus of a root's disk.")]
pub enum Bus {
    /// A disk of virtual machines, found at once: the least that a bus costs.
    #[default]
    Virtio,
    /// SATA: an AHCI controller.
    Sata,
    /// An SD card in the slot of an SDHCI controller.
    Sd,
    /// An NVMe drive.
    Nvme,
    /// A mass storage device on an xHCI controller.
    Usb,
    /// Raw flash: the driver block2mtd makes it of a virtio disk, with erase blocks of 128 KiB.
    Mtd,
}

impl Bus {
    /// All of them.
    pub const ALL: [Bus; 6] = [Bus::Virtio, Bus::Sata, Bus::Sd, Bus::Nvme, Bus::Usb, Bus::Mtd];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Bus::Virtio => "virtio",
            Bus::Sata => "sata",
            Bus::Sd => "sd",
            Bus::Nvme => "nvme",
            Bus::Usb => "usb",
            Bus::Mtd => "mtd",
        }
    }

    /// The modules that reach a disk on it, in the order of loading.
    pub fn modules(self) -> &'static [&'static str] {
        match self {
            Bus::Virtio => &["virtio_pci", "virtio_blk"],
            Bus::Sata => &["ahci", "sd_mod"],
            Bus::Sd => &["sdhci_pci", "mmc_block"],
            Bus::Nvme => &["nvme"],
            Bus::Usb => &["xhci_pci", "usb_storage", "sd_mod"],
            Bus::Mtd => &["virtio_pci", "virtio_blk", "block2mtd"],
        }
    }

    /// The only disk on it, or below the flash, as the kernel names it.
    pub fn disk(self) -> &'static str {
        match self {
            Bus::Virtio | Bus::Mtd => "/dev/vda",
            Bus::Sata | Bus::Usb => "/dev/sda",
            Bus::Sd => "/dev/mmcblk0",
            Bus::Nvme => "/dev/nvme0n1",
        }
    }

    /// What the kernel mounts: a file system on a partition of that disk, or on the whole.
    pub fn root(self, file_system: FileSystem, partition: Option<u32>) -> String {
        match (self, file_system) {
            (Bus::Mtd, FileSystem::Jffs2) => "mtd0".to_owned(),
            (Bus::Mtd, FileSystem::Ubifs) => "ubi0_0".to_owned(),
            (Bus::Mtd, _) => "/dev/mtdblock0".to_owned(),
            _ => self.device(partition),
        }
    }

    fn device(self, partition: Option<u32>) -> String {
        let disk = self.disk();
        // The kernel puts a `p` between two digits (bdevname() and its successors).
        let between = if disk.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
        partition.map_or_else(|| disk.to_owned(), |number| format!("{disk}{between}{number}"))
    }
}

/// Hardware that a board has and that has nothing plugged in: its driver is loaded before the root is mounted, and looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "Hardware that a board has and that has nothing plugged in.")]
pub enum Absent {
    /// A SATA controller, AHCI with six ports, without a disk.
    SataDisk,
    /// An SDHCI controller without a card.
    SdCard,
    /// A network controller, e1000e, without a link.
    NetworkLink,
}

impl Absent {
    /// All of them.
    pub const ALL: [Absent; 3] = [Absent::SataDisk, Absent::SdCard, Absent::NetworkLink];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Absent::SataDisk => "sata-disk",
            Absent::SdCard => "sd-card",
            Absent::NetworkLink => "network-link",
        }
    }

    /// The modules that look for it, in the order of loading.
    pub fn modules(self) -> &'static [&'static str] {
        match self {
            Absent::SataDisk => Bus::Sata.modules(),
            Absent::SdCard => Bus::Sd.modules(),
            // The system's own network first: it stays eth0.
            Absent::NetworkLink => &["virtio_pci", "virtio_net", "e1000e"],
        }
    }
}

/// The modules of the lab's screens and network, for a root that has nothing that would load them.
pub const SCREEN_AND_NETWORK_MODULES: [&str; 3] = ["bochs", "virtio_gpu", "virtio_net"];

/// Parameters of drivers, each with its driver and its value: block2mtd's says which disk becomes flash, ubi's which flash holds the
/// volumes.
const PARAMETERS: [(&str, &str, &str); 2] = [("block2mtd", "block2mtd", "/dev/vda,131072"), ("ubi", "mtd", "0")];

/// What follows the number of the flash in `ubi.mtd=`: the offset of the volume header and the limit of bad blocks, both the default; the
/// number of the UBI device; fastmap on.
const ENABLE_FASTMAP: &str = ",0,0,0,1";

/// The parameters with which a module is loaded.
pub(crate) fn module_parameters(module: &str) -> String {
    let of_it = PARAMETERS.iter().filter(|(driver, ..)| *driver == module);
    of_it.map(|(_, name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// A file system and a bus that don't go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongBus {
    /// A file system for flash, on a disk.
    #[error("{file_system} is for raw flash, which the bus {bus} is not")]
    NoFlash {
        /// The file system.
        file_system: FileSystem,
        /// The bus.
        bus: Bus,
    },
    /// A partition of a flash.
    #[error("flash has no table of partitions: a root on it is the whole flash")]
    PartitionOfFlash,
}

/// The machine around a root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hardware {
    /// The bus of its disk; none for the one that its file system needs.
    pub bus: Option<Bus>,
    /// What the machine has in addition, with nothing plugged in.
    pub absent: BTreeSet<Absent>,
}

impl Hardware {
    /// The bus of a disk with this file system.
    pub fn bus_of(&self, file_system: FileSystem) -> Bus {
        self.bus.unwrap_or(if file_system.is_for_flash() { Bus::Mtd } else { Bus::Virtio })
    }

    /// Checks that a root with this file system can be on the bus.
    ///
    /// # Errors
    /// It can't.
    pub fn check(&self, file_system: FileSystem, partition: Option<u32>) -> Result<(), WrongBus> {
        let bus = self.bus_of(file_system);
        match (bus, partition) {
            (Bus::Mtd, Some(_)) => Err(WrongBus::PartitionOfFlash),
            (Bus::Mtd, None) => Ok(()),
            _ if file_system.is_for_flash() => Err(WrongBus::NoFlash { file_system, bus }),
            _ => Ok(()),
        }
    }

    /// The modules that drive it for a root with this file system, in the order of loading: the disk is the first of its kind,
    /// whatever else there is.
    pub fn modules(&self, file_system: FileSystem) -> Vec<&'static str> {
        let bus = self.bus_of(file_system);
        let absent = self.absent.iter().flat_map(|absent| absent.modules());
        bus.modules().iter().copied().chain(self.block_layer(file_system)).chain(absent.copied()).collect()
    }

    /// The driver that makes a disk of flash, for a file system that needs one.
    pub(crate) fn block_layer(&self, file_system: FileSystem) -> Option<&'static str> {
        (self.bus_of(file_system) == Bus::Mtd && !file_system.is_for_flash()).then_some("mtdblock")
    }
}

impl Hardware {
    /// The words of the command line that a root with this file system needs, each with a blank after it: parameters of drivers that are
    /// built in. Those that are loaded as modules have theirs from the initramfs, which does not pass these on.
    /// With `fastmap` UBI is told to use its map: from 6.3 on it would not otherwise, and before it can't be told.
    pub fn parameters(&self, file_system: FileSystem, fastmap: bool) -> String {
        let drivers = [&self.modules(file_system)[..], file_system.modules()].concat();
        let needed = PARAMETERS.iter().filter(|(driver, ..)| drivers.contains(driver));
        let also = |driver: &str| if driver == "ubi" && fastmap { ENABLE_FASTMAP } else { "" };
        needed.map(|(driver, name, value)| format!("{driver}.{name}={value}{} ", also(driver))).collect()
    }
}

named!(Bus, "is not a bus");
named!(Absent, "is not hardware that can be absent");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_named_as_the_kernel_names_them() {
        let check = |bus: Bus, expected: [&str; 2]| assert_eq!([bus.device(None), bus.device(Some(2))], expected);
        check(Bus::Virtio, ["/dev/vda", "/dev/vda2"]);
        check(Bus::Usb, ["/dev/sda", "/dev/sda2"]);
        check(Bus::Sd, ["/dev/mmcblk0", "/dev/mmcblk0p2"]);
        check(Bus::Nvme, ["/dev/nvme0n1", "/dev/nvme0n1p2"]);
    }

    #[test]
    fn the_disks_own_drivers_come_first() {
        let hardware = Hardware { bus: Some(Bus::Nvme), absent: Absent::ALL.into() };
        assert_eq!(hardware.modules(FileSystem::Ext4)[..3], ["nvme", "ahci", "sd_mod"]);
        assert_eq!(Hardware::default().modules(FileSystem::Ext4), ["virtio_pci", "virtio_blk"]);
    }

    #[test]
    fn a_root_for_flash_is_on_flash_and_no_other_has_to() {
        let on = |bus| Hardware { bus, absent: BTreeSet::new() };
        assert_eq!(on(None).bus_of(FileSystem::Ubifs), Bus::Mtd);
        assert_eq!(on(None).bus_of(FileSystem::Squashfs), Bus::Virtio);
        assert_eq!(on(Some(Bus::Mtd)).check(FileSystem::Squashfs, None), Ok(()));
        assert_eq!(on(Some(Bus::Mtd)).modules(FileSystem::Squashfs).last(), Some(&"mtdblock"));
        assert_eq!(on(Some(Bus::Mtd)).check(FileSystem::Ext4, Some(1)), Err(WrongBus::PartitionOfFlash));
        let error = on(Some(Bus::Sd)).check(FileSystem::Jffs2, None).unwrap_err();
        assert_eq!(error.to_string(), "jffs2 is for raw flash, which the bus sd is not");
        let parameters = |file_system| on(None).parameters(file_system, false);
        assert_eq!(parameters(FileSystem::Ubifs), "block2mtd.block2mtd=/dev/vda,131072 ubi.mtd=0 ");
        assert_eq!(parameters(FileSystem::Jffs2), "block2mtd.block2mtd=/dev/vda,131072 ");
        assert_eq!(parameters(FileSystem::Ext4), "");
        assert_eq!(["block2mtd", "ubi", "ext4"].map(module_parameters), ["block2mtd=/dev/vda,131072", "mtd=0", ""]);
        let root = |file_system| Bus::Mtd.root(file_system, None);
        let roots = [FileSystem::Jffs2, FileSystem::Ubifs, FileSystem::Erofs].map(root);
        assert_eq!(roots, ["mtd0", "ubi0_0", "/dev/mtdblock0"]);
    }
}
