// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's devices for the hardware of a system: the bus of its root, and what has nothing plugged in.
use std::ffi::OsString;
use std::path::Path;

use bootline_images::hardware::{Absent, Bus};

/// The network controller whose link is down, by the name that QEMU's monitor knows it by.
pub(super) const UNPLUGGED: &str = "unplugged";

/// QEMU's options of a drive, with its file.
pub(in crate::boot) fn drive(options: &str, file: &Path) -> OsString {
    // QEMU reads a comma in a name as two.
    OsString::from(format!("{options},file={}", file.to_string_lossy().replace(',', ",,")))
}

/// QEMU's arguments for the disk of the drive `root`, and the controller that it is on.
pub(super) fn of_root(bus: Bus) -> impl Iterator<Item = &'static str> {
    let devices: &[&str] = match bus {
        // One queue, as eMMC, SD, SATA and flash have it: the kernel then schedules its requests (mq-deadline), by their priority, too.
        Bus::Virtio | Bus::Mtd => &["virtio-blk-pci,drive=root,num-queues=1"],
        Bus::Sata => &["ich9-ahci,id=root-bus", "ide-hd,drive=root,bus=root-bus.0"],
        // The card goes into the first free slot: the only one, as long as the others come later.
        Bus::Sd => &["sdhci-pci", "sd-card,drive=root"],
        Bus::Nvme => &["nvme,drive=root,serial=root"],
        Bus::Usb => &["qemu-xhci,id=root-bus", "usb-storage,drive=root,bus=root-bus.0"],
    };
    devices.iter().flat_map(|device| ["-device", device])
}

/// QEMU's arguments for hardware with nothing plugged in.
pub(super) fn of_absent(absent: Absent) -> &'static [&'static str] {
    match absent {
        Absent::SataDisk => &["-device", "ich9-ahci"],
        Absent::SdCard => &["-device", "sdhci-pci"],
        // A hub with nobody else on it: without any, QEMU warns of a controller that leads nowhere.
        Absent::NetworkLink => {
            &["-netdev", "hubport,id=nowhere,hubid=1", "-device", "e1000e,id=unplugged,netdev=nowhere,romfile="]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_that_is_taken_down_is_that_of_the_device() {
        let id = format!("e1000e,id={UNPLUGGED},");
        assert!(of_absent(Absent::NetworkLink).iter().any(|argument| argument.starts_with(&id)));
    }
}
